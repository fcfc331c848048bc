// Evens to the front: proved that the result is partitioned and a permutation of what was there.

method Partition(a: array<int>) returns (split: nat)
  modifies a
  ensures split <= a.Length
  ensures forall k :: 0 <= k < split ==> a[k] % 2 == 0
  ensures forall k :: split <= k < a.Length ==> a[k] % 2 == 1
  ensures multiset(a[..]) == multiset(old(a[..]))
{
  split := 0;
  var i := 0;
  while i < a.Length
    invariant 0 <= split <= i <= a.Length
    invariant forall k :: 0 <= k < split ==> a[k] % 2 == 0
    invariant forall k :: split <= k < i ==> a[k] % 2 == 1
    invariant multiset(a[..]) == multiset(old(a[..]))
  {
    if a[i] % 2 == 0 {
      a[split], a[i] := a[i], a[split];
      split := split + 1;
    }
    i := i + 1;
  }
}
