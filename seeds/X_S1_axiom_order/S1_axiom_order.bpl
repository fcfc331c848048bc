// Proved: a bid for the next lot beats the worth of this one.
//
// Breaks under S1 (swap-declarations): the axiom of `bid` must come before that of `worth`. The solver
// makes up a trigger with a difference of terms, since `y` occurs in comparisons only, and whether it
// matches depends on which of the terms was read first.

function bid(x: int): int;
axiom (forall x, y: int :: x > y ==> bid(x) > y);

const worth: [int]int;
axiom (forall lot: int :: lot >= 1 ==> worth[lot + 1] > worth[lot]);

procedure Bid(lot: int) returns (b: int)
  requires lot >= 1;
  ensures b > worth[lot];
{
  b := bid(worth[lot + 1]);
}
