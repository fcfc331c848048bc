// A quantifier inside a quantifier: for each there is one.
//
// Proved: if every task has a worker and every worker a room, every task has a room, and `Assign`
// finds such rooms for the first `n` tasks. The inner existentials give terms without a name, which
// the other triggers must match.

type Task;
type Worker;
type Room;

function able(w: Worker, t: Task): bool;
function seated(w: Worker, r: Room): bool;
function usable(r: Room, t: Task): bool;

axiom (forall t: Task, w: Worker, r: Room :: { able(w, t), seated(w, r) }
  able(w, t) && seated(w, r) ==> usable(r, t));

function asked(t: Task): bool;
axiom (forall t: Task :: { asked(t) } asked(t));

procedure EveryTask()
  requires (forall t: Task :: { asked(t) }
    asked(t) ==> (exists w: Worker :: { able(w, t) } able(w, t)));
  requires (forall w: Worker, t: Task :: { able(w, t) }
    able(w, t) ==> (exists r: Room :: { seated(w, r) } seated(w, r)));
  ensures (forall t: Task :: { asked(t) }
    asked(t) ==> (exists r: Room :: { usable(r, t) } usable(r, t)));
{
}

procedure Assign(task: [int]Task, n: int) returns (room: [int]Room)
  requires 0 <= n;
  requires (forall t: Task :: { asked(t) }
    asked(t) ==> (exists r: Room :: { usable(r, t) } usable(r, t)));
  ensures (forall i: int :: { room[i] } 0 <= i && i < n ==> usable(room[i], task[i]));
{
  var i: int;
  var r: Room;

  i := 0;
  while (i < n)
    invariant 0 <= i && i <= n;
    invariant (forall k: int :: { room[k] } 0 <= k && k < i ==> usable(room[k], task[k]));
  {
    assert asked(task[i]);
    havoc r;
    assume usable(r, task[i]);
    room[i] := r;
    i := i + 1;
  }
}
