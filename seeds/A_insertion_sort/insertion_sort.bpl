// Insertion sort.
//
// Proved: the result is sorted, and every value occurs in it as often as before. `count` is defined
// step by step; that a swap of neighbours keeps it is a lemma, proved by a loop.

// How often `v` is among the first `n` elements. The last one is looked at where `last` asks for it.
function count(a: [int]int, n: int, v: int): int;
function last(n: int): bool;
axiom (forall n: int :: { last(n) } last(n));
axiom (forall a: [int]int, v: int :: { count(a, 0, v) } count(a, 0, v) == 0);
axiom (forall a: [int]int, n, v: int :: { last(n), count(a, n, v) }
  0 < n ==> count(a, n, v) == count(a, n - 1, v) + (if a[n - 1] == v then 1 else 0));

procedure CountOfSwapped(a: [int]int, n: int, i: int) returns (b: [int]int)
  requires 0 < i && i < n;
  ensures b == a[i := a[i - 1]][i - 1 := a[i]];
  ensures (forall v: int :: { count(b, n, v) } count(b, n, v) == count(a, n, v));
{
  var k: int;

  b := a[i := a[i - 1]][i - 1 := a[i]];
  k := 0;
  while (k < n)
    invariant 0 <= k && k <= n;
    invariant k != i ==>
      (forall v: int :: { count(b, k, v) } { count(a, k, v) } count(b, k, v) == count(a, k, v));
    invariant k == i ==>
      (forall v: int :: { count(b, k, v) } { count(a, k, v) }
        count(b, k, v) + (if b[i] == v then 1 else 0) ==
          count(a, k, v) + (if a[i] == v then 1 else 0));
  {
    k := k + 1;
    assert last(k);
  }
}

procedure Sort(a: [int]int, n: int) returns (b: [int]int)
  requires 0 <= n;
  ensures (forall i, j: int :: { b[i], b[j] } 0 <= i && i <= j && j < n ==> b[i] <= b[j]);
  ensures (forall v: int :: { count(b, n, v) } count(b, n, v) == count(a, n, v));
{
  var sorted, at: int;

  b := a;
  sorted := 0;
  while (sorted < n)
    invariant 0 <= sorted && sorted <= n;
    invariant (forall i, j: int :: { b[i], b[j] }
      0 <= i && i <= j && j < sorted ==> b[i] <= b[j]);
    invariant (forall v: int :: { count(b, n, v) } count(b, n, v) == count(a, n, v));
  {
    at := sorted;
    while (0 < at && b[at] < b[at - 1])
      invariant 0 <= at && at <= sorted;
      invariant (forall i, j: int :: { b[i], b[j] }
        0 <= i && i <= j && j <= sorted && i != at && j != at ==> b[i] <= b[j]);
      invariant (forall j: int :: { b[j] } at < j && j <= sorted ==> b[at] <= b[j]);
      invariant (forall v: int :: { count(b, n, v) } count(b, n, v) == count(a, n, v));
    {
      call b := CountOfSwapped(b, n, at);
      at := at - 1;
    }
    sorted := sorted + 1;
  }
}
