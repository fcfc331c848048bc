//! The lexer: splits bytes into tokens, which together are the text.
//!
//! Any bytes can be split: what is no SMT-LIB becomes a token of a kind of its own. The rules are those of Z3 and cvc5 where
//! these agree; [`crate::restrictions`] has the cases where they do not.

/// The kind of a token.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum TokenKind {
    /// White space: space, tab, line feed, carriage return, form feed.
    Space,
    /// From `;` to the end of the line, without the line feed.
    Comment,
    /// `(`.
    Open,
    /// `)`.
    Close,
    /// A simple symbol such as `x@0` or `+`.
    Symbol,
    /// A symbol between bars. As Z3 has it, a bar after a backslash does not end it.
    Quoted,
    /// A keyword such as `:named`; Z3 also takes a colon alone.
    Keyword,
    /// A string, with `""` for a quote.
    String,
    /// A numeral or a decimal: `0`, `007`, `1.5`, `1.`.
    Number,
    /// A number after a minus sign: to Z3 a literal, to cvc5 a symbol.
    Negative,
    /// `#x` and hexadecimal digits.
    Hexadecimal,
    /// `#b` and binary digits.
    Binary,
    /// `#` and a word, such as `#f3m5`, a finite field element of cvc5.
    Hash,
    /// A string without an end.
    OpenString,
    /// A symbol that starts with a bar and has no end.
    OpenQuoted,
    /// Bytes that start no token.
    Illegal,
}

impl TokenKind {
    /// White space or a comment.
    pub const fn is_space(self) -> bool {
        matches!(self, TokenKind::Space | TokenKind::Comment)
    }

    /// One of the two parentheses.
    pub const fn is_parenthesis(self) -> bool {
        matches!(self, TokenKind::Open | TokenKind::Close)
    }

    /// Anything else, errors included.
    pub const fn is_word(self) -> bool {
        !self.is_space() && !self.is_parenthesis()
    }
}

/// A token: its kind and its place in the text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Token {
    /// What it is.
    pub kind: TokenKind,
    /// The offset of its first byte.
    pub start: usize,
    /// The offset after its last byte.
    pub end: usize,
}

impl Token {
    /// The bytes of the token in the text that it is from.
    pub fn of(self, text: &[u8]) -> &[u8] {
        text.get(self.start..self.end).unwrap_or_default()
    }
}

/// The tokens of a text. Concatenated, they are the text.
pub fn tokens(text: &[u8]) -> Tokens<'_> {
    Tokens { text, at: 0 }
}

/// See [`tokens`].
#[derive(Clone, Debug)]
pub struct Tokens<'a> {
    text: &'a [u8],
    at: usize,
}

impl Iterator for Tokens<'_> {
    type Item = Token;

    #[inline]
    fn next(&mut self) -> Option<Token> {
        let start = self.at;
        let class = CLASS[usize::from(*self.text.get(start)?)];
        let (kind, end) = scan(self.text, start, class);
        self.at = end;
        Some(Token { kind, start, end })
    }
}

impl Tokens<'_> {
    /// The next token that is neither white space nor a comment.
    #[inline]
    pub fn next_solid(&mut self) -> Option<Token> {
        loop {
            let token = self.next()?;
            if !token.kind.is_space() {
                return Some(token);
            }
        }
    }
}

/// What a byte starts.
#[derive(Clone, Copy, PartialEq, Eq)]
enum ByteClass {
    Space,
    Semicolon,
    Open,
    Close,
    Symbol,
    Digit,
    Bar,
    Quote,
    Colon,
    Hash,
    Illegal,
}

const fn class(byte: u8) -> ByteClass {
    match byte {
        b' ' | b'\t' | b'\r' | b'\n' | 0x0c => ByteClass::Space,
        b';' => ByteClass::Semicolon,
        b'(' => ByteClass::Open,
        b')' => ByteClass::Close,
        b'0'..=b'9' => ByteClass::Digit,
        b'a'..=b'z' | b'A'..=b'Z' => ByteClass::Symbol,
        b'~' | b'!' | b'@' | b'$' | b'%' | b'^' | b'&' | b'*' | b'_' | b'-' => ByteClass::Symbol,
        b'+' | b'=' | b'<' | b'>' | b'.' | b'?' | b'/' | b',' => ByteClass::Symbol,
        b'|' => ByteClass::Bar,
        b'"' => ByteClass::Quote,
        b':' => ByteClass::Colon,
        b'#' => ByteClass::Hash,
        _ => ByteClass::Illegal,
    }
}

