// operator: reassociate
procedure right(a: bool, b: bool, c: bool)
  requires (a && b) && c;
{
  assert c && (b && (a && b));
}
procedure wrong(a: bool, b: bool, c: bool)
  requires a && (b || c);
{
  assert c && (b && (a && b));
}
