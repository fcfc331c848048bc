// Exponentiation by squaring: proved equal to repeated multiplication.

function Power(base: int, n: nat): int
{
  if n == 0 then 1 else base * Power(base, n - 1)
}

lemma Square(base: int, n: nat)
  ensures Power(base * base, n) == Power(base, 2 * n)
{
  if 0 < n {
    Square(base, n - 1);
    calc {
      Power(base, 2 * n);
      base * Power(base, 2 * n - 1);
      base * (base * Power(base, 2 * n - 2));
      { Multiply(base, base, Power(base, 2 * n - 2)); }
      base * base * Power(base, 2 * n - 2);
      base * base * Power(base * base, n - 1);
      Power(base * base, n);
    }
  }
}

lemma Multiply(a: int, b: int, c: int)
  ensures a * (b * c) == a * b * c
{
}

method Compute(base: int, n: nat) returns (p: int)
  ensures p == Power(base, n)
  decreases n
{
  if n == 0 {
    return 1;
  }
  p := Compute(base * base, n / 2);
  Square(base, n / 2);
  if n % 2 == 1 {
    p := base * p;
  }
}
