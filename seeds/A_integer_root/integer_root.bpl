// The integer square root, in two ways.
//
// Proved: both return the greatest number whose square is at most `n`. The first adds odd numbers,
// the second halves an interval; `Compare` shows that they agree.

function {:inline} is_root(r: int, n: int): bool
{
  0 <= r && r * r <= n && n < (r + 1) * (r + 1)
}

procedure ByOddNumbers(n: int) returns (r: int)
  requires 0 <= n;
  ensures is_root(r, n);
{
  var square, odd: int;

  r, square, odd := 0, 1, 1;
  while (square <= n)
    invariant 0 <= r && r * r <= n;
    invariant odd == 2 * r + 1;
    invariant square == (r + 1) * (r + 1);
  {
    r := r + 1;
    odd := odd + 2;
    square := square + odd;
  }
}

procedure ByHalving(n: int) returns (r: int)
  requires 0 <= n;
  ensures is_root(r, n);
{
  var high, middle: int;

  r, high := 0, n + 1;
  while (r + 1 < high)
    invariant 0 <= r && r < high;
    invariant r * r <= n;
    invariant n < high * high;
  {
    middle := (r + high) div 2;
    if (middle * middle <= n) {
      r := middle;
    } else {
      high := middle;
    }
  }
  assert high == r + 1;
}

procedure SmallerSquare(a: int, b: int)
  requires 0 <= a && a <= b;
  ensures a * a <= b * b;
{
  var c: int;

  c := a;
  while (c < b)
    invariant a <= c && c <= b;
    invariant a * a <= c * c;
  {
    c := c + 1;
  }
}

procedure Compare(n: int) returns (r: int)
  requires 0 <= n;
  ensures is_root(r, n);
{
  var s: int;

  call r := ByOddNumbers(n);
  call s := ByHalving(n);
  if (r < s) {
    call SmallerSquare(r + 1, s);
  } else if (s < r) {
    call SmallerSquare(s + 1, r);
  }
  assert r == s;
}
