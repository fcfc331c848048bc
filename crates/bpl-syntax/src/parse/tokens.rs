//! The tokens of a file for the parser: all of a small one, a few at a time of a large one.
//!
//! A token takes twelve bytes, and every second byte of a source may start one. So a large file is
//! read twice: once for what is wrong with it and for a place to divide it, and once more while it
//! is parsed.

use super::Source;
use crate::diagnostic::Diagnostic;
use crate::lex::{Lexed, Lexer};
use crate::token::{Token, TokenKind};

/// From so many bytes on, a file is large.
const LARGE: usize = 1 << 18;

/// Tokens of a large file that are read at a time.
const PIECE: usize = 4096;

/// Tokens that can be looked at from the current one on.
const AHEAD: usize = 4;

/// The tokens from the one before the current one on, as far as they have been read.
#[derive(Clone)]
pub(super) struct Tokens<'s> {
    window: Vec<Token>,
    /// The number of the first token in the window.
    first: usize,
    /// What reads on, unless the last token has been read.
    lexer: Option<Lexer<'s>>,
    /// Where the text of another part starts.
    limit: u32,
}

impl<'s> Tokens<'s> {
    /// The tokens of a file, what could not be read in it, and, if it is large, the tokens of its
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
        // What was wrong has been said already.
        lexer.out.errors.clear();
        let mut tokens =
            Tokens { window: Vec::new(), first: 0, lexer: Some(lexer), limit: u32::MAX };
        tokens.read_on(0);
        tokens
    }

    /// These tokens up to the first of the others.
    pub(super) fn before(mut self, others: &Tokens<'s>) -> Tokens<'s> {
        self.limit = others.get(0).start;
        self.cut();
        self
    }

    /// A token, which is at most one before the current one and not far behind it; at the end, the
    /// last one.
    #[inline]
    pub(super) fn get(&self, position: usize) -> Token {
        let last = self.window.len() - 1;
        self.window[(position - self.first).min(last)]
    }

    /// A token that may be far behind the current one.
    pub(super) fn look(&mut self, position: usize) -> Token {
        while self.lexer.is_some() && position - self.first >= self.window.len() {
            self.read_piece();
        }
        self.get(position)
    }

    /// The number of the last token.
    pub(super) fn end(&mut self) -> usize {
        while self.lexer.is_some() {
            self.forget(self.first + self.window.len() - 1);
            self.read_piece();
        }
        self.first + self.window.len() - 1
    }

    /// Makes a token the current one.
    #[inline]
    pub(super) fn read_on(&mut self, position: usize) {
        if self.lexer.is_some() && position - self.first + AHEAD >= self.window.len() {
            self.forget(position.saturating_sub(1));
            self.read_piece();
        }
    }

    /// Drops the tokens before one.
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

/// Reads a large file for its errors, and for the first token from an offset on that can only be
/// the start of a declaration: a keyword that starts nothing else, outside of all braces.
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
                    middle = Some(tokens);
                }
                _ => {}
            }
        }
    }
    (middle, lexer.out.errors)
}
