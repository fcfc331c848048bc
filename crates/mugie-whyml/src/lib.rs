//! Translates Boogie programs to WhyML, the input language of Why3, so that Why3 can verify the
//! same programs as Boogie.
//!
//! [`WHYML`] is the translator. It is pure: text in, text out; and it knows no verifier. This page says
//! what the translation means, for those who read its text or a verdict on it.
//!
//! # What is promised
//!
//! *If Why3 verifies the translation of a procedure, the procedure is right by the semantics of Boogie.*
//! Nothing that has to be proved is ever weakened: what has no equivalent in WhyML is refused, with its
//! place. What is only assumed may be weakened, and then a note says so. In particular:
//!
//! - Maps are not extensional, as in Boogie 2.4 ([decision 23][maps]).
//! - A proof about all types is one about a type of which nothing is known
//!   (`src/instances.rs` has the argument).
//! - `where` clauses, `free` clauses and loop heads mean what `boogie /noinfer` makes of them.
//!   Boogie's own inference of intervals has no counterpart.
//!
//! The converse does not hold: Why3 may fail on what Boogie verifies, because the solver sees another
//! text, and because a quantifier over types is used at some types only.
//!
//! [maps]: https://github.com/mugie/mugie/blob/main/docs/decisions/0023-why3-maps.md
//!
//! # The text
//!
//! One program, of one or more files, becomes one file with one module `M`. Its declarations are sorted
//! by class, because WhyML wants declarations before uses, and a proof sees only the axioms before it:
//! types, functions and constants, facts, global variables, `val`s, `let`s. In each class the order of the
//! program is kept; the order of axioms and of definitions of functions is one order. So swapping two
//! declarations of different classes changes nothing for Why3, as it changes nothing for Boogie's
//! solver.
//!
//! | Boogie | WhyML |
//! |---|---|
//! | type `T`, map type `[A]B` | a type `t_T`; an opaque type with `select`, `store` and the axioms of Boogie |
//! | constant, function | `constant k_c`, `function f_f`; a definition is an axiom with the call as its trigger |
//! | `axiom e` | `axiom aN: e` |
//! | variable of type `T` | a record `vr_T` with one mutable field: `v_g` if global, else a parameter `z_x` |
//! | procedure | `val p_P`, for callers, if there are any |
//! | implementation | `let i_P`, whose goal is `i_P'vc`; the second one of `P` is `i_P_1` |
//! | expression in code | `unghost (pure { e })`: everything is logic |
//! | jumps, `break`, `return` in a loop | exceptions; loops are natural loops (`src/flow.rs`) |
//! | something polymorphic | one instance for each type that matters, and one for values whose type only a tag tells |
//!
//! `_` starts an escape or marks structure in names: `__` is an underscore, `_d` is `$`, `_0` opens a type
//! argument and `_1` closes it.
//!
//! Each clause, invariant and assertion is a line of its own, and a map leads from the lines back to
//! the program.
//!
//! # What is refused
//!
//! | construct | reason |
//! |---|---|
//! | a program that Boogie rejects without options (`/lib`, `/inferModifies`) | only checked programs have a meaning |
//! | bitvectors, floats, rounding modes, strings, `**` | no theory of Why3 has Boogie's meaning for all of them |
//! | code expressions `\|{ … }\|` | they are programs inside of formulas |
//! | functions with `:bvbuiltin` or `:builtin` | they name symbols of the solver |
//! | CIVL: actions, yielding or pure procedures, `async`, `par`, `yield`, invariants as declarations | it is another logic |
//! | `free call` | it would need a second specification of the procedure |
//! | procedures with `:inline` that have bodies | callers see the body, not the specification |
//! | `:assumption`, `:verified_under`, `:existential`, `:candidate`, `:always_assume`, `:selective_checking`, `:start_checking_here`, `:extern`, `:ignore` | they change what is checked or declared |
//! | `measure` | termination is not proved |
//! | a loop that jumps enter at several places | it has no head; Boogie refuses it as well |
//! | `C(x) := e` and `e->(f := v)` if other constructors lack the field | Boogie's meaning for these is not that of a formula |
//! | a datatype at a type that mentions a type variable | its values would need tags |
//! | recursive `:inline` functions, and programs that grow beyond any use by inlining | they have no finite text |
//!
//! # What may be weakened, with a note
//!
//! Triggers that WhyML or its solvers cannot have; assumptions about all types, of which too many types
//! match; that `unique` children in the order `<:` have nothing in common. Attributes that only guide the
//! solver or the output, such as `:weight`, and triggers of `{:nopats}`, are left out silently.

mod connect;
mod datatypes;
mod declare;
mod facts;
mod flow;
mod formula;
mod instances;
mod lambdas;
mod logic;
mod names;
mod print;
mod procedures;
mod quantifiers;
mod refusal;
mod source;
mod statements;
mod translate;
mod types;
mod world;

pub use crate::translate::WHYML;
