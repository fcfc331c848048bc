//! The tokens of a file for the parser: all tokens of a small file, a few at a time of a large one.
//!
//! A token takes twelve bytes, and every second byte of a source may start one. So a large file is
//! read twice: once to find errors and a position to divide it, and again while it is parsed.

use super::Source;
use crate::diagnostic::Diagnostic;
use crate::lex::{Lexed, Lexer};
use crate::token::{Token, TokenKind};

/// The size in bytes from which on a file is large, and its tokens are not all kept in memory. It
/// is small when fuzzing, since fuzzers make small inputs.
const LARGE: usize = if cfg!(fuzzing) { 64 } else { 1 << 18 };

/// The number of tokens of a large file that are read at a time.
const PIECE: usize = if cfg!(fuzzing) { 8 } else { 4096 };

/// The number of tokens available from the current one on.
const AHEAD: usize = 4;

/// A window of tokens that starts just before the current one.
#[derive(Clone)]
pub(super) struct Tokens<'s> {
    window: Vec<Token>,
    /// The position of the first token in the window.
    first: usize,
    /// The lexer, unless the last token has been read.
    lexer: Option<Lexer<'s>>,
    /// The offset at which another part of the text starts.
    limit: u32,
}

impl<'s> Tokens<'s> {
    /// Returns the tokens of a file, its lexical errors, and, if it is large, the tokens of its
    /// second half.
    pub(super) fn of(
        Source { text, base, index, dialect }: Source<'s>,
    ) -> (Tokens<'s>, Vec<Diagnostic>, Option<Tokens<'s>>) {
        let mut lexer = Lexer::new(text, base, index, dialect);
        if text.len() < LARGE {
            // Real programs have a token every four to six bytes.
            lexer.out.tokens.reserve(text.len() / 5 + 16);
            lexer.run(usize::MAX);
            let Lexed { tokens, errors, .. } = lexer.out;
            return (
                Tokens { window: tokens, first: 0, lexer: None, limit: u32::MAX },
                errors,
                None,
            );
        }
        let start = Tokens::from(lexer.clone());
        #[expect(clippy::cast_possible_truncation, reason = "a file is smaller than 4 GiB")]
        let (middle, errors) = survey(lexer, base + (text.len() / 2) as u32);
        (start, errors, middle)
    }

