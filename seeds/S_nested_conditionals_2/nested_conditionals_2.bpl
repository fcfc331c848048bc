// Made by `mugie seeds generate --kind nested-conditionals --size 2`.
//
// Proved: comparisons alone find out which of 4 numbers the argument is.

procedure Find(x: int) returns (r: int)
  requires 0 <= x;
  requires x < 4;
  ensures r == x;
{
  if (x < 2) {
    if (x < 1) {
      r := 0;
    } else {
      r := 1;
    }
  } else {
    if (x < 3) {
      r := 2;
    } else {
      r := 3;
    }
  }
}
