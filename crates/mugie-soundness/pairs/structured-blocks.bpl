// operator: swap-blocks
// Blocks with labelled statements that are left by `break`, and with labels into which statements fall.
procedure right(a: bool, b: bool) returns (r: int)
  ensures r == 1 || r == 5;
{
  goto one, five;
one:
  r := 0;
  out: if (a) {
    if (b) { r := 1; break out; }
    r := 1;
  } else {
    r := 1;
  }
  goto end;
five:
  r := 0;
inner:
  loop: while (r < 5)
    invariant r <= 5;
  {
    r := r + 1;
    if (r == 5) { break loop; }
    r := r + 0;
  }
  goto end;
end:
  return;
}
procedure wrong(a: bool, b: bool) returns (r: int)
  ensures r == 1 || r == 5;
{
  goto one, five;
one:
  r := 0;
  out: if (a) {
    if (b) { r := 1; break out; }
    r := 2;
  } else {
    r := 1;
  }
  goto end;
five:
  r := 0;
inner:
  loop: while (r < 5)
    invariant r <= 5;
  {
    r := r + 1;
    if (r == 5) { break loop; }
    r := r + 0;
  }
  goto end;
end:
  return;
}
