// Sets as maps, with an axiom of extensionality that fires on demand.
//
// Proved: laws of union, intersection and difference. Two sets are compared element by element only
// where the program mentions `same` of them.

type Set = [int]bool;

function same(a: Set, b: Set): bool;
axiom (forall a, b: Set :: { same(a, b) }
  same(a, b) <==> (forall x: int :: { a[x] } { b[x] } a[x] <==> b[x]));
axiom (forall a, b: Set :: { same(a, b) } same(a, b) ==> a == b);

function union(a: Set, b: Set): Set;
axiom (forall a, b: Set, x: int :: { union(a, b)[x] } union(a, b)[x] <==> a[x] || b[x]);

function common(a: Set, b: Set): Set;
axiom (forall a, b: Set, x: int :: { common(a, b)[x] } common(a, b)[x] <==> a[x] && b[x]);

function minus(a: Set, b: Set): Set;
axiom (forall a, b: Set, x: int :: { minus(a, b)[x] } minus(a, b)[x] <==> a[x] && !b[x]);

procedure Symmetric(a: Set, b: Set)
  ensures union(a, b) == union(b, a);
  ensures common(a, b) == common(b, a);
{
  assert same(union(a, b), union(b, a));
  assert same(common(a, b), common(b, a));
}

procedure Distributive(a: Set, b: Set, c: Set)
  ensures common(a, union(b, c)) == union(common(a, b), common(a, c));
{
  assert same(common(a, union(b, c)), union(common(a, b), common(a, c)));
}

procedure MoveAll(from: Set, to: Set, part: Set) returns (left: Set, moved: Set)
  requires (forall x: int :: { part[x] } part[x] ==> from[x] && !to[x]);
  ensures union(left, moved) == union(from, to);
  ensures minus(moved, part) == to;
{
  left := minus(from, part);
  moved := union(to, part);
  assert same(union(left, moved), union(from, to));
  assert same(minus(moved, part), to);
}
