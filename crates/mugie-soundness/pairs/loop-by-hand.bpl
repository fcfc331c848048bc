// operator: swap-targets
// A loop whose exit and body are chosen by one jump. In `wrong`, the invariant is not maintained.
procedure right(n: int) returns (i: int)
  requires 0 <= n;
  ensures i == n;
{
  i := 0;
head:
  assert 0 <= i && i <= n;
  goto body, done;
body:
  assume i < n;
  i := i + 1;
  goto head, early;
done:
  assume i >= n;
  return;
early:
  assume i == n;
}
procedure wrong(n: int) returns (i: int)
  requires 0 <= n;
  ensures i == n;
{
  i := 0;
head:
  assert 0 <= i && i <= n;
  goto body, done;
body:
  assume i <= n;
  i := i + 1;
  goto head, early;
done:
  assume i >= n;
  return;
early:
  assume i == n;
}
