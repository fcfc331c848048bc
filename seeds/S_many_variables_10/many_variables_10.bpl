// Made by `mugie seeds generate --kind many-variables --size 10`.
//
// Proved: the last variable is the sum of the numbers up to 10.

procedure Sum(start: int) returns (sum: int)
  ensures sum == start + 55;
{
  var v1, v2, v3, v4, v5: int;
  var v6, v7, v8, v9, v10: int;

  v1 := start + 1;
  v2 := v1 + 2;
  v3 := v2 + 3;
  v4 := v3 + 4;
  v5 := v4 + 5;
  v6 := v5 + 6;
  v7 := v6 + 7;
  v8 := v7 + 8;
  v9 := v8 + 9;
  v10 := v9 + 10;
  sum := v10;
}
