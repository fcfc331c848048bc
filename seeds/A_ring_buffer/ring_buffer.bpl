// A queue in a ring buffer.
//
// Proved: the buffer behaves like the sequence `content[first], ..., content[last - 1]` of all that
// was ever put in; `Client` gets things back in the order in which it put them.

type Item;

const capacity: int;
axiom 0 < capacity;

// The buffer: where it starts, how much is in it.
var data: [int]Item;
var start, size: int;

// What it stands for.
var content: [int]Item;
var first, last: int;

// Where the `k`-th item from the start is stored.
function slot(start: int, k: int): int;
axiom (forall start, k: int :: { slot(start, k) }
  slot(start, k) == (if start + k < capacity then start + k else start + k - capacity));

function {:inline} valid(data: [int]Item, start: int, size: int,
  content: [int]Item, first: int, last: int): bool
{
  0 <= start && start < capacity &&
  0 <= size && size <= capacity &&
  last == first + size &&
  (forall k: int :: { slot(start, k) } { content[first + k] }
    0 <= k && k < size ==> data[slot(start, k)] == content[first + k])
}

procedure Create()
  modifies start, size, first, last;
  ensures valid(data, start, size, content, first, last);
  ensures first == 0 && last == 0;
{
  start, size := 0, 0;
  first, last := 0, 0;
}

procedure Put(item: Item)
  requires valid(data, start, size, content, first, last);
  requires size < capacity;
  modifies data, size, content, last;
  ensures valid(data, start, size, content, first, last);
  ensures size == old(size) + 1;
  ensures last == old(last) + 1;
  ensures content == old(content)[old(last) := item];
{
  data[slot(start, size)] := item;
  content[last] := item;
  size, last := size + 1, last + 1;
}

procedure Take() returns (item: Item)
  requires valid(data, start, size, content, first, last);
  requires 0 < size;
  modifies start, size, first;
  ensures valid(data, start, size, content, first, last);
  ensures size == old(size) - 1;
  ensures first == old(first) + 1;
  ensures item == content[old(first)];
{
  item := data[slot(start, 0)];
  assert item == content[first];
  assert (forall k: int :: { slot(slot(start, 1), k) }
    0 <= k && k < size - 1 ==> slot(slot(start, 1), k) == slot(start, k + 1));
  start, size, first := slot(start, 1), size - 1, first + 1;
}

procedure Client(x: Item, y: Item) returns (a: Item, b: Item)
  requires 2 <= capacity;
  modifies data, start, size, content, first, last;
  ensures a == x && b == y;
{
  call Create();
  call Put(x);
  call Put(y);
  call a := Take();
  call b := Take();
}
