//! A normal form of queries, in which two queries are equal if they are the same up to generated names, the order of
//! assertions and the nesting of conjunctions and disjunctions.
//!
//! A tool that runs a verifier itself and the verifier on the program that the tool printed ask the solver the same
//! question in this sense: printing loses how conjunctions were nested, and the verifier orders and names declarations by
//! hashes of their content. Declared functions are told apart by the places in which they occur, round by round, until
//! nothing more can be told apart. That two different queries have the same normal form is conceivable, but takes
//! functions that are interchangeable in every assertion.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::hash::{DefaultHasher, Hash, Hasher};

use super::lex::{Piece, Splitter, TokenKind, tokens, words};

/// Maximum number of rounds; each separates at least one more function.
const MAX_ROUNDS: usize = 64;

/// Annotations that mean nothing to the solver's answer.
const DROPPED: [&[u8]; 3] = [b":qid", b":skolemid", b":named"];

/// The normal form of a query.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NormalForm {
    /// The assertions in the order of the query, with conjunctions flattened.
    flat: Vec<u64>,
    /// The same assertions with conjunctions as they are nested.
    nested: Vec<u64>,
    /// The solver options and their last values before the query.
    options: BTreeMap<String, String>,
    /// A hash of everything as it is written.
    text: u64,
}

/// How two queries differ.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[expect(clippy::struct_excessive_bools, reason = "each is a kind of difference")]
pub struct QueryDifference {
    /// Whether anything is written otherwise, such as generated names, labels of paths and definitions.
    pub text: bool,
    /// Whether assertions are in another order.
    pub order: bool,
    /// Whether conjunctions or disjunctions are nested otherwise.
    pub nesting: bool,
    /// Whether an assertion is repeated in one of them.
    pub repetition: bool,
    /// The names of options with other values.
    pub options: Vec<String>,
    /// Assertions of the first query only, and of the second only.
    pub assertions: (usize, usize),
}

impl QueryDifference {
    /// Whether the queries are the same up to the order and the nesting of their parts.
    pub fn is_immaterial(&self) -> bool {
        self.options.is_empty() && self.assertions == (0, 0)
    }
}

impl NormalForm {
    /// The normal form of the commands up to the first query in a text. `None` if the text is not understood.
    pub fn of(text: &str) -> Option<NormalForm> {
        let mut builder = Builder::default();
        let mut options = BTreeMap::new();
        let mut splitter = Splitter::default();
        let mut written = DefaultHasher::new();
        splitter.push(text.as_bytes());
        while let Some(piece) = splitter.next() {
            let Piece::Command { text, .. } = piece else { return None };
            for (_, token) in tokens(&text).filter(|(kind, _)| *kind != TokenKind::Space) {
                token.hash(&mut written);
            }
            let [head, name, value] = words(&text);
            match head {
                b"set-option" => {
                    let text = |word: &[u8]| String::from_utf8_lossy(word).into_owned();
                    options.insert(text(name), text(value));
                }
                b"declare-fun" | b"declare-const" => builder.declare(&text),
                b"assert" => builder.assert(&text)?,
                b"check-sat" | b"check-sat-assuming" => break,
                _ => {}
            }
        }
        let colours = builder.colours();
        let hashes = |is_flat: bool| {
            let hashes = builder.hashes(&colours, is_flat);
            builder.roots.iter().map(|&root| hashes[root].hash).collect()
        };
        Some(NormalForm {
            flat: hashes(true),
            nested: hashes(false),
            options,
            text: written.finish(),
        })
    }

    /// How another query differs from this one.
    pub fn difference(&self, other: &NormalForm) -> QueryDifference {
        let set = |form: &[u64]| form.iter().copied().collect::<BTreeSet<u64>>();
        let (mine, others) = (set(&self.flat), set(&other.flat));
        let names = self.options.keys().chain(other.options.keys());
        let mut options: Vec<String> = names
            .filter(|name| self.options.get(*name) != other.options.get(*name))
            .cloned()
            .collect();
        options.sort();
        options.dedup();
        QueryDifference {
            text: self.text != other.text,
            order: without_repetition(&self.flat) != without_repetition(&other.flat),
            nesting: set(&self.nested) != set(&other.nested),
            repetition: repetitions(&self.flat) != repetitions(&other.flat),
            options,
            assertions: (mine.difference(&others).count(), others.difference(&mine).count()),
        }
    }
}

