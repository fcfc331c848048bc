//! SMT-LIB as text: splits a stream into commands, and reads the words at the beginning of a
//! command.
//!
//! Follows Z3 where the standard leaves room: a backslash keeps a bar from ending a quoted symbol.
//! This module must not know what any command does.

/// Maximum size of a command in bytes. The largest known ones of Boogie are about 10 MB.
const MAX_COMMAND: usize = 256 << 20;

/// A piece of the stream.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Piece {
    /// A command.
    Command {
        /// Number of line breaks between the previous command and this one.
        lines: usize,
        /// The text from the first parenthesis to the last.
        text: Vec<u8>,
    },
    /// Text that cannot be a command, and all input after it: from here on the stream is not
    /// understood.
    Strange {
        /// Number of line breaks before it.
        lines: usize,
        /// The rest of the input.
        text: Vec<u8>,
    },
}

/// Splits a stream into commands as it arrives.
#[derive(Debug, Default)]
pub(crate) struct Splitter {
    buffer: Vec<u8>,
    /// Number of bytes of the buffer that were examined.
    scanned: usize,
    /// The offset of the current command in the buffer.
    start: usize,
    lines: usize,
    depth: usize,
    state: Mode,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Mode {
    #[default]
    Plain,
    Comment,
    /// In a string. An escaped quote, `""`, reads like the end of a string and the start of
    /// another.
    String,
    Quoted {
        escape: bool,
    },
}

/// The bytes that can change the mode, and parentheses.
const IS_SPECIAL: [bool; 256] = {
    let mut table = [false; 256];
    let special = b"();\"|\n\\";
    let mut index = 0;
    while index < special.len() {
        table[special[index] as usize] = true;
        index += 1;
    }
    table
};

impl Mode {
    /// The mode after a byte.
    fn after(self, byte: u8) -> Mode {
        match (self, byte) {
            (Mode::Plain, b';') => Mode::Comment,
            (Mode::Plain, b'"') => Mode::String,
            (Mode::Plain, b'|') => Mode::Quoted { escape: false },
            (Mode::Comment, b'\n') | (Mode::String, b'"') => Mode::Plain,
            (Mode::Quoted { escape: false }, b'|') => Mode::Plain,
            (Mode::Quoted { .. }, byte) => Mode::Quoted { escape: byte == b'\\' },
            (state, _) => state,
        }
    }
}

impl Splitter {
    /// Appends the next bytes of the stream.
    pub(crate) fn push(&mut self, bytes: &[u8]) {
        self.buffer.drain(..self.start);
        self.scanned -= self.start;
        self.start = 0;
        self.buffer.extend_from_slice(bytes);
    }

    /// The next piece, if it has arrived completely.
    pub(crate) fn next(&mut self) -> Option<Piece> {
        loop {
            if self.depth > 0 {
                // Most bytes do not change any mode.
                let rest = &self.buffer[self.scanned..];
                let plain = rest.iter().position(|&byte| IS_SPECIAL[usize::from(byte)]);
                let skipped = plain.unwrap_or(rest.len());
                if skipped > 0 && self.state == (Mode::Quoted { escape: true }) {
                    self.state = Mode::Quoted { escape: false };
                }
                self.scanned += skipped;
            }
            let Some(&byte) = self.buffer.get(self.scanned) else { break };
            let state = self.state;
            let outside = self.depth == 0 && state == Mode::Plain;
            if outside && !matches!(byte, b'(' | b';' | b' ' | b'\t' | b'\r' | b'\n') {
                return Some(self.strange());
            }
            self.state = state.after(byte);
            self.scanned += 1;
            if self.depth == 0 {
                self.lines += usize::from(byte == b'\n');
                self.start = self.scanned;
            }
            match (state, byte) {
                (Mode::Plain, b'(') => {
                    if self.depth == 0 {
                        self.start = self.scanned - 1;
                    }
                    self.depth += 1;
                }
                (Mode::Plain, b')') => {
                    self.depth -= 1;
                    if self.depth == 0 {
                        let text = self.buffer[self.start..self.scanned].to_vec();
                        self.start = self.scanned;
                        let lines = std::mem::take(&mut self.lines);
                        return Some(Piece::Command { lines, text });
                    }
                }
                _ => {}
            }
        }
        (self.buffer.len() - self.start > MAX_COMMAND).then(|| self.strange())
    }

    /// The incomplete command at the end of the stream, if there is one.
    pub(crate) fn finish(&mut self) -> Option<Piece> {
        (self.start < self.buffer.len()).then(|| self.strange())
    }

    /// Takes the input that no piece has been made of yet.
    pub(crate) fn rest(&mut self) -> Vec<u8> {
        let rest = self.buffer.split_off(self.start);
        *self = Splitter::default();
        rest
    }

    fn strange(&mut self) -> Piece {
        let lines = self.lines;
        Piece::Strange { lines, text: self.rest() }
    }
}

/// The kind of a token.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TokenKind {
    /// A parenthesis.
    Parenthesis,
    /// A symbol, keyword, number or string.
    Word,
    /// White space or a comment.
    Space,
}

