// The Dutch national flag: three colours, sorted in one pass by swaps.
//
// Proved: reds come before whites, whites before blues, and the flag is a permutation of what it
// was. Permutations are axiomatised as what swaps lead to.

type Colour;
const unique red: Colour;
const unique white: Colour;
const unique blue: Colour;

function swapped(f: [int]Colour, i: int, j: int): [int]Colour { f[i := f[j]][j := f[i]] }

function permutation(f: [int]Colour, g: [int]Colour, n: int): bool;
axiom (forall f: [int]Colour, n: int :: { permutation(f, f, n) } permutation(f, f, n));
axiom (forall f, g: [int]Colour, n, i, j: int :: { permutation(f, g, n), swapped(g, i, j) }
  permutation(f, g, n) && 0 <= i && i < n && 0 <= j && j < n
    ==> permutation(f, swapped(g, i, j), n));

procedure Sort(flag: [int]Colour, n: int) returns (f: [int]Colour, whites: int, blues: int)
  requires 0 <= n;
  requires (forall k: int :: { flag[k] }
    flag[k] == red || flag[k] == white || flag[k] == blue);
  ensures permutation(flag, f, n);
  ensures 0 <= whites && whites <= blues && blues <= n;
  ensures (forall k: int :: { f[k] } 0 <= k && k < whites ==> f[k] == red);
  ensures (forall k: int :: { f[k] } whites <= k && k < blues ==> f[k] == white);
  ensures (forall k: int :: { f[k] } blues <= k && k < n ==> f[k] == blue);
{
  var i: int;

  f := flag;
  whites, i, blues := 0, 0, n;
  while (i < blues)
    invariant 0 <= whites && whites <= i && i <= blues && blues <= n;
    invariant permutation(flag, f, n);
    invariant (forall k: int :: { f[k] } f[k] == red || f[k] == white || f[k] == blue);
    invariant (forall k: int :: { f[k] } 0 <= k && k < whites ==> f[k] == red);
    invariant (forall k: int :: { f[k] } whites <= k && k < i ==> f[k] == white);
    invariant (forall k: int :: { f[k] } blues <= k && k < n ==> f[k] == blue);
  {
    if (f[i] == red) {
      f := swapped(f, whites, i);
      whites, i := whites + 1, i + 1;
    } else if (f[i] == white) {
      i := i + 1;
    } else {
      blues := blues - 1;
      f := swapped(f, i, blues);
    }
  }
}
