//! Collects the environment: one pass over the signatures of all declarations.
//!
//! Errors within a signature are not reported here, only noted; see [`crate::env`].

use std::sync::Arc;

use bpl_syntax::Dialect;
use bpl_syntax::ast::{
    Attr, DatatypeDecl, Decl, FunctionDecl, Ident, InvariantDecl, Name, Procedure, ProcedureKind,
    Program, RefinesTarget, Signature, Spec, Type, TypeDecl, TypeKind as AstTypeKind, VarGroup,
};
use bpl_syntax::diagnostic::{Diagnostic, ErrorClass};
use bpl_syntax::span::Span;
use rustc_hash::{FxHashMap, FxHashSet};

use crate::attrs;
use crate::env::{Datatype, Function, FunctionKind, Global, ProcedureHead, ProcedureSort};
use crate::type_names::{
    NamedType, NamedTypeKind, TypeNames, TypeReader, TypeVars, is_bitvector_name,
};
use crate::types::{TypeId, TypeKind, deep};
use crate::unify::Solver;

/// The environment under construction.
pub(crate) struct Collector {
    dialect: Dialect,
    pub(crate) type_names: TypeNames,
    pub(crate) functions: FxHashMap<Name, Function>,
    pub(crate) procedures: FxHashMap<Name, ProcedureHead>,
    pub(crate) globals: FxHashMap<Name, Global>,
    pub(crate) datatypes: FxHashMap<Name, Datatype>,
    /// The names of declarations marked `{:extern}`, with a letter for the namespace.
    externs: FxHashSet<(char, Name)>,
    /// Declarations that were replaced by another one with the same name, because of `{:extern}`.
    pub(crate) replaced: FxHashSet<usize>,
    pub(crate) diagnostics: Vec<Diagnostic>,
}

/// A name to be added to a namespace.
struct Newcomer<'n> {
    space: char,
    what: &'static str,
    ident: &'n Ident,
    decl: Option<usize>,
    is_extern: bool,
}

impl Collector {
    pub(crate) fn new(dialect: Dialect) -> Collector {
        Collector {
            dialect,
            type_names: FxHashMap::default(),
            functions: FxHashMap::default(),
            procedures: FxHashMap::default(),
            globals: FxHashMap::default(),
            datatypes: FxHashMap::default(),
            externs: FxHashSet::default(),
            replaced: FxHashSet::default(),
            diagnostics: Vec::new(),
        }
    }

    /// Whether a name may be added to its namespace, where `other` is the current holder of the
    /// name.
    ///
    /// A declaration marked `{:extern}` yields to another one; if both are marked, the first stays.
    /// A library yields to the program.
    fn admit(&mut self, new: &Newcomer<'_>, other: Option<(Option<usize>, Span)>) -> bool {
        let name = &new.ident.name;
        let key = (new.space, name.clone());
        let Some((other_decl, other_span)) = other else {
            if new.is_extern {
                self.externs.insert(key);
            }
            return true;
        };
        if other_decl.is_none() {
            return true;
        }
        if new.is_extern {
            self.replaced.extend(new.decl);
            return false;
        }
        if self.externs.remove(&key) {
            self.replaced.extend(other_decl);
            return true;
        }
        let message = format!("{} `{name}` is declared more than once", new.what);
        self.diagnostics.push(
            Diagnostic::new(ErrorClass::Resolution, new.ident.span, message)
                .related(other_span, "the other declaration"),
        );
        false
    }

    pub(crate) fn collect_types(
        &mut self,
        all: &[(Option<usize>, &Decl)],
        solver: &mut Solver<'_>,
    ) {
        let mut synonyms: Vec<Synonym<'_>> = Vec::new();
        for &(decl, declaration) in all {
            match declaration {
                Decl::Type(TypeDecl { attrs: attributes, defs, .. }) => {
                    let datatype =
                        self.dialect == Dialect::Boogie2 && attrs::is_set(attributes, "datatype");
                    for def in defs {
                        let kind = if datatype {
                            NamedTypeKind::Datatype
                        } else {
                            NamedTypeKind::Constructor
                        };
                        if self.declare_type(decl, attributes, &def.name, def.params.len(), kind)
                            && let Some(body) = &def.synonym
                        {
                            synonyms.push(Synonym { name: &def.name, params: &def.params, body });
                        }
                    }
                }
                Decl::Datatype(DatatypeDecl { attrs, name, type_params, .. }) => {
                    let kind = NamedTypeKind::Datatype;
                    self.declare_type(decl, attrs, name, type_params.len(), kind);
                }
                _ => {}
            }
        }
        self.resolve_synonyms(&synonyms, solver);
    }

