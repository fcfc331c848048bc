datatype {:d} Pair<T, U> { Pair(first: T, second: U), Nil() }
revealed function f(x: int): int uses { axiom f(0) == 0; hideable axiom true; }
const k: string uses { axiom k == "s"; }
yield invariant {:layer 1} I(x: int); preserves x > 0;
atomic action {:layer 1, 2} A(x: int) returns (y: int) refines B; modifies g; asserts x > 0; { y := x; }
yield left procedure {:layer 1} Q(p: Pair int bool) refines atomic action _ { } requires call I(1); preserves p is Pair; {
  var a: int, b: bool;
  Pair(a, b) := {:u} p; p->first := p->(second := true)->first;
  hide *; reveal f; push; pop; measure a;
  if {:s} (b) { call A(1) | {:x} A(2); goto {:g} L; } L: return {:r};
}
pure procedure R(); requires true; measure 1, 2;
