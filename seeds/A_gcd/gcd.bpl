// The greatest common divisor.
//
// Proved: repeated subtraction computes `gcd`, which is axiomatised by the laws that this needs.
// `GcdOfThree` gets the same number whichever two of the three it takes first.

function gcd(a: int, b: int): int;
axiom (forall a: int :: { gcd(a, a) } 0 < a ==> gcd(a, a) == a);
axiom (forall a, b: int :: { gcd(a, b) } gcd(a, b) == gcd(b, a));
axiom (forall a, b: int :: { gcd(a, b) } 0 < b && b < a ==> gcd(a, b) == gcd(a - b, b));
axiom (forall a, b: int :: { gcd(a, b) } 0 < a && 0 < b ==> 0 < gcd(a, b));
axiom (forall a, b, c: int :: { gcd(gcd(a, b), c) } { gcd(a, gcd(b, c)) }
  gcd(gcd(a, b), c) == gcd(a, gcd(b, c)));

procedure Gcd(x: int, y: int) returns (d: int)
  requires 0 < x && 0 < y;
  ensures d == gcd(x, y);
{
  var a, b: int;

  a, b := x, y;
  while (a != b)
    invariant 0 < a && 0 < b;
    invariant gcd(a, b) == gcd(x, y);
  {
    if (b < a) {
      a := a - b;
    } else {
      b := b - a;
    }
  }
  d := a;
}

procedure GcdOfThree(x: int, y: int, z: int) returns (d: int, e: int)
  requires 0 < x && 0 < y && 0 < z;
  ensures d == gcd(gcd(x, y), z);
  ensures d == e;
{
  call d := Gcd(x, y);
  call d := Gcd(d, z);
  call e := Gcd(y, z);
  call e := Gcd(x, e);
}