/// The tokens of a command. Concatenated, they are its text.
pub(crate) fn tokens(text: &[u8]) -> impl Iterator<Item = (TokenKind, &[u8])> {
    let mut rest = text;
    std::iter::from_fn(move || {
        let kind = kind(*rest.first()?);
        let length = length(kind, rest);
        let (token, after) = rest.split_at(length);
        rest = after;
        Some((kind, token))
    })
}

const fn kind(byte: u8) -> TokenKind {
    match byte {
        b'(' | b')' => TokenKind::Parenthesis,
        b';' | b' ' | b'\t' | b'\r' | b'\n' => TokenKind::Space,
        _ => TokenKind::Word,
    }
}

/// The bytes that end an unquoted word.
const ENDS_WORD: [bool; 256] = {
    let mut table = [false; 256];
    let mut byte = 0;
    while byte < 256 {
        #[expect(clippy::cast_possible_truncation, reason = "it is a byte")]
        let value = byte as u8;
        table[byte] = matches!(value, b'"' | b'|') || !matches!(kind(value), TokenKind::Word);
        byte += 1;
    }
    table
};

/// The length of the token at the start of a text.
fn length(token: TokenKind, text: &[u8]) -> usize {
    match token {
        TokenKind::Parenthesis => 1,
        TokenKind::Space if text[0] == b';' => {
            text.iter().position(|&byte| byte == b'\n').unwrap_or(text.len())
        }
        TokenKind::Space => text
            .iter()
            .position(|&byte| kind(byte) != TokenKind::Space || byte == b';')
            .unwrap_or(text.len()),
        TokenKind::Word => {
            let mut state = Mode::Plain.after(text[0]);
            let mut rest = text[1..].iter();
            let end = if state == Mode::Plain {
                rest.position(|&byte| ENDS_WORD[usize::from(byte)]).map(|length| length + 1)
            } else {
                let closing = rest.position(|&byte| {
                    state = state.after(byte);
                    state == Mode::Plain
                });
                closing.map(|length| length + 2)
            };
            end.unwrap_or(text.len())
        }
    }
}

/// The number of line breaks in a text.
pub(crate) fn line_ends(text: &[u8]) -> usize {
    text.split(|&byte| byte == b'\n').count() - 1
}

/// The first `N` words of a command: `(set-option :name value)` has three. Stops at a parenthesis;
/// missing words are empty.
pub(crate) fn words<const N: usize>(command: &[u8]) -> [&[u8]; N] {
    let mut found = tokens(command.strip_prefix(b"(").unwrap_or(command))
        .take_while(|(kind, _)| *kind != TokenKind::Parenthesis)
        .filter(|(kind, _)| *kind == TokenKind::Word)
        .map(|(_, word)| word);
    std::array::from_fn(|_| found.next().unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pieces(text: &[u8], size: usize) -> (Vec<Piece>, Option<Piece>) {
        let mut splitter = Splitter::default();
        let mut pieces = Vec::new();
        for bytes in text.chunks(size) {
            splitter.push(bytes);
            pieces.extend(std::iter::from_fn(|| splitter.next()));
        }
        let rest = splitter.finish();
        (pieces, rest)
    }

    fn command(lines: usize, text: &str) -> Piece {
        Piece::Command { lines, text: text.into() }
    }

    #[test]
    fn commands_are_the_same_however_they_come() {
        let text = b"(reset) ; (a\n\n(a \"x)\"\"(\" |)(\\||\n ; )\"\n (b))(c) \n(d";
        for size in [1, 2, 3, 7, 100] {
            let (pieces, rest) = pieces(text, size);
            let middle = "(a \"x)\"\"(\" |)(\\||\n ; )\"\n (b))";
            assert_eq!(pieces, [command(0, "(reset)"), command(2, middle), command(0, "(c)")]);
            assert_eq!(rest, Some(Piece::Strange { lines: 1, text: b"(d".into() }));
        }
    }

    #[test]
    fn what_is_no_command_is_handed_over_with_the_rest() {
        for (text, strange) in [
            (&b"(a)\n) (b)"[..], &b") (b)"[..]),
            (b"(a)\nword (b)", b"word (b)"),
            (b"(a)\n\xff\x00(b)", b"\xff\x00(b)"),
            (b"(a)\n\"text\"", b"\"text\""),
        ] {
            let (pieces, _) = pieces(text, 100);
            let strange = Piece::Strange { lines: 1, text: strange.into() };
            assert_eq!(pieces[..2], [command(0, "(a)"), strange]);
        }
    }

    #[test]
    fn tokens_are_the_text() {
        for text in [
            &b"(assert (! (f |a b| \"c\"\"d\") :qid |x.1:2|\n; note\n))"[..],
            b"(a|b|c\"d\"",
            b"(a |never ends",
            b"(a \"never ends",
            b"; only a note",
            b"\xff\xfe(\x00)",
            b"",
        ] {
            let joined: Vec<u8> = tokens(text).flat_map(|(_, token)| token).copied().collect();
            assert_eq!(joined, text);
        }
    }

    #[test]
    fn words_end_at_a_parenthesis() {
        assert_eq!(words(b"(set-option :a |b c|)"), [&b"set-option"[..], b":a", b"|b c|"]);
        assert_eq!(words(b"( check-sat )"), [&b"check-sat"[..], b""]);
        assert_eq!(words(b"(assert (a b))"), [&b"assert"[..], b""]);
        assert_eq!(words(b""), [b""]);
    }
}
