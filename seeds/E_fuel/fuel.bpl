// A recursive function that unfolds twice and no more.
//
// Proved: facts about small arguments, and a closed form by induction. `steps` unfolds into
// `steps_once`, that into `steps_none`, which stays as it is: no loop of instances can start.

function steps(n: int): int;
function steps_once(n: int): int;
function steps_none(n: int): int;
axiom (forall n: int :: { steps(n) } steps(n) == steps_once(n));
axiom (forall n: int :: { steps_once(n) } steps_once(n) == steps_none(n));
axiom (forall n: int :: { steps(n) }
  steps(n) == (if n <= 0 then 0 else steps_once(n - 1) + 2 * n - 1));
axiom (forall n: int :: { steps_once(n) }
  steps_once(n) == (if n <= 0 then 0 else steps_none(n - 1) + 2 * n - 1));

procedure Small()
{
  assert steps(0) == 0;
  assert steps(1) == 1;
  assert steps(2) == 4;
  assert steps(3) == 9;
}

procedure Difference(n: int)
  requires 2 < n;
  ensures steps(n) - steps(n - 2) == 4 * n - 4;
{
}

procedure Square(n: int) returns (square: int)
  requires 0 <= n;
  ensures square == steps(n);
  ensures square == n * n;
{
  var i: int;

  i, square := 0, 0;
  while (i < n)
    invariant 0 <= i && i <= n;
    invariant square == steps(i) && square == i * i;
  {
    i := i + 1;
    square := square + 2 * i - 1;
  }
}
