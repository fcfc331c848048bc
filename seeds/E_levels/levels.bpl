// A growing function and one that stays above it.
//
// Proved: the guard of the next level is above this one, also along a loop. The sequence is a function,
// not a map; in the law of `guard`, `y` occurs in comparisons only.

function guard(x: int): int;
axiom (forall x, y: int :: y + 1 < x ==> y < guard(x));

function level(i: int): int;
axiom (forall i: int :: 0 <= i ==> level(i) + 1 < level(i + 1));

procedure Guard(i: int) returns (g: int)
  requires 0 <= i;
  ensures level(i) < g;
{
  g := guard(level(i + 1));
}

procedure Highest(n: int) returns (g: int)
  requires 0 < n;
  ensures level(n - 1) < g;
{
  var i: int;

  call g := Guard(0);
  i := 1;
  while (i < n)
    invariant 1 <= i && i <= n;
    invariant level(i - 1) < g;
  {
    call g := Guard(i);
    i := i + 1;
  }
}
