// Binary trees as a datatype: a program of Boogie 3.

datatype Tree<T> {
  Leaf(),
  Node(left: Tree T, value: T, right: Tree T)
}

function size<T>(tree: Tree T): int;
axiom (forall<T> t: Tree T :: { size(t) }
  size(t) == (if t is Leaf then 0 else size(t->left) + 1 + size(t->right)));
axiom (forall<T> t: Tree T :: { size(t) } size(t) >= 0);

procedure Mirror(tree: Tree int) returns (mirror: Tree int)
  ensures size(mirror) == size(tree);
{
  var left, right: Tree int;

  if (tree is Leaf) {
    mirror := tree;
    return;
  }
  call left := Mirror(tree->left);
  call right := Mirror(tree->right);
  mirror := Node(right, tree->value, left);
}
