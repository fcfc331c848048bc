//! A script as a flat tree.

use std::sync::Arc;

use crate::error::{SyntaxError, SyntaxErrorKind};
use crate::kind::Kind;
use crate::lex::{Token, TokenKind, is_number, tokens};

/// Maximum size of a script. Offsets are of 32 bits; raising it would make each node, and so most of the memory that a script
/// takes, twice as large.
pub const MAX_BYTES: usize = u32::MAX as usize;

/// The index of a node, in pre-order.
pub type NodeId = u32;

/// A list or an atom.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Node {
    /// The offset of its first byte.
    pub start: u32,
    /// The offset after its last byte.
    pub end: u32,
    /// The index after the last node of its subtree, which is the index of its next sibling if it has one.
    pub skip: NodeId,
}

/// A list at the top level, or [`Kind::Stray`] bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Command {
    /// The list.
    pub node: NodeId,
    /// Which command it is.
    pub kind: Kind,
}

/// The kind of an atom.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum AtomKind {
    /// A symbol, with or without bars.
    Symbol,
    /// A keyword.
    Keyword,
    /// A string.
    String,
    /// A numeral or decimal.
    Number,
    /// A negative number to Z3, a symbol to cvc5. [`Script::symbol`] has it as a symbol, so that a declaration of it for cvc5
    /// is seen; who renames must leave such a name alone.
    Negative,
    /// A literal that starts with `#`.
    Hash,
}

/// A script: its text and the nodes of its tree.
#[derive(Clone, Debug)]
pub struct Script {
    source: Arc<[u8]>,
    nodes: Vec<Node>,
    commands: Vec<Command>,
    unread: Option<Box<SyntaxError>>,
}

impl Script {
    /// Reads a script.
    ///
    /// Text after `(exit)`, which no solver reads, need not be well-formed: see [`Script::unread`].
    pub fn parse(source: impl Into<Arc<[u8]>>) -> Result<Script, SyntaxError> {
        let source = source.into();
        if let Some(kind) = too_long(source.len()) {
            return Err(SyntaxError::new(&source, 0, kind));
        }
        let mut script = Script::empty(Arc::clone(&source), room(&source));
        script.read_up_to(&source, usize::MAX)?;
        Ok(script)
    }

    /// Reads the commands at the beginning of a text until they have at least this many bytes, so that a long text can be
    /// worked on with little memory. Returns them with the number of bytes that were read, which is all if there are no more
    /// commands.
    pub fn parse_part(source: &[u8], least: usize) -> Result<(Script, usize), SyntaxError> {
        if let Some(kind) = too_long(source.len()) {
            return Err(SyntaxError::new(source, 0, kind));
        }
        let start = source.get(..least).unwrap_or(source);
        let mut script = Script::empty(Arc::from(source.get(..0).unwrap_or_default()), room(start));
        // While the tree is made, commands are named by the text, which is not the script's yet.
        let read = script.read_up_to(source, least)?;
        script.source = Arc::from(&source[..read]);
        Ok((script, read))
    }

    /// A script without commands, with room for this many nodes.
    fn empty(source: Arc<[u8]>, room: usize) -> Script {
        Script { source, nodes: Vec::with_capacity(room), commands: Vec::new(), unread: None }
    }

    /// Reads commands, and forgives errors behind `(exit)`.
    fn read_up_to(&mut self, source: &[u8], least: usize) -> Result<usize, SyntaxError> {
        self.read(source, least).or_else(|error| {
            let mut heads = self.commands.iter().filter(|command| command.kind == Kind::Exit);
            if !heads.any(|command| self.node(command.node).skip == command.node + 2) {
                return Err(error);
            }
            let end = self.commands.last().map_or(0, |last| self.node(last.node).skip);
            self.nodes.truncate(end as usize);
            self.unread = Some(Box::new(error));
            Ok(source.len())
        })
    }

