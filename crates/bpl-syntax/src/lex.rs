//! The lexer, with the line preprocessor and the `#line` pragma built in.
//!
//! Boogie processes lines before comments: `#if`, `#elsif`, `#else` and `#endif` take effect even
//! inside a block comment, and so does a `#` in the first column. The lexer handles them at each
//! line break it passes, so that offsets are those of the file.

use crate::diagnostic::{Diagnostic, ErrorClass, MAX_ERRORS};
use crate::dialect::Dialect;
use crate::span::Span;
use crate::token::{Token, TokenKind};

/// The tokens of one file.
#[derive(Clone, Debug)]
pub struct Lexed {
    /// The tokens, the last one of kind [`TokenKind::End`].
    pub tokens: Vec<Token>,
    /// The errors. After too many errors the rest of the file is not read.
    pub errors: Vec<Diagnostic>,
    /// The `#line` pragmas.
    pub line_pragmas: Vec<LinePragma>,
}

/// `#line 12 origin.dfy`: the origin of the text below the pragma.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LinePragma {
    /// The source span of the pragma.
    pub span: Span,
    /// The original line number of the next line.
    pub line: i64,
    /// The original file, if the pragma names one.
    pub file: Option<String>,
}

/// Reads the tokens of one file. `base` is the offset of its first byte in the program, `index`
/// its number among the files of the program, for `#if FILE_n`.
pub fn lex(text: &str, base: u32, index: usize, dialect: Dialect) -> Lexed {
    let mut lexer = Lexer::new(text, base, index, dialect);
    // Real programs have a token every four to six bytes.
    lexer.out.tokens.reserve(text.len() / 5 + 16);
    lexer.run(usize::MAX);
    lexer.out
}

/// An open `#if`.
#[derive(Clone)]
struct Branch {
    span: Span,
    /// Whether no alternative has been taken so far.
    untaken: bool,
    seen_else: bool,
}

/// Reads a file, in pieces if necessary.
#[derive(Clone)]
pub(crate) struct Lexer<'s> {
    text: &'s str,
    bytes: &'s [u8],
    position: usize,
    base: u32,
    dialect: Dialect,
    define: String,
    branches: Vec<Branch>,
    /// The level of the `#if` that causes the current lines to be dropped.
    dropped_by: Option<usize>,
    is_finished: bool,
    pub(crate) out: Lexed,
}

/// The kinds of tokens that a byte can start or continue.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Class {
    Letter,
    Digit,
    Blank,
    Break,
    Other,
}

/// A table, since one look-up per byte is faster than a chain of range tests.
const CLASSES: [Class; 256] = {
    let mut classes = [Class::Other; 256];
    let mut i = 0;
    while i < 256 {
        #[expect(clippy::cast_possible_truncation, reason = "below 256")]
        let byte = i as u8;
        classes[i] = match byte {
            b'a'..=b'z' | b'A'..=b'Z' => Class::Letter,
            b'\'' | b'~' | b'#' | b'$' | b'^' | b'_' | b'.' | b'?' | b'`' => Class::Letter,
            b'0'..=b'9' => Class::Digit,
            b' ' | b'\t' => Class::Blank,
            b'\n' | b'\r' => Class::Break,
            _ => Class::Other,
        };
        i += 1;
    }
    classes
};

fn class(byte: u8) -> Class {
    CLASSES[usize::from(byte)]
}

