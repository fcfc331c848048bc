//! Maps a location in a mutant to the code there, and to the same code in the seed as the user
//! wrote it.
//!
//! A verifier reports locations in the files of a mutant, which the user has never seen. The line
//! determines the declaration. Its text is parsed again to find the clause or statement, and the
//! same clause or statement is then searched for in the declaration of the seed. This module does
//! not know how verifiers are run or what they print.

use std::sync::Arc;

use bpl_syntax::ast::{
    BinaryOp, Condition, ConditionKind, Decl, Expr, ExprKind, Guard, LoopInvariant, LoopSpec,
    Measure, Name, Spec, Stmt, StmtKind, VarDecl,
};
use bpl_syntax::parse;
use bpl_syntax::print::print_expr;
use bpl_syntax::source::{self, SourceMap};
use bpl_syntax::span::Span;
use bpl_syntax::visit::{Namespace, Occurrence, Visit, VisitMut};
use mugie_core::{Failure, FailureKind, Location, Message, ReportedFailure, SeedPlace, bare_name};
use rustc_hash::FxHashSet;

use crate::origin::original_name;
use crate::subject::Subject;

/// The number of characters after which the text of an element is cut off. A larger number makes
/// reports more precise and harder to read.
const MAX_TEXT: usize = 100;

/// A seed and its source files.
#[derive(Debug)]
pub struct SeedSource {
    subject: Subject,
    sources: SourceMap,
}

impl SeedSource {
    /// Pairs a seed with the files it was parsed from.
    pub fn new(subject: Subject, sources: SourceMap) -> SeedSource {
        SeedSource { subject, sources }
    }

    /// The seed.
    pub fn subject(&self) -> &Subject {
        &self.subject
    }

    /// The source files.
    pub fn sources(&self) -> &SourceMap {
        &self.sources
    }

    /// The location of a declaration in the source.
    pub fn location(&self, index: usize) -> Option<source::Location<'_>> {
        self.sources.locate(self.decl(index)?.span())
    }

    fn decl(&self, index: usize) -> Option<Arc<Decl>> {
        (index < self.subject.len()).then(|| self.subject.decl(index))
    }

    fn place(&self, span: Span, exact: bool) -> Option<SeedPlace> {
        let source::Location { file, line, column, .. } = self.sources.locate(span)?;
        Some(SeedPlace { file: file.name.clone(), line, column, exact })
    }
}

/// Describes a proof obligation that a verifier could not discharge in a mutant, in terms of its
/// seed. `file_names` are the names of the mutant's files in the order of [`Subject::files`].
///
/// The reported element is the proof obligation. For a postcondition it is the `ensures` clause,
/// not the `return`. For a precondition it is the call, since the call is what can be wrong, with
/// the clause as a comment.
pub fn report_failure(
    seed: &SeedSource,
    mutant: &Subject,
    file_names: &[String],
    failure: &Failure,
) -> ReportedFailure {
    let Failure { kind, message, location, related } = failure;
    let files = MutantFiles { seed, mutant, file_names };
    let clause = related.as_ref().and_then(|location| Some((location, files.find(location)?)));
    let report = |location: Option<&Location>, found: Option<Found>| {
        reported(Some(*kind), message, location, found)
    };
    match (kind, clause) {
        (FailureKind::Postcondition, Some((location, clause))) => {
            report(Some(location), Some(clause))
        }
        (FailureKind::Precondition, Some((_, clause))) => {
            let mut call = location.as_ref().and_then(|location| files.find(location));
            if let Some(call) = &mut call {
                call.text = format!("{} // {}", call.text, clause.text);
            }
            report(location.as_ref(), call)
        }
        _ => {
            let found = location.as_ref().and_then(|location| files.find(location));
            report(location.as_ref(), found)
        }
    }
}

/// Describes why a verifier rejected a mutant, in terms of its seed. `file_names` are the names of
/// the mutant's files in the order of [`Subject::files`].
pub fn report_message(
    seed: &SeedSource,
    mutant: &Subject,
    file_names: &[String],
    message: &Message,
) -> ReportedFailure {
    let files = MutantFiles { seed, mutant, file_names };
    let location = message.location.as_ref();
    reported(None, &message.text, location, location.and_then(|location| files.find(location)))
}

fn reported(
    kind: Option<FailureKind>,
    message: &str,
    location: Option<&Location>,
    found: Option<Found>,
) -> ReportedFailure {
    let (element, seed_place) = found.map_or((None, None), |f| (Some(f.text), f.seed_place));
    ReportedFailure { element, seed_place, ..ReportedFailure::new(kind, message, location) }
}

