// Proved: the last assertion, from an invariant that Boogie infers out of the two before the loop.
//
// Breaks under L5 (swap-clauses): swapped, `size <= most` comes before the bound of `most`, and the
// inference of intervals gets nothing from it. It does not look into the negations of the assumption.

procedure Shrink(most: int) returns (size: int)
{
  assume !(size > most) && !(most > 9);
  assert most <= 9;
  assert size <= most;
  while (*) {
    size := size - 3;
  }
  assert size <= 9;
}
