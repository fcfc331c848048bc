// Two laws of the same kind, one on top of the other.
//
// Proved: lifting a later floor twice gets above the earlier one. All laws are without triggers, and
// each needs a term that an instance of the other makes.

function lift(x: int): int;
axiom (forall x, y: int :: y < x ==> y < lift(x));

function crane(x: int): int;
axiom (forall x, y: int :: y < x ==> y < crane(x));

const floor: [int]int;
axiom (forall i: int :: 0 <= i ==> floor[i] < floor[i + 1]);

procedure Lift(i: int) returns (h: int)
  requires 0 <= i;
  ensures floor[i] < h;
{
  h := lift(floor[i + 1]);
}

procedure LiftTwice(i: int) returns (h: int)
  requires 0 <= i;
  ensures floor[i] < h;
{
  h := crane(lift(floor[i + 1]));
}
