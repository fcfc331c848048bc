// expected: selects verified, fails failed
// A selector and a tester have names that nobody wrote: no new name may be one of them. In an encoding of types
// for polymorphic programs they lose their meaning, so nothing polymorphic is added.
type {:datatype} Pair;
function {:constructor} Pair_r1(left: int, right: int): Pair;
function left#Pair(n: int): int;
function is#Pair(n: int): bool;
axiom left#Pair(2) == 3;
procedure selects() {
  assert left#Pair(2) == 3;
  assert left#Pair_r1(Pair_r1(4, 5)) == 4;
  assert is#Pair_r1(Pair_r1(4, 5));
}
procedure fails(p: Pair) {
  assert right#Pair_r1(p) == 5 || is#Pair(2);
}