static CLASS: [ByteClass; 256] = {
    let mut table = [ByteClass::Illegal; 256];
    let mut byte = 0u8;
    loop {
        table[byte as usize] = class(byte);
        if byte == u8::MAX {
            break table;
        }
        byte += 1;
    }
};

/// Whether a byte can stand inside a simple symbol.
#[inline]
fn is_symbol_byte(byte: u8) -> bool {
    matches!(CLASS[usize::from(byte)], ByteClass::Symbol | ByteClass::Digit)
}

/// The first offset from `at` on whose byte is not as wanted.
#[inline]
fn skip(text: &[u8], at: usize, wanted: impl Fn(u8) -> bool) -> usize {
    let rest = text.get(at..).unwrap_or_default();
    at + rest.iter().position(|&byte| !wanted(byte)).unwrap_or(rest.len())
}

/// The kind of the token at `at`, and where it ends. `class` is of its first byte.
#[inline]
fn scan(text: &[u8], at: usize, class: ByteClass) -> (TokenKind, usize) {
    match class {
        ByteClass::Space => {
            let end = skip(text, at + 1, |byte| CLASS[usize::from(byte)] == ByteClass::Space);
            (TokenKind::Space, end)
        }
        ByteClass::Open => (TokenKind::Open, at + 1),
        ByteClass::Close => (TokenKind::Close, at + 1),
        ByteClass::Symbol => {
            let end = skip(text, at + 1, is_symbol_byte);
            let is_negative = text[at] == b'-' && is_number(&text[at + 1..end]);
            (if is_negative { TokenKind::Negative } else { TokenKind::Symbol }, end)
        }
        ByteClass::Digit => (TokenKind::Number, number_end(text, at)),
        ByteClass::Bar => quoted(text, at),
        ByteClass::Quote => string(text, at),
        ByteClass::Colon => (TokenKind::Keyword, skip(text, at + 1, is_symbol_byte)),
        ByteClass::Semicolon => (TokenKind::Comment, skip(text, at + 1, |byte| byte != b'\n')),
        ByteClass::Hash => hash(text, at),
        ByteClass::Illegal => {
            let end = skip(text, at + 1, |byte| CLASS[usize::from(byte)] == ByteClass::Illegal);
            (TokenKind::Illegal, end)
        }
    }
}

/// Digits, and maybe a point and digits after it.
fn number_end(text: &[u8], at: usize) -> usize {
    let whole = skip(text, at, |byte| byte.is_ascii_digit());
    match text.get(whole) {
        Some(b'.') => skip(text, whole + 1, |byte| byte.is_ascii_digit()),
        _ => whole,
    }
}

/// Whether a text is a number without sign.
pub(crate) fn is_number(text: &[u8]) -> bool {
    text.first().is_some_and(u8::is_ascii_digit) && number_end(text, 0) == text.len()
}

fn quoted(text: &[u8], at: usize) -> (TokenKind, usize) {
    let mut from = at + 1;
    loop {
        let bar = skip(text, from, |byte| byte != b'|');
        if bar == text.len() {
            return (TokenKind::OpenQuoted, bar);
        }
        if text[bar - 1] != b'\\' {
            return (TokenKind::Quoted, bar + 1);
        }
        from = bar + 1;
    }
}

fn string(text: &[u8], at: usize) -> (TokenKind, usize) {
    let mut from = at + 1;
    loop {
        let quote = skip(text, from, |byte| byte != b'"');
        if quote == text.len() {
            return (TokenKind::OpenString, quote);
        }
        if text.get(quote + 1) != Some(&b'"') {
            return (TokenKind::String, quote + 1);
        }
        from = quote + 2;
    }
}

fn hash(text: &[u8], at: usize) -> (TokenKind, usize) {
    let (kind, end) = match text.get(at + 1) {
        Some(b'x') => (TokenKind::Hexadecimal, skip(text, at + 2, |byte| byte.is_ascii_hexdigit())),
        Some(b'b') => (TokenKind::Binary, skip(text, at + 2, |byte| matches!(byte, b'0' | b'1'))),
        Some(byte) if byte.is_ascii_alphabetic() => {
            return (TokenKind::Hash, skip(text, at + 1, is_symbol_byte));
        }
        _ => return (TokenKind::Illegal, at + 1),
    };
    if end == at + 2 { (TokenKind::Illegal, at + 1) } else { (kind, end) }
}

/// The number of line breaks in a text.
pub fn line_ends(text: &[u8]) -> usize {
    text.split(|&byte| byte == b'\n').count() - 1
}
