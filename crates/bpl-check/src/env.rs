//! The global environment: what every declaration may refer to.
//!
//! Built from the signatures alone, in one pass and without looking into bodies, so that the
//! order of declarations does not matter and a declaration can be checked without its neighbours.
//! Errors *within* a signature are left to the check of its declaration; here it only counts that
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
pub struct Global {
    /// The declaration it stands in; `None` if it comes with a library.
    pub decl: Option<usize>,
    /// Where its name stands there.
    pub span: Span,
    /// Its type.
    pub ty: TypeId,
    /// Whether it is a constant.
    pub constant: bool,
    /// Whether it is marked `{:assumption}`.
    pub assumption: bool,
}

/// The head of a function, or of a datatype's constructor, selector or tester.
#[derive(Clone, Debug)]
pub struct Function {
    /// The declaration it stands in; `None` if it comes with a library.
    pub decl: Option<usize>,
    /// Where its name stands there.
    pub span: Span,
    /// The number of type parameters, which are bound in the types below.
    pub type_params: u32,
    /// The types of the arguments.
    pub params: Arc<[TypeId]>,
    /// The type of the result.
    pub result: TypeId,
    /// What kind of function it is.
    pub kind: FunctionKind,
    /// Whether all its types make sense.
    pub(crate) sound: bool,
}

/// The sorts of functions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FunctionKind {
    /// Declared as a function.
    Plain,
    /// A constructor of the datatype of that name.
    Constructor(Name),
    /// `a#C` or `is#C`, implied by the constructor `C` (Boogie 2).
    Implied,
}

/// The head of a procedure, an action or an invariant.
#[derive(Clone, Debug)]
pub struct ProcedureHead {
    /// The declaration it stands in; `None` if it comes with a library.
    pub decl: Option<usize>,
    /// Where its name stands there.
    pub span: Span,
    /// What kind of procedure it is.
    pub kind: ProcedureSort,
    /// The number of type parameters, numbered by where they first occur in the types below.
    pub type_params: u32,
    /// The types of the in-parameters.
    pub params: Arc<[TypeId]>,
    /// The types of the out-parameters.
    pub returns: Arc<[TypeId]>,
    /// The global variables that it may change, as declared.
    pub modifies: Vec<Name>,
    /// Whether it is marked `{:yields}` (Boogie 2).
    pub yields: bool,
    /// Whether all its types make sense.
    pub(crate) sound: bool,
}

/// The sorts of procedures.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
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
    /// Whether it neither reads nor writes global variables.
    pub fn is_pure(self) -> bool {
        matches!(self, ProcedureSort::Pure | ProcedureSort::PureAction)
    }
}

/// The fields of a datatype.
#[derive(Clone, Debug, Default)]
pub struct Datatype {
    /// The names of its constructors, in order.
    pub constructors: Vec<Name>,
    /// The fields of all constructors and their types, in which the datatype's type parameters
    /// are bound; a field that several constructors share is there once.
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
    /// Whether procedures may change what they like, since their frames are inferred.
    pub(crate) infer_modifies: bool,
    /// Declarations that lost against another of the same name, by `{:extern}`.
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
        let civl = program.dialect == Dialect::Boogie3 && library::uses_civl(program);
        let mut libraries = options.libraries;
        libraries.base |= civl || libraries.node;
        let library = match program.dialect {
            Dialect::Boogie2 => Vec::new(),
            Dialect::Boogie3 => library::declarations(libraries),
        };

        let mut collector = Collector::new(program.dialect);
        // The library first: what a program declares itself takes precedence.
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

    /// What is wrong with the declarations taken together: names declared twice, cyclic synonyms.
    pub fn diagnostics(&self) -> &[Diagnostic] {
        &self.diagnostics
    }

    /// The types that the signatures mention.
    pub fn types(&self) -> &Types {
        &self.types
    }

    /// The declared type of that name.
    pub fn named_type(&self, name: &str) -> Option<&NamedType> {
        self.type_names.get(name)
    }

    /// The function of that name.
    pub fn function(&self, name: &str) -> Option<&Function> {
        self.functions.get(name)
    }

    /// The procedure, action or invariant of that name.
    pub fn procedure(&self, name: &str) -> Option<&ProcedureHead> {
        self.procedures.get(name)
    }

    /// The constant or global variable of that name.
    pub fn global(&self, name: &str) -> Option<&Global> {
        self.globals.get(name)
    }

    /// The datatype of that name (Boogie 3).
    pub fn datatype(&self, name: &str) -> Option<&Datatype> {
        self.datatypes.get(name)
    }
}
