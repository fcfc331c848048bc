// expected: compared verified, argument verified, inside verified, nested verified, renamed verified, other failed
// Maps are not extensional: which one a lambda is depends on its text, up to the names of bound variables.
function weigh(m: [int]bool): int;
function f(x: int): int;
procedure compared(n: int) {
  assert (lambda i: int :: i <= n) == (lambda i: int :: i <= n);
}
procedure argument(n: int) {
  var w: int;
  w := weigh((lambda i: int :: i + n > 3));
  assert w == weigh((lambda i: int :: i + n > 3));
}
procedure inside(n: int) {
  assert (lambda i: int :: (forall a: int, b: bool :: b || a > i + n))
    == (lambda i: int :: (forall a: int, b: bool :: b || a > i + n));
}
procedure nested(n: int) {
  assert (lambda i: int :: (forall a: int :: {f(a), f(i)} {f(a + i)} f(a) == f(i) && n < a))
    == (lambda i: int :: (forall a: int :: {f(a), f(i)} {f(a + i)} f(a) == f(i) && n < a));
}
procedure renamed(n: int) {
  assert (lambda i: int :: i <= n) == (lambda j: int :: j <= n);
}
procedure other(n: int) {
  assert (lambda i: int :: i <= n) == (lambda i: int :: n >= i);
}
