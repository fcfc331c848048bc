// operator: swap-targets
procedure right() returns (r: int)
  ensures 1 <= r && r <= 3;
{
  goto one, two, three;
one:
  r := 1;
  return;
two:
  r := 2;
  goto three;
three:
  r := 3;
}
procedure wrong() returns (r: int)
  ensures 2 <= r && r <= 3;
{
  goto one, two, three;
one:
  r := 1;
  return;
two:
  r := 2;
  goto three;
three:
  r := 3;
}
