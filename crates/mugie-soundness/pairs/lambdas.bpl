// operator: reassociate
// Which map a lambda is depends on its text, so nothing in it is regrouped, but what stands beside it is.
procedure right(y: int)
{
  var m: [int]bool;
  m := (lambda x: int :: x + y + 1 < 3);
  assert m == (lambda x: int :: x + y + 1 < 3) && m[1] == (y + 1 + 1 < 3);
}
procedure wrong(y: int)
{
  var m: [int]bool;
  m := (lambda x: int :: x + y + 1 < 3);
  assert m == (lambda x: int :: x + y + 1 < 3) && m[1] == (y + 1 + 1 < 4);
}
