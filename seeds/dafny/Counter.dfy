// A class with a ghost history: proved that the counter is the sum of what was added.

class Counter {
  var value: int
  ghost var history: seq<int>

  function Total(s: seq<int>): int
  {
    if s == [] then 0 else s[0] + Total(s[1..])
  }

  lemma Append(s: seq<int>, x: int)
    ensures Total(s + [x]) == Total(s) + x
  {
    if s == [] {
      assert s + [x] == [x];
    } else {
      assert (s + [x])[1..] == s[1..] + [x];
      Append(s[1..], x);
    }
  }

  predicate Valid()
    reads this
  {
    value == Total(history)
  }

  constructor ()
    ensures Valid() && value == 0 && history == []
  {
    value := 0;
    history := [];
  }

  method Add(x: int)
    requires Valid()
    modifies this
    ensures Valid() && history == old(history) + [x] && value == old(value) + x
  {
    Append(history, x);
    value := value + x;
    history := history + [x];
  }
}

method Client()
{
  var a := new Counter();
  var b := new Counter();
  a.Add(3);
  b.Add(4);
  a.Add(5);
  assert a.value == 8 && b.value == 4;
}