    fn read(&mut self, source: &[u8], least: usize) -> Result<usize, SyntaxError> {
        let mut open: Vec<NodeId> = Vec::new();
        let mut tokens = tokens(source);
        while let Some(token) = tokens.next_solid() {
            match token.kind {
                TokenKind::Open => {
                    open.push(index(self.nodes.len()));
                    self.push(token);
                }
                TokenKind::Close => {
                    let Some(list) = open.pop() else {
                        let kind = SyntaxErrorKind::Unopened;
                        return Err(SyntaxError::new(source, token.start, kind));
                    };
                    let skip = index(self.nodes.len());
                    let node = &mut self.nodes[list as usize];
                    node.end = index(token.end);
                    node.skip = skip;
                    if open.is_empty() {
                        let head = self.nodes.get(list as usize + 1);
                        let head = head.and_then(|it| {
                            symbol_of(source.get(it.start as usize..it.end as usize)?)
                        });
                        let kind = head.map_or(Kind::Other, Kind::of);
                        self.commands.push(Command { node: list, kind });
                        if token.end >= least {
                            return Ok(token.end);
                        }
                    }
                }
                TokenKind::Illegal if open.is_empty() && is_stray(token.of(source)) => {
                    let node = index(self.nodes.len());
                    self.commands.push(Command { node, kind: Kind::Stray });
                    self.push(token);
                }
                TokenKind::OpenString | TokenKind::OpenQuoted | TokenKind::Illegal => {
                    return Err(SyntaxError::of(source, token));
                }
                _ if open.is_empty() => {
                    let kind = SyntaxErrorKind::AtomAtTopLevel;
                    return Err(SyntaxError::new(source, token.start, kind));
                }
                _ => self.push(token),
            }
        }
        match open.last() {
            None => Ok(source.len()),
            Some(&list) => {
                let offset = self.nodes[list as usize].start as usize;
                Err(SyntaxError::new(source, offset, SyntaxErrorKind::Unclosed))
            }
        }
    }

    #[inline]
    fn push(&mut self, token: Token) {
        let skip = index(self.nodes.len() + 1);
        self.nodes.push(Node { start: index(token.start), end: index(token.end), skip });
    }

    /// The text that was read.
    pub fn source(&self) -> &Arc<[u8]> {
        &self.source
    }

    /// All nodes in pre-order.
    pub fn nodes(&self) -> &[Node] {
        &self.nodes
    }

    /// The commands, in order.
    pub fn commands(&self) -> &[Command] {
        &self.commands
    }

    /// The first error in the text after `(exit)`, if there is one. Neither the command with it nor anything after it is a part
    /// of the script.
    pub fn unread(&self) -> Option<&SyntaxError> {
        self.unread.as_deref()
    }

    /// A node. An index that is none has an empty atom.
    pub fn node(&self, node: NodeId) -> Node {
        let empty = Node { start: 0, end: 0, skip: node.saturating_add(1) };
        self.nodes.get(node as usize).copied().unwrap_or(empty)
    }

    /// The text of a node, as it was written.
    pub fn text(&self, node: NodeId) -> &[u8] {
        let Node { start, end, .. } = self.node(node);
        self.source.get(start as usize..end as usize).unwrap_or_default()
    }

    /// Whether it is a list.
    pub fn is_list(&self, node: NodeId) -> bool {
        let start = self.node(node).start as usize;
        self.source.get(start) == Some(&b'(')
    }

    /// The elements of a list; an atom has none.
    pub fn children(&self, node: NodeId) -> Children<'_> {
        Children { nodes: &self.nodes, next: node.saturating_add(1), end: self.node(node).skip }
    }

    /// The first element of a list, if it is a symbol, without bars.
    pub fn head(&self, list: NodeId) -> Option<&[u8]> {
        self.children(list).next().and_then(|first| self.symbol(first))
    }

    /// The kind of an atom; lists have none.
    pub fn atom_kind(&self, node: NodeId) -> Option<AtomKind> {
        match self.text(node) {
            [] | [b'(', ..] => None,
            [b':', ..] => Some(AtomKind::Keyword),
            [b'"', ..] => Some(AtomKind::String),
            [b'#', ..] => Some(AtomKind::Hash),
            [b'0'..=b'9', ..] => Some(AtomKind::Number),
            [b'-', rest @ ..] if is_number(rest) => Some(AtomKind::Negative),
            _ => Some(AtomKind::Symbol),
        }
    }

    /// A symbol without its bars: `|x|` is the symbol `x`.
    pub fn symbol(&self, node: NodeId) -> Option<&[u8]> {
        symbol_of(self.text(node))
    }

    /// Whether a command ends the script: `(exit)`. With an argument it is an error, after which solvers read on.
    pub fn is_exit(&self, command: Command) -> bool {
        command.kind == Kind::Exit && self.children(command.node).nth(1).is_none()
    }

    /// The command that a node is in.
    pub fn command_of(&self, node: NodeId) -> Option<usize> {
        self.commands.partition_point(|command| command.node <= node).checked_sub(1)
    }
}

