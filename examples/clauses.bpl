// Verifies with Boogie 2.4.1 or 3.5.5 and Z3 4.8.12 as it stands, but not with the first two
// preconditions swapped.

function above(x: int): int;

procedure pick(row: [int]int, i: int) returns (o: int)
  requires (forall x, y: int :: x > y ==> above(x) > y);
  requires (forall k: int :: 0 <= k ==> row[k] < row[k + 1]);
  requires i >= 0;
  ensures o > row[i];
{
  o := above(row[i + 1]);
}
