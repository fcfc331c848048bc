// operator: reassociate
// Chains in invariants, guards, axioms and definitions.
function twice(x: int): int { x + (x + 1) - 1 }
function next(x: int): int;
axiom (forall x: int :: {next(x)} next(x) == x + 1 + 2);
procedure right(n: int) returns (s: int)
  requires 0 <= n;
{
  var i: int;
  i, s := 0, 0;
  while (0 <= i && i < n && i <= n)
    invariant 0 <= i && i <= n && s == i + i + i;
  {
    i, s := i + 1, s + 1 + (1 + 1);
  }
  assert s == n + (n + n) && twice(n) == n + n && next(n) == n + 3;
}
procedure wrong(n: int) returns (s: int)
  requires 0 <= n;
{
  var i: int;
  i, s := 0, 0;
  while (0 <= i && i < n && i <= n)
    invariant 0 <= i && i <= n && s == i + i + i;
  {
    i, s := i + 1, s + 1 + (1 + 1);
  }
  assert s == n + (n + n) && twice(n) == n + n && next(n) == n + 2;
}
