// operator: reassociate
// Sums of floating-point numbers are not associative, so only the conjunctions are regrouped.
procedure right(x: float24e8, y: float24e8, z: float24e8, w: float24e8, b: bool)
  requires x + y + z == w && b && x == y;
{
  assert b && (x + y + z == w && b);
}
procedure wrong(x: float24e8, y: float24e8, z: float24e8, w: float24e8, b: bool)
  requires x + y + z == w && b && x == y;
{
  assert !b || (x + y + z != w || !b);
}
