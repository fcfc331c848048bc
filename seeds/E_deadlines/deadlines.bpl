// Deadlines that move, and a reserve that no law names directly.
//
// Proved: the latest start for the next job is before its deadline, less the reserve. Only one of the
// three laws has a trigger.

function start(day: int): int;
axiom (forall day, limit: int :: day < limit ==> start(day) < limit);
axiom (forall day: int :: { start(day), start(start(day)) } start(start(day)) == start(day));

const deadline: [int]int;
const reserve: int;
axiom 0 < reserve;
axiom (forall job: int :: 0 <= job ==> deadline[job] > deadline[job + 1] - reserve);

procedure Plan(job: int) returns (day: int)
  requires 0 <= job;
  ensures day < deadline[job];
{
  day := start(deadline[job + 1] - reserve);
}

procedure PlanFor(job: int, early: int) returns (day: int)
  requires 0 <= job && early <= deadline[job + 1] - reserve;
  ensures day < deadline[job];
{
  day := start(start(early));
}
