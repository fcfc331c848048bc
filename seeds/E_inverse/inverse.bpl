// Injectivity stated through an inverse.
//
// Proved: a pair determines its parts, and equal codes come from equal pairs. The usual axiom of
// injectivity needs a trigger of two terms and is tried for each two codes; with inverse functions
// one term is enough.

type Code;
function pair(x: int, y: int): Code;
function first(c: Code): int;
function second(c: Code): int;
axiom (forall x, y: int :: { pair(x, y) } first(pair(x, y)) == x);
axiom (forall x, y: int :: { pair(x, y) } second(pair(x, y)) == y);

function mirrored(c: Code): Code { pair(second(c), first(c)) }

procedure Injective(a: int, b: int, c: int, d: int)
  requires pair(a, b) == pair(c, d);
  ensures a == c && b == d;
{
}

procedure Mirror(a: int, b: int) returns (c: Code)
  ensures mirrored(c) == pair(a, b);
  ensures (exists x: int :: { pair(x, a) } pair(x, a) == c);
{
  c := pair(b, a);
}

procedure Different(n: int) returns (codes: [int]Code)
  requires 0 <= n;
  ensures (forall i, j: int :: { codes[i], codes[j] }
    0 <= i && i < j && j < n ==> codes[i] != codes[j]);
{
  var k: int;

  k := 0;
  while (k < n)
    invariant 0 <= k && k <= n;
    invariant (forall i: int :: { codes[i] } 0 <= i && i < k ==> codes[i] == pair(i, i * i));
  {
    codes[k] := pair(k, k * k);
    k := k + 1;
  }
}