impl<'s> Lexer<'s> {
    /// Creates a lexer at the start of a file; the arguments are those of [`lex`].
    pub(crate) fn new(text: &'s str, base: u32, index: usize, dialect: Dialect) -> Lexer<'s> {
        let mut lexer = Lexer {
            text,
            bytes: text.as_bytes(),
            position: 0,
            base,
            dialect,
            define: format!("FILE_{index}"),
            branches: Vec::new(),
            dropped_by: None,
            is_finished: false,
            out: Lexed { tokens: Vec::new(), errors: Vec::new(), line_pragmas: Vec::new() },
        };
        if text.starts_with('\u{FEFF}') {
            lexer.position = '\u{FEFF}'.len_utf8();
        }
        lexer.line_start();
        lexer
    }

    /// Whether the final token has been read.
    pub(crate) fn is_finished(&self) -> bool {
        self.is_finished
    }

    fn peek(&self, ahead: usize) -> u8 {
        // NUL stands for the end, since it does not start a token, either.
        self.bytes.get(self.position + ahead).copied().unwrap_or(0)
    }

    #[expect(clippy::cast_possible_truncation, reason = "a SourceMap is smaller than 4 GiB")]
    fn offset(&self, position: usize) -> u32 {
        self.base + position as u32
    }

    fn span(&self, start: usize) -> Span {
        Span::new(self.offset(start), self.offset(self.position))
    }

    fn error(&mut self, span: Span, message: impl Into<String>) -> &mut Diagnostic {
        self.out.errors.push(Diagnostic::new(ErrorClass::Syntax, span, message));
        let last = self.out.errors.len() - 1;
        &mut self.out.errors[last]
    }

    fn push(&mut self, kind: TokenKind, start: usize) {
        let Span { start, end } = self.span(start);
        self.out.tokens.push(Token { kind, start, end });
    }

    /// Reads until there are this many tokens, or to the end of the file.
    pub(crate) fn run(&mut self, tokens: usize) {
        while let Some(&byte) = self.bytes.get(self.position) {
            if self.out.tokens.len() >= tokens {
                return;
            }
            if self.out.errors.len() >= MAX_ERRORS {
                break;
            }
            let start = self.position;
            match class(byte) {
                Class::Blank => self.position += 1,
                Class::Break => self.line_break(),
                Class::Letter => {
                    self.skip_word();
                    let kind = TokenKind::reserved(&self.bytes[start..self.position], self.dialect)
                        .unwrap_or(TokenKind::Ident);
                    self.push(kind, start);
                }
                Class::Digit => {
                    let kind = self.number();
                    self.push(kind, start);
                }
                Class::Other => self.other(byte),
            }
        }
        if std::mem::replace(&mut self.is_finished, true) {
            return;
        }
        let gave_up = self.position < self.bytes.len();
        if let Some(branch) = self.branches.first().filter(|_| !gave_up) {
            let span = branch.span;
            self.error(span, "`#if` without `#endif`");
        }
        self.push(TokenKind::End, self.bytes.len());
    }

    fn skip_word(&mut self) {
        while matches!(class(self.peek(0)), Class::Letter | Class::Digit) {
            self.position += 1;
        }
    }

    fn skip_digits(&mut self) -> bool {
        let start = self.position;
        while self.peek(0).is_ascii_digit() {
            self.position += 1;
        }
        self.position > start
    }

    /// Reads symbols, strings, comments, escaped identifiers, and illegal characters.
    fn other(&mut self, byte: u8) {
        use TokenKind as T;
        let start = self.position;
        let (kind, length) = match (byte, self.peek(1), self.peek(2)) {
            (b';', ..) => (T::Semicolon, 1),
            (b',', ..) => (T::Comma, 1),
            (b'(', ..) => (T::LeftParen, 1),
            (b')', ..) => (T::RightParen, 1),
            (b'[', ..) => (T::LeftBracket, 1),
            (b']', ..) => (T::RightBracket, 1),
            (b'{', ..) => (T::LeftBrace, 1),
            (b'}', b'|', _) => (T::RightCode, 2),
            (b'}', ..) => (T::RightBrace, 1),
            (b'|', b'{', _) => (T::LeftCode, 2),
            (b'|', b'|', _) => (T::OrOr, 2),
            (b'|', ..) => (T::Bar, 1),
            (b':', b'=', _) => (T::Assign, 2),
            (b':', b':', _) => (T::DoubleColon, 2),
            (b':', ..) => (T::Colon, 1),
            (b'<', b'=', b'=') if self.peek(3) == b'>' => (T::Iff, 4),
            (b'<', b'=', b'=') => (T::Explies, 3),
            (b'<', b'=', _) => (T::LessEqual, 2),
            (b'<', b':', _) if self.dialect == Dialect::Boogie2 => (T::Subtype, 2),
            (b'<', ..) => (T::Less, 1),
            (b'>', b'=', _) => (T::GreaterEqual, 2),
            (b'>', ..) => (T::Greater, 1),
            (b'=', b'=', b'>') => (T::Implies, 3),
            (b'=', b'=', _) => (T::EqualEqual, 2),
            (b'=', ..) => (T::Equal, 1),
            (b'!', b'=', _) => (T::NotEqual, 2),
            (b'!', ..) => (T::Not, 1),
            (b'&', b'&', _) => (T::AndAnd, 2),
            (b'+', b'+', _) => (T::PlusPlus, 2),
            (b'+', ..) => (T::Plus, 1),
            (b'*', b'*', _) => (T::StarStar, 2),
            (b'*', ..) => (T::Star, 1),
            (b'-', b'0', b'x') => {
                self.position += 1;
                if self.hex_float() {
                    return self.push(T::FloatLiteral, start);
                }
                self.position = start;
                (T::Minus, 1)
            }
            (b'-', b'>', _) if self.dialect == Dialect::Boogie3 => (T::Arrow, 2),
            (b'-', ..) => (T::Minus, 1),
            (b'/', b'/', _) => return self.line_comment(),
            (b'/', b'*', _) => return self.block_comment(),
            (b'/', ..) => (T::Slash, 1),
            (b'"', ..) => return self.string(),
            (b'\\', next, _) if class(next) == Class::Letter => {
                self.position += 1;
                self.skip_word();
                return self.push(T::Ident, start);
            }
            _ => return self.illegal(),
        };
        self.position += length;
        self.push(kind, start);
    }

    /// Reports a run of characters that start no token, with one message for all of them.
    fn illegal(&mut self) {
        let start = self.position;
        let first = self.text[start..].chars().next().unwrap_or('\0');
        for c in self.text[start..].chars() {
            let starts_token = c.is_ascii_graphic() && !matches!(c, '%' | '@' | '\\' | '&');
            if self.position > start && (starts_token || matches!(c, ' ' | '\t' | '\r' | '\n')) {
                break;
            }
            self.position += c.len_utf8();
        }
        let span = self.span(start);
        let help = match first {
            '%' => Some("the remainder operator is `mod`"),
            '&' => Some("conjunction is `&&`"),
            '\u{FFFD}' => Some("bytes that are not UTF-8 may stand in comments only"),
            '\0' => Some("this does not look like a text file"),
            '\u{A0}' | '\u{B}' | '\u{C}' => {
                Some("only blanks, tabs and line breaks separate tokens")
            }
            '⇔' | '⇒' | '⇐' | '∧' | '∨' | '≠' | '≤' | '≥' | '¬' | '∀' | '∃' | 'λ' | '•' => {
                Some("Boogie reads the ASCII spelling only: `<==>`, `&&`, `!=`, `forall`, …")
            }
            _ => None,
        };
        self.error(span, format!("illegal character {first:?}")).help = help.map(str::to_owned);
    }

    fn line_comment(&mut self) {
        let rest = &self.bytes[self.position..];
        let length = rest.iter().position(|byte| matches!(byte, b'\n' | b'\r'));
        self.position += length.unwrap_or(rest.len());
    }

    /// Skips a comment. Comments nest, and an unclosed comment extends to the end of the file,
    /// without an error in Boogie.
    fn block_comment(&mut self) {
        let mut depth = 0u32;
        while let Some(&byte) = self.bytes.get(self.position) {
            match (byte, self.peek(1)) {
                (b'/', b'*') => {
                    depth += 1;
                    self.position += 2;
                }
                (b'*', b'/') => {
                    depth -= 1;
                    self.position += 2;
                    if depth == 0 {
                        return;
                    }
                }
                (b'\n' | b'\r', _) => self.line_break(),
                _ => self.position += 1,
            }
        }
    }

    /// Reads a string by the longest match: a quote after a backslash ends the string only if no
    /// later quote on the line can.
    fn string(&mut self) {
        let start = self.position;
        let mut end = None;
        self.position += 1;
        while let Some(&byte) = self.bytes.get(self.position) {
            match byte {
                b'\n' | b'\r' => break,
                b'"' => {
                    end = Some(self.position + 1);
                    if self.bytes[self.position - 1] != b'\\' {
                        break;
                    }
                }
                _ => {}
            }
            self.position += 1;
        }
        if let Some(end) = end {
            self.position = end;
            self.push(TokenKind::StringLiteral, start);
        } else {
            let span = self.span(start);
            self.error(span, "string without closing quote").help =
                Some("a string ends on the line where it starts".to_owned());
        }
    }

    /// Reads a number of any kind by the longest match.
    fn number(&mut self) -> TokenKind {
        if self.bytes[self.position] == b'0' && (self.special_float() || self.hex_float()) {
            return TokenKind::FloatLiteral;
        }
        self.skip_digits();
        let integer = self.position;
        if self.bytes[integer..].starts_with(b"bv") {
            self.position += 2;
            if self.skip_digits() {
                return TokenKind::BitVectorLiteral;
            }
            self.position = integer;
        }
        if self.peek(0) == b'.' {
            self.position += 1;
            if !self.skip_digits() {
                self.position = integer;
                return TokenKind::IntLiteral;
            }
        }
        let fraction = self.position;
        if self.peek(0) == b'e' {
            self.position += 1;
            if self.peek(0) == b'-' {
                self.position += 1;
            }
            if !self.skip_digits() {
                self.position = fraction;
            }
        }
        if self.position > integer { TokenKind::RealLiteral } else { TokenKind::IntLiteral }
    }

    /// `24e8`, the sizes at the end of every float.
    fn float_sizes(&mut self) -> bool {
        self.skip_digits() && self.peek(0) == b'e' && {
            self.position += 1;
            self.skip_digits()
        }
    }

    /// `0NaN24e8`, `0+oo24e8`, …
    fn special_float(&mut self) -> bool {
        let start = self.position;
        if [&b"0NaN"[..], b"0nan", b"0+oo", b"0-oo"]
            .iter()
            .any(|special| self.bytes[start..].starts_with(special))
        {
            self.position += 4;
            if self.float_sizes() {
                return true;
            }
        }
        self.position = start;
        false
    }

    /// `0x1.8e0f24e8`. The `e` of the exponent is also a hexadecimal digit, so every `e` is tried;
    /// the longest match wins.
    fn hex_float(&mut self) -> bool {
        let start = self.position;
        if !self.bytes[start..].starts_with(b"0x") {
            return false;
        }
        let mut at = start + 2;
        let is_hex = |at: usize| self.bytes.get(at).is_some_and(u8::is_ascii_hexdigit);
        while is_hex(at) {
            at += 1;
        }
        let mut ends = None;
        if at > start + 2 && self.bytes.get(at) == Some(&b'.') && is_hex(at + 1) {
            at += 2;
            while self.bytes.get(at).is_some_and(u8::is_ascii_hexdigit) {
                if self.bytes[at] == b'e' {
                    self.position = at + 1;
                    if self.peek(0) == b'-' {
                        self.position += 1;
                    }
                    if self.skip_digits() && self.peek(0) == b'f' {
                        self.position += 1;
                        if self.float_sizes() {
                            ends = ends.max(Some(self.position));
                        }
                    }
                }
                at += 1;
            }
        }
        self.position = ends.unwrap_or(start);
        ends.is_some()
    }

    fn line_break(&mut self) {
        self.position += if self.bytes[self.position..].starts_with(b"\r\n") { 2 } else { 1 };
        self.line_start();
    }

    /// Processes the directives and pragmas at the start of a line.
    fn line_start(&mut self) {
        loop {
            let mut at = self.position;
            while self.bytes.get(at).is_some_and(|&byte| class(byte) == Class::Blank) {
                at += 1;
            }
            if self.bytes.get(at) != Some(&b'#') {
                // Boogie trims Unicode white space; only a following `#` matters here.
                let odd = self.bytes.get(at).is_some_and(|byte| !(b' '..0x80).contains(byte));
                if !odd || !self.rest_of_line().trim().starts_with('#') {
                    return;
                }
            }
            let line = self.rest_of_line();
            let directive = line.trim();
            let start = self.position;
            let column_one = line.starts_with('#');
            if is_directive(directive) {
                self.position += line.len();
                let span = self.span(start);
                self.directive(directive, span);
                self.drop_lines();
            } else if column_one {
                self.position += line.len();
                let span = self.span(start);
                self.pragma(line, span);
            } else {
                return;
            }
            match self.bytes.get(self.position) {
                None => return,
                Some(b'\r') if self.peek(1) == b'\n' => self.position += 2,
                Some(_) => self.position += 1,
            }
        }
    }

    fn rest_of_line(&self) -> &'s str {
        let rest = &self.bytes[self.position..];
        let length = rest.iter().position(|byte| matches!(byte, b'\n' | b'\r'));
        &self.text[self.position..self.position + length.unwrap_or(rest.len())]
    }

