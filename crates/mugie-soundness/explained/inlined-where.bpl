// operator: S1
// A local variable with a `where` clause in a procedure that is inlined twice. The inliner renames the
// variable in the clause itself, which it shares with the procedure: at the first call the clause is about the
// copy, at the second one about the copy of the first. So which of two callers knows the clause depends on
// their order. Random programs have no `where` clauses in procedures that are inlined.
procedure {:inline 1} a() { var l: int where l > 2; assert l > 2; }
procedure first() { call a(); }
procedure second() { call a(); assert true || false; }
