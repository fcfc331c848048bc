// Binary trees: a mirror image has as many nodes as its original.

type Tree;

const leaf: Tree;
function node(left: Tree, value: int, right: Tree): Tree;
function left(tree: Tree): Tree;
function value(tree: Tree): int;
function right(tree: Tree): Tree;

axiom (forall tree: Tree :: { left(tree) }
  tree == leaf || tree == node(left(tree), value(tree), right(tree)));

function size(tree: Tree): int;
axiom size(leaf) == 0;
axiom (forall l: Tree, v: int, r: Tree :: { node(l, v, r) }
  size(node(l, v, r)) == size(l) + 1 + size(r));

procedure Mirror(tree: Tree) returns (mirror: Tree)
  ensures size(mirror) == size(tree);
{
  var l, r: Tree;

  if (tree == leaf) {
    mirror := tree;
    return;
  }
  call l := Mirror(left(tree));
  call r := Mirror(right(tree));
  mirror := node(r, value(tree), l);
}
