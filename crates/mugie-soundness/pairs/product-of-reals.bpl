// operator: reassociate
// Products and sums of real numbers.
procedure right(x: real) returns (y: real)
{
  y := 2.0 * (1.5 * x) + x + x;
  assert y == 0.5 * 10.0 * x;
}
procedure wrong(x: real) returns (y: real)
{
  y := 2.0 * (1.5 * x) + x + x;
  assert y == 0.5 * 8.0 * x;
}
