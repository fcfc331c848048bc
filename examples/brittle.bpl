// Verifies with Boogie 2.4.1 and Z3 4.8.12 as it stands, but not with the two axioms swapped.

function above(x: int) returns (int);

axiom (forall x, y: int :: x > y ==> above(x) > y);

const row: [int]int;

axiom (forall i: int :: 0 <= i ==> row[i] < row[i + 1]);

procedure pick(i: int) returns (o: int)
  requires i >= 0;
  ensures o > row[i];
{
  o := above(row[i + 1]);
}
