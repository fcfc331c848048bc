// A law that feeds itself, kept in check by its trigger.
//
// Proved: on a circle of `size` seats, going round brings one back. Each instance of the law of `seat`
// mentions a seat further on; it fires only on the seats that `visited` marks, which the program
// names one by one.

const size: int;
axiom 1 < size;

type Seat;
function seat(k: int): Seat;
function visited(k: int): bool;

axiom (forall k: int :: { visited(k) } visited(k) && seat(k + size) == seat(k));
axiom (forall k: int :: { seat(k), visited(k) } seat(k) != seat(k + 1));

procedure Twice(k: int)
  ensures seat(k + 2 * size) == seat(k);
{
  assert visited(k);
  assert visited(k + size);
}

procedure Rounds(k: int, rounds: int)
  requires 0 <= rounds;
  ensures seat(k + rounds * size) == seat(k);
{
  var r, at: int;

  r, at := 0, k;
  while (r < rounds)
    invariant 0 <= r && r <= rounds;
    invariant at == k + r * size;
    invariant seat(at) == seat(k);
  {
    assert visited(at);
    at, r := at + size, r + 1;
  }
}

procedure Neighbours(k: int)
  ensures seat(k + size) != seat(k + 1 + size);
{
  assert visited(k) && visited(k + 1);
}
