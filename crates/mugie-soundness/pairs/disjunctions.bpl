// operator: reassociate
procedure right(a: bool, b: bool, c: bool, d: bool)
  requires !((a || b) || (c || d));
{
  assert !a && !b && !c && !d;
}
procedure wrong(a: bool, b: bool, c: bool, d: bool)
  requires !((a || b) || (c && d));
{
  assert !a && !b && !c && !d;
}