/// The assertions without those that occurred before.
fn without_repetition(form: &[u64]) -> Vec<u64> {
    let mut seen = BTreeSet::new();
    form.iter().copied().filter(|hash| seen.insert(*hash)).collect()
}

/// The number of assertions that occurred before.
fn repetitions(form: &[u64]) -> usize {
    form.len() - without_repetition(form).len()
}

/// A node of a term. Children come before their parents.
#[derive(Clone, Debug)]
enum Node {
    /// A declared function.
    Function(usize),
    /// Any other word, or a bound variable by its depth.
    Word(u64),
    /// A term with a head that is known by a hash, such as a quantifier with its sorts.
    Term { tag: u64, children: Vec<usize> },
    /// A conjunction, a disjunction, a sum or a product.
    Connective { tag: u64, children: Vec<usize> },
    /// An implication: a conjunction, and what follows from it.
    Implication { from: usize, to: usize },
    /// A difference.
    Difference { from: usize, less: usize },
}

/// The hash of a node, and the hash of the sequence that it contributes to a connective around it.
#[derive(Clone, Copy, Debug, Default)]
struct NodeHash {
    hash: u64,
    /// The tag of the connective, or 0.
    tag: u64,
    sequence: Sequence,
}

/// A hash of a sequence such that the hash of a concatenation follows from those of its parts.
#[derive(Clone, Copy, Debug)]
struct Sequence {
    value: u128,
    factor: u128,
}

impl Default for Sequence {
    fn default() -> Sequence {
        Sequence { value: 0, factor: 1 }
    }
}

impl Sequence {
    /// Any odd number: the factor of one element.
    const BASE: u128 = 0x0b5b_1ec7_3fd1_94a5_5a1e_8d61_23c9_7f0d;

    fn one(hash: u64) -> Sequence {
        Sequence { value: u128::from(hash), factor: Sequence::BASE }
    }

    fn then(self, next: Sequence) -> Sequence {
        Sequence {
            value: self.value.wrapping_mul(next.factor).wrapping_add(next.value),
            factor: self.factor.wrapping_mul(next.factor),
        }
    }
}

fn hash_of(value: impl Hash) -> u64 {
    let mut hasher = DefaultHasher::new();
    value.hash(&mut hasher);
    hasher.finish()
}

