// Existentials: the solver must find the witness among the terms of the program.
//
// Proved: an array that starts below a limit and ends above it crosses the limit somewhere, and a
// chosen value occurs again after an update. Each witness is named by an assertion or a trigger.

procedure Crossing(a: [int]int, n: int, limit: int) returns (at: int)
  requires 0 < n && a[0] <= limit && limit < a[n];
  ensures (exists k: int :: { a[k] } 0 <= k && k < n && a[k] <= limit && limit < a[k + 1]);
{
  at := 0;
  while (a[at + 1] <= limit)
    invariant 0 <= at && at < n && a[at] <= limit;
  {
    at := at + 1;
  }
}

procedure SomewhereElse(a: [int]int, i: int, j: int) returns (b: [int]int)
  requires i != j;
  ensures (exists k: int :: { b[k] } b[k] == a[j]);
  ensures (exists k: int :: { b[k] } k != j && b[k] == 0);
{
  b := a[i := 0];
  assert b[i] == 0 && b[j] == a[j];
}

function at_distance(a: [int]int, d: int, k: int): bool { a[k + d] == a[k] }

procedure Repetition(a: [int]int, d: int) returns (b: [int]int)
  requires 0 < d;
  ensures (exists k: int :: { at_distance(b, d, k) } at_distance(b, d, k));
  ensures (exists k, l: int :: { b[k], b[l] } k < l && b[k] == b[l]);
{
  b := a[d := a[0]];
  assert at_distance(b, d, 0);
  assert b[0] == b[d];
}
