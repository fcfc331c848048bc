// Made by `mugie seeds generate --kind nested-conditionals --size 4`.
//
// Proved: comparisons alone find out which of 16 numbers the argument is.

procedure Find(x: int) returns (r: int)
  requires 0 <= x;
  requires x < 16;
  ensures r == x;
{
  if (x < 8) {
    if (x < 4) {
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
    } else {
      if (x < 6) {
        if (x < 5) {
          r := 4;
        } else {
          r := 5;
        }
      } else {
        if (x < 7) {
          r := 6;
        } else {
          r := 7;
        }
      }
    }
  } else {
    if (x < 12) {
      if (x < 10) {
        if (x < 9) {
          r := 8;
        } else {
          r := 9;
        }
      } else {
        if (x < 11) {
          r := 10;
        } else {
          r := 11;
        }
      }
    } else {
      if (x < 14) {
        if (x < 13) {
          r := 12;
        } else {
          r := 13;
        }
      } else {
        if (x < 15) {
          r := 14;
        } else {
          r := 15;
        }
      }
    }
  }
}