    /// Skips lines until a directive ends the dropped branch. Stops at the line break before the
    /// first line to be read.
    fn drop_lines(&mut self) {
        while self.dropped_by.is_some() {
            match self.bytes.get(self.position) {
                None => return,
                Some(b'\r') if self.peek(1) == b'\n' => self.position += 2,
                Some(_) => self.position += 1,
            }
            let start = self.position;
            let line = self.rest_of_line();
            let directive = line.trim();
            self.position += line.len();
            if is_directive(directive) {
                let span = self.span(start);
                self.directive(directive, span);
            }
        }
    }

    fn directive(&mut self, line: &str, span: Span) {
        if let Some(condition) = line.strip_prefix("#if") {
            let untaken = self.dropped_by.is_none() && !self.condition(condition);
            if untaken {
                self.dropped_by = Some(self.branches.len());
            }
            self.branches.push(Branch { span, untaken, seen_else: false });
        } else if let Some(condition) = line.strip_prefix("#elsif") {
            let holds = self.condition(condition);
            self.alternative(span, "#elsif", holds);
        } else if line == "#else" {
            self.alternative(span, "#else", true);
        } else if self.branches.pop().is_none() {
            self.misplaced(span, "#endif");
        } else if self.dropped_by == Some(self.branches.len()) {
            self.dropped_by = None;
        }
    }

