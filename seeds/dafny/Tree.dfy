// Trees as a datatype: proved that mirroring twice changes nothing, and that sizes stay.

datatype Tree = Leaf | Node(left: Tree, value: int, right: Tree)

function Size(t: Tree): nat
{
  match t
  case Leaf => 0
  case Node(left, value, right) => Size(left) + 1 + Size(right)
}

function Mirror(t: Tree): Tree
  ensures Size(Mirror(t)) == Size(t)
{
  match t
  case Leaf => Leaf
  case Node(left, value, right) => Node(Mirror(right), value, Mirror(left))
}

lemma MirrorTwice(t: Tree)
  ensures Mirror(Mirror(t)) == t
{
}

function Values(t: Tree): set<int>
{
  match t
  case Leaf => {}
  case Node(left, value, right) => Values(left) + {value} + Values(right)
}

lemma SameValues(t: Tree)
  ensures Values(Mirror(t)) == Values(t)
{
}
