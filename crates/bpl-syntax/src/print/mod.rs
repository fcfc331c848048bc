//! The printer: turns a tree into text that reads back as the same tree.
//!
//! The layout is canonical: it is a function of the tree alone and does not depend on the dialect.
//! A name that is a keyword in either dialect is escaped, and every other construct has only one
//! spelling. Two laws hold for every tree that the parser can return:
//!
//! - `parse(print(p)) == p`;
//! - hence `print(parse(print(p))) == print(p)`.
//!
//! ```
//! use bpl_syntax::{Dialect, parse, print};
//!
//! let source = "procedure p(x:int)requires(x>0)&&(x<9);{ assert ( x*(2+1) )!=0 ; }";
//! let program = parse(source, Dialect::Boogie2).program;
//! let text = "\
//! procedure p(x: int)
//!   requires x > 0 && x < 9;
//! {
//!   assert x * (2 + 1) != 0;
//! }
//! ";
//! assert_eq!(print(&program), text);
//! ```

mod cache;
mod decl;
mod expr;
mod printer;
mod stmt;
mod types;

use std::fmt;

pub use cache::{PrintCache, print_with, write_with};

use self::printer::Printer;
use crate::ast::{Decl, Expr, Program, Stmt, Type};

/// Prints a program.
///
/// ```
/// use bpl_syntax::{Dialect, parse, print};
///
/// let program = parse("const c:int;axiom((c>0));", Dialect::Boogie2).program;
/// let text = print(&program);
/// assert_eq!(text, "const c: int;\n\naxiom c > 0;\n");
/// assert_eq!(parse(&text, Dialect::Boogie2).program, program);
/// ```
pub fn print(program: &Program) -> String {
    let mut printer = Printer::new(String::new());
    let mut previous: Option<(&str, bool)> = None;
    for decl in &program.decls {
        // Whether a declaration is preceded by a blank line depends on its text. So the blank line
        // is written in advance and removed again before a short declaration.
        let blank_line = printer.len();
        if previous.is_some() {
            printer.end_line();
        }
        let start = printer.len();
        printer.decl(decl);
        let current = (decl.keyword(), printer.is_one_line(start));
        printer.end_line();
        if previous.is_some_and(|previous| !is_separated(previous, current)) {
            printer.remove_line_break(blank_line);
        }
        previous = Some(current);
    }
    printer.finish()
}

/// Prints a declaration, including the final line break.
pub fn print_decl(decl: &Decl) -> String {
    let mut printer = Printer::new(String::new());
    printer.decl(decl);
    printer.end_line();
    printer.finish()
}

/// Prints a statement, over several lines if it contains others, without a final line break.
pub fn print_stmt(stmt: &Stmt) -> String {
    let mut printer = Printer::new(String::new());
    printer.stmt(stmt);
    printer.finish()
}

/// Prints an expression on one line.
pub fn print_expr(expr: &Expr) -> String {
    let mut printer = Printer::flat();
    printer.expr(expr);
    printer.finish()
}

/// Prints a type on one line.
pub fn print_type(ty: &Type) -> String {
    let mut printer = Printer::flat();
    printer.ty(ty);
    printer.finish()
}

/// Whether [`print()`] puts a blank line between two declarations, each given by its keyword and
/// its text as returned by [`print_decl`]. For callers that assemble programs from texts.
pub fn needs_blank_line(previous: (&str, &str), next: (&str, &str)) -> bool {
    let is_one_line = |text: &str| text.find('\n').is_none_or(|end| end + 1 == text.len());
    is_separated((previous.0, is_one_line(previous.1)), (next.0, is_one_line(next.1)))
}

/// Whether there is a blank line between two declarations, each given by its keyword and whether it
/// takes only one line. Consecutive short declarations of the same kind are not separated.
fn is_separated(previous: (&str, bool), next: (&str, bool)) -> bool {
    let gathers = matches!(next.0, "type" | "const" | "function" | "axiom" | "var");
    !(previous.0 == next.0 && gathers && previous.1 && next.1)
}

impl fmt::Display for Type {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&print_type(self))
    }
}

impl fmt::Display for Expr {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&print_expr(self))
    }
}

impl fmt::Display for Stmt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&print_stmt(self))
    }
}

impl fmt::Display for Decl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(print_decl(self).trim_end())
    }
}

impl fmt::Display for Program {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&print(self))
    }
}
