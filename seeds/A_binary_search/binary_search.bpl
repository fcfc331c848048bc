// Binary search in a sorted array.
//
// Proved: `LowerBound` returns where `x` belongs: everything before is smaller, nothing from there
// on is. `Search` and `CountOf` use it to find `x`, and to count how often it occurs.

function sorted(a: [int]int, n: int): bool;
axiom (forall a: [int]int, n: int :: { sorted(a, n) }
  sorted(a, n) <==>
    (forall i, j: int :: { a[i], a[j] } 0 <= i && i <= j && j < n ==> a[i] <= a[j]));

// The elements equal to `x` are the `count` ones from `first` on.
function is_run(a: [int]int, n: int, x: int, first: int, count: int): bool
{
  0 <= first && 0 <= count && first + count <= n &&
  (forall k: int :: { a[k] } 0 <= k && k < n ==>
    (a[k] == x <==> first <= k && k < first + count))
}

procedure LowerBound(a: [int]int, n: int, x: int) returns (at: int)
  requires 0 <= n && sorted(a, n);
  ensures 0 <= at && at <= n;
  ensures (forall k: int :: { a[k] } 0 <= k && k < at ==> a[k] < x);
  ensures (forall k: int :: { a[k] } at <= k && k < n ==> x <= a[k]);
{
  var high, middle: int;

  at, high := 0, n;
  while (at < high)
    invariant 0 <= at && at <= high && high <= n;
    invariant (forall k: int :: { a[k] } 0 <= k && k < at ==> a[k] < x);
    invariant (forall k: int :: { a[k] } high <= k && k < n ==> x <= a[k]);
  {
    middle := (at + high) div 2;
    if (a[middle] < x) {
      at := middle + 1;
    } else {
      high := middle;
    }
  }
}

procedure Search(a: [int]int, n: int, x: int) returns (found: bool, at: int)
  requires 0 <= n && sorted(a, n);
  ensures found ==> 0 <= at && at < n && a[at] == x;
  ensures !found ==> (forall k: int :: { a[k] } 0 <= k && k < n ==> a[k] != x);
{
  call at := LowerBound(a, n, x);
  found := at < n && a[at] == x;
}

procedure CountOf(a: [int]int, n: int, x: int) returns (count: int)
  requires 0 <= n && sorted(a, n);
  ensures (exists first: int :: { is_run(a, n, x, first, count) }
    is_run(a, n, x, first, count));
{
  var from, to: int;

  call from := LowerBound(a, n, x);
  call to := LowerBound(a, n, x + 1);
  assert to < from ==> a[to] < x && x < a[to];
  count := to - from;
  assert is_run(a, n, x, from, count);
}