    fn alternative(&mut self, span: Span, word: &str, holds: bool) {
        let level = self.branches.len().saturating_sub(1);
        match self.branches.last_mut() {
            Some(branch) if !branch.seen_else => {
                branch.seen_else = word == "#else";
                if self.dropped_by.is_some_and(|outer| outer < level) {
                    return;
                }
                if branch.untaken && holds {
                    branch.untaken = false;
                    self.dropped_by = None;
                } else {
                    self.dropped_by = Some(level);
                }
            }
            _ => self.misplaced(span, word),
        }
    }

    /// Reports a misplaced directive and stops: Boogie reads nothing after such a line, either.
    fn misplaced(&mut self, span: Span, word: &str) {
        self.error(span, format!("misplaced `{word}`"));
        self.branches.clear();
        self.dropped_by = None;
        self.position = self.bytes.len();
    }

    /// Evaluates a condition such as `!!FILE_0`. There is only one define.
    fn condition(&self, condition: &str) -> bool {
        let mut symbol = condition.trim_start();
        let mut sense = true;
        while let Some(rest) = symbol.strip_prefix('!') {
            symbol = rest.trim_start();
            sense = !sense;
        }
        (symbol == self.define) == sense
    }

    fn pragma(&mut self, line: &str, span: Span) {
        let line = line[1..].trim_end();
        let Some(rest) =
            line.strip_prefix("line").filter(|rest| rest.is_empty() || rest.starts_with(' '))
        else {
            self.error(span, format!("unrecognized pragma `#{}`", clip(line))).help =
                Some("a `#` in the first column starts a pragma; indent the line".to_owned());
            return;
        };
        let rest = rest.trim_start();
        let (number, file) = rest.split_once(' ').unwrap_or((rest, ""));
        match number.parse() {
            Ok(line) => {
                let file = Some(file.trim()).filter(|file| !file.is_empty()).map(str::to_owned);
                self.out.line_pragmas.push(LinePragma { span, line, file });
            }
            Err(_) => {
                self.error(span, "malformed `#line` pragma").help =
                    Some("write `#line NUMBER` or `#line NUMBER FILE`".to_owned());
            }
        }
    }
}

