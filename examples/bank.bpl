// Accounts in a heap: types, unique constants, bitvectors, old and modifies.

type Account;
type Field a;

const unique balance: Field int;
const unique flags: Field bv8;
const nobody: Account;

type Heap = <a>[Account, Field a]a;
var heap: Heap where (forall a: Account :: heap[a, balance] >= 0);

function {:bvbuiltin "bvor"} or(bv8, bv8) returns (bv8);

procedure {:priority 2} Deposit(to: Account, amount: int)
  requires {:msg "an account is needed"} to != nobody;
  requires amount >= 0;
  modifies heap;
  ensures heap == old(heap)[to, balance := old(heap)[to, balance] + amount];
{
  heap[to, balance] := heap[to, balance] + amount;
}

procedure Transfer(from, to: Account, amount: int) returns (done: bool)
  requires from != nobody && to != nobody && from != to;
  requires amount >= 0;
  modifies heap;
  ensures done ==> heap[from, balance] == old(heap[from, balance]) - amount;
  ensures !done ==> heap == old(heap);
{
  done := false;
  if (heap[from, balance] < amount) {
    return;
  }
  heap[from, balance] := heap[from, balance] - amount;
  heap[from, flags] := or(heap[from, flags], 1bv8);
  call Deposit(to, amount);
  done := true;
}
