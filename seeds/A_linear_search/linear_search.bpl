// Linear search.
//
// Proved: `Find` returns the first position of `x` among the first `n` elements of `a`, or `n`
// if there is none. `Contains` and `Last` get what they promise from `Find` alone: `Last` calls
// it on the reversed array.

procedure Find(a: [int]int, n: int, x: int) returns (at: int)
  requires 0 <= n;
  ensures 0 <= at && at <= n;
  ensures at < n ==> a[at] == x;
  ensures (forall k: int :: { a[k] } 0 <= k && k < at ==> a[k] != x);
{
  at := 0;
  while (at < n && a[at] != x)
    invariant 0 <= at && at <= n;
    invariant (forall k: int :: { a[k] } 0 <= k && k < at ==> a[k] != x);
  {
    at := at + 1;
  }
}

procedure Contains(a: [int]int, n: int, x: int) returns (found: bool)
  requires 0 <= n;
  ensures found <==> (exists k: int :: { a[k] } 0 <= k && k < n && a[k] == x);
{
  var at: int;

  call at := Find(a, n, x);
  found := at != n;
}

procedure Reverse(a: [int]int, n: int) returns (b: [int]int)
  requires 0 <= n;
  ensures (forall k: int :: { b[k] } 0 <= k && k < n ==> b[k] == a[n - 1 - k]);
{
  var i: int;

  i := 0;
  while (i < n)
    invariant 0 <= i && i <= n;
    invariant (forall k: int :: { b[k] } 0 <= k && k < i ==> b[k] == a[n - 1 - k]);
  {
    b[i] := a[n - 1 - i];
    i := i + 1;
  }
}

procedure Last(a: [int]int, n: int, x: int) returns (at: int)
  requires 0 <= n;
  ensures -1 <= at && at < n;
  ensures 0 <= at ==> a[at] == x;
  ensures (forall k: int :: { a[k] } at < k && k < n ==> a[k] != x);
{
  var b: [int]int;

  call b := Reverse(a, n);
  call at := Find(b, n, x);
  assert (forall k: int :: { a[k] } n - 1 - at < k && k < n ==> b[n - 1 - k] == a[k]);
  at := n - 1 - at;
}
