// A stack in an array that grows: proved against a sequence, with its own memory in a frame.

class Stack {
  ghost var content: seq<int>
  ghost var frame: set<object>
  var data: array<int>
  var size: nat

  predicate Valid()
    reads this, frame
  {
    this in frame && data in frame &&
    0 < data.Length && size <= data.Length &&
    content == data[..size]
  }

  constructor ()
    ensures Valid() && fresh(frame) && content == []
  {
    data := new int[4];
    size := 0;
    content := [];
    new;
    frame := {this, data};
  }

  method Push(x: int)
    requires Valid()
    modifies frame
    ensures Valid() && fresh(frame - old(frame)) && content == old(content) + [x]
  {
    if size == data.Length {
      var larger := new int[2 * data.Length];
      forall i | 0 <= i < size {
        larger[i] := data[i];
      }
      data := larger;
      frame := frame + {data};
      assert data[..size] == content;
    }
    data[size] := x;
    size := size + 1;
    content := content + [x];
  }

  method Pop() returns (x: int)
    requires Valid() && content != []
    modifies frame
    ensures Valid() && fresh(frame - old(frame))
    ensures content == old(content)[..|old(content)| - 1]
    ensures x == old(content)[|old(content)| - 1]
  {
    size := size - 1;
    x := data[size];
    content := content[..size];
  }
}

method Client()
{
  var s := new Stack();
  s.Push(1);
  s.Push(2);
  assert s.content == [1, 2];
  var x := s.Pop();
  assert s.content == [1] && x == 2;
}
