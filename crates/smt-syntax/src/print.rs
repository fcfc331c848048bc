//! The printer: lays out commands anew.
//!
//! Every command starts a line; comments are dropped, and the texts of atoms stay as they are. The layout is a function of the
//! tree alone, so printing what was printed changes nothing. A list of more than [`FLAT_NODES`] nodes is broken: its first
//! words stay on the line, and so does a first list that is not broken; each element after that has a line of its own, but the
//! value of a keyword stays beside the keyword.

use crate::script::{NodeId, Script};

/// Maximum number of nodes of a list on one line. A larger number makes fewer and longer lines.
pub const FLAT_NODES: u32 = 24;

/// Maximum number of levels that lines are indented by. Deeper lines start where lines of this level start, so the size of a
/// printed script is linear in its number of nodes; each further level costs up to two bytes a line.
pub const MAX_INDENT: usize = 12;

/// A script, printed.
pub fn script(script: &Script) -> Vec<u8> {
    let mut out = Vec::new();
    script_into(script, &mut out);
    out
}

/// Appends a printed script.
pub fn script_into(script: &Script, out: &mut Vec<u8>) {
    out.reserve(script.source().len());
    let mut printer = Printer::default();
    for command in script.commands() {
        printer.node(script, command.node, out);
        out.push(b'\n');
    }
}

/// Appends a printed node, usually a command. There is no line feed after it.
pub fn node_into(script: &Script, node: NodeId, out: &mut Vec<u8>) {
    Printer::default().node(script, node, out);
}

/// A list that is being printed.
#[derive(Debug)]
struct Open {
    /// The index after its last node.
    end: NodeId,
    /// Whether it is broken into lines.
    broken: bool,
    /// Whether a list was among its elements.
    seen_list: bool,
    /// Whether the last element was a keyword.
    after_keyword: bool,
}

/// Prints nodes; has the stack of lists that are open, to be used again.
#[derive(Debug, Default)]
pub struct Printer {
    open: Vec<Open>,
}

impl Printer {
    /// Appends a printed node.
    pub fn node(&mut self, script: &Script, root: NodeId, out: &mut Vec<u8>) {
        let nodes = script.nodes();
        let source: &[u8] = script.source();
        let end = script.node(root).skip;
        let mut at = root;
        while at < end {
            let Some(node) = nodes.get(at as usize) else { break };
            let text = source.get(node.start as usize..node.end as usize).unwrap_or_default();
            let is_list = text.first() == Some(&b'(');
            let broken = node.skip - at > FLAT_NODES;
            if at != root {
                self.separate(is_list, broken, text, out);
            }
            if is_list {
                out.push(b'(');
                let open = Open { end: node.skip, broken, seen_list: false, after_keyword: true };
                self.open.push(open);
            } else {
                out.extend_from_slice(text);
            }
            at += 1;
            while self.open.last().is_some_and(|list| list.end == at) {
                self.open.pop();
                out.push(b')');
            }
        }
    }

    /// Appends what stands before an element of a list.
    fn separate(&mut self, is_list: bool, is_broken: bool, text: &[u8], out: &mut Vec<u8>) {
        let depth = self.open.len();
        let Some(list) = self.open.last_mut() else { return };
        let is_first = out.last() == Some(&b'(');
        let breaks = list.broken && !list.after_keyword && (is_broken || list.seen_list);
        if breaks {
            out.push(b'\n');
            out.extend(std::iter::repeat_n(b' ', 2 * depth.min(MAX_INDENT)));
        } else if !is_first {
            out.push(b' ');
        }
        list.seen_list |= is_list;
        list.after_keyword = text.first() == Some(&b':');
    }
}
