//! What the crate does not read, or reads in one of several ways, each with the reason.
//!
//! Refused, with a place and a remedy:
//!
//! - **Anything but a list at the top level**, and a parenthesis that closes nothing. Z3 reports it, skips a token and goes on; what is left is
//!   another problem than its author meant.
//! - **Characters that start nothing**: ``' ` \ [ ] { }``, control characters, and all bytes over 127 outside of strings, quoted
//!   symbols and comments. Z3 reports each of them and goes on as if it were white space; cvc5 stops. Bytes over 127 between
//!   commands are kept as [`Kind::Stray`](crate::Kind::Stray): there is a query of F* that starts with an invisible space.
//! - **A byte order mark**: three errors in Z3, fatal in cvc5.
//! - **Bytes of zero** outside of strings, quoted symbols and comments: a file with them is compressed or damaged.
//! - **Scripts of more than 4 GiB**: see [`MAX_BYTES`](crate::MAX_BYTES).
//!
//! Read in one way where solvers differ or names have several meanings:
//!
//! - **Backslash in a quoted symbol**: as in Z3, the bar after it does not end the symbol, and the backslash is a part of the
//!   name. cvc5 rejects it, so no script means something else there.
//! - **`-5`** is one atom, a literal of Z3 and a symbol of cvc5: [`AtomKind::Negative`](crate::AtomKind::Negative). `-5a` is a
//!   symbol, as in the standard; Z3 reads `-5` and `a`. The text is kept, so the solver decides.
//! - **`5q`, `1e3`, `a:b`, `a|b|`** are two atoms, as in Z3 and cvc5, and are printed with a space between them.
//! - **A comma** is a letter, as in Z3 4.8; elsewhere it is an error.
//! - **A form feed** is white space, as in cvc5 1.0; Z3 reports it. **A carriage return alone** does not end a comment, as in Z3.
//! - **`|assert|`, `|forall|`** and other words of the syntax between bars are words of the syntax, as in Z3.
//! - **`#` and a word** that is neither hexadecimal nor binary is one atom, such as the finite field elements of newer cvc5.
//! - **Old datatypes** `(declare-datatypes (T) ((L nil ..)))` are told from new ones by their first list: in the new form it has
//!   lists.
//! - **Text after `(exit)`** is read as long as it is well-formed; from the first error on it is dropped, since no solver reads
//!   it: [`Script::unread`](crate::Script::unread).
//!
//! Not known:
//!
//! - **Sorts, and what a name refers to**: the crate knows shapes only. Overloading and shadowing are left to those who use
//!   it; [`Declarations`](crate::Declarations) has names by text.
//! - **The parts of commands that only one solver has** (`synth-fun`, `declare-heap`, `get-abduct`, Z3's `dbg-` commands): these
//!   commands are [`Kind::Other`](crate::Kind::Other), barriers, and their parts have [`Role::Unknown`](crate::Role::Unknown).
//!   Symbols in them count as mentions.
//! - **Names that vanish with `reset-assertions`**: to Z3, a name by `:named` outlives the assertion that it was in;
//!   [`Scopes::live`](crate::Scopes::live) drops both.