    fn declare_type(
        &mut self,
        decl: Option<usize>,
        attributes: &[Attr],
        ident: &Ident,
        arity: usize,
        kind: NamedTypeKind,
    ) -> bool {
        let name = &ident.name;
        if is_bitvector_name(name) {
            let message = format!("`{name}` is the name of a bitvector type");
            self.diagnostics.push(Diagnostic::new(ErrorClass::Resolution, ident.span, message));
            return false;
        }
        let is_extern = attrs::is_set(attributes, "extern");
        let newcomer = Newcomer { space: 't', what: "type", ident, decl, is_extern };
        let other = self.type_names.get(name).map(|other| (other.decl, other.span));
        if !self.admit(&newcomer, other) {
            return false;
        }
        let arity = u32::try_from(arity).unwrap_or(u32::MAX);
        self.type_names.insert(name.clone(), NamedType { decl, span: ident.span, arity, kind });
        true
    }

    /// Resolves the synonyms, dependencies first.
    fn resolve_synonyms(&mut self, synonyms: &[Synonym<'_>], solver: &mut Solver<'_>) {
        let by_name: FxHashMap<&Name, usize> =
            synonyms.iter().enumerate().map(|(i, synonym)| (&synonym.name.name, i)).collect();
        let mut states = vec![State::Unseen; synonyms.len()];
        for start in 0..synonyms.len() {
            // A path of synonyms in progress, each with the dependencies it has yet to visit.
            let mut path: Vec<(usize, Vec<usize>)> = Vec::new();
            let mut next = (states[start] == State::Unseen).then_some(start);
            loop {
                if let Some(index) = next.take() {
                    states[index] = State::Waiting;
                    let mut needs = Vec::new();
                    collect_names(synonyms[index].body, &mut |name| {
                        needs.extend(by_name.get(name).copied());
                    });
                    path.push((index, needs));
                }
                let Some((index, needs)) = path.last_mut() else { break };
                let index = *index;
                if let Some(need) = needs.pop() {
                    match states[need] {
                        State::Unseen => next = Some(need),
                        State::Waiting => states[index] = State::Cyclic,
                        State::Cyclic | State::Done => {}
                    }
                    continue;
                }
                path.pop();
                let synonym = &synonyms[index];
                let body = if states[index] == State::Cyclic {
                    let name = &synonym.name.name;
                    let message = format!("type synonym `{name}` is defined in terms of itself");
                    self.diagnostics.push(Diagnostic::new(
                        ErrorClass::Resolution,
                        synonym.name.span,
                        message,
                    ));
                    TypeId::ERROR
                } else {
                    self.read(solver, synonym.params, |reader| reader.read(synonym.body)).0
                };
                states[index] = State::Done;
                if let Some(named) = self.type_names.get_mut(&synonym.name.name) {
                    named.kind = NamedTypeKind::Synonym(body);
                }
            }
        }
    }

    /// Reads types under a binder for the parameters. Also returns whether there were no errors.
    fn read<R>(
        &self,
        solver: &mut Solver<'_>,
        params: &[Ident],
        read: impl FnOnce(&mut TypeReader<'_, '_>) -> R,
    ) -> (R, bool) {
        let mut vars = TypeVars::default();
        let mut reader = TypeReader {
            dialect: self.dialect,
            names: &self.type_names,
            solver,
            vars: &mut vars,
            errors: Vec::new(),
        };
        reader.open_binder(params);
        let result = read(&mut reader);
        (result, reader.errors.is_empty())
    }

    pub(crate) fn collect_values(
        &mut self,
        decl: Option<usize>,
        declaration: &Decl,
        solver: &mut Solver<'_>,
    ) {
        match declaration {
            Decl::Type(_) | Decl::Axiom(_) | Decl::Implementation(_) => {}
            Decl::Const(constant) => {
                let ty = self.read(solver, &[], |reader| reader.read(&constant.ty)).0;
                for name in &constant.names {
                    self.declare_global(decl, &constant.attrs, name, ty, true);
                }
            }
            Decl::Var(var) => {
                for group in &var.groups {
                    let ty = self.read(solver, &[], |reader| reader.read(&group.ty)).0;
                    for name in &group.names {
                        self.declare_global(decl, &var.attrs, name, ty, false);
                    }
                }
            }
            Decl::Function(function) => self.collect_function(decl, function, solver),
            Decl::Datatype(datatype) => self.collect_datatype(decl, datatype, solver),
            Decl::Procedure(procedure) => {
                let Procedure { kind, attrs, signature, specs, .. } = procedure;
                let sort = match kind {
                    ProcedureKind::Plain => ProcedureSort::Plain,
                    ProcedureKind::Pure => ProcedureSort::Pure,
                    ProcedureKind::Yield(_) => ProcedureSort::Yield,
                };
                self.collect_procedure(decl, sort, attrs, signature, specs, solver);
            }
            Decl::Action(action) => {
                let sort =
                    if action.pure { ProcedureSort::PureAction } else { ProcedureSort::Action };
                let (attrs, specs) = (&action.attrs, &action.specs);
                self.collect_procedure(decl, sort, attrs, &action.signature, specs, solver);
            }
            Decl::Invariant(InvariantDecl { attrs, signature, .. }) => {
                let sort = ProcedureSort::Invariant;
                self.collect_procedure(decl, sort, attrs, signature, &[], solver);
            }
        }
    }

    fn declare_global(
        &mut self,
        decl: Option<usize>,
        attributes: &[Attr],
        ident: &Ident,
        ty: TypeId,
        constant: bool,
    ) {
        let is_extern = attrs::is_set(attributes, "extern");
        let what = if constant { "constant" } else { "variable" };
        let newcomer = Newcomer { space: 'v', what, ident, decl, is_extern };
        let other = self.globals.get(&ident.name).map(|other| (other.decl, other.span));
        if self.admit(&newcomer, other) {
            let assumption = attrs::is_set(attributes, "assumption");
            let global = Global { decl, span: ident.span, ty, constant, assumption };
            self.globals.insert(ident.name.clone(), global);
        }
    }

    /// The function or procedure that already has this name. In Boogie 2 both share one namespace;
    /// in Boogie 3 each has its own.
    fn callable(&self, name: &Name, procedures: bool) -> Option<(Option<usize>, Span)> {
        let shared = self.dialect == Dialect::Boogie2;
        let function = self.functions.get(name).map(|other| (other.decl, other.span));
        let procedure = self.procedures.get(name).map(|other| (other.decl, other.span));
        function.filter(|_| shared || !procedures).or(procedure.filter(|_| shared || procedures))
    }

    fn declare_function(&mut self, is_extern: bool, ident: &Ident, function: Function) {
        let decl = function.decl;
        let newcomer = Newcomer { space: 'f', what: "function", ident, decl, is_extern };
        let other = self.callable(&ident.name, false);
        if self.admit(&newcomer, other) {
            if self.dialect == Dialect::Boogie2 {
                self.procedures.remove(&ident.name);
            }
            self.functions.insert(ident.name.clone(), function);
        }
    }

    fn declare_procedure(&mut self, is_extern: bool, ident: &Ident, procedure: ProcedureHead) {
        let decl = procedure.decl;
        let space = if self.dialect == Dialect::Boogie2 { 'f' } else { 'p' };
        let newcomer = Newcomer { space, what: "procedure", ident, decl, is_extern };
        let other = self.callable(&ident.name, true);
        if self.admit(&newcomer, other) {
            if self.dialect == Dialect::Boogie2 {
                self.functions.remove(&ident.name);
            }
            self.procedures.insert(ident.name.clone(), procedure);
        }
    }

    fn collect_function(
        &mut self,
        decl: Option<usize>,
        function: &FunctionDecl,
        solver: &mut Solver<'_>,
    ) {
        let FunctionDecl { attrs: attributes, name, type_params, params, result, .. } = function;
        let ((params_read, result), sound) = self.read(solver, type_params, |reader| {
            let params: Vec<_> = params.iter().map(|param| reader.read(&param.ty)).collect();
            (params, reader.read(&result.ty))
        });
        let is_extern = attrs::is_set(attributes, "extern");
        let params_read: Arc<[TypeId]> = params_read.into();
        let constructor =
            self.dialect == Dialect::Boogie2 && attrs::is_set(attributes, "constructor");
        if constructor {
            // Each constructor `C(a: t): D` implies the functions `a#C(D): t` and `is#C(D): bool`.
            let implied = |name: String, result| {
                let function = Function {
                    decl,
                    span: function.name.span,
                    type_params: 0,
                    params: Arc::new([]),
                    result,
                    kind: FunctionKind::Implied,
                    sound,
                };
                (Ident { span: function.span, name: name.into() }, function)
            };
            let mut functions = vec![implied(format!("is#{}", name.name), TypeId::BOOL)];
            for (param, &ty) in params.iter().zip(params_read.iter()) {
                if let Some(field) = &param.name {
                    functions.push(implied(format!("{}#{}", field.name, name.name), ty));
                }
            }
            for (ident, mut function) in functions {
                function.params = Arc::new([result]);
                self.declare_function(is_extern, &ident, function);
            }
        }
        let kind = match solver.types.kind(result) {
            TypeKind::Constructed(datatype, _) if constructor => {
                FunctionKind::Constructor(datatype.clone())
            }
            _ => FunctionKind::Plain,
        };
        let head = Function {
            decl,
            span: name.span,
            type_params: u32::try_from(type_params.len()).unwrap_or(u32::MAX),
            params: params_read,
            result,
            kind,
            sound,
        };
        self.declare_function(is_extern, name, head);
    }

    fn collect_datatype(
        &mut self,
        decl: Option<usize>,
        datatype: &DatatypeDecl,
        solver: &mut Solver<'_>,
    ) {
        let DatatypeDecl { attrs: attributes, name, type_params, constructors, .. } = datatype;
        let count = u32::try_from(type_params.len()).unwrap_or(u32::MAX);
        let args = (0..count)
            .map(|index| solver.types.intern(TypeKind::Bound { depth: 0, index }))
            .collect();
        let result = solver.types.intern(TypeKind::Constructed(name.name.clone(), args));
        let is_extern = attrs::is_set(attributes, "extern");
        let mut collected = Datatype::default();
        for constructor in constructors {
            let (params, sound) = self
                .read(solver, type_params, |reader| read_groups(reader, &constructor.fields, None));
            let fields = constructor.fields.iter().flat_map(|group| &group.names);
            for (field, &ty) in fields.zip(&params) {
                if collected.field(&field.name).is_none() {
                    collected.fields.push((field.name.clone(), ty));
                }
            }
            collected.constructors.push(constructor.name.name.clone());
            let head = Function {
                decl,
                span: constructor.name.span,
                type_params: count,
                params: params.into(),
                result,
                kind: FunctionKind::Constructor(name.name.clone()),
                sound,
            };
            self.declare_function(is_extern, &constructor.name, head);
        }
        self.datatypes.insert(name.name.clone(), collected);
    }

    fn collect_procedure(
        &mut self,
        decl: Option<usize>,
        kind: ProcedureSort,
        attributes: &[Attr],
        signature: &Signature,
        specs: &[Spec],
        solver: &mut Solver<'_>,
    ) {
        let ((types, split), sound) =
            self.read(solver, &signature.type_params, |reader| read_signature(reader, signature));
        let modifies = specs
            .iter()
            .filter_map(|spec| match spec {
                Spec::Modifies(modifies) => Some(&modifies.names),
                _ => None,
            })
            .flatten()
            .map(|ident| ident.name.clone())
            .collect();
        let head = ProcedureHead {
            decl,
            span: signature.name.span,
            kind,
            type_params: u32::try_from(signature.type_params.len()).unwrap_or(u32::MAX),
            params: types[..split].into(),
            returns: types[split..].into(),
            modifies,
            yields: is_yielding(attributes),
            sound,
        };
        let is_extern = attrs::is_set(attributes, "extern");
        self.declare_procedure(is_extern, &signature.name, head);
        // `refines action a { … }` declares an action with the parameters of its procedure.
        for spec in specs {
            if let Spec::Refines(refines) = spec
                && let RefinesTarget::Inline(action) = &refines.target
                && action.name.name != "_"
            {
                let head = ProcedureHead {
                    decl,
                    span: action.name.span,
                    kind: ProcedureSort::Action,
                    type_params: 0,
                    params: types[..split].into(),
                    returns: types[split..].into(),
                    modifies: Vec::new(),
                    yields: false,
                    sound,
                };
                self.declare_procedure(false, &action.name, head);
            }
        }
    }

    /// Checks that no two axioms have the same name (`{:name "n"}`). An axiom marked `{:extern}`
    /// yields to the other one; if both are marked, the first stays.
    pub(crate) fn check_axiom_names(&mut self, program: &Program) {
        let mut seen: FxHashMap<&Name, (usize, Span, bool)> = FxHashMap::default();
        for (index, decl) in program.decls.iter().enumerate() {
            let Decl::Axiom(axiom) = &**decl else { continue };
            let Some(name) = attrs::string(&axiom.attrs, "name") else { continue };
            let is_extern = attrs::is_set(&axiom.attrs, "extern");
            match seen.get(name) {
                Some(_) if is_extern => {
                    self.replaced.insert(index);
                    continue;
                }
                Some(&(other, _, true)) => {
                    self.replaced.insert(other);
                }
                Some(&(_, other, false)) => {
                    let message = format!("more than one axiom is named `{name}`");
                    let error = Diagnostic::new(ErrorClass::Resolution, axiom.span, message)
                        .related(other, "the other axiom");
                    self.diagnostics.push(error);
                }
                None => {}
            }
            seen.insert(name, (index, axiom.span, is_extern));
        }
    }
}

/// Whether a procedure is marked as concurrent (Boogie 2).
pub(crate) fn is_yielding(attributes: &[Attr]) -> bool {
    attrs::is_set(attributes, "yields") || attrs::is_set(attributes, "yield_assert")
}

struct Synonym<'d> {
    name: &'d Ident,
    params: &'d [Ident],
    body: &'d Type,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum State {
    Unseen,
    Waiting,
    /// In progress, and known to depend on itself.
    Cyclic,
    Done,
}