/// What is left to do of a term.
enum Step<'t> {
    Visit(&'t Expression<'t>),
    Bind(Vec<&'t [u8]>),
    /// Binds names to the last nodes: definitions stand for what they define.
    Define(Vec<&'t [u8]>),
    Unbind(Vec<&'t [u8]>),
    /// Makes a term of the last nodes.
    Make {
        tag: u64,
        children: usize,
    },
}

/// What a bound name stands for.
enum Bound {
    /// A variable, by the depth of its quantifier.
    At(usize),
    /// A node.
    To(usize),
}

/// An expression as it is written.
enum Expression<'t> {
    Word(&'t [u8]),
    List(Vec<Expression<'t>>),
}

impl Drop for Expression<'_> {
    /// Without recursion, since expressions may be deep.
    fn drop(&mut self) {
        let Expression::List(children) = self else { return };
        let mut left = std::mem::take(children);
        while let Some(mut next) = left.pop() {
            if let Expression::List(children) = &mut next {
                left.append(children);
            }
        }
    }
}

#[derive(Default)]
struct Builder {
    /// Declared functions, by name, and their signatures.
    functions: HashMap<Vec<u8>, usize>,
    signatures: Vec<u64>,
    nodes: Vec<Node>,
    /// The assertions; a conjunction is several.
    roots: Vec<usize>,
    /// Functions of the current assertion that stand for `true` or `false`.
    constants: HashMap<Vec<u8>, Vec<u8>>,
}

impl Builder {
    fn declare(&mut self, command: &[u8]) {
        let mut all =
            tokens(command).filter(|(kind, _)| *kind != TokenKind::Space).map(|(_, it)| it);
        let name = all.nth(2).unwrap_or_default().to_vec();
        let signature: Vec<&[u8]> = all.collect();
        let next = self.signatures.len();
        // A second declaration, after a `pop`, is another function.
        self.functions.insert(name, next);
        self.signatures.push(hash_of(signature));
    }

    fn assert(&mut self, command: &[u8]) -> Option<()> {
        let expression = expression(command)?;
        let Expression::List(parts) = &expression else { return None };
        let [_, term] = &parts[..] else { return None };
        self.constants = constants(term);
        let mut terms = vec![term];
        while let Some(term) = terms.pop() {
            match term {
                Expression::List(list)
                    if matches!(list.first(), Some(Expression::Word(b"and"))) =>
                {
                    terms.extend(list[1..].iter().rev());
                }
                term => {
                    let root = self.term(term)?;
                    self.roots.push(root);
                }
            }
        }
        Some(())
    }

    fn term<'t>(&mut self, term: &'t Expression<'t>) -> Option<usize> {
        let mut bound: HashMap<&[u8], Vec<Bound>> = HashMap::new();
        let mut depth = 0;
        let mut steps = vec![Step::Visit(term)];
        let mut values: Vec<usize> = Vec::new();
        while let Some(step) = steps.pop() {
            match step {
                Step::Visit(Expression::Word(word)) => {
                    let known = bound.get(word).and_then(|known| known.last());
                    let node = match (known, self.functions.get(*word)) {
                        (Some(Bound::To(node)), _) => {
                            values.push(*node);
                            continue;
                        }
                        (Some(Bound::At(depth)), _) => Node::Word(hash_of(("bound", depth))),
                        (None, Some(_)) if self.constants.contains_key(*word) => {
                            Node::Word(word_hash(&self.constants[*word]))
                        }
                        (None, Some(&function)) => Node::Function(function),
                        (None, None) => Node::Word(word_hash(word)),
                    };
                    values.push(self.add(node));
                }
                Step::Visit(Expression::List(list)) => {
                    if is_label(list) {
                        values.push(self.add(Node::Word(word_hash(b"true"))));
                    } else if let Some(term) = self.numbered_type(list) {
                        steps.push(Step::Make { tag: hash_of("numbered"), children: 1 });
                        steps.push(Step::Visit(term));
                    } else {
                        visit(list, &mut steps);
                    }
                }
                Step::Bind(names) => {
                    for name in names {
                        bound.entry(name).or_default().push(Bound::At(depth));
                        depth += 1;
                    }
                }
                Step::Define(names) => {
                    let nodes = values.split_off(values.len().checked_sub(names.len())?);
                    for (name, node) in names.into_iter().zip(nodes) {
                        bound.entry(name).or_default().push(Bound::To(node));
                    }
                }
                Step::Unbind(names) => {
                    for name in names {
                        if let Some(Bound::At(_)) = bound.entry(name).or_default().pop() {
                            depth -= 1;
                        }
                    }
                }
                Step::Make { tag, children } => {
                    let children = values.split_off(values.len().checked_sub(children)?);
                    let node = self.made(tag, children);
                    values.push(self.add(node));
                }
            }
        }
        values.pop()
    }

    fn add(&mut self, node: Node) -> usize {
        self.nodes.push(node);
        self.nodes.len() - 1
    }

    /// A term of nodes, where a constant that decides it takes its place: tools simplify what is printed as it is.
    fn made(&self, tag: u64, mut children: Vec<usize>) -> Node {
        let is = |child: usize, word: &[u8]| matches!(self.nodes[child], Node::Word(hash) if hash == word_hash(word));
        let word = |word: &[u8]| Node::Word(word_hash(word));
        let (and, or) = (word_hash(b"and"), word_hash(b"or"));
        if tag == and || tag == or {
            let (neutral, deciding): (&[u8], &[u8]) =
                if tag == and { (b"true", b"false") } else { (b"false", b"true") };
            if children.iter().any(|&child| is(child, deciding)) {
                return word(deciding);
            }
            children.retain(|&child| !is(child, neutral));
            return match children[..] {
                [] => word(neutral),
                [only] => self.nodes[only].clone(),
                _ => Node::Connective { tag, children },
            };
        }
        if tag == word_hash(b"+") || tag == word_hash(b"*") {
            return Node::Connective { tag, children };
        }
        match children[..] {
            [from, less] if tag == word_hash(b"-") => Node::Difference { from, less },
            [from, to] if tag == word_hash(b"=>") => {
                if is(from, b"false") || is(to, b"true") {
                    word(b"true")
                } else if is(from, b"true") {
                    self.nodes[to].clone()
                } else {
                    Node::Implication { from, to }
                }
            }
            [one, other] if tag == word_hash(b"=") => {
                match (&self.nodes[one], &self.nodes[other]) {
                    (Node::Word(one), Node::Word(other)) if one == other => word(b"true"),
                    _ => Node::Term { tag, children },
                }
            }
            [operand] if tag == word_hash(b"not") => {
                if is(operand, b"true") {
                    word(b"false")
                } else if is(operand, b"false") {
                    word(b"true")
                } else {
                    Node::Term { tag, children }
                }
            }
            _ => Node::Term { tag, children },
        }
    }

    /// The left side of an equation that gives a type constructor its number. The numbers only tell constructors apart,
    /// and go by their first use.
    fn numbered_type<'t>(&self, list: &'t [Expression<'t>]) -> Option<&'t Expression<'t>> {
        let [Expression::Word(b"="), term @ Expression::List(call), Expression::Word(number)] =
            list
        else {
            return None;
        };
        let [Expression::Word(function), _] = &call[..] else { return None };
        let signature = self.signatures[*self.functions.get(*function)?];
        let is_number = number.iter().all(u8::is_ascii_digit);
        let of_type = |name: &[u8]| hash_of(vec![b"(".as_slice(), name, b")", b"Int", b")"]);
        (is_number && [b"T@T".as_slice(), b"|T@T|"].iter().any(|name| signature == of_type(name)))
            .then_some(term)
    }

    /// The children of a node, in order.
    fn children(&self, node: usize) -> Vec<usize> {
        match &self.nodes[node] {
            Node::Function(_) | Node::Word(_) => Vec::new(),
            Node::Term { children, .. } | Node::Connective { children, .. } => children.clone(),
            Node::Implication { from: one, to: other }
            | Node::Difference { from: one, less: other } => {
                vec![*one, *other]
            }
        }
    }

    /// The leaves of an assertion, from left to right, each where it is met first.
    fn leaves(&self, root: usize) -> Vec<usize> {
        let mut leaves = Vec::new();
        let mut seen = HashSet::new();
        let mut left = vec![root];
        while let Some(node) = left.pop() {
            if !seen.insert(node) {
                continue;
            }
            let children = self.children(node);
            if children.is_empty() {
                leaves.push(node);
            }
            left.extend(children.into_iter().rev());
        }
        leaves
    }

    /// The hashes of all nodes, with these colours of functions.
    fn hashes(&self, colours: &[u64], is_flat: bool) -> Vec<NodeHash> {
        let implication = word_hash(b"=>");
        let and = word_hash(b"and");
        let sum = word_hash(b"+");
        let mut hashes: Vec<NodeHash> = Vec::with_capacity(self.nodes.len());
        for node in &self.nodes {
            let plain = |hash: u64| NodeHash { hash, tag: 0, sequence: Sequence::one(hash) };
            let part = |child: usize, inside: u64| {
                let NodeHash { hash, tag, sequence } = hashes[child];
                if is_flat && tag == inside { sequence } else { Sequence::one(hash) }
            };
            let made = match node {
                Node::Function(function) => plain(colours[*function]),
                Node::Word(hash) => plain(*hash),
                Node::Term { tag, children } => {
                    let children: Vec<u64> =
                        children.iter().map(|&child| hashes[child].hash).collect();
                    plain(hash_of((tag, children)))
                }
                Node::Connective { tag, children } => {
                    let parts = children.iter().map(|&child| part(child, *tag));
                    let sequence = parts.fold(Sequence::default(), Sequence::then);
                    NodeHash { hash: hash_of((tag, sequence.value)), tag: *tag, sequence }
                }
                // `a + (b - c)` is printed as `a + b - c`.
                Node::Difference { from, less } => {
                    let less = Sequence::one(hash_of(("less", hashes[*less].hash)));
                    let sequence = part(*from, sum).then(less);
                    NodeHash { hash: hash_of((sum, sequence.value)), tag: sum, sequence }
                }
                // `a ==> b ==> c` and `a && b ==> c` are the same.
                Node::Implication { from, to } => {
                    let sequence = part(*from, and).then(part(*to, implication));
                    NodeHash {
                        hash: hash_of((implication, sequence.value)),
                        tag: implication,
                        sequence,
                    }
                }
            };
            hashes.push(made);
        }
        hashes
    }

    /// A colour for each function: equal only for functions that cannot be told apart.
    fn colours(&self) -> Vec<u64> {
        let functions = |root: usize| {
            let leaves = self.leaves(root).into_iter();
            leaves.filter_map(|leaf| match self.nodes[leaf] {
                Node::Function(function) => Some(function),
                _ => None,
            })
        };
        let occurrences: Vec<Vec<usize>> =
            self.roots.iter().map(|&root| functions(root).collect()).collect();
        let mut colours = self.signatures.clone();
        let mut distinct = number_of_distinct(&colours);
        for _ in 0..MAX_ROUNDS {
            let hashes = self.hashes(&colours, true);
            let mut seen: Vec<Vec<u64>> = vec![Vec::new(); colours.len()];
            for (&root, functions) in self.roots.iter().zip(&occurrences) {
                for (position, &function) in functions.iter().enumerate() {
                    seen[function].push(hash_of((hashes[root].hash, position)));
                }
            }
            for (colour, seen) in colours.iter_mut().zip(&mut seen) {
                seen.sort_unstable();
                // An assertion that is repeated says nothing more.
                seen.dedup();
                *colour = hash_of((*colour, seen));
            }
            let now = number_of_distinct(&colours);
            if now == distinct {
                break;
            }
            distinct = now;
        }
        colours
    }
}

/// The hash of a word that is not declared.
fn word_hash(word: &[u8]) -> u64 {
    hash_of(("word", word))
}

fn number_of_distinct(colours: &[u64]) -> usize {
    let mut colours = colours.to_vec();
    colours.sort_unstable();
    colours.dedup();
    colours.len()
}

/// The expression that a command is.
fn expression(command: &[u8]) -> Option<Expression<'_>> {
    let mut open: Vec<Vec<Expression<'_>>> = vec![Vec::new()];
    for (kind, token) in tokens(command) {
        match (kind, token) {
            (TokenKind::Space, _) => {}
            (TokenKind::Parenthesis, b"(") => open.push(Vec::new()),
            (TokenKind::Parenthesis, _) => {
                let list = open.pop()?;
                open.last_mut()?.push(Expression::List(list));
            }
            (TokenKind::Word, word) => open.last_mut()?.push(Expression::Word(word)),
        }
    }
    let mut whole = open.pop().filter(|_| open.is_empty())?;
    whole.pop()
}

