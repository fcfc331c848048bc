// mode: houdini
// expected: get failed, main failed
// chosen: c0 verified, c1 failed, c2 verified, c3 failed
// With `/contractInfer` a clause is dropped only if it has the form `c ==> e` with a candidate `c`. Without it the
// candidates are any constants.
const {:existential true} c0, c1: bool;
const {:existential true} c2: bool;
const {:existential true} c3: bool;
procedure get(n: int) returns (r: int)
  requires c0 ==> n > 2;
  requires c1 ==> n < 4;
  ensures c2 ==> r > 3;
  ensures c3 ==> r < 5;
{
  r := n + 1;
}
procedure main() {
  var r: int;
  call r := get(6);
  assert r > 3;
}
