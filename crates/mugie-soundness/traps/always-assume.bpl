// release: 3
// expected: leaves verified, asked verified, calls verified, misses failed
// Boogie 3 assumes a free clause with `:always_assume` in its place: at the exit, and at the call.
procedure leaves(n: int) returns (r: int)
  ensures r == n;
  free ensures {:always_assume} r > 7;
  ensures r > 6;
  ensures r > 5 && r > 4;
{
  r := n;
}
procedure asked(n: int)
  requires n == n;
  free requires {:always_assume} n > 7;
  requires n > 6;
  requires n > 5;
{
  assert n > 7;
}
procedure calls(n: int) {
  call asked(n);
}
procedure misses(n: int) returns (r: int)
  ensures r > 6;
  free ensures {:always_assume} r > 7;
{
  r := n;
}
