// Proved: one step down from the next stair is at most one below this one.
//
// Breaks under S3 (move-to-file): the second file is read after the first, so that moving the axiom
// of `down` puts it behind that of `stair`. The rest is as in X_S1_axiom_order.

function down(x: int): int;
axiom (forall x, y: int :: y < x ==> y <= down(x));

function stair(i: int): int;
axiom (forall i: int :: 0 <= i ==> stair(i) < stair(i + 1));

procedure Down(i: int) returns (h: int)
  requires 0 <= i;
  ensures stair(i) <= h;
{
  h := down(stair(i + 1));
}
