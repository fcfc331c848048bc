// The greatest and the smallest element of an array.
//
// Proved: the results are elements of the array and bound all of it. `Spread` combines both; the
// distance of any two elements is at most what it returns.

const N: int;
axiom 1 <= N;

procedure Maximum(a: [int]int) returns (max: int, at: int)
  ensures 0 <= at && at < N && a[at] == max;
  ensures (forall k: int :: { a[k] } 0 <= k && k < N ==> a[k] <= max);
{
  var i: int;

  max, at, i := a[0], 0, 1;
  while (i < N)
    invariant 1 <= i && i <= N;
    invariant 0 <= at && at < i && a[at] == max;
    invariant (forall k: int :: { a[k] } 0 <= k && k < i ==> a[k] <= max);
  {
    if (max < a[i]) {
      max, at := a[i], i;
    }
    i := i + 1;
  }
}

procedure Minimum(a: [int]int) returns (min: int, at: int)
  ensures 0 <= at && at < N && a[at] == min;
  ensures (forall k: int :: { a[k] } 0 <= k && k < N ==> min <= a[k]);
{
  var b: [int]int;
  var i, max: int;

  i := 0;
  while (i < N)
    invariant 0 <= i && i <= N;
    invariant (forall k: int :: { b[k] } { a[k] } 0 <= k && k < i ==> b[k] == -a[k]);
  {
    b[i] := -a[i];
    i := i + 1;
  }
  call max, at := Maximum(b);
  min := -max;
}

procedure Spread(a: [int]int) returns (spread: int)
  ensures (forall i, j: int :: { a[i], a[j] }
    0 <= i && i < N && 0 <= j && j < N ==> a[i] - a[j] <= spread);
  ensures (exists i, j: int :: { a[i], a[j] }
    0 <= i && i < N && 0 <= j && j < N && a[i] - a[j] == spread);
{
  var low, high, at_low, at_high: int;

  call high, at_high := Maximum(a);
  call low, at_low := Minimum(a);
  spread := high - low;
}
