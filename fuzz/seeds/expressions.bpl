type T a;
const unique c, d: T int extends unique d complete;
function {:inline} f<a>(x: a, y, z: [int, a]bool) returns (r: bool) { y[0, x] <==> z[1, x] }
axiom {:id "q", 1} (forall<a> x: T a, b: bv8 :: {:nopats x} { x, b } b[7:4] ++ b[4:0] == 0bv8 ==> x == x);
axiom (exists r: real :: r ** 2.0 / 1e-3 < real(3 div -2 mod 7) || !(1 != 2 && 3 >= 2));
axiom (lambda m: [int]int :: {:a} m[1 := 2][:= 3])[(var u, v := 1, 2; u + v)] == (if true then 1 else 2 : int);
axiom 0x1.8e0f24e8 == 0NaN24e8 && 0+oo24e8 != -0x0.0e0f24e8 && RNE == roundTowardZero;
axiom |{ var b: bool; A: b := true; goto B; B: return b; }| && old(int(1.5)) <= 1 && \if <: c;
