// expected: uses verified
// No clause passes such a clause, and none is joined with another across it (L3, L4, L5, split-clause).
procedure {:inline 1} bounded(n: int) returns (r: int)
  requires n == n;
  ensures r == n - 1;
  ensures r < n;
  ensures {:InlineAssume} r >= 10;
  ensures r >= 4;
  ensures r >= 5 && r >= 6;
{
  r := n - 1;
}
procedure uses(n: int) {
  var r: int;
  call r := bounded(n);
}