/// The element at a location of a mutant.
struct Found {
    text: String,
    seed_place: Option<SeedPlace>,
}

struct MutantFiles<'m> {
    seed: &'m SeedSource,
    mutant: &'m Subject,
    file_names: &'m [String],
}

impl MutantFiles<'_> {
    fn find(&self, location: &Location) -> Option<Found> {
        let MutantFiles { seed, mutant, file_names } = *self;
        let name = bare_name(&location.file);
        let file = file_names.iter().position(|other| bare_name(other) == name)?;
        let (index, line) = mutant.locate(file, location.line)?;
        let text = mutant.text(index);
        let decl = parse(text, mutant.dialect()).program.decls.pop()?;
        let elements = elements(&decl);
        let offset = offset(text, line, location.column);
        let at = elements.iter().rposition(|e| (e.span.start..e.span.end).contains(&offset));
        let seed_index = mutant.seed_index(index);
        let seed_decl = seed_index.and_then(|index| seed.decl(index));
        let seed_place = seed_decl.and_then(|seed_decl| {
            let same = at.and_then(|at| same_element(&decl, at, &seed_decl));
            let exact = same.is_some() || (at.is_none() && !mutant.is_split_off(index));
            seed.place(same.unwrap_or(seed_decl.span()), exact)
        });
        let text = match at {
            Some(at) => elements[at].text(text),
            None => header(&decl, text),
        };
        Some(Found { text: shortened(&text), seed_place })
    }
}

/// The offset of a line and column in a text. A column outside the text on the line stands for the
/// nearest character on it.
fn offset(text: &str, line: u32, column: u32) -> u32 {
    let number = (line as usize).saturating_sub(1);
    let start: usize = text.split_inclusive('\n').take(number).map(str::len).sum();
    let line = text[start..].lines().next().unwrap_or_default();
    let column = (column as usize).saturating_sub(1);
    let in_line = line.char_indices().nth(column).map_or(line.len(), |(offset, _)| offset);
    let indent = line.len() - line.trim_start().len();
    let last = line.trim_end().char_indices().next_back().map_or(0, |(offset, _)| offset);
    u32::try_from(start + in_line.min(last).max(indent)).unwrap_or(u32::MAX)
}

