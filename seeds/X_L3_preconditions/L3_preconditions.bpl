// Proved: draining a tank keeps it below the limit. The loop has no invariant: Boogie infers it.
//
// Breaks under L3 (join-preconditions) and L5 (swap-clauses): the inference of intervals reads one
// clause after the other and looks into no conjunction. `level <= limit` tells it something only
// if it already knows the bound of `limit`.

procedure Drain(level: int, limit: int) returns (rest: int)
  requires limit <= 100;
  requires level <= limit;
  ensures rest <= 100;
{
  rest := level;
  while (*) {
    rest := rest - 1;
  }
}
