//! What is wrong with a text that is no script, and where.

use crate::lex::{Token, TokenKind, line_ends};

/// An error of syntax with its place.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{line}:{column}: {kind}")]
pub struct SyntaxError {
    /// The offset of the first byte concerned.
    pub offset: usize,
    /// Its line, counted from 1.
    pub line: usize,
    /// Its column, counted from 1 in characters, where each byte that is no UTF-8 counts as one.
    pub column: usize,
    /// What is wrong.
    pub kind: SyntaxErrorKind,
}

/// What is wrong with a text, with a remedy where there is one.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SyntaxErrorKind {
    /// A parenthesis that is never closed; the place is the parenthesis.
    #[error("this parenthesis is never closed; is the file complete?")]
    Unclosed,
    /// A closing parenthesis without an opening one.
    #[error("this parenthesis closes nothing: there is one too many here or one missing before")]
    Unopened,
    /// A character that starts nothing in SMT-LIB.
    #[error("{} is not allowed here; in a name it needs bars: |..|", show(*.0))]
    IllegalCharacter(u8),
    /// A `#` that starts no literal.
    #[error("`#` starts no literal here: use #x and hexadecimal or #b and binary digits")]
    BadHash,
    /// A byte of zero: the file is not text.
    #[error("a byte of zero: this is not text; if the file is compressed, unpack it first")]
    Binary,
    /// A string that does not end.
    #[error("this string never ends; a quote inside a string is written twice: \"\"")]
    UnclosedString,
    /// A quoted symbol that does not end.
    #[error("this quoted symbol never ends; a bar after a backslash does not end it")]
    UnclosedSymbol,
    /// A word outside of all parentheses.
    #[error("a command must start with a parenthesis")]
    AtomAtTopLevel,
    /// A byte order mark, which no solver reads.
    #[error("a byte order mark, which solvers reject; save the file as UTF-8 without it")]
    ByteOrderMark,
    /// The text is too long.
    #[error("the script has more than 4 GiB; split it per check or drop comments")]
    TooLong,
}

fn show(byte: u8) -> String {
    match byte {
        b'!'..=b'~' => format!("`{}`", char::from(byte)),
        _ => format!("the byte 0x{byte:02x}"),
    }
}

impl SyntaxError {
    pub(crate) fn new(text: &[u8], offset: usize, kind: SyntaxErrorKind) -> SyntaxError {
        let before = text.get(..offset).unwrap_or(text);
        let line = line_ends(before) + 1;
        let last = before.rsplit(|&byte| byte == b'\n').next().unwrap_or_default();
        let characters =
            |chunk: std::str::Utf8Chunk<'_>| chunk.valid().chars().count() + chunk.invalid().len();
        let column = last.utf8_chunks().map(characters).sum::<usize>() + 1;
        SyntaxError { offset, line, column, kind }
    }

    /// The error of a token that is one.
    pub(crate) fn of(text: &[u8], token: Token) -> SyntaxError {
        let is_mark = token.of(text).starts_with(b"\xef\xbb\xbf");
        let byte = text.get(token.start).copied().unwrap_or_default();
        let kind = match token.kind {
            TokenKind::OpenString => SyntaxErrorKind::UnclosedString,
            TokenKind::OpenQuoted => SyntaxErrorKind::UnclosedSymbol,
            _ if is_mark => SyntaxErrorKind::ByteOrderMark,
            _ if byte == 0 => SyntaxErrorKind::Binary,
            _ if byte == b'#' => SyntaxErrorKind::BadHash,
            _ => SyntaxErrorKind::IllegalCharacter(byte),
        };
        SyntaxError::new(text, token.start, kind)
    }
}