/// About how many nodes the tree of a text has: a list of nodes that grows as it is filled takes up to three
/// times the memory. Words in strings are counted as well.
fn room(text: &[u8]) -> usize {
    let is_word = |byte: u8| !matches!(byte, b'(' | b')' | b' ' | b'\n' | b'\t' | b'\r');
    let (mut was_word, mut in_comment) = (false, false);
    let mut nodes = 0;
    for &byte in text {
        in_comment = byte == b';' || in_comment && byte != b'\n';
        let word = is_word(byte) && !in_comment;
        nodes += usize::from(byte == b'(' && !in_comment) + usize::from(word && !was_word);
        was_word = word;
    }
    nodes
}

/// The symbol with a text, without bars.
fn symbol_of(text: &[u8]) -> Option<&[u8]> {
    match text {
        [] | [b'(' | b':' | b'"' | b'#' | b'0'..=b'9', ..] => None,
        [b'|', inside @ .., b'|'] => Some(inside),
        text => Some(text),
    }
}

/// Offsets and indices fit, because the length of the text was checked.
#[inline]
fn index(number: usize) -> u32 {
    u32::try_from(number).unwrap_or(u32::MAX)
}

/// Whether bytes between commands are harmless: letters of other alphabets, but no byte order mark.
fn is_stray(bytes: &[u8]) -> bool {
    bytes.iter().all(|byte| !byte.is_ascii()) && !bytes.starts_with(b"\xef\xbb\xbf")
}

fn too_long(length: usize) -> Option<SyntaxErrorKind> {
    (length > MAX_BYTES).then_some(SyntaxErrorKind::TooLong)
}

/// The elements of a list: see [`Script::children`].
#[derive(Clone, Debug)]
pub struct Children<'a> {
    nodes: &'a [Node],
    next: NodeId,
    end: NodeId,
}

impl Iterator for Children<'_> {
    type Item = NodeId;

    fn next(&mut self) -> Option<NodeId> {
        let node = self.next;
        if node >= self.end {
            return None;
        }
        self.next = self.nodes.get(node as usize)?.skip;
        Some(node)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_have_the_commands_of_the_whole() {
        let text = b"(push)(assert (! true :named |a b|)) x; \n(check-sat )  (exit) ; the end";
        let text: Vec<u8> = text.iter().copied().filter(|byte| *byte != b'x').collect();
        let whole = Script::parse(text.clone()).unwrap();
        let texts = |script: &Script| -> Vec<(Kind, Vec<u8>)> {
            let commands = script.commands().iter();
            commands.map(|it| (it.kind, script.text(it.node).to_vec())).collect()
        };
        for least in [0, 1, 7, 40, 1000] {
            let (mut rest, mut found) = (&text[..], Vec::new());
            while !rest.is_empty() {
                let (part, read) = Script::parse_part(rest, least).unwrap();
                found.extend(texts(&part));
                rest = &rest[read..];
            }
            assert_eq!(found, texts(&whole), "{least}");
        }
        assert!(Script::parse_part(b"(push)(", 3).is_ok_and(|(_, read)| read == 6));
        assert!(Script::parse_part(b"(push)(", 7).is_err());
    }

    #[test]
    fn four_gibibytes_are_too_much() {
        assert_eq!(too_long(MAX_BYTES), None);
        assert_eq!(too_long(MAX_BYTES + 1), Some(SyntaxErrorKind::TooLong));
    }
}
