// Proved: the roof over the next floor is above this one.
//
// Breaks under add-unused: a new function with a body brings a new axiom, which nothing needs. It
// moves the terms of the others, and the trigger that the solver makes up for the axiom of `roof`
// does not match any more.

function roof(x: int): int;
axiom (forall x, y: int :: x > y ==> roof(x) > y);

const floor: [int]int;
axiom (forall i: int :: 0 <= i ==> floor[i] < floor[i + 1]);

procedure Build(i: int) returns (h: int)
  requires 0 <= i;
  ensures floor[i] < h;
{
  h := roof(floor[i + 1]);
}
