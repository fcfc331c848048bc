// operator: L5
// The solver gives up on a failing procedure, and its half a model leads through no failing assertion: Boogie says
// `errors` and tells none, which a reader takes for a defect of the tool. Whether the model is whole depends on
// everything. The procedure fails one way or the other.
function {:inline} f2(x: int): bool { x > 2 && x < 9 }
var g0: int, g1: int;
const k0: bool;
procedure p()
  modifies g1;
{
  var l21: bool;
  var l22: int;
  g1 := c0 + 0;
L24:
  if (l21 && g0 <= g1) {
    if (f3(g1)) {
      g1 := 0;
    } else if (f3(7)) {
    }
    break L24;
  } else {
    g1 := 2;
    while (g1 < 12)
      invariant g1 <= 3;
    {
      l22 := 2;
      l21 := f2(g2) || f4(7, true) ==> f4(c2, k0);
      g1 := g1 + 2;
    }
  }
  while (g1 < 9)
    invariant g2 == old(g2);
    invariant f1(g0, 4) == g0 + 2 * 4;
  {
    if (u0 == u2) {
    }
    l21 := c0 == g2;
    assert -l22 == -l22;
  }
}
function f1(x: int, y: int): int { x + 2 * y }
var g2: int;
function f0(x: int): int;
const c0, c1, c2: int;
function f3(x: int): bool { f2(x) || 0 == x }
const unique u0, u1, u2: U;
type U;
function f4(x: int, b: bool): bool;
