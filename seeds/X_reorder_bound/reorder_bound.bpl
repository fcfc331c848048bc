// Proved: the cover of the next page reaches over this one.
//
// Breaks under reorder-bound: with `y` before `x` the solver makes up another trigger for the axiom
// of `cover`, in which `y` occurs in comparisons only.

function cover(x: int): int;
axiom (forall x, y: int :: x > y ==> cover(x) > y);

const page: [int]int;
axiom (forall i: int :: 0 <= i ==> page[i] < page[i + 1]);

procedure Cover(i: int) returns (c: int)
  requires 0 <= i;
  ensures page[i] < c;
{
  c := cover(page[i + 1]);
}
