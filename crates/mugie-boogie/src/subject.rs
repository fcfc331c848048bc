//! A program under mutation: its declarations, each with its text, and their distribution over
//! files.
//!
//! A mutant shares every unchanged declaration with the program it was made from, and with it
//! everything that was computed about the declaration: its text, its hash, and the number of places
//! of each operator. So the cost of a mutant is proportional to what it changes.

use std::fmt::Write as _;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, OnceLock};

use bpl_syntax::ast::{Decl, List, Program, TypeDecl};
use bpl_syntax::print::{needs_blank_line, print_decl};
use bpl_syntax::span::Span;
use bpl_syntax::{Dialect, parse};
use mugie_core::{FileText, Hash, UnitId};
use rustc_hash::FxHashSet;

use crate::facts::{Facts, declared_names};
use crate::mentions::{Mentions, first_free};
use crate::offers::Offers;
use crate::operator::Operator;
use crate::operators;

/// A declaration and the facts computed about it.
#[derive(Debug)]
pub(crate) struct Node {
    pub(crate) id: UnitId,
    /// The syntax tree, if it is kept. The trees of the seed are. The tree of a mutant's
    /// declaration is parsed from the text again when it is needed: it takes ten times the memory
    /// of its text, and few of thousands of mutants are changed again in the same declaration.
    tree: Option<Arc<Decl>>,
    /// The printed declaration, including the final line break.
    text: Box<str>,
    hash: Hash,
    /// The first 16 bytes of the hash, as two numbers.
    key: (u64, u64),
    keyword: &'static str,
    /// The keyword and the name, such as ``function `f` ``; empty if the declaration has no name.
    title: Box<str>,
    /// The number of type parameters, if it is a procedure or an implementation.
    pub(crate) type_params: usize,
    /// Whether the declaration may be moved relative to the others.
    is_movable: bool,
    /// The number of places of each operator, [`UNKNOWN`] if not yet counted.
    counts: Box<[AtomicU32]>,
    /// The identifiers in the declaration, computed on first use.
    mentions: OnceLock<Mentions>,
}

const UNKNOWN: u32 = u32::MAX;

impl Node {
    /// Creates a declaration of the seed.
    fn kept(id: UnitId, tree: &Arc<Decl>, facts: &Facts) -> Node {
        Node { tree: Some(Arc::clone(tree)), ..Node::made(id, tree, facts) }
    }

    /// Creates a declaration that an operator made.
    fn made(id: UnitId, decl: &Decl, facts: &Facts) -> Node {
        let text = print_decl(decl).into_boxed_str();
        let hash = *blake3::hash(text.as_bytes()).as_bytes();
        let word = |start: usize| {
            hash[start..start + 8].iter().fold(0, |word, &byte| word << 8 | u64::from(byte))
        };
        let is_movable = !facts.is_ordered(decl);
        let title = title(decl).into_boxed_str();
        let counts = operators::ALL.iter().map(|_| AtomicU32::new(UNKNOWN)).collect();
        Node {
            id,
            tree: None,
            text,
            hash,
            key: (word(0), word(8)),
            keyword: decl.keyword(),
            title,
            type_params: type_params(decl),
            is_movable,
            counts,
            mentions: OnceLock::new(),
        }
    }

    fn decl(&self, dialect: Dialect) -> Arc<Decl> {
        if let Some(tree) = &self.tree {
            return Arc::clone(tree);
        }
        // The validator checks later that every text parses. If this one does not, the mutant is
        // rejected anyway, and it does not matter what is returned here.
        let decl = parse(&self.text, dialect).program.decls.pop();
        decl.unwrap_or_else(|| Arc::new(unreadable()))
    }

    /// Whether parsing the text gives the same tree again.
    fn reads_back(&self, tree: &Decl, dialect: Dialect) -> bool {
        let parse = parse(&self.text, dialect);
        let same = |decl: &Arc<Decl>| **decl == *tree;
        parse.errors.is_empty() && matches!(&*parse.program.decls, [decl] if same(decl))
    }

    /// The name of the procedure, action or invariant that is declared or implemented here.
    pub(crate) fn procedure(&self) -> Option<&str> {
        if !matches!(self.keyword, "procedure" | "implementation" | "action" | "invariant") {
            return None;
        }
        self.title.strip_prefix(self.keyword)?.strip_prefix(" `")?.strip_suffix('`')
    }

