// Binary search: proved that the answer is a position of the key, or that there is none.

predicate Sorted(a: array<int>)
  reads a
{
  forall i, j :: 0 <= i < j < a.Length ==> a[i] <= a[j]
}

method Search(a: array<int>, key: int) returns (at: int)
  requires Sorted(a)
  ensures 0 <= at ==> at < a.Length && a[at] == key
  ensures at < 0 ==> key !in a[..]
{
  var low, high := 0, a.Length;
  while low < high
    invariant 0 <= low <= high <= a.Length
    invariant key !in a[..low]
    invariant key !in a[high..]
  {
    var middle := (low + high) / 2;
    if a[middle] < key {
      low := middle + 1;
    } else if key < a[middle] {
      high := middle;
    } else {
      return middle;
    }
  }
  return -1;
}
