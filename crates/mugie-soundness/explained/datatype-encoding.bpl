// operator: add-unused
// A polymorphic function, used or not, changes the encoding of types, and the selectors of a `:datatype` lose
// their meaning. Random programs of Boogie 2 have no `:datatype`.
type {:datatype} List;
function {:constructor} cons(head: int, tail: List): List;
function {:constructor} nil(): List;
procedure p(l: List) { assert head#cons(cons(1, l)) == 1; }
