// operator: S1
// A constant whose parent is `unique` and stands behind it: Boogie 2.4.1 crashes. Random programs have no
// ordered constants.
type T;
const a: T extends complete;
const b: T extends unique a;
procedure p() { assert b <: a; }
