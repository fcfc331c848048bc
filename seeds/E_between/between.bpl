// A law with two variables that occur in comparisons only.
//
// Proved: a value between two marks stays between them after `settle`. Without triggers the solver
// has to guess `low` and `high` from the comparisons that it has seen.

function settle(x: int): int;
axiom (forall x, low: int :: low <= x ==> low <= settle(x));
axiom (forall x, high: int :: x <= high ==> settle(x) <= high);

const mark: [int]int;
axiom (forall i: int :: mark[i] < mark[i + 1]);

procedure Settle(i: int) returns (x: int)
  ensures mark[i] <= x && x <= mark[i + 2];
{
  x := settle(mark[i + 1]);
}

procedure SettleAgain(i: int, y: int) returns (x: int)
  requires mark[i] <= y && y <= mark[i + 1];
  ensures mark[i] <= x && x <= mark[i + 1];
{
  x := settle(settle(y));
}
