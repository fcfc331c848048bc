// Proved: some gap is positive. The witness comes from an instance of the axiom that only the trigger
// brings about.
//
// Breaks under G2 (remove-trigger): without the trigger the solver chooses one with `height`, of which
// the program has no term to match.

function height(step: int): int;
function visited(step: int): bool;
axiom (forall step: int :: { visited(step) } height(step) < height(step + 1));

procedure Climb(step: int)
{
  assume visited(step);
  assert (exists s: int :: height(s) < height(s + 1));
}
