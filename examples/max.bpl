// The greatest element of an array, and where it is.

type Array = [int]int;

function {:inline} in_range(i: int, n: int): bool { 0 <= i && i < n }

// `m` is an upper bound of the first `n` elements.
function bounds(a: Array, n: int, m: int): bool;
axiom (forall a: Array, n, m: int :: { bounds(a, n, m) }
  bounds(a, n, m) <==> (forall i: int :: { a[i] } in_range(i, n) ==> a[i] <= m));

procedure Max(a: Array, n: int) returns (max: int, at: int)
  requires n > 0;
  ensures  bounds(a, n, max);
  ensures  in_range(at, n) && a[at] == max;
{
  var i: int;

  max, at := a[0], 0;
  i := 1;
  while (i < n)
    invariant 1 <= i && i <= n;
    invariant bounds(a, i, max);
    invariant in_range(at, i) && a[at] == max;
  {
    if (a[i] > max) {
      max, at := a[i], i;
    }
    i := i + 1;
  }
}
