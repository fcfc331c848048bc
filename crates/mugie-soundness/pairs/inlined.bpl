// operator: swap-procedures
// A procedure that is inlined into two others, and a declaration apart from its implementations.
procedure right(x: int) returns (y: int)
{
  call y := add(x);
  call y := add(y);
  assert y == x + 4;
}
procedure {:inline 1} add(x: int) returns (y: int);
procedure two(x: int);
  requires x > 0;
implementation two(x: int)
{
  assert x >= 1;
}
implementation {:inline 1} add(x: int) returns (y: int)
{
  y := x + 2;
}
implementation two(z: int)
{
  assert z > -1;
}
procedure wrong(x: int) returns (y: int)
{
  call y := add(x);
  call y := add(y);
  assert y == x + 3;
}
