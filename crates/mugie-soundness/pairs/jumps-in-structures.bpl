// operator: swap-targets
// Jumps inside of a loop and of a conditional, out of them and to a label of another branch.
procedure right(n: int, b: bool) returns (r: int)
  ensures r >= 0;
{
  r := 0;
  while (r < n)
    invariant r >= 0;
  {
    if (b) {
      goto up, out, other;
      up: r := r + 1;
    } else {
      other: r := r + 2;
      goto again, out;
      again:
    }
    r := r + 3;
  }
  out:
  assert r >= 0;
}
procedure wrong(n: int, b: bool) returns (r: int)
  ensures r >= 0;
{
  r := 0;
  while (r < n)
    invariant r >= 0;
  {
    if (b) {
      goto up, out, other;
      up: r := r + 1;
    } else {
      other: r := r - 2;
      goto again, out;
      again:
    }
    r := r + 3;
  }
  out:
  assert r >= 0;
}
