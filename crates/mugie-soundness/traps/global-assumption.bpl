// expected: collects verified, fails failed
// An assumption variable may be global, and what is assigned to it must keep its form.
var {:assumption} all, none: bool;
procedure collects(n: int)
  requires n > 0;
  modifies all;
  ensures all ==> n > 1;
{
  all := all && n > 1;
}
procedure fails(n: int)
  modifies none;
  ensures none;
{
  none := none && 1 < n;
}