    /// The number of places of an operator inside the declaration. The caller passes the tree if it
    /// has it, which saves parsing the text.
    fn count(&self, operator: usize, tree: Option<&Decl>, facts: &Facts) -> u64 {
        let known = self.counts[operator].load(Ordering::Relaxed);
        if known != UNKNOWN {
            return u64::from(known);
        }
        let count = match tree {
            Some(tree) => count(operator, tree, facts),
            None => count(operator, &self.decl(facts.dialect), facts),
        };
        let count = u32::try_from(count).unwrap_or(UNKNOWN - 1).min(UNKNOWN - 1);
        self.counts[operator].store(count, Ordering::Relaxed);
        u64::from(count)
    }
}

/// The number of places of an operator in a declaration.
fn count(operator: usize, decl: &Decl, facts: &Facts) -> u64 {
    let mut offers = Offers::counting();
    operators::ALL[operator].in_decl(decl, facts, &mut offers);
    offers.count()
}

/// The number of type parameters of a procedure or an implementation.
fn type_params(decl: &Decl) -> usize {
    match decl {
        Decl::Procedure(procedure) => procedure.signature.type_params.len(),
        Decl::Implementation(implementation) => implementation.signature.type_params.len(),
        _ => 0,
    }
}

/// An empty declaration, which stands in for one that does not parse.
fn unreadable() -> Decl {
    Decl::Type(TypeDecl { span: Span::default(), attrs: List::new(), defs: Vec::new() })
}

/// A program as it is given to a verifier: in one file, or in two files in a certain order.
#[derive(Clone, Debug)]
pub struct Subject {
    pub(crate) facts: Arc<Facts>,
    /// All declarations. Those of the second file come last, even if the verifier reads that file
    /// first.
    pub(crate) nodes: Vec<Arc<Node>>,
    pub(crate) split: Option<Split>,
    /// Whether a name or signature may differ from the seed, so that the other declarations must be
    /// checked again.
    pub(crate) has_new_signatures: bool,
    /// Whether every declaration is movable and no two are equal; computed on first use.
    is_plain: OnceLock<bool>,
    /// The number of places of each operator inside the declarations; computed on first use.
    inside: Box<[OnceLock<u64>]>,
}

/// The distribution of a program over two files.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Split {
    /// The number of declarations in the main file, at least one.
    pub main: usize,
    /// Whether the verifier reads the second file before the main one.
    pub second_first: bool,
}

/// A change to the list of declarations.
#[derive(Clone, Debug)]
pub enum Rearrangement {
    /// Exchanges two declarations.
    Swap(usize, usize),
    /// Declarations take each other's places: each index, in increasing order, with that of the
    /// declaration that comes there.
    Order(Vec<(usize, usize)>),
    /// Moves a declaration of the main file to the end of the second one.
    ToSecondFile {
        /// The declaration's index.
        index: usize,
        /// Whether the verifier reads the second file first from now on.
        second_first: bool,
    },
    /// Replaces each of these declarations, in increasing order of index, by zero or more others.
    Replace(Vec<(usize, Vec<Decl>)>),
    /// Adds a declaration before the one with this index, or at the end of the main file.
    Insert(usize, Decl),
}

impl Subject {
    /// Creates a seed in one file.
    pub fn new(program: &Program) -> Subject {
        let facts = Arc::new(Facts::new(program));
        let nodes = program
            .decls
            .iter()
            .enumerate()
            .map(|(i, decl)| {
                let id = UnitId::of_seed(i);
                Arc::new(Node::kept(id, decl, &facts))
            })
            .collect();
        let is_plain = OnceLock::new();
        let inside = unknown_counts();
        Subject { facts, nodes, split: None, has_new_signatures: false, is_plain, inside }
    }

    /// The version of the language.
    pub fn dialect(&self) -> Dialect {
        self.facts.dialect
    }

    /// The facts about the seed that operators rely on.
    pub fn facts(&self) -> &Facts {
        &self.facts
    }

    /// The number of declarations.
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Whether there are no declarations.
    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    /// The declaration with this index; those of the second file come last. Spans refer to the
    /// source if the program is a seed, and to the declaration's own text otherwise.
    pub fn decl(&self, index: usize) -> Arc<Decl> {
        self.nodes[index].decl(self.dialect())
    }

