// operator: swap-blocks
// The head of a loop with an assumption before and after its assertion, written behind its body.
procedure right(n: int) returns (i: int)
  requires 0 <= n;
  ensures i == n;
{
  i := 0;
  goto head;
body:
  assume i < n;
  i := i + 1;
  goto head;
head:
  assume i >= -1;
  assert 0 <= i && i <= n;
  assume i >= -2;
  goto body, done;
done:
  assume i >= n;
  return;
}
procedure wrong(n: int) returns (i: int)
  requires 0 <= n;
  ensures i == n;
{
  i := 0;
  goto head;
body:
  assume i < n;
  i := i + 1;
  goto head;
head:
  assume i >= -1;
  assert 0 <= i;
  assume i >= -2;
  goto body, done;
done:
  assume i >= n;
  return;
}
