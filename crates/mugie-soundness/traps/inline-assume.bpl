// expected: uses verified, fails failed
// An `ensures` with `:InlineAssume` is assumed where the procedure is inlined, so what stands behind it may follow
// from it only. L5 must not exchange the two.
procedure {:inline 1} bounded(n: int) returns (r: int)
  ensures {:InlineAssume} r >= 10;
  ensures r >= 4;
{
  r := n - 1;
}
procedure uses(n: int) {
  var r: int;
  call r := bounded(n);
  assert r > 9;
}
procedure fails(n: int) {
  var r: int;
  call r := bounded(n);
  assert r > 10;
}
