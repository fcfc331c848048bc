// expected: order verified, across verified, checked failed
// In a `:selective_checking` procedure only what is behind `:start_checking_here` is checked.
procedure {:selective_checking} order(n: int) {
  while (*)
    invariant n > 7;
    invariant {:start_checking_here} n > 6;
  {
  }
}
procedure {:selective_checking} across(n: int) {
  while (*)
    invariant n > 7;
    invariant {:start_checking_here} n == n;
    invariant n > 6;
    invariant n > 5;
  {
  }
}
procedure {:selective_checking} checked(n: int) {
  while (*)
    invariant {:start_checking_here} n == n;
    invariant n > 7;
  {
  }
}
