// Made by `mugie seeds generate --kind nested-conditionals --size 6`.
//
// Proved: comparisons alone find out which of 64 numbers the argument is.

procedure Find(x: int) returns (r: int)
  requires 0 <= x;
  requires x < 64;
  ensures r == x;
{
  if (x < 32) {
    if (x < 16) {
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
    } else {
      if (x < 24) {
        if (x < 20) {
          if (x < 18) {
            if (x < 17) {
              r := 16;
            } else {
              r := 17;
            }
          } else {
            if (x < 19) {
              r := 18;
            } else {
              r := 19;
            }
          }
        } else {
          if (x < 22) {
            if (x < 21) {
              r := 20;
            } else {
              r := 21;
            }
          } else {
            if (x < 23) {
              r := 22;
            } else {
              r := 23;
            }
          }
        }
      } else {
        if (x < 28) {
          if (x < 26) {
            if (x < 25) {
              r := 24;
            } else {
              r := 25;
            }
          } else {
            if (x < 27) {
              r := 26;
            } else {
              r := 27;
            }
          }
        } else {
          if (x < 30) {
            if (x < 29) {
              r := 28;
            } else {
              r := 29;
            }
          } else {
            if (x < 31) {
              r := 30;
            } else {
              r := 31;
            }
          }
        }
      }
    }
  } else {
    if (x < 48) {
      if (x < 40) {
        if (x < 36) {
          if (x < 34) {
            if (x < 33) {
              r := 32;
            } else {
              r := 33;
            }
          } else {
            if (x < 35) {
              r := 34;
            } else {
              r := 35;
            }
          }
        } else {
          if (x < 38) {
            if (x < 37) {
              r := 36;
            } else {
              r := 37;
            }
          } else {
            if (x < 39) {
              r := 38;
            } else {
              r := 39;
            }
          }
        }
      } else {
        if (x < 44) {
          if (x < 42) {
            if (x < 41) {
              r := 40;
            } else {
              r := 41;
            }
          } else {
            if (x < 43) {
              r := 42;
            } else {
              r := 43;
            }
          }
        } else {
          if (x < 46) {
            if (x < 45) {
              r := 44;
            } else {
              r := 45;
            }
          } else {
            if (x < 47) {
              r := 46;
            } else {
              r := 47;
            }
          }
        }
      }
    } else {
      if (x < 56) {
        if (x < 52) {
          if (x < 50) {
            if (x < 49) {
              r := 48;
            } else {
              r := 49;
            }
          } else {
            if (x < 51) {
              r := 50;
            } else {
              r := 51;
            }
          }
        } else {
          if (x < 54) {
            if (x < 53) {
              r := 52;
            } else {
              r := 53;
            }
          } else {
            if (x < 55) {
              r := 54;
            } else {
              r := 55;
            }
          }
        }
      } else {
        if (x < 60) {
          if (x < 58) {
            if (x < 57) {
              r := 56;
            } else {
              r := 57;
            }
          } else {
            if (x < 59) {
              r := 58;
            } else {
              r := 59;
            }
          }
        } else {
          if (x < 62) {
            if (x < 61) {
              r := 60;
            } else {
              r := 61;
            }
          } else {
            if (x < 63) {
              r := 62;
            } else {
              r := 63;
            }
          }
        }
      }
    }
  }
}