    fn from(mut lexer: Lexer<'s>) -> Tokens<'s> {
        // The errors have been reported already.
        lexer.out.errors.clear();
        let mut tokens =
            Tokens { window: Vec::new(), first: 0, lexer: Some(lexer), limit: u32::MAX };
        tokens.read_on(0);
        tokens
    }

    /// Limits these tokens to those before the first of the others.
    pub(super) fn before(mut self, others: &Tokens<'s>) -> Tokens<'s> {
        self.limit = others.get(0).start;
        self.cut();
        self
    }

    /// The token at a position, which is at most one before the current one and not far after it;
    /// at the end, the last token.
    #[inline]
    pub(super) fn get(&self, position: usize) -> Token {
        let last = self.window.len() - 1;
        self.window[(position - self.first).min(last)]
    }

    /// The token at a position that may be far after the current one.
    pub(super) fn look(&mut self, position: usize) -> Token {
        while self.lexer.is_some() && position - self.first >= self.window.len() {
            self.read_piece();
        }
        self.get(position)
    }

    /// The position of the last token.
    pub(super) fn end(&mut self) -> usize {
        while self.lexer.is_some() {
            self.forget(self.first + self.window.len() - 1);
            self.read_piece();
        }
        self.first + self.window.len() - 1
    }

    /// Makes the token at this position the current one.
    #[inline]
    pub(super) fn read_on(&mut self, position: usize) {
        if self.lexer.is_some() && position - self.first + AHEAD >= self.window.len() {
            self.forget(position.saturating_sub(1));
            self.read_piece();
        }
    }

    /// Drops the tokens before a position.
    fn forget(&mut self, position: usize) {
        self.window.drain(..position - self.first);
        self.first = position;
    }

    #[cold]
    fn read_piece(&mut self) {
        let Some(lexer) = &mut self.lexer else { return };
        lexer.run(PIECE);
        self.window.append(&mut lexer.out.tokens);
        lexer.out.line_pragmas.clear();
        if lexer.is_finished() {
            self.lexer = None;
        }
        self.cut();
    }

    /// Ends the tokens where those of another part begin.
    fn cut(&mut self) {
        if self.window.last().is_none_or(|token| token.start < self.limit) {
            return;
        }
        self.window.retain(|token| token.start < self.limit);
        self.window.push(Token { kind: TokenKind::End, start: self.limit, end: self.limit });
        self.lexer = None;
    }
}

/// Scans a large file for errors, and for the first token from an offset on that can only start a
/// declaration: a keyword that starts nothing else, outside all braces.
fn survey(mut lexer: Lexer<'_>, from: u32) -> (Option<Tokens<'_>>, Vec<Diagnostic>) {
    let mut middle = None;
    let mut braces = 0i64;
    while !lexer.is_finished() {
        let before = lexer.clone();
        lexer.run(PIECE);
        lexer.out.line_pragmas.clear();
        for (index, token) in lexer.out.tokens.drain(..).enumerate() {
            match token.kind {
                TokenKind::LeftBrace | TokenKind::LeftCode => braces += 1,
                TokenKind::RightBrace | TokenKind::RightCode => braces -= 1,
                TokenKind::Axiom
                | TokenKind::Function
                | TokenKind::Procedure
                | TokenKind::Const
                    if token.start >= from && braces == 0 && middle.is_none() =>
                {
                    let mut tokens = Tokens::from(before.clone());
                    tokens.forget(index);
                    tokens.first = 0;
                    tokens.read_on(0);
                    middle = Some(tokens);
                }
                _ => {}
            }
        }
    }
    (middle, lexer.out.errors)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Dialect;
    use crate::parse::{MAX_HEIGHT, parse};

    const PROGRAM: &str = "
#if FILE_0
type {:a 1, \"b\"} T a;
#else
type U;
#endif
const unique c, d: int;
function f<a>(x: a, y: [int]a): bool { (forall i: int :: {y[i]} y[i] == x) }
axiom {:b} (exists x: int :: f(x, (lambda i: int :: x))) /* axiom */ ;
procedure {:p} p(x: int where x > 0) returns (y: int);
  requires x == c; ensures {:e} y != old(x);
implementation p(x: int) returns (y: int) {
  var z: bv8;
  l: while (y < x) invariant z[8:0] == 3bv8; { y, z := y + 1, z; if (*) { break; } else { goto l; } }
}
";

    /// A text longer than `LARGE` whose last piece is not full.
    fn large() -> String {
        PROGRAM.repeat(3 * LARGE / PROGRAM.len() + 1)
    }

    #[test]
    fn a_large_file_is_many_small_ones() {
        for dialect in [Dialect::Boogie2, Dialect::Boogie3] {
            let small = parse(PROGRAM, dialect);
            assert!(small.errors.is_empty(), "{:?}", small.errors);
            let text = large();
            let large = parse(&text, dialect);
            assert!(large.errors.is_empty(), "{:?}", large.errors);
            let copies = text.len() / PROGRAM.len();
            assert_eq!(large.program.decls.len(), copies * small.program.decls.len());
            let all = (0..copies).flat_map(|copy| {
                let start = u32::try_from(copy * PROGRAM.len()).unwrap();
                small.program.decls.iter().map(move |decl| (start, decl))
            });
            for (decl, (start, expected)) in large.program.decls.iter().zip(all) {
                assert_eq!(decl, expected);
                let (span, expected) = (decl.span(), expected.span());
                assert_eq!((span.start, span.end), (expected.start + start, expected.end + start));
            }
        }
    }

    #[test]
    fn errors_in_a_large_file_are_those_of_a_small_one() {
        let deep = "(".repeat(MAX_HEIGHT as usize + 1);
        let wrong = ["axiom 1 + ;", "axiom @ 1;", "axiom true", "procedure q() {", "#endif", &deep];
        for wrong in wrong {
            let wrong = format!("{wrong}\nconst e: int;\naxiom e ==;\n");
            let text = large();
            let [small, large] = [PROGRAM, &text].map(|before| {
                let parse = parse(&format!("{before}{wrong}{PROGRAM}"), Dialect::Boogie2);
                let start = u32::try_from(before.len()).unwrap();
                let errors = parse.errors.into_iter();
                let errors = errors.map(|e| (e.span.start - start, e.span.end - start, e.message));
                errors.collect::<Vec<_>>()
            });
            assert!(!small.is_empty());
            assert_eq!(small, large, "{wrong}");
        }
    }
}
