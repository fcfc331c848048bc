//! SMT-LIB 2 scripts as syntax: read, ask, print.
//!
//! A [`Script`] is one immutable buffer and a flat array of nodes in pre-order, 12 bytes each. Nothing is normalised when a
//! script is read. Further tables are made once per script by those who need them: [`Scopes`], [`Symbols`], [`Roles`],
//! [`Declarations`]. No function recurses, and all of them take time and memory linear in the size of the script, however
//! deep it is.
//!
//! The crate reads what Z3 or cvc5 reads; [`restrictions`] lists what it does not.
//!
//! ```
//! use smt_syntax::{Dialect, Kind, Scopes, Script, print};
//!
//! let text = "(declare-const x Int) ; a comment\n(push)(assert (> |x|\n0))(check-sat)(pop)";
//! let script = Script::parse(text.as_bytes())?;
//! assert_eq!(script.commands()[2].kind, Kind::Assert);
//! let goal = script.children(script.commands()[2].node).nth(1).unwrap();
//! assert_eq!(script.text(goal), b"(> |x|\n0)");
//! assert_eq!(script.head(goal), Some(&b">"[..]));
//!
//! let scopes = Scopes::new(&script, Dialect::Z3);
//! assert_eq!(scopes.at(2).depth, 1);
//! let live: Vec<usize> = scopes.live(0).iter().map(|live| live.command).collect();
//! assert_eq!(live, [0, 1, 2, 3]);
//!
//! let printed = "(declare-const x Int)\n(push)\n(assert (> |x| 0))\n(check-sat)\n(pop)\n";
//! assert_eq!(print::script(&script), printed.as_bytes());
//! # Ok::<(), smt_syntax::SyntaxError>(())
//! ```

pub mod declare;
mod error;
mod kind;
pub mod lex;
pub mod print;
pub mod restrictions;
pub mod role;
pub mod scope;
mod script;
mod symbols;

pub use declare::Declarations;
pub use error::{SyntaxError, SyntaxErrorKind};
pub use kind::{Class, Kind};
pub use role::{Role, Roles};
pub use scope::{Dialect, Scopes};
pub use script::{AtomKind, Children, Command, MAX_BYTES, Node, NodeId, Script};
pub use symbols::{Symbol, Symbols};
