// A function above its argument, applied to a growing sequence.
//
// Proved: what `above` gives for an entry of `price` exceeds all earlier neighbours of that entry.
// The axioms have no triggers. In that of `above`, the variable `low` occurs in comparisons only, so
// that the solver finds no good trigger for it.

function above(x: int): int;
axiom (forall x, low: int :: low < x ==> low < above(x));

const price: [int]int;
axiom (forall day: int :: 0 <= day ==> price[day] < price[day + 1]);

procedure Ask(day: int) returns (offer: int)
  requires 0 <= day;
  ensures price[day] < offer;
{
  offer := above(price[day + 1]);
}

procedure AskTwice(day: int) returns (offer: int)
  requires 0 <= day;
  ensures price[day] < offer && price[day + 1] < offer;
{
  var first: int;

  call first := Ask(day);
  offer := above(price[day + 2]);
}