/// A part of a declaration that a verifier may point at.
struct Element<'d> {
    span: Span,
    node: Node<'d>,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Node<'d> {
    /// A declaration of local variables.
    Local(&'d VarDecl),
    /// A clause of a procedure or an action.
    Clause(&'d Spec),
    /// A clause of a loop.
    LoopClause(&'d LoopSpec),
    Stmt(&'d Stmt),
}

/// The part of an element that is compared: elements with equal keys are the same.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Key<'d> {
    /// A condition of a class; its attributes do not matter.
    Condition(Class, &'d Expr),
    /// Any other element, compared as a whole.
    Whole(Node<'d>),
}

/// The role of a condition. A loop invariant counts as an assertion, since that is what it is in a
/// program with `goto`; a `free` one counts as an assumption.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Class {
    Spec { kind: ConditionKind, free: bool },
    Assertion,
    Assumption,
}

impl<'d> Node<'d> {
    /// If the element is a condition and nothing else, its class, the keywords before it, and the
    /// expression.
    fn condition(self) -> Option<(Class, &'static str, &'d Expr)> {
        Some(match self {
            Node::Clause(Spec::Condition(Condition { free, kind, expr, .. })) => {
                let (word, free_word) = match kind {
                    ConditionKind::Requires => ("requires", "free requires"),
                    ConditionKind::Ensures => ("ensures", "free ensures"),
                    ConditionKind::Preserves => ("preserves", "free preserves"),
                    ConditionKind::Asserts => ("asserts", "free asserts"),
                };
                let class = Class::Spec { kind: *kind, free: *free };
                (class, if *free { free_word } else { word }, expr)
            }
            Node::LoopClause(LoopSpec::Invariant(LoopInvariant { free, expr, .. })) => {
                if *free {
                    (Class::Assumption, "free invariant", expr)
                } else {
                    (Class::Assertion, "invariant", expr)
                }
            }
            Node::Stmt(Stmt { kind: StmtKind::Assert(predicate), .. }) => {
                (Class::Assertion, "assert", &predicate.expr)
            }
            Node::Stmt(Stmt { kind: StmtKind::Assume(predicate), .. }) => {
                (Class::Assumption, "assume", &predicate.expr)
            }
            _ => return None,
        })
    }

    /// Whether one could be an edited version of the other.
    fn is_like(self, other: Node<'_>) -> bool {
        match (self.condition(), other.condition()) {
            (Some((class, ..)), Some((other, ..))) => class == other,
            (None, None) => match (self, other) {
                (Node::Local(_), Node::Local(_)) => true,
                (Node::Clause(a), Node::Clause(b)) => is_same_variant(a, b),
                (Node::LoopClause(a), Node::LoopClause(b)) => is_same_variant(a, b),
                (Node::Stmt(a), Node::Stmt(b)) => is_same_variant(&a.kind, &b.kind),
                _ => false,
            },
            _ => false,
        }
    }
}

fn is_same_variant<T>(a: &T, b: &T) -> bool {
    std::mem::discriminant(a) == std::mem::discriminant(b)
}

impl<'d> Element<'d> {
    fn key(&self) -> Key<'d> {
        match self.node.condition() {
            Some((class, _, expr)) => Key::Condition(class, expr),
            None => Key::Whole(self.node),
        }
    }

    /// If the element's condition is a conjunction, the keys and spans of its conjuncts.
    fn conjuncts(&self) -> Vec<(Key<'d>, Span)> {
        let Some((class, _, whole)) = self.node.condition() else { return Vec::new() };
        let mut found = Vec::new();
        let mut open = vec![whole];
        while let Some(expr) = open.pop() {
            if let ExprKind::Binary(BinaryOp::And, operands) = &expr.kind {
                for operand in [&operands.1, &operands.0] {
                    open.push(operand);
                }
            }
            found.push((Key::Condition(class, expr), expr.span));
        }
        found
    }

    /// The element's text within the text of its declaration: a condition without attributes, a
    /// compound statement without the statements inside.
    fn text(&self, decl_text: &str) -> String {
        let guarded = |keyword: &str, guard: &Guard| match guard {
            Guard::Star => format!("{keyword} (*)"),
            Guard::Expr(expr) => format!("{keyword} ({})", print_expr(expr)),
        };
        if let Some((_, words, expr)) = self.node.condition() {
            return format!("{words} {};", print_expr(expr));
        }
        match self.node {
            Node::Stmt(Stmt { kind: StmtKind::If(conditional), .. }) => {
                guarded("if", &conditional.guard)
            }
            Node::Stmt(Stmt { kind: StmtKind::While(repetition), .. }) => {
                guarded("while", &repetition.guard)
            }
            _ => {
                let range = self.span.start as usize..self.span.end as usize;
                on_one_line(decl_text.get(range).unwrap_or_default())
            }
        }
    }
}

/// The text of a declaration without clauses and body.
fn header(decl: &Decl, text: &str) -> String {
    let (specs, body): (&[Spec], _) = match decl {
        Decl::Procedure(d) => (&d.specs, d.body.as_ref()),
        Decl::Implementation(d) => (&[], Some(&d.body)),
        Decl::Action(d) => (&d.specs, d.body.as_ref()),
        _ => return on_one_line(text),
    };
    let end = specs.first().map(spec_span).or(body.map(|body| body.span));
    let header = end.and_then(|span| text.get(..span.start as usize)).unwrap_or(text);
    on_one_line(header.trim_end().trim_end_matches(';'))
}

/// Joins the lines of a text to what the printer would have written with unlimited line width.
fn on_one_line(text: &str) -> String {
    let mut line = String::with_capacity(text.len());
    for part in text.lines().map(str::trim) {
        if !(line.is_empty() || line.ends_with(['(', '[']) || part.starts_with([')', ']'])) {
            line.push(' ');
        }
        line.push_str(part);
    }
    line
}

fn shortened(text: &str) -> String {
    match text.char_indices().nth(MAX_TEXT) {
        None => text.to_owned(),
        Some((end, _)) => format!("{}…", text[..end].trim_end()),
    }
}

/// Finds the element of the mutant's declaration with index `at` in the seed's declaration.
///
/// Tries, in this order: an element with the same condition, or the same text if it is not a
/// condition (the n-th of them if it is the n-th in the mutant); an equal conjunct of a condition;
/// an element that is equal after renamings are undone; the only element of its kind that has
/// changed.
fn same_element(mutant: &Decl, at: usize, seed: &Decl) -> Option<Span> {
    if let Some(span) = equal_element(&elements(mutant), at, &elements(seed)) {
        return Some(span);
    }
    let [mutant, seed] = [mutant, seed].map(|decl| {
        let mut decl = decl.clone();
        OriginalNames.visit_decl(&mut decl);
        decl
    });
    let (mutant, seed) = (elements(&mutant), elements(&seed));
    equal_element(&mutant, at, &seed).or_else(|| changed_element(&mutant, at, &seed))
}

fn equal_element(mutant: &[Element<'_>], at: usize, seed: &[Element<'_>]) -> Option<Span> {
    let key = mutant.get(at)?.key();
    let before = mutant[..at].iter().filter(|element| element.key() == key).count();
    let nth = |spans: Vec<Span>| spans.get(before).or(spans.last()).copied();
    let whole = seed.iter().filter(|e| e.key() == key).map(|e| e.span);
    nth(whole.collect()).or_else(|| {
        let conjuncts = seed.iter().flat_map(Element::conjuncts);
        nth(conjuncts.filter(|(other, _)| *other == key).map(|(_, span)| span).collect())
    })
}

/// Returns the seed's counterpart of the mutant's element if these two are the only elements of
/// their kind that have no equal on the other side.
fn changed_element(mutant: &[Element<'_>], at: usize, seed: &[Element<'_>]) -> Option<Span> {
    let node = mutant.get(at)?.node;
    let only = |among: &[Element<'_>], others: &[Element<'_>]| {
        let mut equals: FxHashSet<_> = others.iter().map(Element::key).collect();
        equals.extend(others.iter().flat_map(Element::conjuncts).map(|(key, _)| key));
        let is_changed = |e: &&Element<'_>| e.node.is_like(node) && !equals.contains(&e.key());
        let mut changed = among.iter().filter(is_changed).map(|e| e.span);
        changed.next().filter(|_| changed.next().is_none())
    };
    only(mutant, seed)?;
    only(seed, mutant)
}

/// The elements of a declaration in source order, outer ones first.
fn elements(decl: &Decl) -> Vec<Element<'_>> {
    let mut elements = Elements(Vec::new());
    match decl {
        Decl::Procedure(_) | Decl::Implementation(_) | Decl::Action(_) => {
            elements.visit_decl(decl);
        }
        _ => {}
    }
    elements.0
}

struct Elements<'d>(Vec<Element<'d>>);

impl<'d> Visit<'d> for Elements<'d> {
    fn visit_var_decl(&mut self, var: &'d VarDecl) {
        self.0.push(Element { span: var.span, node: Node::Local(var) });
    }

    fn visit_spec(&mut self, spec: &'d Spec) {
        self.0.push(Element { span: spec_span(spec), node: Node::Clause(spec) });
        self.walk_spec(spec);
    }

    fn visit_loop_spec(&mut self, spec: &'d LoopSpec) {
        let span = match spec {
            LoopSpec::Invariant(LoopInvariant { span, .. })
            | LoopSpec::Call { span, .. }
            | LoopSpec::Measure(Measure { span, .. }) => *span,
        };
        self.0.push(Element { span, node: Node::LoopClause(spec) });
    }

    fn visit_stmt(&mut self, stmt: &'d Stmt) {
        self.0.push(Element { span: stmt.span, node: Node::Stmt(stmt) });
        self.walk_stmt(stmt);
    }

    fn visit_expr(&mut self, _: &'d Expr) {}
}

fn spec_span(spec: &Spec) -> Span {
    match spec {
        Spec::Modifies(d) => d.span,
        Spec::Condition(d) => d.span,
        Spec::CallCondition(d) => d.span,
        Spec::Measure(d) => d.span,
        Spec::Refines(d) => d.span,
        Spec::Creates(d) => d.span,
    }
}

/// Undoes renamings, as far as they can be guessed from the names.
struct OriginalNames;

impl VisitMut for OriginalNames {
    fn visit_name(&mut self, name: &mut Name, _: Namespace, _: Occurrence) {
        let original = original_name(name);
        if original.len() < name.len() {
            *name = original.into();
        }
    }
}

#[cfg(test)]
mod tests {
    use bpl_syntax::{Dialect, parse_files};

    use super::*;
    use crate::operators::{self, testing::all};

    const SOURCE: &str = "\
var g: int;
procedure p(x: int, y: int) returns (z: int);
  requires x > 0; requires x > 0 && y > 0; free ensures z > 0;
implementation p(x: int, y: int) returns (z: int)
{ var a: int;
  a := x; z := a;
  while (a > 0) invariant a >= 0; free invariant a < 9; { a := a - 1; assert a >= 0; }
  if (*) { assert a == 0; } else if (y > 3) { assert a == 0; assert a == 1 && y != z; return; }
  call z := p(y, x);
}
";

    fn seed(text: &str) -> SeedSource {
        let sources = SourceMap::single("seed.bpl", text).unwrap();
        let parse = parse_files(&sources, Dialect::Boogie2);
        assert!(parse.errors.is_empty(), "{:?}", parse.errors);
        SeedSource::new(Subject::new(&parse.program), sources)
    }

    fn names(subject: &Subject) -> Vec<String> {
        subject.files().iter().map(|file| format!("m-{}.bpl", file.part)).collect()
    }

    /// Finds the element at the first occurrence of `at` in a mutant; `at` may start with a line
    /// break. Returns the element's text, the text at its place in the seed, and whether the match
    /// is exact.
    fn find(seed: &SeedSource, mutant: &Subject, at: &str) -> (String, String, bool) {
        let files = mutant.files();
        let (file, text) = files
            .iter()
            .find_map(|file| {
                let start = file.text.find(at)? + at.len() - at.trim_start().len();
                Some((file.part, &file.text[..start]))
            })
            .unwrap_or_else(|| panic!("`{at}` is not in {files:?}"));
        let line = u32::try_from(text.matches('\n').count()).unwrap() + 1;
        let column = u32::try_from(text.rsplit('\n').next().unwrap().len()).unwrap() + 1;
        let location = Location { file: format!("some/dir/m-{file}.bpl"), line, column };
        let names = names(mutant);
        let files = MutantFiles { seed, mutant, file_names: &names };
        let Found { text, seed_place } = files.find(&location).unwrap();
        let SeedPlace { line, column, exact, .. } = seed_place.unwrap();
        let in_seed = seed.sources().files()[0].line(line).get(column as usize - 1..).unwrap();
        (text, in_seed.to_owned(), exact)
    }

    #[track_caller]
    fn check(seed: &SeedSource, mutant: &Subject, at: &str, expected: (&str, &str, bool)) {
        let (text, in_seed, exact) = find(seed, mutant, at);
        assert!(in_seed.starts_with(expected.1), "{in_seed}");
        assert_eq!((text.as_str(), exact), (expected.0, expected.2));
    }

    fn mutant(seed: &SeedSource, operator: &str, words: &str) -> Subject {
        let found = all(operators::find(operator).unwrap(), seed.subject())
            .into_iter()
            .find(|applied| applied.edit.words.starts_with(words));
        found.unwrap_or_else(|| panic!("no `{words}`")).subject
    }

    #[test]
    fn everything_in_a_body_has_its_place() {
        let seed = seed(SOURCE);
        let same = |at: &str, element: &str, in_seed: &str| {
            check(&seed, seed.subject(), at, (element, in_seed, true));
        };
        same("g:", "var g: int;", "var g: int;");
        same("p(x: int", "procedure p(x: int, y: int) returns (z: int)", "procedure p(x");
        same("implementation", "implementation p(x: int, y: int) returns (z: int)", "impl");
        same("y > 0", "requires x > 0 && y > 0;", "requires x > 0 && y > 0; free");
        same("free ens", "free ensures z > 0;", "free ensures z");
        same("var a", "var a: int;", "var a: int;");
        same("while", "while (a > 0)", "while (a > 0)");
        same("free inv", "free invariant a < 9;", "free invariant a");
        same("if (*", "if (*)", "if (*)");
        same("if (y", "if (*)", "if (*)");
        same("return;", "return;", "return; }");
        same("\n}\n", "implementation p(x: int, y: int) returns (z: int)", "impl");
    }

    #[test]
    fn the_second_of_two_is_the_second_in_the_seed() {
        let seed = seed(SOURCE);
        let second = "assert a == 0;\n    assert a == 1";
        check(&seed, seed.subject(), second, ("assert a == 0;", "assert a == 0; assert a", true));
        let first = "assert a == 0;\n  }";
        check(&seed, seed.subject(), first, ("assert a == 0;", "assert a == 0; } else", true));
    }

    #[test]
    fn invariants_are_found_as_assertions() {
        let seed = seed(SOURCE);
        let mutant = mutant(&seed, "desugar-control", "desugar the `while`");
        check(&seed, &mutant, "assert a >= 0", ("assert a >= 0;", "invariant a >= 0;", true));
        check(&seed, &mutant, "assume a < 9", ("assume a < 9;", "free invariant a < 9;", true));
    }

    #[test]
    fn renamed_elements_are_found() {
        let seed = seed(SOURCE);
        let local = mutant(&seed, "rename-local", "rename local `a`");
        check(
            &seed,
            &local,
            "assert a_r1 == 1",
            ("assert a_r1 == 1 && y != z;", "assert a == 1 && y != z;", true),
        );
        let global = mutant(&seed, "rename-global", "rename procedure `p`");
        check(&seed, &global, "call z", ("call z := p_r1(y, x);", "call z := p(y, x);", true));
    }

    #[test]
    fn halves_are_found_in_the_whole() {
        let seed = seed(SOURCE);
        let split = mutant(&seed, "split-clause", "split assert");
        check(&seed, &split, "assert y != z", ("assert y != z;", "y != z; return", true));
        // A whole clause is preferred to a conjunct.
        let split = mutant(&seed, "split-clause", "split requires");
        check(&seed, &split, "requires x > 0", ("requires x > 0;", "requires x > 0; req", true));
        check(&seed, &split, "requires y > 0", ("requires y > 0;", "y > 0; free", true));
    }

    #[test]
    fn the_only_changed_one_is_the_same() {
        let seed = seed(SOURCE);
        let swapped = mutant(&seed, "swap-operands", "swap the operands of `a == 1 && y != z`");
        check(
            &seed,
            &swapped,
            "assert y != z",
            ("assert y != z && a == 1;", "assert a == 1 && y != z;", true),
        );
        let joined = mutant(&seed, "L3", "join");
        check(
            &seed,
            &joined,
            "requires",
            ("requires x > 0 && (x > 0 && y > 0);", "procedure p(x", false),
        );
    }

    #[test]
    fn what_is_split_off_is_in_the_whole() {
        let seed = seed("procedure p(x: int) ensures x > 0; { assert x > 0; }");
        let split = mutant(&seed, "S2", "split");
        check(&seed, &split, "implementation", ("implementation p(x: int)", "procedure", false));
        check(&seed, &split, "assert", ("assert x > 0;", "assert x > 0;", true));
        check(&seed, &split, "ensures", ("ensures x > 0;", "ensures x > 0;", true));
        check(&seed, &split, "procedure", ("procedure p(x: int)", "procedure p", true));
    }

    #[test]
    fn long_elements_are_cut() {
        let sum = "(x + 1) * ".repeat(50);
        let seed =
            seed(&format!("procedure p(x: int) {{ assert {sum} x == 0; call p({sum} x); }}"));
        for (at, start) in [("assert", "assert (x + 1) * (x"), ("call", "call p((x + 1) * (x")] {
            let (text, ..) = find(&seed, seed.subject(), at);
            assert!(text.starts_with(start) && text.ends_with('…'), "{text}");
            assert!(text.chars().count() <= MAX_TEXT + 1);
        }
    }

    #[test]
    fn nonsense_places_do_no_harm() {
        let seed = seed(SOURCE);
        let moved = mutant(&seed, "S3", "move");
        for subject in [seed.subject(), &moved] {
            let names = names(subject);
            let place = |file: &str, line, column| Location { file: file.to_owned(), line, column };
            let lines = (0..40).chain([u32::MAX - 1, u32::MAX]);
            let columns = (0..60).chain([u32::MAX - 1, u32::MAX]);
            let places = lines.flat_map(|line| columns.clone().map(move |column| (line, column)));
            for (line, column) in places {
                for file in ["m-0.bpl", "m-1.bpl", "", "/", "other.bpl"] {
                    let failure = Failure {
                        kind: FailureKind::Precondition,
                        message: "m".to_owned(),
                        location: Some(place(file, line, column)),
                        related: Some(place(file, column, line)),
                    };
                    report_failure(&seed, subject, &names, &failure);
                }
            }
            let location = Some(place("a/other.bpl", 1, 1));
            let message = Message { text: "m".to_owned(), location };
            let report = report_message(&seed, subject, &names, &message);
            assert_eq!(report.mutant_place.as_deref(), Some("other.bpl:1:1"));
            assert_eq!((report.element, report.seed_place), (None, None));
            let message = Message { text: "m".to_owned(), location: None };
            assert_eq!(report_message(&seed, subject, &[], &message).mutant_place, None);
        }
    }
}
