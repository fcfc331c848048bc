//! Error messages for unexpected tokens, and hints about what the writer may have meant.
//!
//! None of this runs for well-formed programs.

use super::{Failed, Parsed, Parser};
use crate::ast::BinaryOp;
use crate::dialect::Dialect;
use crate::span::Span;
use crate::token::{Token, TokenKind as T};

impl Parser<'_> {
    /// Reports that something else was expected here.
    #[cold]
    pub(super) fn fail<U>(&mut self, expected: &str) -> Parsed<U> {
        let token = self.token();
        if self.is_explained(token) {
            return Err(Failed);
        }
        let found = match token.kind {
            T::Ident | T::StringLiteral => clipped(self.text(token)),
            T::IntLiteral | T::RealLiteral | T::BitVectorLiteral | T::FloatLiteral => {
                clipped(self.text(token))
            }
            kind => kind.describe().to_owned(),
        };
        let help = self.hint(token, expected);
        // If something is missing at the end of a line, report it there and not on the next line.
        let span = match self.previous() {
            Some(previous) if expected == "`;`" && self.starts_line(token) => {
                Span::new(previous.end, previous.end)
            }
            _ => token.span(),
        };
        self.error(span, format!("expected {expected}, found {found}")).help = help;
        Err(Failed)
    }

    pub(super) fn previous(&self) -> Option<Token> {
        self.position.checked_sub(1).map(|previous| self.tokens.get(previous))
    }

    /// Whether there was an illegal character just before this token. It has been reported already,
    /// and may well explain this error.
    fn is_explained(&self, token: Token) -> bool {
        let start = self.previous().map_or(self.base, |previous| previous.end);
        let gap = start..=token.start;
        self.errors[..self.lexical_errors].iter().any(|error| gap.contains(&error.span.start))
    }

    /// Whether the token is the first on its line.
    pub(super) fn starts_line(&self, token: Token) -> bool {
        let before = &self.text[..(token.start - self.base) as usize];
        let indent = before.trim_end_matches([' ', '\t']);
        indent.is_empty() || indent.ends_with(['\n', '\r'])
    }

    /// Guesses what the writer may have meant.
    fn hint(&self, token: Token, expected: &str) -> Option<String> {
        let text = self.text(token);
        let before = self.previous().map(|previous| previous.kind);
        // The previous token, if it is directly adjacent.
        let glued = self.previous().filter(|previous| previous.end == token.start);
        let glued_to = |kind| glued.is_some_and(|glued| glued.kind == kind);
        let other = match self.dialect {
            Dialect::Boogie2 => Dialect::Boogie3,
            Dialect::Boogie3 => Dialect::Boogie2,
        };
        let hint = match (token.kind, expected) {
            (T::Ident, _) if T::reserved(text.as_bytes(), other).is_some() => {
                return Some(format!("`{text}` is a keyword of Boogie {other} only"));
            }
            (kind, "an identifier") if kind.is_word() => {
                return Some(format!(
                    "`{text}` is a keyword; as an identifier it is written `\\{text}`"
                ));
            }
            (T::Equal, "`:`") => "a declaration gives a type, and no value: `x: T`",
            (T::Equal, "`:=`" | "`(` or `:=`") => "assignment is `:=`",
            (T::Equal, _) => "equality is `==`, assignment is `:=`",
            (T::Bar, "`;`" | "`)`" | "`]`") if before != Some(T::RightParen) => {
                "disjunction is `||`"
            }
            (T::Ident, "`;`" | "`)`" | "`]`") if text == "?" => {
                "a conditional expression is `if a then b else c`"
            }
            (T::Ident, _) if text.starts_with('.') && glued_to(T::IntLiteral) => {
                "a real number has digits on both sides of the point"
            }
            (T::Greater, _) if glued_to(T::Minus) => "`->` is an operator of Boogie 3 only",
            (T::Colon, _) if glued_to(T::Less) => "`<:` is an operator of Boogie 2 only",
            (T::StringLiteral, "an expression") => {
                "before Boogie 3, strings are parameters of attributes only"
            }
            (T::LeftParen, "`:=`") => "a procedure is called by `call p(x);`",
            (T::Var, "a statement") => "variables are declared at the start of a body",
            (T::Semicolon, "a statement") => "there is no empty statement",
            (T::LeftBrace, "a statement") => "a block can only follow `if`, `else` or `while`",
            (T::Yield, "a statement") => "`yield` is a statement of Boogie 2 only",
            (T::LeftBrace, "a declaration") if before == Some(T::Semicolon) => {
                "a procedure with a body has no `;` before it"
            }
            (T::RightBrace, "a declaration") => "there is one `}` too many",
            (_, "a statement" | "`}`") if self.at_missing_brace() => "a `}` is missing before this",
            _ => return None,
        };
        Some(hint.to_owned())
    }

    /// Reports that an operator may not follow another one.
    #[cold]
    pub(super) fn not_chainable<U>(&mut self, first: BinaryOp, second: BinaryOp) -> Parsed<U> {
        let span = self.token().span();
        let is_order = |op| matches!(op, BinaryOp::Lt | BinaryOp::Le | BinaryOp::Gt | BinaryOp::Ge);
        let both_ordered = is_order(first) && is_order(second);
        let (first, second) = (first.text(), second.text());
        self.error(span, format!("`{second}` may not follow `{first}` without parentheses")).help =
            Some(if both_ordered {
                format!("write `a {first} b && b {second} c`")
            } else {
                format!("write `(a {first} b) {second} c` or `a {first} (b {second} c)`")
            });
        Err(Failed)
    }
}

/// The text of a token, for quoting in a message.
fn clipped(text: &str) -> String {
    match text.char_indices().nth(60) {
        Some((end, _)) => format!("`{}…`", &text[..end]),
        None => format!("`{text}`"),
    }
}
