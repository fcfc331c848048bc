// Functions of the heap, and what a change of the heap leaves alone.
//
// Proved: `total` of an account changes only if the account does. The heap is a polymorphic map; the
// frame axiom fires on two heaps, one after the other.

type Ref;
type Field _;
type Heap = <T>[Ref, Field T]T;

const unique cash: Field int;
const unique credit: Field int;
const unique open: Field bool;

function later(h: Heap, i: Heap): bool;
axiom (forall h: Heap, r: Ref, n: int :: { h[r, cash := n] } later(h, h[r, cash := n]));
axiom (forall h, i, j: Heap :: { later(h, i), later(i, j) }
  later(h, i) && later(i, j) ==> later(h, j));

function total(h: Heap, r: Ref): int;
axiom (forall h: Heap, r: Ref :: { total(h, r) }
  h[r, open] ==> total(h, r) == h[r, cash] + h[r, credit]);
axiom (forall h, i: Heap, r: Ref :: { later(h, i), total(i, r) }
  later(h, i)
  && (forall<T> f: Field T :: { i[r, f] } i[r, f] == h[r, f])
    ==> total(i, r) == total(h, r));

var heap: Heap;

procedure Deposit(r: Ref, n: int)
  requires heap[r, open];
  modifies heap;
  ensures heap == old(heap)[r, cash := old(heap)[r, cash] + n];
  ensures total(heap, r) == old(total(heap, r)) + n;
  ensures (forall s: Ref :: { total(heap, s) } s != r ==> total(heap, s) == old(total(heap, s)));
{
  heap := heap[r, cash := heap[r, cash] + n];
}

procedure Transfer(from: Ref, to: Ref, n: int)
  requires from != to && heap[from, open] && heap[to, open];
  modifies heap;
  ensures total(heap, from) + total(heap, to) == old(total(heap, from) + total(heap, to));
{
  call Deposit(to, n);
  call Deposit(from, -n);
}
