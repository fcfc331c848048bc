// expected: p verified, q failed
// Something polymorphic, used or not, changes the encoding of types, and in that one Boogie 2.4.1 ends with an exception
// at a literal of a floating-point type.
procedure p(a: float24e8) { assert a == 0x1.8e0f24e8 ==> a > 0x0.0e0f24e8; }
procedure q(a: float24e8) { assert a > 0x0.0e0f24e8; }
