//! Generates well-typed programs from bytes, for property tests.
//!
//! A program is a function of a byte string, read as a sequence of decisions: see [`Choices`].
//! Shorter strings and smaller bytes make smaller programs, so a test that shrinks a failing string
//! shrinks the program. Every string makes a program of bounded size.
//!
//! The programs are well-typed by construction and use nearly all of the language except its
//! concurrent part. They have no purpose: no assertion in them is likely to hold.
//!
//! ```
//! use bpl_syntax::{Dialect, generate, parse, print};
//!
//! let program = generate::program(b"some bytes", Dialect::Boogie2);
//! assert_eq!(parse(&print(&program), Dialect::Boogie2).program, program);
//! ```

mod binder;
mod choices;
mod decl;
mod expr;
mod names;
mod stmt;
mod types;
mod world;

pub use choices::Choices;

use self::stmt::Labels;
use self::types::Ty;
use self::world::{Scope, World};
use crate::ast::{Attr, AttrParam, Expr, List, Program};
use crate::dialect::Dialect;
use crate::span::Span;

/// The approximate largest number of expressions and statements of a program.
const FUEL: u32 = 1_500;

/// Generates the well-typed program that the bytes encode.
pub fn program(bytes: &[u8], dialect: Dialect) -> Program {
    let mut generator = Generator {
        choices: Choices::new(bytes),
        dialect,
        world: World::default(),
        scope: Scope::default(),
        labels: Labels::default(),
        procedure: 0,
        fuel: FUEL,
    };
    Program { dialect, decls: generator.declarations() }
}

/// A program under construction.
struct Generator<'a> {
    choices: Choices<'a>,
    dialect: Dialect,
    world: World,
    scope: Scope,
    /// The labels of the current body.
    labels: Labels,
    /// The index of the procedure whose body is being generated.
    procedure: usize,
    /// The number of expressions and statements that may still be generated.
    fuel: u32,
}

impl Generator<'_> {
    /// Attributes whose parameters may be expressions of the current scope.
    fn attrs(&mut self) -> List<Attr> {
        self.attrs_with(|generator, ty| generator.expr(ty, 1))
    }

    /// Attributes for places with an unclear scope: their parameters are literals.
    fn literal_attrs(&mut self) -> List<Attr> {
        self.attrs_with(|generator, ty| {
            let literal = generator.literal(ty);
            literal.unwrap_or_else(|| generator.expr(ty, 0))
        })
    }

    fn attrs_with(&mut self, mut param: impl FnMut(&mut Self, &Ty) -> Expr) -> List<Attr> {
        const NAMES: [&str; 5] = ["a1", "a2", "a.b", "\\a", "?"];
        const STRINGS: [&str; 4] = ["", "text", "a\\\"b", "/* #"];
        let mut attrs = Vec::new();
        while attrs.len() < 2 && self.choices.chance(10) {
            let name = self.choices.word(&NAMES).into();
            let params = (0..self.choices.below(3))
                .map(|_| match self.choices.below(3) {
                    0 => AttrParam::Str(self.choices.word(&STRINGS).into()),
                    1 => AttrParam::Expr(param(self, &Ty::Int)),
                    _ => AttrParam::Expr(param(self, &Ty::Bool)),
                })
                .collect();
            attrs.push(Attr { span: Span::default(), name, params });
        }
        attrs.into()
    }
}
