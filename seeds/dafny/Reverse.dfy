// Lists as a datatype: proved that a loop with an accumulator reverses a list.

datatype List<T> = Empty | Cons(head: T, tail: List<T>)

function Append<T>(a: List<T>, b: List<T>): List<T>
{
  match a
  case Empty => b
  case Cons(x, rest) => Cons(x, Append(rest, b))
}

function Reverse<T>(a: List<T>): List<T>
{
  match a
  case Empty => Empty
  case Cons(x, rest) => Append(Reverse(rest), Cons(x, Empty))
}

lemma AppendEmpty<T>(a: List<T>)
  ensures Append(a, Empty) == a
{
}

lemma Associative<T>(a: List<T>, b: List<T>, c: List<T>)
  ensures Append(Append(a, b), c) == Append(a, Append(b, c))
{
}

method ReverseInto<T>(a: List<T>) returns (b: List<T>)
  ensures b == Reverse(a)
{
  var rest := a;
  b := Empty;
  AppendEmpty(Reverse(a));
  while rest != Empty
    invariant Append(Reverse(rest), b) == Reverse(a)
    decreases rest
  {
    Associative(Reverse(rest.tail), Cons(rest.head, Empty), b);
    b := Cons(rest.head, b);
    rest := rest.tail;
  }
}
