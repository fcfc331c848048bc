// A binary search tree, laid into the infinite tree of all places that a node can have.
//
// Proved: `Lookup` finds exactly the keys that are in the tree, and `Insert` adds one and keeps all
// others. What is at a place or below it stands in the ghost map `below`, which `Insert` updates on
// its way down.

type Place;
const root: Place;
function left(p: Place): Place;
function right(p: Place): Place;

// Every place is reached in one way only.
function parent(p: Place): Place;
function side(p: Place): int;
axiom side(root) == 0;
axiom (forall p: Place :: { left(p) } parent(left(p)) == p && side(left(p)) == 1);
axiom (forall p: Place :: { right(p) } parent(right(p)) == p && side(right(p)) == 2);

var used: [Place]bool;
var key: [Place]int;
var below: [Place][int]bool;

// There is nothing below an empty place.
function {:inline} connected(used: [Place]bool): bool
{
  (forall p: Place :: { used[left(p)] } used[left(p)] ==> used[p]) &&
  (forall p: Place :: { used[right(p)] } used[right(p)] ==> used[p])
}

// The key `k` is below `p` as it should be.
function {:inline} is_below(used: [Place]bool, key: [Place]int, below: [Place][int]bool,
  p: Place, k: int): bool
{
  used[p] && (k == key[p]
    || (k < key[p] && below[left(p)][k])
    || (key[p] < k && below[right(p)][k]))
}

function ordered(used: [Place]bool, key: [Place]int, below: [Place][int]bool, p: Place): bool;
axiom (forall used: [Place]bool, key: [Place]int, below: [Place][int]bool, p: Place ::
  { ordered(used, key, below, p) }
  ordered(used, key, below, p) <==>
    (forall k: int :: { below[p][k] } below[p][k] <==> is_below(used, key, below, p, k)));

procedure Create()
  modifies used, key, below;
  ensures connected(used);
  ensures (forall p: Place :: { ordered(used, key, below, p) } ordered(used, key, below, p));
  ensures (forall k: int :: { below[root][k] } !below[root][k]);
{
  havoc used, below;
  assume (forall p: Place :: { used[p] } !used[p]);
  assume (forall p: Place, k: int :: { below[p][k] } !below[p][k]);
}

procedure Lookup(k: int) returns (found: bool, p: Place)
  requires (forall q: Place :: { ordered(used, key, below, q) } ordered(used, key, below, q));
  ensures found <==> below[root][k];
  ensures found ==> used[p] && key[p] == k;
{
  p := root;
  while (used[p] && key[p] != k)
    invariant below[p][k] <==> below[root][k];
  {
    assert ordered(used, key, below, p);
    if (k < key[p]) {
      p := left(p);
    } else {
      p := right(p);
    }
  }
  assert ordered(used, key, below, p);
  found := used[p];
}

procedure Insert(k: int)
  requires connected(used);
  requires (forall q: Place :: { ordered(used, key, below, q) } ordered(used, key, below, q));
  modifies used, key, below;
  ensures connected(used);
  ensures (forall q: Place :: { ordered(used, key, below, q) } ordered(used, key, below, q));
  ensures below[root][k];
  ensures (forall x: int :: { below[root][x] } x != k ==> below[root][x] == old(below[root][x]));
{
  var p, above: Place;
  var before: [Place][int]bool;

  p, above := root, root;
  assert ordered(used, key, below, p);
  below[p] := below[p][k := true];
  assert (forall q: Place :: { ordered(used, key, below, q) }
    ordered(used, key, old(below), q));
  while (used[p] && key[p] != k)
    invariant p == root || (used[above] && (p == left(above) || p == right(above)));
    invariant below[root][k] && below[p][k];
    invariant (forall x: int :: { below[root][x] }
      x != k ==> below[root][x] == old(below[root][x]));
    invariant (forall q: Place :: { ordered(used, key, below, q) }
      q != p ==> ordered(used, key, below, q));
    invariant (forall x: int :: { below[p][x] }
      x != k ==> (below[p][x] <==> is_below(used, key, below, p, x)));
  {
    above, before := p, below;
    if (k < key[p]) {
      p := left(p);
    } else {
      p := right(p);
    }
    assert ordered(used, key, below, p);
    below[p] := below[p][k := true];
    assert (forall q: Place :: { ordered(used, key, below, q) }
      q != above ==> ordered(used, key, before, q));
  }
  if (!used[p]) {
    assert !used[left(p)] && !used[right(p)];
    assert ordered(used, key, below, left(p)) && ordered(used, key, below, right(p));
    used[p] := true;
    key[p] := k;
    assert (forall q: Place :: { ordered(used, key, below, q) }
      q != p ==> ordered(old(used), old(key), below, q));
  }
}

procedure Client(x: int, y: int) returns (found: bool)
  requires x != y;
  modifies used, key, below;
  ensures !found;
{
  var p: Place;

  call Create();
  call Insert(x);
  call found, p := Lookup(x);
  assert found;
  call found, p := Lookup(y);
}
