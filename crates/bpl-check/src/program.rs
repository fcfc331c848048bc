//! Whole programs: all declarations, and the rules across declarations.

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

/// The result of checking a well-formed program.
#[derive(Debug)]
#[non_exhaustive]
pub struct Checked {
    env: Env,
    expr_types: Vec<Vec<TypeId>>,
}

impl Checked {
    /// The declared names and their signatures.
    pub fn env(&self) -> &Env {
        &self.env
    }

    /// The table of all types in the program.
    pub fn types(&self) -> &Types {
        &self.env.types
    }

    /// The types of all expressions of a declaration, in pre-order: an expression precedes its
    /// subexpressions, which are in the order of the tree's fields, including attributes and
    /// triggers. Empty unless the program was checked by [`check_with_types`].
    pub fn expr_types(&self, decl: usize) -> &[TypeId] {
        self.expr_types.get(decl).map(Vec::as_slice).unwrap_or_default()
    }

    /// The type of the expression with this number in its declaration, counted in pre-order from 0;
    /// see [`Checked::expr_types`].
    pub fn type_of(&self, decl: usize, expr: usize) -> Option<TypeId> {
        self.expr_types(decl).get(expr).copied()
    }
}

/// Checks a program as Boogie would with its default options.
///
/// ```
/// use bpl_syntax::diagnostic::ErrorClass;
/// use bpl_syntax::{Dialect, parse};
///
/// let program = parse("const c: int; axiom c > 0;", Dialect::Boogie2).program;
/// assert!(bpl_check::check(&program).is_ok());
///
/// let program = parse("const c: int; axiom c > true;", Dialect::Boogie2).program;
/// let errors = bpl_check::check(&program).unwrap_err();
/// assert_eq!(errors[0].kind, ErrorClass::Type);
/// assert_eq!(errors[0].message, "`>` cannot be applied to types `int` and `bool`");
/// ```
///
/// # Errors
///
/// All errors, in source order. They are all of one [`ErrorClass`], since types are checked only if
/// all names could be resolved.
pub fn check(program: &Program) -> Result<Checked, Vec<Diagnostic>> {
    check_with(program, CheckOptions::default())
}

/// Checks a program as Boogie would with the given options.
///
/// ```
/// use bpl_check::{CheckOptions, check, check_with};
/// use bpl_syntax::{Dialect, parse};
///
/// let program = parse("var g: int; procedure p() { g := 1; }", Dialect::Boogie2).program;
/// assert!(check(&program).is_err());
/// let options = CheckOptions { infer_modifies: true, ..CheckOptions::default() };
/// assert!(check_with(&program, options).is_ok());
/// ```
///
/// # Errors
///
/// As for [`check`].
pub fn check_with(program: &Program, options: CheckOptions) -> Result<Checked, Vec<Diagnostic>> {
    run(program, options, false)
}

/// Checks a program and keeps the type of each expression.
///
/// ```
/// use bpl_check::{CheckOptions, check_with_types};
/// use bpl_syntax::{Dialect, parse};
///
/// let program = parse("const c: int; axiom c > 0;", Dialect::Boogie2).program;
/// let checked = check_with_types(&program, CheckOptions::default()).unwrap();
/// let types: Vec<String> =
///     checked.expr_types(1).iter().map(|ty| checked.types().display(*ty).to_string()).collect();
/// assert_eq!(types, ["bool", "int", "int"]);
/// ```
///
/// # Errors
///
/// As for [`check`].
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

/// The number of declarations that a thread takes at a time. Raising it saves synchronisation and
/// balances the load worse.
const CHUNK: usize = 64;

/// Checks all declarations, using several threads for a large program. The result does not depend
/// on the number of threads, since the chunks are put together in order.
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
    // Starting a thread costs as much as checking a few chunks, and more than a few threads do not
    // pay off.
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

/// The errors that Boogie would report, in source order, up to [`MAX_ERRORS`].
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
    /// Checks one declaration against this environment; `index` is its index in the program.
    ///
    /// The declaration may differ from the one that the environment was built from, as long as it
    /// declares the same names with the same signatures. So a variant of a checked program can be
    /// checked without checking the rest again. Rules across declarations (for example, no two
    /// statements with the same `{:id}`) are only checked by [`check`].
    ///
    /// ```
    /// use bpl_check::Env;
    /// use bpl_syntax::{Dialect, parse};
    ///
    /// let program = parse("const c: int; axiom c > 0;", Dialect::Boogie2).program;
    /// let env = Env::new(&program);
    /// let variant = parse("axiom c > 0.5;", Dialect::Boogie2).program;
    /// assert!(env.check_decl(1, &program.decls[1]).is_empty());
    /// assert!(!env.check_decl(1, &variant.decls[0]).is_empty());
    /// ```
    pub fn check_decl(&self, index: usize, decl: &Decl) -> Vec<Diagnostic> {
        let mut checker = Checker::new(self, false);
        checker.decl(index, decl);
        relevant(checker.diagnostics)
    }
}
