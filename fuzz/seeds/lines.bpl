#if FILE_0
const a: int;
#elsif !FILE_1
const b: int;
#else
const c: int;
#endif
#line 12 other.dfy
/* /* nested */ #if
 */ // end
 const #x, $y.z', ^w~?: int;