    /// The text of a declaration, including the final line break.
    pub fn text(&self, index: usize) -> &str {
        &self.nodes[index].text
    }

    /// The keyword of a declaration.
    pub(crate) fn keyword(&self, index: usize) -> &'static str {
        self.nodes[index].keyword
    }

    /// The identifiers in a declaration.
    pub(crate) fn mentions(&self, index: usize) -> &Mentions {
        let node = &self.nodes[index];
        node.mentions.get_or_init(|| Mentions::new(&node.decl(self.dialect())))
    }

    /// Whether a name does not occur in the program.
    pub(crate) fn is_free(&self, name: &str) -> bool {
        (0..self.len()).all(|index| !self.mentions(index).contains(name))
    }

    /// Whether the main file is still non-empty without this declaration.
    pub(crate) fn can_remove(&self, index: usize) -> bool {
        index >= self.main_len() || self.main_len() > 1
    }

    /// Whether an operator added the declaration.
    pub(crate) fn is_added(&self, index: usize) -> bool {
        self.nodes[index].id.is_added()
    }

    /// Whether a declaration may be moved relative to the others.
    pub fn is_movable(&self, index: usize) -> bool {
        self.nodes[index].is_movable
    }

    /// Whether every declaration is movable and differs from every other.
    pub(crate) fn is_plain(&self) -> bool {
        *self.is_plain.get_or_init(|| {
            let mut seen = FxHashSet::default();
            self.nodes.iter().all(|node| node.is_movable && seen.insert(&node.hash))
        })
    }

    /// The hash of a declaration's text.
    pub fn decl_hash(&self, index: usize) -> &Hash {
        &self.nodes[index].hash
    }

    /// The distribution over two files, if there are two.
    pub fn split(&self) -> Option<Split> {
        self.split
    }

    /// The number of declarations in the main file.
    pub fn main_len(&self) -> usize {
        self.split.map_or(self.nodes.len(), |split| split.main)
    }

    /// The declarations in the order in which a verifier reads them.
    pub fn program(&self) -> Program {
        let decls = self.parts().into_iter().flat_map(|(_, nodes)| nodes);
        let decls = decls.map(|node| node.decl(self.dialect())).collect();
        Program { dialect: self.dialect(), decls }
    }

    /// The declarations of each file with the file's number, in the order in which a verifier reads
    /// the files.
    pub(crate) fn parts(&self) -> Vec<(usize, &[Arc<Node>])> {
        let Some(Split { main, second_first }) = self.split else {
            return vec![(0, &self.nodes)];
        };
        let (main, second) = self.nodes.split_at(main);
        if second_first { vec![(1, second), (0, main)] } else { vec![(0, main), (1, second)] }
    }

    /// The text of each file, in the order in which a verifier reads them. The layout is that of
    /// [`bpl_syntax::print()`].
    pub fn files(&self) -> Vec<FileText> {
        self.parts().into_iter().map(|(part, nodes)| FileText { part, text: join(nodes) }).collect()
    }

    /// Returns the index of the declaration on a line of a file, and the line number within the
    /// declaration's text. Lines count from 1; `file` is an index into [`Subject::files`].
    pub fn locate(&self, file: usize, line: u32) -> Option<(usize, u32)> {
        let &(part, nodes) = self.parts().get(file)?;
        let first = if part == 0 { 0 } else { self.main_len() };
        let mut line = usize::try_from(line).ok()?.checked_sub(1)?;
        for (index, (is_separated, node)) in laid_out(nodes).enumerate() {
            line = line.checked_sub(usize::from(is_separated))?;
            let lines = node.text.lines().count();
            if line < lines {
                return Some((first + index, u32::try_from(line).ok()? + 1));
            }
            line -= lines;
        }
        None
    }

    /// A fingerprint to tell programs apart in memory. It is much cheaper than [`Subject::hash`]
    /// but must not be stored, since it is not a standard hash function.
    pub(crate) fn fingerprint(&self) -> u128 {
        let split =
            self.split.map_or(0, |split| 1 + 2 * split.main as u64 + u64::from(split.second_first));
        // The hashes are already uniformly distributed. Weights that depend on the position make
        // the sum depend on the order; they are odd, so multiplying by them loses nothing.
        let mut sums = [split, 0];
        let mut weight = 1u64;
        for node in &self.nodes {
            let (low, high) = node.key;
            weight = weight.wrapping_mul(0x9E37_79B9_7F4A_7C15);
            sums[0] = sums[0].wrapping_add(low.wrapping_mul(weight));
            sums[1] = sums[1].wrapping_add(high.wrapping_mul(weight.rotate_left(32) | 1));
        }
        u128::from(sums[0]) << 64 | u128::from(sums[1])
    }

    /// The hash of the program: of every declaration, their order, and the split.
    pub fn hash(&self) -> Hash {
        let mut hasher = blake3::Hasher::new();
        let (main, second_first) =
            self.split.map_or((0, 0), |split| (split.main, 1 + u8::from(split.second_first)));
        hasher.update(&(main as u64).to_le_bytes());
        hasher.update(&[second_first]);
        // One call for all declarations: BLAKE3 is slow on small inputs.
        let mut parts = Vec::with_capacity(self.nodes.len() * size_of::<Hash>());
        for node in &self.nodes {
            parts.extend_from_slice(&node.hash);
        }
        hasher.update(&parts);
        *hasher.finalize().as_bytes()
    }

    /// The number of places of an operator in the program.
    pub(crate) fn count(&self, operator: usize) -> u64 {
        let inside = self.inside(operator);
        let mut offers = Offers::counting();
        operators::ALL[operator].in_program(self, &mut offers);
        inside + offers.count()
    }

    /// The number of places of an operator inside all declarations.
    pub(crate) fn inside(&self, operator: usize) -> u64 {
        let sum = || (0..self.len()).map(|index| self.count_in(operator, index)).sum();
        *self.inside[operator].get_or_init(sum)
    }

    /// Derives the number of places of these operators from the counts of `parent`, from which this
    /// program was made by replacing the declarations `replaced` with `changed`.
    pub(crate) fn count_from(
        &self,
        parent: &Subject,
        replaced: &[usize],
        changed: &[(usize, Decl)],
        operators: &[usize],
    ) {
        for &operator in operators {
            let new: u64 = changed
                .iter()
                .map(|(index, tree)| self.nodes[*index].count(operator, Some(tree), &self.facts))
                .sum();
            let old: u64 = replaced.iter().map(|index| parent.count_in(operator, *index)).sum();
            let others = parent.inside(operator) - old;
            // If the count has been set already, it was computed in full, to the same number.
            let _ = self.inside[operator].set(others + new);
        }
    }

    /// The number of places of an operator inside a declaration.
    pub(crate) fn count_in(&self, operator: usize, index: usize) -> u64 {
        self.nodes[index].count(operator, None, &self.facts)
    }

    /// Whether parsing the text of a declaration gives the same tree again.
    pub(crate) fn reads_back(&self, index: usize, tree: &Decl) -> bool {
        self.nodes[index].reads_back(tree, self.dialect())
    }

    /// The index of the declaration with this id.
    pub fn position(&self, id: &UnitId) -> Option<usize> {
        self.nodes.iter().position(|node| node.id == *id)
    }

    /// Returns the same program, which keeps these trees, given by index.
    pub(crate) fn with_trees(mut self, trees: Vec<(usize, Decl)>) -> Subject {
        for (index, tree) in trees {
            let id = self.nodes[index].id.clone();
            self.nodes[index] = Arc::new(Node::kept(id, &Arc::new(tree), &self.facts));
        }
        self
    }

    /// Returns the program after a rearrangement, and the new declarations with their indices.
    pub(crate) fn rearranged(&self, rearrangement: Rearrangement) -> (Subject, Vec<(usize, Decl)>) {
        let mut result = self.clone();
        let mut changed = Vec::new();
        if matches!(rearrangement, Rearrangement::Replace(_) | Rearrangement::Insert(..)) {
            result.is_plain = OnceLock::new();
            result.inside = unknown_counts();
        }
        match rearrangement {
            Rearrangement::Swap(i, j) => result.nodes.swap(i, j),
            Rearrangement::Order(places) => {
                for (place, moved) in places {
                    result.nodes[place] = Arc::clone(&self.nodes[moved]);
                }
            }
            Rearrangement::ToSecondFile { index, second_first } => {
                let node = result.nodes.remove(index);
                result.nodes.push(node);
                result.split = Some(Split { main: self.main_len() - 1, second_first });
            }
            Rearrangement::Replace(replacements) => {
                changed = result.replace(replacements);
                // An empty second file is dropped.
                if result.split.is_some_and(|split| split.main == result.len()) {
                    result.split = None;
                }
            }
            Rearrangement::Insert(index, decl) => {
                let taken = |id: &str| self.nodes.iter().any(|node| node.id.as_str() == id);
                let id = UnitId::from(first_free("+", |id| !taken(id)));
                let node = Node::made(id, &decl, &self.facts);
                result.nodes.insert(index, Arc::new(node));
                if let Some(split) = &mut result.split
                    && index <= split.main
                {
                    split.main += 1;
                }
                changed.push((index, decl));
            }
        }
        (result, changed)
    }

    /// Replaces declarations, given in increasing order, by others, the first of which keeps the id.
    /// Returns the new ones with their indices.
    fn replace(&mut self, replacements: Vec<(usize, Vec<Decl>)>) -> Vec<(usize, Decl)> {
        let old = std::mem::take(&mut self.nodes);
        let taken: FxHashSet<&str> = if replacements.iter().all(|(_, decls)| decls.len() < 2) {
            FxHashSet::default()
        } else {
            old.iter().map(|node| node.id.as_str()).collect()
        };
        let mut split = self.split;
        let mut changed = Vec::new();
        let mut copied = 0;
        for (index, decls) in replacements {
            self.nodes.extend(old[copied..index].iter().cloned());
            copied = index + 1;
            if let (Some(old), Some(new)) = (self.split, &mut split)
                && index < old.main
            {
                new.main = new.main + decls.len() - 1;
            }
            let id = &old[index].id;
            for (number, decl) in decls.into_iter().enumerate() {
                let id = if number == 0 { id.clone() } else { part_id(id, number, &taken) };
                changed.push((self.nodes.len(), decl));
                let (_, decl) = &changed[changed.len() - 1];
                self.nodes.push(Arc::new(Node::made(id, decl, &self.facts)));
            }
        }
        self.nodes.extend(old[copied..].iter().cloned());
        self.split = split;
        changed
    }

    /// Describes the declaration: ``procedure `p` ``, `axiom #2`.
    pub fn describe(&self, index: usize) -> String {
        let Node { title, keyword, .. } = &*self.nodes[index];
        if !title.is_empty() {
            return title.to_string();
        }
        let number = self.nodes[..=index].iter().filter(|node| node.keyword == *keyword).count();
        format!("{keyword} #{number}")
    }
}

