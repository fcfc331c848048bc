// Two sorted arrays are merged into one.
//
// Proved: the result is sorted. The maps `left` and `right` say where each element went: they grow
// strictly, never meet, and together they fill the result, so that nothing is lost or invented.

function {:inline} sorted(a: [int]int, n: int): bool
{
  (forall i, j: int :: { a[i], a[j] } 0 <= i && i <= j && j < n ==> a[i] <= a[j])
}

procedure Merge(a: [int]int, m: int, b: [int]int, n: int)
  returns (c: [int]int, left: [int]int, right: [int]int)
  requires 0 <= m && sorted(a, m);
  requires 0 <= n && sorted(b, n);
  ensures sorted(c, m + n);
  ensures (forall k: int :: { left[k] } 0 <= k && k < m ==>
    0 <= left[k] && left[k] < m + n && c[left[k]] == a[k]);
  ensures (forall k: int :: { right[k] } 0 <= k && k < n ==>
    0 <= right[k] && right[k] < m + n && c[right[k]] == b[k]);
  ensures (forall k, l: int :: { left[k], left[l] } 0 <= k && k < l && l < m ==> left[k] < left[l]);
  ensures (forall k, l: int :: { right[k], right[l] }
    0 <= k && k < l && l < n ==> right[k] < right[l]);
  ensures (forall k, l: int :: { left[k], right[l] }
    0 <= k && k < m && 0 <= l && l < n ==> left[k] != right[l]);
{
  var i, j: int;

  i, j := 0, 0;
  while (i < m || j < n)
    invariant 0 <= i && i <= m;
    invariant 0 <= j && j <= n;
    invariant sorted(c, i + j);
    invariant i < m ==> (forall k: int :: { c[k] } 0 <= k && k < i + j ==> c[k] <= a[i]);
    invariant j < n ==> (forall k: int :: { c[k] } 0 <= k && k < i + j ==> c[k] <= b[j]);
    invariant (forall k: int :: { left[k] } 0 <= k && k < i ==>
      0 <= left[k] && left[k] < i + j && c[left[k]] == a[k]);
    invariant (forall k: int :: { right[k] } 0 <= k && k < j ==>
      0 <= right[k] && right[k] < i + j && c[right[k]] == b[k]);
    invariant (forall k, l: int :: { left[k], left[l] }
      0 <= k && k < l && l < i ==> left[k] < left[l]);
    invariant (forall k, l: int :: { right[k], right[l] }
      0 <= k && k < l && l < j ==> right[k] < right[l]);
    invariant (forall k, l: int :: { left[k], right[l] }
      0 <= k && k < i && 0 <= l && l < j ==> left[k] != right[l]);
  {
    if (j == n || (i < m && a[i] <= b[j])) {
      c[i + j], left[i] := a[i], i + j;
      i := i + 1;
    } else {
      c[i + j], right[j] := b[j], i + j;
      j := j + 1;
    }
  }
}
