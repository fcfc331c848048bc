// Reversal of a linked list in place.
//
// Proved: the nodes are linked the other way round, and nothing else changes. The list is described
// by the map `node`: `node[0]` is the head, `node[n]` is `nil`. `ReverseTwice` leaves all links as they
// were.

type Ref;
const nil: Ref;

var next: [Ref]Ref;

// The nodes of the list with the given head are `node[0], ..., node[n - 1]`, all different.
function {:inline} is_list(next: [Ref]Ref, head: Ref, node: [int]Ref, n: int): bool
{
  0 <= n &&
  head == node[0] && node[n] == nil &&
  (forall i: int :: { node[i] } 0 <= i && i < n ==> node[i] != nil) &&
  (forall i: int :: { next[node[i]] } 0 <= i && i < n ==> next[node[i]] == node[i + 1]) &&
  (forall i, j: int :: { node[i], node[j] } 0 <= i && i < j && j < n ==> node[i] != node[j])
}

procedure Reverse(head: Ref, node: [int]Ref, n: int) returns (last: Ref)
  requires is_list(next, head, node, n);
  modifies next;
  ensures n == 0 ==> last == nil;
  ensures 0 < n ==> last == node[n - 1] && next[node[0]] == nil;
  ensures (forall i: int :: { next[node[i]] } 0 < i && i < n ==> next[node[i]] == node[i - 1]);
  ensures (forall r: Ref :: { next[r] }
    (forall i: int :: { node[i] } 0 <= i && i < n ==> node[i] != r) ==> next[r] == old(next)[r]);
{
  var current, following: Ref;
  var k: int;

  last, current, k := nil, head, 0;
  while (current != nil)
    invariant 0 <= k && k <= n && current == node[k];
    invariant k == 0 ==> last == nil;
    invariant 0 < k ==> last == node[k - 1] && next[node[0]] == nil;
    invariant (forall i: int :: { next[node[i]] }
      0 < i && i < k ==> next[node[i]] == node[i - 1]);
    invariant (forall i: int :: { next[node[i]] }
      k <= i && i < n ==> next[node[i]] == node[i + 1]);
    invariant (forall r: Ref :: { next[r] }
      (forall i: int :: { node[i] } 0 <= i && i < n ==> node[i] != r)
        ==> next[r] == old(next)[r]);
  {
    following := next[current];
    next[current] := last;
    last, current := current, following;
    k := k + 1;
  }
}

procedure ReverseTwice(head: Ref, node: [int]Ref, n: int) returns (same: Ref)
  requires is_list(next, head, node, n);
  modifies next;
  ensures same == head;
  ensures (forall i: int :: { next[node[i]] } 0 <= i && i < n ==> next[node[i]] == node[i + 1]);
{
  var last: Ref;
  var back: [int]Ref;

  call last := Reverse(head, node, n);
  havoc back;
  assume (forall i: int :: { back[i] } 0 <= i && i < n ==> back[i] == node[n - 1 - i]);
  assume back[n] == nil;
  assert (forall i: int :: { node[i] } 0 <= i && i < n ==> node[i] == back[n - 1 - i]);
  call same := Reverse(last, back, n);
}
