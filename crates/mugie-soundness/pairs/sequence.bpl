// operator: swap-blocks
// Blocks that run in another order than the one they are written in.
procedure right() returns (x: int)
  ensures x == 7;
{
  goto start;
last:
  x := x + 1;
  return;
double:
  x := 2 * x;
  goto last;
start:
  x := 3;
  goto double;
}
procedure wrong() returns (x: int)
  ensures x == 8;
{
  goto start;
last:
  x := x + 1;
  return;
double:
  x := 2 * x;
  goto last;
start:
  x := 3;
  goto double;
unreached:
  x := 8;
  return;
}
