// operator: swap-blocks
// Blocks inside of a loop's body, one of which leaves the loop and one of which ends the iteration.
procedure right(n: int) returns (r: int)
  ensures r >= 0;
{
  r := 0;
  while (r < n)
    invariant r >= 0;
  {
    goto small, large, stop;
  small:
    r := r + 1;
    goto next;
  large:
    r := r + 2;
    goto small, next;
  stop:
    r := 2 * r;
    break;
  next:
    r := r + 1;
  }
  assert r >= 0;
}
procedure wrong(n: int) returns (r: int)
  ensures r >= 0;
{
  r := 0;
  while (r < n)
    invariant r >= 0;
  {
    goto small, large, stop;
  small:
    r := r + 1;
    goto next;
  large:
    r := r + 2;
    goto small, next;
  stop:
    r := 2 * r - 1;
    break;
  next:
    r := r + 1;
  }
  assert r >= 0;
}