/// The names that an assertion equates with one constant, `true` or `false`, and with nothing else. Such a name is the
/// value of a variable after a join of paths that all assign the constant; a tool that shares the constant has no name.
fn constants(term: &Expression<'_>) -> HashMap<Vec<u8>, Vec<u8>> {
    let mut found: HashMap<Vec<u8>, Option<Vec<u8>>> = HashMap::new();
    let mut left = vec![term];
    while let Some(next) = left.pop() {
        let Expression::List(list) = next else { continue };
        if let [Expression::Word(b"="), one, other] = &list[..] {
            if let (Expression::Word(name), Expression::Word(value @ (b"true" | b"false"))) =
                (one, other)
            {
                let known = found.entry(name.to_vec()).or_insert_with(|| Some(value.to_vec()));
                if known.as_deref() != Some(*value) {
                    *known = None;
                }
            } else {
                for side in [one, other] {
                    if let Expression::Word(name) = side {
                        found.insert(name.to_vec(), None);
                    }
                }
            }
        }
        left.extend(list);
    }
    found.into_iter().filter_map(|(name, value)| Some((name, value?))).collect()
}

/// Whether a term is an equation `(= (ControlFlow 0 7) (- 0 3))`: a label by which Boogie finds the failing path in a
/// model.
fn is_label(list: &[Expression<'_>]) -> bool {
    let [Expression::Word(b"="), Expression::List(label), _] = list else { return false };
    matches!(label.first(), Some(Expression::Word(b"ControlFlow")))
}

/// Adds the steps for a list, the first one last.
fn visit<'t>(list: &'t [Expression<'t>], steps: &mut Vec<Step<'t>>) {
    let head = match list.first() {
        Some(Expression::Word(head)) => *head,
        _ => b"",
    };
    match (head, list) {
        (b"forall" | b"exists" | b"lambda", [_, Expression::List(variables), body]) => {
            let (names, sorts) = typed(variables);
            steps.push(Step::Make { tag: hash_of((head, sorts)), children: 1 });
            steps.push(Step::Unbind(names.clone()));
            steps.push(Step::Visit(body));
            steps.push(Step::Bind(names));
        }
        (b"let", [_, Expression::List(bindings), body]) => {
            let pairs = bindings.iter().filter_map(|binding| match binding {
                Expression::List(pair) => match &pair[..] {
                    [Expression::Word(name), value] => Some((*name, value)),
                    _ => None,
                },
                Expression::Word(_) => None,
            });
            let (names, values): (Vec<&[u8]>, Vec<&Expression<'_>>) = pairs.unzip();
            steps.push(Step::Unbind(names.clone()));
            steps.push(Step::Visit(body));
            steps.push(Step::Define(names));
            steps.extend(values.into_iter().rev().map(Step::Visit));
        }
        (b"!", [_, term, annotations @ ..]) => {
            let kept = annotations.chunks(2).filter(
                |pair| !matches!(pair, [Expression::Word(name), ..] if DROPPED.contains(name)),
            );
            let kept: Vec<&Expression<'_>> = kept.flatten().collect();
            let (tag, children) = (hash_of("!"), kept.len() + 1);
            if children > 1 {
                steps.push(Step::Make { tag, children });
            }
            steps.extend(kept.into_iter().rev().map(Step::Visit));
            steps.push(Step::Visit(term));
        }
        (b"and" | b"or" | b"=>" | b"not" | b"=" | b"+" | b"-" | b"*", [_, operands @ ..]) => {
            let (tag, children) = (word_hash(head), operands.len());
            steps.push(Step::Make { tag, children });
            steps.extend(operands.iter().rev().map(Step::Visit));
        }
        _ => {
            let (tag, children) = (hash_of("list"), list.len());
            steps.push(Step::Make { tag, children });
            steps.extend(list.iter().rev().map(Step::Visit));
        }
    }
}

/// The names of variables, and a hash of their sorts.
fn typed<'t>(variables: &[Expression<'t>]) -> (Vec<&'t [u8]>, u64) {
    let mut names = Vec::new();
    let mut sorts = Vec::new();
    for variable in variables {
        let Expression::List(parts) = variable else { continue };
        let [Expression::Word(name), sort] = &parts[..] else { continue };
        names.push(*name);
        let mut left = vec![sort];
        while let Some(next) = left.pop() {
            match next {
                Expression::Word(word) => sorts.push(hash_of(word)),
                Expression::List(list) => {
                    sorts.push(hash_of(list.len()));
                    left.extend(list);
                }
            }
        }
    }
    (names, hash_of(sorts))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn difference(one: &str, other: &str) -> QueryDifference {
        NormalForm::of(one).unwrap().difference(&NormalForm::of(other).unwrap())
    }

    const QUERY: &str = "(set-option :a 1)(declare-fun f (Int) Int)(declare-fun g (Int) Int)\
        (assert (forall ((x Int)) (! (= (f x) 1) :pattern ((f x)) :qid |a.1:2|)))\
        (assert (forall ((x Int)) (= (g x) 2)))\
        (assert (not (let ((b (and (and (= (f 1) 1) (= (g 1) 2)) (= (g 2) 2)))) b)))(check-sat)(assert (= (f 3) 4))";

    #[test]
    fn names_order_and_nesting_do_not_matter() {
        let other = "(set-option :a 1)(declare-fun h2 (Int) Int)(declare-fun h1 (Int) Int)\
            (assert (forall ((y Int)) (= (h2 y) 2)))\
            (assert (forall ((y Int)) (! (= (h1 y) 1) :pattern ((h1 y)) :qid |b.7:2|)))\
            (assert (not (let ((c (and (= (h1 1) 1) (= (h2 1) 2) (= (h2 2) 2)))) c)))(check-sat)";
        let found = difference(QUERY, other);
        let expected = QueryDifference {
            text: true,
            order: true,
            nesting: true,
            ..QueryDifference::default()
        };
        assert_eq!(found, expected);
        assert!(found.is_immaterial());
        assert_eq!(difference(QUERY, QUERY), QueryDifference::default());
    }

    #[test]
    fn labels_and_definitions_do_not_matter() {
        let one = "(declare-fun ControlFlow (Int Int) Int)(declare-fun f (Int) Bool)(assert (not (=> (= (ControlFlow 0 0) 9) \
            (let ((b (=> (and (f 1) (= (ControlFlow 0 3) (- 0 2))) (f 2)))) (let ((a (=> (f 3) b))) (and a b))))))";
        let other = "(declare-fun ControlFlow (Int Int) Int)(declare-fun f (Int) Bool)(assert (not \
            (let ((b (=> (f 1) (=> (= (ControlFlow 0 7) (- 0 4)) (f 2)))) (c (=> (and (f 4) (not true)) (f 5)))) \
            (and (=> (f 3) b) (=> (= (ControlFlow 0 8) 1) b) c))))";
        assert!(difference(one, other).is_immaterial());
        assert!(!difference(one, &other.replace("(f 2)", "(f 4)")).is_immaterial());
    }

    #[test]
    fn everything_else_matters() {
        for (from, to) in [
            ("(= (g x) 2)", "(= (g x) 3)"),
            ("(= (g 2) 2)", "(= (f 2) 2)"),
            (":pattern ((f x))", ":pattern ((g x))"),
            (":pattern ((f x))", ""),
            ("(assert (forall ((x Int)) (= (g x) 2)))", ""),
            ("(and (= (f 1) 1) (= (g 1) 2))", "(or (= (f 1) 1) (= (g 1) 2))"),
            ("(= (f 1) 1) (= (g 1) 2)", "(= (g 1) 2) (= (f 1) 1)"),
            ("(set-option :a 1)", "(set-option :a 2)"),
        ] {
            assert!(QUERY.contains(from), "{from}");
            let found = difference(QUERY, &QUERY.replacen(from, to, 1));
            assert!(!found.is_immaterial(), "{to}: {found:?}");
        }
        let option = difference(QUERY, &QUERY.replacen(":a 1", ":b 1", 1));
        assert_eq!(option.options, [":a", ":b"]);
    }

    #[test]
    fn deep_terms_take_no_deep_stack() {
        let depth = 100_000;
        let text =
            format!("(assert {}true{})(check-sat)", "(not ".repeat(depth), ")".repeat(depth));
        assert_eq!(difference(&text, &text), QueryDifference::default());
        assert_eq!(NormalForm::of("(assert (f"), Some(NormalForm::of("").unwrap()));
        assert_eq!(NormalForm::of("word"), None);
    }
}
