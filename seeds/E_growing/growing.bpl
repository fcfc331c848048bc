// From neighbours to all pairs: a step that the solver cannot take by itself.
//
// Proved: an array whose neighbours grow is sorted, by induction in a loop. The trigger of the
// hypothesis names both neighbours, so that an instance makes no new term and no loop can start.

const a: [int]int;

function {:inline} growing(n: int): bool
{
  (forall i: int :: { a[i], a[i + 1] } 0 <= i && i + 1 < n ==> a[i] <= a[i + 1])
}

procedure Compare(low: int, high: int, n: int)
  requires growing(n);
  requires 0 <= low && low <= high && high < n;
  ensures a[low] <= a[high];
{
  var i: int;

  i := low;
  while (i < high)
    invariant low <= i && i <= high;
    invariant a[low] <= a[i];
  {
    assert a[i] <= a[i + 1];
    i := i + 1;
  }
}

procedure Sorted(n: int)
  requires growing(n);
  requires 0 < n;
  ensures (forall i, j: int :: { a[i], a[j] } 0 <= i && i <= j && j < n ==> a[i] <= a[j]);
{
  var k: int;

  k := 0;
  while (k + 1 < n)
    invariant 0 <= k && k < n;
    invariant (forall i, j: int :: { a[i], a[j] } 0 <= i && i <= j && j <= k ==> a[i] <= a[j]);
  {
    assert a[k] <= a[k + 1];
    k := k + 1;
  }
}
