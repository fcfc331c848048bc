// operator: desugar-control
// A `break` out of a statement that stands last in the body of a loop leads to the block in front of that loop, not
// behind the statement: what stands there runs again. Written with labels, the program does what it says.
// In random programs something simple follows every statement that a `break` may leave.
procedure p(n: int) {
  var i, before: int;
  i := 0; before := 0;
  S: before := before + 1;
  while (i < n) invariant before == 1; {
    i := i + 1;
    while (true) { break; }
  }
}
