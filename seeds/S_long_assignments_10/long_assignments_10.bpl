// Made by `mugie seeds generate --kind long-assignments --size 10`.
//
// Proved: each assignment adds its number to the sum of both variables.

procedure Exchange(x: int, y: int) returns (a: int, b: int)
  ensures a + b == x + y + 55;
{
  a, b := x, y;
  a, b := b, a + 1;
  a, b := b, a + 2;
  a, b := b, a + 3;
  a, b := b, a + 4;
  a, b := b, a + 5;
  a, b := b, a + 6;
  a, b := b, a + 7;
  a, b := b, a + 8;
  a, b := b, a + 9;
  a, b := b, a + 10;
}
