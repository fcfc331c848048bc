// The law of a function as an axiom, that of the array as a precondition.
//
// Proved: the shadow of a later hill covers an earlier one. Neither law has a trigger; `dark` occurs
// in comparisons only.

function shadow(height: int): int;
axiom (forall height, dark: int :: dark <= height ==> dark <= shadow(height));

procedure Covers(hill: [int]int, i: int) returns (s: int)
  requires (forall k: int :: hill[k] <= hill[k + 1]);
  ensures hill[i] <= s;
{
  s := shadow(hill[i + 1]);
}

procedure Longest(hill: [int]int, n: int) returns (s: int)
  requires 0 < n;
  requires (forall k: int :: hill[k] <= hill[k + 1]);
  ensures hill[0] <= s;
{
  var i: int;

  i, s := 0, shadow(hill[1]);
  while (i < n)
    invariant 0 <= i && i <= n;
    invariant hill[0] <= hill[i] && hill[0] <= s;
  {
    call s := Covers(hill, i);
    i := i + 1;
  }
}
