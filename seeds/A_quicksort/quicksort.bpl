// Quicksort: partition and recursion.
//
// Proved: the given range gets sorted, all else stays. That elements stay within bounds, which the
// recursive calls need, is passed along as the arguments `min` and `max`.

var a: [int]int;

procedure Partition(low: int, high: int, min: int, max: int) returns (at: int)
  requires low < high;
  requires (forall k: int :: { a[k] } low <= k && k < high ==> min <= a[k] && a[k] <= max);
  modifies a;
  ensures low <= at && at < high;
  ensures (forall k: int :: { a[k] } low <= k && k < at ==> a[k] <= a[at]);
  ensures (forall k: int :: { a[k] } at < k && k < high ==> a[at] < a[k]);
  ensures (forall k: int :: { a[k] } low <= k && k < high ==> min <= a[k] && a[k] <= max);
  ensures (forall k: int :: { a[k] } k < low || high <= k ==> a[k] == old(a)[k]);
{
  var i, pivot: int;

  pivot := a[low];
  at, i := low, low + 1;
  while (i < high)
    invariant low <= at && at < i && i <= high;
    invariant a[low] == pivot;
    invariant (forall k: int :: { a[k] } low <= k && k <= at ==> a[k] <= pivot);
    invariant (forall k: int :: { a[k] } at < k && k < i ==> pivot < a[k]);
    invariant (forall k: int :: { a[k] } low <= k && k < high ==> min <= a[k] && a[k] <= max);
    invariant (forall k: int :: { a[k] } k < low || high <= k ==> a[k] == old(a)[k]);
  {
    if (a[i] <= pivot) {
      at := at + 1;
      a := a[i := a[at]][at := a[i]];
    }
    i := i + 1;
  }
  a := a[low := a[at]][at := a[low]];
}

procedure SortRange(low: int, high: int, min: int, max: int)
  requires low <= high;
  requires (forall k: int :: { a[k] } low <= k && k < high ==> min <= a[k] && a[k] <= max);
  modifies a;
  ensures (forall i, j: int :: { a[i], a[j] } low <= i && i <= j && j < high ==> a[i] <= a[j]);
  ensures (forall k: int :: { a[k] } low <= k && k < high ==> min <= a[k] && a[k] <= max);
  ensures (forall k: int :: { a[k] } k < low || high <= k ==> a[k] == old(a)[k]);
{
  var at, pivot: int;

  if (low < high) {
    call at := Partition(low, high, min, max);
    pivot := a[at];
    call SortRange(low, at, min, pivot);
    call SortRange(at + 1, high, pivot, max);
  }
}

procedure Sort(n: int)
  requires 0 <= n;
  modifies a;
  ensures (forall i, j: int :: { a[i], a[j] } 0 <= i && i <= j && j < n ==> a[i] <= a[j]);
{
  var i, min, max: int;

  i, min, max := 0, 0, 0;
  while (i < n)
    invariant 0 <= i && i <= n;
    invariant (forall k: int :: { a[k] } 0 <= k && k < i ==> min <= a[k] && a[k] <= max);
  {
    if (a[i] < min) {
      min := a[i];
    }
    if (max < a[i]) {
      max := a[i];
    }
    i := i + 1;
  }
  call SortRange(0, n, min, max);
}
