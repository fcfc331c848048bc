//! Whole programs: all declarations, and what they must agree on among each other.

use std::num::NonZeroUsize;
use std::sync::atomic::{AtomicUsize, Ordering};

use bpl_syntax::Dialect;
use bpl_syntax::ast::{Decl, Name, Program};
use bpl_syntax::diagnostic::{Diagnostic, ErrorClass};
use bpl_syntax::span::Span;
use rustc_hash::FxHashMap;

use crate::CheckOptions;
use crate::check::{Checker, Facts, MAX_ERRORS};
use crate::cycle;
use crate::env::Env;
use crate::types::{TypeId, Types};

/// A program that is well-formed, and what is known about it.
#[derive(Debug)]
pub struct Checked {
    env: Env,
    expr_types: Vec<Vec<TypeId>>,
}

impl Checked {
    /// The declared names and their signatures.
    pub fn env(&self) -> &Env {
        &self.env
    }

    /// All types that occur in the program.
    pub fn types(&self) -> &Types {
        &self.env.types
    }

    /// The types of all expressions of a declaration, in pre-order: an expression comes before
    /// its parts, and parts come in the order of the fields of the tree, attributes and triggers
    /// included. Empty unless the program was checked by [`check_with_types`].
    pub fn expr_types(&self, decl: usize) -> &[TypeId] {
        self.expr_types.get(decl).map(Vec::as_slice).unwrap_or_default()
    }

    /// The type of the expression with that number in its declaration, counted in pre-order from
    /// 0; see [`Checked::expr_types`].
    pub fn type_of(&self, decl: usize, expr: usize) -> Option<TypeId> {
        self.expr_types(decl).get(expr).copied()
    }
}

/// Checks a program as Boogie would with its default options.
///
/// # Errors
///
/// Everything that is wrong, in the order of the source; all of one [`ErrorClass`], since types are
/// judged only if all names could be resolved.
pub fn check(program: &Program) -> Result<Checked, Vec<Diagnostic>> {
    check_with(program, CheckOptions::default())
}

/// Checks a program as Boogie would with the given options.
pub fn check_with(program: &Program, options: CheckOptions) -> Result<Checked, Vec<Diagnostic>> {
    run(program, options, false)
}

/// Checks a program and keeps the type of each expression.
pub fn check_with_types(
    program: &Program,
    options: CheckOptions,
) -> Result<Checked, Vec<Diagnostic>> {
    run(program, options, true)
}

fn run(program: &Program, options: CheckOptions, record: bool) -> Result<Checked, Vec<Diagnostic>> {
    let mut env = Env::with_options(program, options);
    let mut expr_types = Vec::new();
    let mut added = None;
    let (mut diagnostics, facts) = if record {
        let mut checker = Checker::new(&env, true);
        for (index, decl) in program.decls.iter().enumerate() {
            checker.decl(index, decl);
            expr_types.push(checker.take_recorded());
        }
        let Checker { diagnostics, facts, solver, .. } = checker;
        added = Some(solver.types.into_added());
        (diagnostics, facts)
    } else {
        check_decls(&env, program)
    };
    check_facts(&facts, &mut diagnostics);
    if program.dialect == Dialect::Boogie3 {
        cycle::check(program, &mut diagnostics);
    }
    diagnostics.extend_from_slice(env.diagnostics());
    let diagnostics = relevant(diagnostics);
    if !diagnostics.is_empty() {
        return Err(diagnostics);
    }
    if let Some(added) = added {
        env.types.extend(added);
    }
    Ok(Checked { env, expr_types })
}

/// So many declarations are checked by one thread at a time.
const CHUNK: usize = 64;

/// Checks all declarations, those of a large program in several threads. What comes out does not
/// depend on their number: the chunks are put together in their order.
fn check_decls<'a>(env: &Env, program: &'a Program) -> (Vec<Diagnostic>, Facts<'a>) {
    let chunks: Vec<_> = program.decls.chunks(CHUNK).collect();
    let check_chunk = |number: usize| {
        let mut checker = Checker::new(env, false);
        for (decl, index) in chunks[number].iter().zip(number * CHUNK..) {
            checker.decl(index, decl);
        }
        (number, checker.diagnostics, checker.facts)
    };
    let next = AtomicUsize::new(0);
    let work = || {
        let numbers = std::iter::from_fn(|| Some(next.fetch_add(1, Ordering::Relaxed)));
        numbers.take_while(|&number| number < chunks.len()).map(check_chunk).collect::<Vec<_>>()
    };
    let cores = || std::thread::available_parallelism().map_or(1, NonZeroUsize::get);
    // A thread costs as much as a few chunks, and a few of them are all that pay.
    let helpers = if chunks.len() < 8 { 0 } else { (cores() - 1).min(3) };
    let mut results = std::thread::scope(|scope| {
        let helpers: Vec<_> = (0..helpers)
            .filter_map(|_| std::thread::Builder::new().spawn_scoped(scope, work).ok())
            .collect();
        let mut results = work();
        for helper in helpers {
            match helper.join() {
                Ok(more) => results.extend(more),
                Err(panic) => std::panic::resume_unwind(panic),
            }
        }
        results
    });
    results.sort_unstable_by_key(|(number, ..)| *number);
    let mut diagnostics = Vec::new();
    let mut facts = Facts::default();
    for (_, more, found) in results {
        diagnostics.extend(more);
        facts.statement_ids.extend(found.statement_ids);
        facts.assumptions.extend(found.assumptions);
    }
    (diagnostics, facts)
}

/// The errors that Boogie would get to, in the order of the source, up to [`MAX_ERRORS`].
fn relevant(mut diagnostics: Vec<Diagnostic>) -> Vec<Diagnostic> {
    if diagnostics.iter().any(|diagnostic| diagnostic.kind == ErrorClass::Resolution) {
        diagnostics.retain(|diagnostic| diagnostic.kind == ErrorClass::Resolution);
    }
    diagnostics.sort_by_key(|diagnostic| diagnostic.span.start);
    diagnostics.truncate(MAX_ERRORS);
    diagnostics
}

fn check_facts(facts: &Facts<'_>, into: &mut Vec<Diagnostic>) {
    let mut unique = |entries: &[(&Name, Span)], message: &dyn Fn(&Name) -> String| {
        let mut seen: FxHashMap<&Name, Span> = FxHashMap::default();
        for &(name, span) in entries {
            if let Some(&other) = seen.get(name) {
                let error = Diagnostic::new(ErrorClass::Resolution, span, message(name))
                    .related(other, "the other one");
                into.push(error);
            } else {
                seen.insert(name, span);
            }
        }
    };
    unique(&facts.statement_ids, &|id| format!("more than one statement has the id `{id}`"));
    unique(&facts.assumptions, &|name| {
        format!("assumption variable `{name}` is assigned more than once")
    });
}

impl Env {
    /// Checks one declaration against this environment; `index` is its place in the program.
    ///
    /// The declaration may be another than the one that the environment was made from, as long as
    /// it declares the same names with the same signatures: that is how a variant of a checked
    /// program is checked without going over the rest of it again. What several declarations
    /// must agree on (no two statements with one `{:id}`, say) is for [`check`] to see.
    pub fn check_decl(&self, index: usize, decl: &Decl) -> Vec<Diagnostic> {
        let mut checker = Checker::new(self, false);
        checker.decl(index, decl);
        relevant(checker.diagnostics)
    }
}
