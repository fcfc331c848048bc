// Made by `mugie seeds generate --kind many-variables --size 50`.
//
// Proved: the last variable is the sum of the numbers up to 50.

procedure Sum(start: int) returns (sum: int)
  ensures sum == start + 1275;
{
  var v1, v2, v3, v4, v5: int;
  var v6, v7, v8, v9, v10: int;
  var v11, v12, v13, v14, v15: int;
  var v16, v17, v18, v19, v20: int;
  var v21, v22, v23, v24, v25: int;
  var v26, v27, v28, v29, v30: int;
  var v31, v32, v33, v34, v35: int;
  var v36, v37, v38, v39, v40: int;
  var v41, v42, v43, v44, v45: int;
  var v46, v47, v48, v49, v50: int;

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
  v11 := v10 + 11;
  v12 := v11 + 12;
  v13 := v12 + 13;
  v14 := v13 + 14;
  v15 := v14 + 15;
  v16 := v15 + 16;
  v17 := v16 + 17;
  v18 := v17 + 18;
  v19 := v18 + 19;
  v20 := v19 + 20;
  v21 := v20 + 21;
  v22 := v21 + 22;
  v23 := v22 + 23;
  v24 := v23 + 24;
  v25 := v24 + 25;
  v26 := v25 + 26;
  v27 := v26 + 27;
  v28 := v27 + 28;
  v29 := v28 + 29;
  v30 := v29 + 30;
  v31 := v30 + 31;
  v32 := v31 + 32;
  v33 := v32 + 33;
  v34 := v33 + 34;
  v35 := v34 + 35;
  v36 := v35 + 36;
  v37 := v36 + 37;
  v38 := v37 + 38;
  v39 := v38 + 39;
  v40 := v39 + 40;
  v41 := v40 + 41;
  v42 := v41 + 42;
  v43 := v42 + 43;
  v44 := v43 + 44;
  v45 := v44 + 45;
  v46 := v45 + 46;
  v47 := v46 + 47;
  v48 := v47 + 48;
  v49 := v48 + 49;
  v50 := v49 + 50;
  sum := v50;
}
