// operator: swap-procedures
// Procedures that call each other, with axioms and globals between them.
var g: int;
procedure right(x: int) returns (y: int)
  requires c + x > 0;
  modifies g;
  ensures y == x + c && g == c;
{
  call y := helper(x);
}
const c: int;
function limit(x: int): bool { x > 2 }
procedure wrong(x: int) returns (y: int)
  requires c + x > 0;
  modifies g;
  ensures y == x + c + 1 && g == c;
{
  call y := helper(x);
}
axiom c > 3;
procedure helper(x: int) returns (y: int);
  requires x + c > 0;
  modifies g;
  ensures y == x + c && g == c;
implementation helper(a: int) returns (b: int)
{
  assert limit(3) && !limit(2);
  b, g := a + c, c;
}
