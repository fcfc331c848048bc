// expected: order verified, across verified, checked failed
// An invariant with `:verified_under true` is checked by nobody, and assumed from there on.
procedure order(n: int) {
  while (*)
    invariant {:verified_under true} n > 7;
    invariant n > 6;
  {
  }
}
procedure across(n: int) {
  while (*)
    invariant n == n;
    invariant {:verified_under true} n > 7;
    invariant n > 6;
    invariant n > 5 && n > 4;
  {
  }
}
procedure checked(n: int) {
  while (*)
    invariant n > 6;
    invariant {:verified_under true} n > 7;
  {
  }
}
