// mode: houdini
// expected: stuck failed
// chosen: c0 verified, c1 verified
// The clause has another form, so it cannot be dropped. Split, the error would disappear.
const {:existential true} c0, c1: bool;
procedure stuck(n: int) returns (r: int)
  ensures (c0 ==> r > n) && (c1 ==> r > n + 1);
{
  r := n + 1;
}
