// Proved: the counter stays positive. The loop has no invariant: Boogie infers it.
//
// Breaks under L6 (flip-conditional): the inference of intervals knows what `0 <= i` means and what
// its negation does, but not what `!(0 <= i)` means, and so has to believe that the other branch
// can run. Breaks under desugar-control for the same reason.

procedure Count(n: int) returns (i: int)
  ensures 0 <= i;
{
  i := 0;
  while (i < n) {
    if (0 <= i) {
      i := i + 2;
    } else {
      i := i - 2;
    }
  }
}