fn is_directive(line: &str) -> bool {
    line.starts_with("#if") || line.starts_with("#elsif") || line == "#else" || line == "#endif"
}

/// The beginning of a text, for quoting in a message.
fn clip(text: &str) -> &str {
    text.char_indices().nth(40).map_or(text, |(end, _)| &text[..end])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kinds(text: &str) -> Vec<(TokenKind, &str)> {
        let lexed = lex(text, 0, 0, Dialect::Boogie2);
        assert!(lexed.errors.is_empty(), "{:?}", lexed.errors);
        lexed.tokens[..lexed.tokens.len() - 1]
            .iter()
            .map(|token| (token.kind, &text[token.start as usize..token.end as usize]))
            .collect()
    }

    fn texts(text: &str) -> Vec<&str> {
        kinds(text).into_iter().map(|(_, text)| text).collect()
    }

    fn errors(text: &str) -> Vec<String> {
        let lexed = lex(text, 0, 0, Dialect::Boogie2);
        lexed.errors.into_iter().map(|error| error.message).collect()
    }

    #[test]
    fn odd_identifiers_are_single_tokens() {
        for text in ["a.b", "x'", "$m", "a^b", "?", ".", "~", "'", "`", "#x", "\\if", ".5"] {
            let text = format!(" {text}");
            assert_eq!(kinds(&text), [(TokenKind::Ident, text.trim())]);
        }
    }

    #[test]
    fn numbers_take_the_longest_match() {
        use TokenKind as T;
        assert_eq!(kinds("1e3"), [(T::RealLiteral, "1e3")]);
        assert_eq!(kinds("1.5e-3"), [(T::RealLiteral, "1.5e-3")]);
        assert_eq!(kinds("1."), [(T::IntLiteral, "1"), (T::Ident, ".")]);
        assert_eq!(kinds("1e"), [(T::IntLiteral, "1"), (T::Ident, "e")]);
        assert_eq!(kinds("0bv0"), [(T::BitVectorLiteral, "0bv0")]);
        assert_eq!(kinds("7bv"), [(T::IntLiteral, "7"), (T::Ident, "bv")]);
        assert_eq!(kinds("0x1"), [(T::IntLiteral, "0"), (T::Ident, "x1")]);
        assert_eq!(kinds("0x1.8e0f24e8"), [(T::FloatLiteral, "0x1.8e0f24e8")]);
        assert_eq!(kinds("0x1.ee1e-2f24e8"), [(T::FloatLiteral, "0x1.ee1e-2f24e8")]);
        assert_eq!(kinds("a -0x1.0e0f24e8")[1], (T::FloatLiteral, "-0x1.0e0f24e8"));
        assert_eq!(kinds("0+oo24e8"), [(T::FloatLiteral, "0+oo24e8")]);
        assert_eq!(texts("0+oo"), ["0", "+", "oo"]);
        assert_eq!(texts("- 0x1"), ["-", "0", "x1"]);
    }

    #[test]
    fn a_quote_behind_a_backslash_ends_a_string_only_if_it_must() {
        assert_eq!(texts("\"x\\\"y\""), ["\"x\\\"y\""]);
        assert_eq!(texts("\"x\\\" z"), ["\"x\\\"", "z"]);
        assert_eq!(errors("\"x\n\""), ["string without closing quote"; 2]);
    }

    #[test]
    fn block_comments_nest_and_may_stay_open() {
        assert_eq!(texts("a /* /* */ b */ c"), ["a", "c"]);
        assert_eq!(texts("a /* // */ c // /* \nd"), ["a", "c", "d"]);
        assert_eq!(texts("a /* b"), ["a"]);
    }

    #[test]
    fn directives_choose_lines_even_in_comments() {
        assert_eq!(texts("a\n#if FILE_0\nb\n#else\nc\n#endif\nd"), ["a", "b", "d"]);
        assert_eq!(texts("#if FILE_1\nb\n #elsif !FILE_1 \r\nc\r#else\nx\n#endif\nd"), ["c", "d"]);
        assert_eq!(texts("#ifdef FOO\nb\n#endif\nd"), ["d"]);
        assert_eq!(texts("#if X\n#if FILE_0\na\n#else\nb\n#endif\n#else\nc\n#endif"), ["c"]);
        assert_eq!(texts("/*\n#if X\n*/\n#endif\n*/ a"), ["a"]);
    }

    #[test]
    fn malformed_directives_are_errors() {
        assert_eq!(errors("#if X\na"), ["`#if` without `#endif`"]);
        assert_eq!(errors("a\n#endif\n@"), ["misplaced `#endif`"]);
        assert_eq!(errors("#if X\n#else\n#else\n#endif"), ["misplaced `#else`"]);
        assert_eq!(errors("#x"), ["unrecognized pragma `#x`"]);
        assert_eq!(errors("/*\n#x */"), ["unrecognized pragma `#x */`"]);
        assert_eq!(errors("#line x"), ["malformed `#line` pragma"]);
    }

    #[test]
    fn line_pragmas_are_kept() {
        let lexed = lex("a\n#line 12 x y.dfy\nb\n#line 3\n", 0, 0, Dialect::Boogie2);
        let pragmas: Vec<_> =
            lexed.line_pragmas.iter().map(|p| (p.line, p.file.as_deref())).collect();
        assert_eq!(pragmas, [(12, Some("x y.dfy")), (3, None)]);
    }

    #[test]
    fn a_run_of_illegal_characters_is_one_error() {
        assert_eq!(errors("a ⇒⇒ b"), ["illegal character '⇒'"]);
        assert_eq!(errors("a % b"), ["illegal character '%'"]);
        assert_eq!(errors("\u{FEFF}a"), [""; 0]);
    }
}
