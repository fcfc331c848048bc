// Prefix sums, and the sum of any range in one step.
//
// Proved: with the prefix sums of `a`, `RangeSum` returns the sum of any range of it. Sums are
// axiomatised; that ranges can be put together is a lemma, proved by a loop.

// The sum of `a[low], ..., a[high - 1]`. The last term is taken off where `last` asks for it.
function sum(a: [int]int, low: int, high: int): int;
function last(high: int): bool;
axiom (forall high: int :: { last(high) } last(high));
axiom (forall a: [int]int, low: int :: { sum(a, low, low) } sum(a, low, low) == 0);
axiom (forall a: [int]int, low, high: int :: { sum(a, low, high), last(high) }
  low < high ==> sum(a, low, high) == sum(a, low, high - 1) + a[high - 1]);

procedure Prefixes(a: [int]int, n: int) returns (prefix: [int]int)
  requires 0 <= n;
  ensures (forall k: int :: { prefix[k] } 0 <= k && k <= n ==> prefix[k] == sum(a, 0, k));
{
  var i: int;

  prefix[0] := 0;
  i := 0;
  while (i < n)
    invariant 0 <= i && i <= n;
    invariant (forall k: int :: { prefix[k] } 0 <= k && k <= i ==> prefix[k] == sum(a, 0, k));
  {
    prefix[i + 1] := prefix[i] + a[i];
    i := i + 1;
    assert last(i);
  }
}

procedure Join(a: [int]int, low: int, middle: int, high: int)
  requires low <= middle && middle <= high;
  ensures sum(a, low, middle) + sum(a, middle, high) == sum(a, low, high);
{
  var i: int;

  i := middle;
  while (i < high)
    invariant middle <= i && i <= high;
    invariant sum(a, low, middle) + sum(a, middle, i) == sum(a, low, i);
  {
    i := i + 1;
    assert last(i);
  }
}

procedure RangeSum(a: [int]int, prefix: [int]int, n: int, low: int, high: int)
  returns (s: int)
  requires (forall k: int :: { prefix[k] } 0 <= k && k <= n ==> prefix[k] == sum(a, 0, k));
  requires 0 <= low && low <= high && high <= n;
  ensures s == sum(a, low, high);
{
  s := prefix[high] - prefix[low];
  call Join(a, 0, low, high);
}

procedure Client(a: [int]int, n: int) returns (left: int, right: int)
  requires 0 <= n;
  ensures left + right == sum(a, 0, n);
{
  var prefix: [int]int;
  var middle: int;

  call prefix := Prefixes(a, n);
  middle := n div 2;
  call left := RangeSum(a, prefix, n, 0, middle);
  call right := RangeSum(a, prefix, n, middle, n);
  call Join(a, 0, middle, n);
}