fn collect_names(ty: &Type, each: &mut dyn FnMut(&Name)) {
    deep(|| match &ty.kind {
        AstTypeKind::Named { name, args } => {
            each(name);
            for arg in args {
                collect_names(arg, each);
            }
        }
        AstTypeKind::Map(map) => {
            for index in &map.domain {
                collect_names(index, each);
            }
            collect_names(&map.range, each);
        }
        AstTypeKind::Int | AstTypeKind::Real | AstTypeKind::Bool => {}
    });
}

/// The type of each variable of the groups, in order.
pub(crate) fn read_groups(
    reader: &mut TypeReader<'_, '_>,
    groups: &[VarGroup],
    into: Option<Vec<TypeId>>,
) -> Vec<TypeId> {
    let mut types = into.unwrap_or_default();
    for group in groups {
        let ty = reader.read(&group.ty);
        types.extend(group.names.iter().map(|_| ty));
    }
    types
}

/// The types of a signature's in- and out-parameters, under the binder for its type parameters, and
/// the number of in-parameters.
pub(crate) fn read_signature(
    reader: &mut TypeReader<'_, '_>,
    signature: &Signature,
) -> (Vec<TypeId>, usize) {
    let params = read_groups(reader, &signature.params, None);
    let split = params.len();
    let mut types = read_groups(reader, &signature.returns, Some(params));
    reader.solver.types.normalize_binder(&mut types);
    (types, split)
}
