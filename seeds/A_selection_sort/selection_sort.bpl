// Selection sort.
//
// Proved: the result is sorted and a permutation of what was there. The permutation is kept in two
// maps, each the inverse of the other: the element at `i` comes from `from[i]`, and the one that was
// at `k` is at `to[k]`.

const N: int;
axiom 0 <= N;

var a: [int]int;
var from: [int]int;
var to: [int]int;

function {:inline} inside(i: int): bool { 0 <= i && i < N }

procedure Swap(i: int, j: int)
  requires inside(i) && inside(j);
  modifies a, from, to;
  ensures a == old(a)[i := old(a)[j]][j := old(a)[i]];
  ensures from == old(from)[i := old(from)[j]][j := old(from)[i]];
  ensures to == old(to)[old(from)[j] := i][old(from)[i] := j];
{
  to[from[j]] := i;
  to[from[i]] := j;
  a := a[i := a[j]][j := a[i]];
  from := from[i := from[j]][j := from[i]];
}

procedure Smallest(start: int) returns (at: int)
  requires inside(start);
  ensures start <= at && at < N;
  ensures (forall k: int :: { a[k] } start <= k && k < N ==> a[at] <= a[k]);
{
  var i: int;

  at, i := start, start + 1;
  while (i < N)
    invariant start < i && i <= N;
    invariant start <= at && at < i;
    invariant (forall k: int :: { a[k] } start <= k && k < i ==> a[at] <= a[k]);
  {
    if (a[i] < a[at]) {
      at := i;
    }
    i := i + 1;
  }
}

procedure Sort()
  modifies a, from, to;
  ensures (forall i, j: int :: { a[i], a[j] } 0 <= i && i <= j && j < N ==> a[i] <= a[j]);
  ensures (forall i: int :: { from[i] } inside(i) ==>
    inside(from[i]) && to[from[i]] == i && a[i] == old(a)[from[i]]);
  ensures (forall k: int :: { to[k] } inside(k) ==> inside(to[k]) && from[to[k]] == k);
{
  var i, at: int;

  havoc from, to;
  assume (forall k: int :: { from[k] } from[k] == k) && (forall k: int :: { to[k] } to[k] == k);

  i := 0;
  while (i < N)
    invariant 0 <= i && i <= N;
    invariant (forall j, k: int :: { a[j], a[k] }
      0 <= j && j < i && j <= k && k < N ==> a[j] <= a[k]);
    invariant (forall k: int :: { from[k] } inside(k) ==>
      inside(from[k]) && to[from[k]] == k && a[k] == old(a)[from[k]]);
    invariant (forall k: int :: { to[k] } inside(k) ==> inside(to[k]) && from[to[k]] == k);
  {
    call at := Smallest(i);
    call Swap(i, at);
    i := i + 1;
  }
}
