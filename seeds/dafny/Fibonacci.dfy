// Fibonacci numbers: proved that the loop computes the recursive function, and that it grows.

function Fibonacci(n: nat): nat
{
  if n < 2 then n else Fibonacci(n - 1) + Fibonacci(n - 2)
}

method Compute(n: nat) returns (f: nat)
  ensures f == Fibonacci(n)
{
  var i, next := 0, 1;
  f := 0;
  while i < n
    invariant 0 <= i <= n
    invariant f == Fibonacci(i) && next == Fibonacci(i + 1)
  {
    f, next := next, f + next;
    i := i + 1;
  }
}

lemma Grows(n: nat)
  requires 1 <= n
  ensures 1 <= Fibonacci(n) <= Fibonacci(n + 1)
{
  if 1 < n {
    Grows(n - 1);
  }
}
