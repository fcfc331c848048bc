// operator: add-unused
// release: 3
// Boogie 3 gives every program with a type parameter to its monomorphiser, which refuses what it does not
// know, and it does not know how bitvectors are concatenated. A polymorphic function, used or not, is enough.
procedure p(x: bv8) { assert x[4:0] ++ x[8:4] == x[4:0] ++ x[8:4]; }
