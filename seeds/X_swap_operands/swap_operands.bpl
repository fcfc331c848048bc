// Proved: the counter stays at least three. The loop has no invariant: Boogie infers it.
//
// Breaks under swap-operands: the inference of intervals learns from `i == 3`, not from `3 == i`.

procedure Raise() returns (i: int)
  ensures 3 <= i;
{
  assume i == 3;
  while (*) {
    i := i + 1;
  }
}
