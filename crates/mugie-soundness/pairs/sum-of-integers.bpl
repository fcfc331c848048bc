// operator: reassociate
// Sums of integers, in a clause, an assignment and an assertion.
procedure right(a: int, b: int, c: int) returns (d: int)
  requires a + b + c == 6;
  ensures d == 12;
{
  d := a + (b + (c + 6));
  assert a == 6 - b - c;
}
procedure wrong(a: int, b: int, c: int) returns (d: int)
  requires a + b + c == 6;
  ensures d == 12;
{
  d := a + (b + (c + 6));
  assert a == 6 - b + c;
}
