// A hash table with one bucket per hash value.
//
// Proved: what was stored under a key is found again, and a key whose hash is another keeps its
// value. The law of `hash` fires on hashes only, that of the well-formed table on the buckets.

type Key;

const buckets: int;
axiom 0 < buckets;

function hash(k: Key): int;
axiom (forall k: Key :: { hash(k) } 0 <= hash(k) && hash(k) < buckets);

var owner: [int]Key;
var value: [int]int;
var filled: [int]bool;

function {:inline} well_formed(owner: [int]Key, filled: [int]bool): bool
{
  (forall b: int :: { owner[b] } filled[b] ==> hash(owner[b]) == b)
}

procedure Store(k: Key, v: int)
  requires well_formed(owner, filled);
  modifies owner, value, filled;
  ensures well_formed(owner, filled);
  ensures filled[hash(k)] && owner[hash(k)] == k && value[hash(k)] == v;
  ensures (forall l: Key :: { hash(l) } hash(l) != hash(k) ==>
    owner[hash(l)] == old(owner)[hash(l)] && value[hash(l)] == old(value)[hash(l)]
    && filled[hash(l)] == old(filled)[hash(l)]);
{
  owner[hash(k)] := k;
  value[hash(k)] := v;
  filled[hash(k)] := true;
}

procedure Find(k: Key) returns (found: bool, v: int)
  requires well_formed(owner, filled);
  ensures found <==> (exists b: int :: { owner[b] } filled[b] && owner[b] == k);
  ensures found ==> v == value[hash(k)];
{
  found := filled[hash(k)] && owner[hash(k)] == k;
  v := value[hash(k)];
}

procedure Client(k: Key, l: Key) returns (v: int)
  requires well_formed(owner, filled);
  requires hash(k) != hash(l);
  modifies owner, value, filled;
  ensures v == 1;
{
  var found: bool;

  call Store(k, 1);
  call Store(l, 2);
  call found, v := Find(k);
  assert found;
}
