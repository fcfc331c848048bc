// expected: made verified, fails failed
// A parameter of a synonym that its right-hand side forgets determines nothing.
type Tag _;
type Count a = int;
function tag<T>(n: int): Tag T;
function tagged<T>(n: Count T): Tag T { tag(n) }
procedure made() {
  var i: Tag int;
  var b: Tag bool;
  i := tagged(2);
  b := tagged(2);
  assert i == tag(2) && b == tag(2);
}
procedure fails() {
  var i: Tag int;
  i := tagged(2);
  assert i == tag(3);
}
