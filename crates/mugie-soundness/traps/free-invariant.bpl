// expected: breaks verified, returns_ failed, inductive verified, real_ verified
// Where a loop never leads back to its head, its invariants run once, in order: free ones as assumptions. The same
// in real loops with `:kInductionDepth`.
procedure breaks(n: int) {
  while (*)
    free invariant n < 3;
    invariant n < 4;
    invariant n < 5;
  {
    break;
  }
}
procedure returns_(n: int) {
  while (true)
    invariant n < 4;
    free invariant n < 3;
  {
    return;
  }
}
procedure {:kInductionDepth 1} inductive(n: int) {
  var i: int;
  i := n;
  while (*)
    free invariant i < 3;
    invariant i < 4;
  {
    i := i + 1;
  }
}
procedure real_(n: int) {
  var i: int;
  i := 0;
  while (i < n)
    free invariant i >= -1;
    invariant i >= 0;
    free invariant i >= -2;
  {
    i := i + 1;
  }
  assert i >= 0;
}