fn unknown_counts() -> Box<[OnceLock<u64>]> {
    operators::ALL.iter().map(|_| OnceLock::new()).collect()
}

/// Returns an unused id for the `number`-th part of a declaration.
fn part_id(id: &UnitId, mut number: usize, taken: &FxHashSet<&str>) -> UnitId {
    loop {
        let part = format!("{id}.{number}");
        if !taken.contains(part.as_str()) {
            return UnitId::from(part);
        }
        number += 1;
    }
}

/// The keyword and the name of a declaration; empty if it has no name.
fn title(decl: &Decl) -> String {
    let names = declared_names(decl);
    let Some((first, rest)) = names.split_first() else { return String::new() };
    let mut words = format!("{} `{first}`", decl.keyword());
    if !rest.is_empty() && !matches!(decl, Decl::Datatype(_)) {
        let _ = write!(words, " and {} more", rest.len());
    }
    words
}

/// The text of a file that consists of these declarations.
fn join(nodes: &[Arc<Node>]) -> String {
    let length: usize = nodes.iter().map(|node| node.text.len() + 1).sum();
    let mut text = String::with_capacity(length);
    for (is_separated, node) in laid_out(nodes) {
        if is_separated {
            text.push('\n');
        }
        text.push_str(&node.text);
    }
    text
}

/// The declarations of a file, each with whether a blank line precedes it.
fn laid_out(nodes: &[Arc<Node>]) -> impl Iterator<Item = (bool, &Node)> {
    let mut previous: Option<&Node> = None;
    nodes.iter().map(move |node| {
        let previous = previous.replace(node);
        let is_separated = previous
            .is_some_and(|p| needs_blank_line((p.keyword, &p.text), (node.keyword, &node.text)));
        (is_separated, &**node)
    })
}

/// The index of an operator in [`operators::ALL`].
pub(crate) fn number_of(operator: &dyn Operator) -> Option<usize> {
    operators::ALL.iter().position(|other| other.about().name == operator.about().name)
}
