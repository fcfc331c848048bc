// Proved: unloading keeps the weight below what `Weigh` promised.
//
// Breaks under L4 (join-postconditions) and L5 (swap-clauses): joining the first postcondition with
// the last one puts `weight <= limit` before the bound of `limit`, and the inference of intervals,
// which reads them in order where `Weigh` is called, gets nothing from it.

procedure Weigh() returns (weight: int, limit: int, fee: int);
  ensures 0 <= fee;
  ensures limit <= 50;
  ensures weight <= limit;

procedure Unload()
{
  var weight, limit, fee: int;

  call weight, limit, fee := Weigh();
  while (*) {
    weight := weight - 1;
  }
  assert weight <= 50;
}
