// expected: first verified, second failed
// Of two axioms with one name, of which one is `:extern`, one is dropped.
const limit: int;
axiom {:extern} {:name "limit"} limit == 3;
axiom {:extern} {:name "limit"} limit == 4;
axiom {:name "other"} limit > 0;
procedure first() {
  assert limit == 3;
}
procedure second() {
  assert limit == 4;
}
