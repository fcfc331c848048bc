// A transitive relation with triggers that keep it from being multiplied out.
//
// Proved: ancestors of ancestors are ancestors, over a chain of any length. Transitivity fires on two
// neighbouring facts, and generations grow along the relation.

type Person;
function parent(p: Person): Person;
function ancestor(a: Person, p: Person): bool;
function generation(p: Person): int;

axiom (forall p: Person :: { parent(p) }
  ancestor(parent(p), p) && generation(parent(p)) == generation(p) - 1);
axiom (forall a, b, c: Person :: { ancestor(a, b), ancestor(b, c) }
  ancestor(a, b) && ancestor(b, c) ==> ancestor(a, c));
axiom (forall a, p: Person :: { ancestor(a, p) }
  ancestor(a, p) ==> generation(a) < generation(p));

procedure GreatGrandparent(p: Person) returns (a: Person)
  ensures ancestor(a, p);
  ensures generation(a) + 3 == generation(p);
{
  a := parent(parent(parent(p)));
}

procedure Climb(p: Person, steps: int) returns (a: Person)
  requires 0 < steps;
  ensures ancestor(a, p);
  ensures generation(a) == generation(p) - steps;
{
  var i: int;

  a, i := parent(p), 1;
  while (i < steps)
    invariant 1 <= i && i <= steps;
    invariant ancestor(a, p);
    invariant generation(a) == generation(p) - i;
  {
    a, i := parent(a), i + 1;
  }
}

procedure NoCycle(p: Person)
  ensures (forall q: Person :: { ancestor(q, p) } ancestor(q, p) ==> !ancestor(p, q));
{
}
