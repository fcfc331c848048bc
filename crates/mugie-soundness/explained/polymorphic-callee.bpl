// operator: S1
// A procedure with type parameters that stands behind its caller: Boogie 2.4.1 resolves the call before it knows
// the parameters, and rejects the program. Random programs do not call such procedures.
procedure id<a>(x: a) returns (y: a);
procedure caller() { var i: int; call i := id(3); }
