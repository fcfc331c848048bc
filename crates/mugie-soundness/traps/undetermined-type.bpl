// expected: sum verified, order verified, fails failed
// The type of `any()` follows from the operand to its left, or is taken for `int`.
function any<T>(): T;
axiom 2.5 + any() == 3.5;
axiom any() + 2 == 3;
axiom 0.5 < any();
procedure sum() {
  assert 2.5 + any() == 3.5;
}
procedure order() {
  assert 0.5 < any();
}
procedure fails() {
  assert any() < 0;
}
