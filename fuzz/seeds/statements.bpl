var {:layer 1} g: int where g > 0, h: [int][int]bool;
procedure {:p} P<a>({:x} i, j: int where i < j, {:y} t: a) returns (k: int);
  modifies g, h; modifies;
  free requires {:a} i > 0; ensures k == old(g);
implementation P<b>(i, j: int, t: b) returns (k: int) {
  var {:l} x, y: int where x == y; var z: bool;
  A: B: assert {:m "text"} true; assume z; havoc x, y;
  x, h[1][2] := {:at} y, z;
  call {:c} k := P(x, y, t); async free call k := P(1, 2, 3);
  par P(1, 2, true) | k := P(2, 3, false); yield;
  L: while (*) invariant {:i} x > 0; free invariant true; { if (x > 0) { break L; } else if (*) { goto A, B; } else { return; } }
}
