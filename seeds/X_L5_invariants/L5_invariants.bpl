// Proved: the inner loop stays below the bound that the invariants of the outer one give.
//
// Breaks under L5 (swap-clauses): the inference of intervals reads the invariants in order, and
// `depth <= top` tells it something only after `top <= 20`.

procedure Dive(top: int)
{
  var depth, diver: int;

  assume !(depth > top) && !(top > 20);
  while (*)
    invariant top <= 20;
    invariant depth <= top;
  {
    depth := depth - 1;
    diver := depth;
    while (*) {
      diver := diver - 1;
    }
    assert diver <= 20;
  }
}
