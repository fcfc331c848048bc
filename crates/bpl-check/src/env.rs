//! The global environment: everything a declaration may refer to.
//!
//! It is built from the signatures alone, in one pass and without looking into bodies. So the order
//! of declarations does not matter, and a declaration can be checked without the others. Errors
//! *within* a signature are left to the check of its declaration; the environment only notes that
//! there are some.

use std::sync::Arc;

use bpl_syntax::Dialect;
use bpl_syntax::ast::{Decl, Name, Program};
use bpl_syntax::diagnostic::Diagnostic;
use bpl_syntax::span::Span;
use rustc_hash::{FxHashMap, FxHashSet};

use crate::CheckOptions;
use crate::collect::Collector;
use crate::library;
use crate::type_names::{NamedType, TypeNames};
use crate::types::{TypeId, Types};
use crate::unify::Solver;

/// A constant or a global variable.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Global {
    /// The index of its declaration; `None` if it comes from a library.
    pub decl: Option<usize>,
    /// The span of its name.
    pub span: Span,
    /// The type.
    pub ty: TypeId,
    /// Whether it is a constant.
    pub constant: bool,
    /// Whether it is marked `{:assumption}`.
    pub assumption: bool,
}

/// The signature of a function, or of a datatype's constructor, selector or tester.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Function {
    /// The index of its declaration; `None` if it comes from a library.
    pub decl: Option<usize>,
    /// The span of its name.
    pub span: Span,
    /// The number of type parameters, which are bound in the types below.
    pub type_params: u32,
    /// The types of the arguments.
    pub params: Arc<[TypeId]>,
    /// The type of the result.
    pub result: TypeId,
    /// The kind of function.
    pub kind: FunctionKind,
    /// Whether all types of the signature are well-formed.
    pub(crate) sound: bool,
}

/// The kinds of functions.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum FunctionKind {
    /// An ordinary function.
    Plain,
    /// A constructor of the datatype with this name.
    Constructor(Name),
    /// `a#C` or `is#C`, implied by the constructor `C` (Boogie 2).
    Implied,
}

/// The signature of a procedure, an action or an invariant.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct ProcedureHead {
    /// The index of its declaration; `None` if it comes from a library.
    pub decl: Option<usize>,
    /// The span of its name.
    pub span: Span,
    /// The kind of procedure.
    pub kind: ProcedureSort,
    /// The number of type parameters, which are numbered by first occurrence in the types below.
    pub type_params: u32,
    /// The types of the in-parameters.
    pub params: Arc<[TypeId]>,
    /// The types of the out-parameters.
    pub returns: Arc<[TypeId]>,
    /// The global variables in its `modifies` clauses.
    pub modifies: Vec<Name>,
    /// Whether it is marked `{:yields}` (Boogie 2).
    pub yields: bool,
    /// Whether all types of the signature are well-formed.
    pub(crate) sound: bool,
}

/// The kinds of procedures.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ProcedureSort {
    /// `procedure`
    Plain,
    /// `pure procedure`
    Pure,
    /// `yield procedure`
    Yield,
    /// `action`
    Action,
    /// `pure action`
    PureAction,
    /// `yield invariant`, or `invariant`
    Invariant,
}

impl ProcedureSort {
    /// Whether such a procedure neither reads nor writes global variables.
    pub fn is_pure(self) -> bool {
        matches!(self, ProcedureSort::Pure | ProcedureSort::PureAction)
    }
}

/// The constructors and fields of a datatype.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct Datatype {
    /// The names of the constructors, in order.
    pub constructors: Vec<Name>,
    /// The fields of all constructors and their types, in which the datatype's type parameters are
    /// bound. A field that several constructors share is listed once.
    pub fields: Vec<(Name, TypeId)>,
}

impl Datatype {
    /// The type of a field.
    pub fn field(&self, name: &str) -> Option<TypeId> {
        self.fields.iter().find(|(field, _)| field == name).map(|&(_, ty)| ty)
    }
}

/// The environment of a program.
#[derive(Debug)]
pub struct Env {
    pub(crate) dialect: Dialect,
    pub(crate) types: Types,
    pub(crate) type_names: TypeNames,
    pub(crate) functions: FxHashMap<Name, Function>,
    pub(crate) procedures: FxHashMap<Name, ProcedureHead>,
    pub(crate) globals: FxHashMap<Name, Global>,
    pub(crate) datatypes: FxHashMap<Name, Datatype>,
    /// Whether procedures may modify any global variable, since their frames are inferred.
    pub(crate) infer_modifies: bool,
    /// Declarations that were replaced by another one with the same name, because of `{:extern}`.
    pub(crate) replaced: FxHashSet<usize>,
    diagnostics: Vec<Diagnostic>,
}

impl Env {
    /// Collects the environment of a program with the default options.
    pub fn new(program: &Program) -> Env {
        Env::with_options(program, CheckOptions::default())
    }

    /// Collects the environment of a program.
    pub fn with_options(program: &Program, options: CheckOptions) -> Env {
        let edition = options.libraries.edition;
        let civl = program.dialect == Dialect::Boogie3 && library::uses_civl(program, edition);
        let libraries = options.libraries.completed(civl);
        let library = match program.dialect {
            Dialect::Boogie2 => Vec::new(),
            Dialect::Boogie3 => {
                let mut library = library::declarations(libraries);
                library.extend(library::pending_asyncs(program, edition));
                library
            }
        };

        let mut collector = Collector::new(program.dialect);
        // The library comes first: the program's own declarations take precedence.
        let all: Vec<(Option<usize>, &Decl)> = library
            .iter()
            .map(|decl| (None, &**decl))
            .chain(program.decls.iter().enumerate().map(|(index, decl)| (Some(index), &**decl)))
            .collect();
        let base = Types::default();
        let mut solver = Solver::new(&base);
        collector.collect_types(&all, &mut solver);
        for &(index, decl) in &all {
            collector.collect_values(index, decl, &mut solver);
        }
        collector.check_axiom_names(program);
        let added = solver.types.into_added();
        let mut types = base;
        types.extend(added);
        Env {
            dialect: program.dialect,
            types,
            type_names: collector.type_names,
            functions: collector.functions,
            procedures: collector.procedures,
            globals: collector.globals,
            datatypes: collector.datatypes,
            infer_modifies: options.infer_modifies || civl,
            replaced: collector.replaced,
            diagnostics: collector.diagnostics,
        }
    }

    /// The errors of the declarations taken together: names declared twice, cyclic synonyms.
    pub fn diagnostics(&self) -> &[Diagnostic] {
        &self.diagnostics
    }

    /// The table of types in the signatures.
    pub fn types(&self) -> &Types {
        &self.types
    }

    /// The declared type with this name.
    pub fn named_type(&self, name: &str) -> Option<&NamedType> {
        self.type_names.get(name)
    }

    /// The function with this name.
    pub fn function(&self, name: &str) -> Option<&Function> {
        self.functions.get(name)
    }

    /// The procedure, action or invariant with this name.
    pub fn procedure(&self, name: &str) -> Option<&ProcedureHead> {
        self.procedures.get(name)
    }

    /// The constant or global variable with this name.
    pub fn global(&self, name: &str) -> Option<&Global> {
        self.globals.get(name)
    }

    /// The datatype with this name (Boogie 3).
    pub fn datatype(&self, name: &str) -> Option<&Datatype> {
        self.datatypes.get(name)
    }
}
