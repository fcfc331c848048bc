// operator: L6
// A `goto` to the label of a loop from inside of it gives the loop two heads in one place: the label, and the
// head that Boogie makes for the guard. Which of them gets the back edges first depends on the order of the
// targets of a `goto`, which flipping a conditional exchanges. Random programs have no `goto` to a loop.
procedure labels(n: int) {
  var i, r: int;
  i := 0; r := 0;
  L: while (i < n) invariant r >= 0; {
    i := i + 1;
    if (i == 5) { r := r + 1; goto L; }
  }
  assert r >= 0;
}
