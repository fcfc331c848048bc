// operator: swap-targets
// A loop whose head, `outer`, has no invariant and jumps to nothing but the head of an inner loop. Boogie checks the
// invariant of the inner loop at the end of `outer`. If it treats the inner loop first, it takes that check for an
// invariant of the outer loop, which then verifies; otherwise the inner invariant fails on entry. Which loop comes
// first depends on the order of blocks and targets. In random programs, something stands between two heads.
procedure p() {
  var r: int;
  r := 0;
  goto outer;
outer:
  goto inner;
inner:
  assert r >= 0;
  goto again, leave;
again:
  r := r + 1;
  goto inner;
leave:
  r := r + 1;
  goto done, outer;
done:
  assert r >= 0;
}
