//! The program to be translated: parsed, checked, and indexed by name.
//!
//! This module refuses what has a meaning only to Boogie as a whole: CIVL, options given as
//! attributes, declarations that replace each other. It knows nothing about WhyML.

use std::rc::Rc;

use bpl_check::{CheckOptions, Checked, TypeId, check_with_types};
use bpl_syntax::ast::{
    Attr, AttrParam, Body, CallStmt, DatatypeDecl, Decl, Expr, ExprKind, FunctionDecl, Ident,
    Implementation, LiteralKind, Name, Procedure, ProcedureKind, Program, Signature, Stmt,
    StmtKind, VarGroup,
};
use bpl_syntax::source::SourceMap;
use bpl_syntax::span::Span;
use bpl_syntax::visit::Visit;
use bpl_syntax::{Dialect, parse_files};
use rustc_hash::FxHashMap;

use crate::refusal::{Refusal, Result, refuse, refuse_at};
use crate::types::{Ty, TypeReader, TypeScope};

/// A parsed and checked program.
pub(crate) struct Loaded {
    pub(crate) program: Program,
    pub(crate) checked: Checked,
}

/// Parses and checks the files, in the version of the language that accepts them: 2 if both do.
pub(crate) fn load(sources: &SourceMap) -> Result<Loaded> {
    let mut first = None;
    for dialect in [Dialect::Boogie2, Dialect::Boogie3] {
        let parse = parse_files(sources, dialect);
        let errors = if parse.errors.is_empty() {
            match check_with_types(&parse.program, CheckOptions::default()) {
                Ok(checked) => return Ok(Loaded { program: parse.program, checked }),
                Err(errors) => errors,
            }
        } else {
            parse.errors
        };
        first = first.or(errors.into_iter().next());
    }
    match first {
        Some(error) => {
            let what = format!("a program that Boogie rejects without options ({})", error.message);
            refuse_at(error.span, what)
        }
        None => refuse("a program that Boogie rejects"),
    }
}

/// The constructors of a datatype.
#[derive(Debug)]
pub(crate) struct Datatype {
    pub(crate) constructors: Vec<Constructor>,
}

/// A constructor of a datatype.
#[derive(Clone, Debug)]
pub(crate) struct Constructor {
    pub(crate) name: Name,
    pub(crate) fields: Vec<Name>,
    /// The types of the fields, in which the type parameters of the datatype are bound.
    pub(crate) types: Rc<[TypeId]>,
}

/// What a function that is no ordinary one stands for.
#[derive(Clone, Debug)]
pub(crate) enum Special {
    /// A constructor of a datatype.
    Constructor,
    /// `field#C`, of this datatype.
    Selector { datatype: Name, constructor: Name, field: usize },
    /// `is#C`, of this datatype.
    Tester { datatype: Name, constructor: Name },
}

/// An implementation to be verified.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Proof<'a> {
    pub(crate) signature: &'a Signature,
    pub(crate) body: &'a Body,
    pub(crate) span: Span,
    attrs: &'a [Attr],
    /// The number of implementations of the same procedure before it.
    pub(crate) number: usize,
}

/// A global variable.
#[derive(Clone, Copy, Debug)]
pub(crate) struct GlobalVar<'a> {
    pub(crate) name: &'a Ident,
    pub(crate) group: &'a VarGroup,
}

/// An indexed program.
pub(crate) struct Source<'a> {
    pub(crate) program: &'a Program,
    pub(crate) checked: &'a Checked,
    /// The type of each expression, by address.
    types: FxHashMap<*const Expr, TypeId>,
    functions: FxHashMap<&'a Name, &'a FunctionDecl>,
    procedures: FxHashMap<&'a Name, &'a Procedure>,
    datatypes: FxHashMap<Name, Datatype>,
    special: FxHashMap<Name, Special>,
    pub(crate) globals: Vec<GlobalVar<'a>>,
    proofs: Vec<Proof<'a>>,
    /// The number of implementations of each procedure so far.
    implementations: FxHashMap<&'a Name, usize>,
}

/// Attributes that change what is verified, or which declaration counts, in ways that WhyML does not
/// have; with what they are about.
const REFUSED_ATTRS: [(&str, &str); 36] = [
    ("yields", "CIVL"),
    ("layer", "CIVL"),
    ("atomic", "CIVL"),
    ("left", "CIVL"),
    ("right", "CIVL"),
    ("both", "CIVL"),
    ("refines", "CIVL"),
    ("linear", "CIVL"),
    ("linear_in", "CIVL"),
    ("linear_out", "CIVL"),
    ("introduced", "CIVL"),
    ("intro", "CIVL"),
    ("pure", "CIVL"),
    ("phase", "CIVL"),
    ("stable", "CIVL"),
    ("yield_requires", "CIVL"),
    ("yield_ensures", "CIVL"),
    ("yield_preserves", "CIVL"),
    ("yield_loop", "CIVL"),
    ("yield_invariant", "CIVL"),
    ("creates", "CIVL"),
    ("pending_async", "CIVL"),
    ("bvbuiltin", "a symbol of the solver"),
    ("builtin", "a symbol of the solver"),
    ("assumption", "assumption variables"),
    ("verified_under", "assumption variables"),
    ("existential", "Houdini"),
    ("candidate", "Houdini"),
    ("always_assume", "free clauses that are assumed"),
    ("selective_checking", "a choice of checks"),
    ("start_checking_here", "a choice of checks"),
    ("extern", "declarations that replace each other"),
    ("ignore", "declarations that replace each other"),
    ("entrypoint", "the options of Corral"),
    ("unroll", "loop unrolling"),
    ("kInductionDepth", "another proof rule for loops"),
];

impl<'a> Source<'a> {
    pub(crate) fn new(loaded: &'a Loaded) -> Result<Source<'a>> {
        let Loaded { program, checked } = loaded;
        let mut source = Source {
            program,
            checked,
            types: FxHashMap::default(),
            functions: FxHashMap::default(),
            procedures: FxHashMap::default(),
            datatypes: FxHashMap::default(),
            special: FxHashMap::default(),
            globals: Vec::new(),
            proofs: Vec::new(),
            implementations: FxHashMap::default(),
        };
        for (index, decl) in program.decls.iter().enumerate() {
            let types = checked.expr_types(index);
            let mut numbering = Numbering { types, next: 0, found: &mut source.types };
            numbering.visit_decl(decl);
            let mut refused = Refused(None);
            refused.visit_decl(decl);
            if let Some(refusal) = refused.0 {
                return Err(Box::new(refusal));
            }
            source.add(decl)?;
        }
        Ok(source)
    }

    fn add(&mut self, decl: &'a Decl) -> Result<()> {
        match decl {
            Decl::Type(types) => {
                if is_set(&types.attrs, "datatype") {
                    for def in &types.defs {
                        let constructors = Vec::new();
                        self.datatypes
                            .entry(def.name.name.clone())
                            .or_insert(Datatype { constructors });
                    }
                }
            }
            Decl::Function(function) => {
                self.functions.insert(&function.name.name, function);
                if is_set(&function.attrs, "constructor") {
                    self.add_old_constructor(function);
                }
            }
            Decl::Var(vars) => {
                for group in &vars.groups {
                    self.globals.extend(group.names.iter().map(|name| GlobalVar { name, group }));
                }
            }
            Decl::Procedure(procedure) => {
                if procedure.kind != ProcedureKind::Plain {
                    return refuse_at(procedure.span, "a pure or yielding procedure");
                }
                let name = &procedure.signature.name.name;
                self.procedures.insert(name, procedure);
                if let Some(body) = &procedure.body {
                    self.add_proof(&procedure.signature, body, &procedure.attrs)?;
                }
            }
            Decl::Implementation(implementation) => {
                let Implementation { span: _, attrs, signature, body } = implementation;
                self.add_proof(signature, body, attrs)?;
            }
            Decl::Datatype(datatype) => self.add_datatype(datatype),
            Decl::Action(action) => return refuse_at(action.span, "an action (CIVL)"),
            Decl::Invariant(invariant) => {
                return refuse_at(invariant.span, "an invariant as a declaration (CIVL)");
            }
            Decl::Const(_) | Decl::Axiom(_) => {}
        }
        Ok(())
    }

    fn add_proof(
        &mut self,
        signature: &'a Signature,
        body: &'a Body,
        attrs: &'a [Attr],
    ) -> Result<()> {
        let Ident { name, span } = &signature.name;
        if attrs.iter().any(|attr| attr.name == "inline") {
            return refuse_at(*span, "a procedure that Boogie inlines (`:inline`)");
        }
        let count = self.implementations.entry(name).or_default();
        self.proofs.push(Proof { signature, body, span: *span, attrs, number: *count });
        *count += 1;
        Ok(())
    }

    /// The implementations that are verified: neither they nor their procedures are `{:verify false}`.
    pub(crate) fn verified(&self) -> impl Iterator<Item = &Proof<'a>> {
        self.proofs.iter().filter(|proof| {
            let procedure = self.procedures.get(&proof.signature.name.name);
            let attrs = procedure.map_or(&[][..], |procedure| &procedure.attrs);
            !is_false(proof.attrs, "verify") && !is_false(attrs, "verify")
        })
    }

    fn add_datatype(&mut self, decl: &DatatypeDecl) {
        let name = &decl.name.name;
        let constructors = decl.constructors.iter().map(|constructor| {
            let own = &constructor.name.name;
            self.special.insert(own.clone(), Special::Constructor);
            let fields = constructor.fields.iter().flat_map(|group| &group.names);
            let types = self.checked.env().function(own).map(|function| &*function.params);
            Constructor {
                name: own.clone(),
                fields: fields.map(|ident| ident.name.clone()).collect(),
                types: types.unwrap_or_default().into(),
            }
        });
        let constructors = constructors.collect();
        self.datatypes.insert(name.clone(), Datatype { constructors });
    }

    /// Adds a function that is marked `{:constructor}`, with its selectors and its tester.
    fn add_old_constructor(&mut self, function: &FunctionDecl) {
        let own = &function.name.name;
        let Some(signature) = self.checked.env().function(own) else { return };
        let result = self.checked.types().kind(signature.result);
        let bpl_check::TypeKind::Constructed(datatype, _) = result else { return };
        let fields: Vec<Name> = function
            .params
            .iter()
            .map(|param| param.name.as_ref().map(|ident| ident.name.clone()).unwrap_or_default())
            .collect();
        let (datatype, constructor) = (datatype.clone(), own.clone());
        for (field, name) in fields.iter().enumerate() {
            let (datatype, constructor) = (datatype.clone(), constructor.clone());
            let special = Special::Selector { datatype, constructor, field };
            self.special.insert(format!("{name}#{own}").into(), special);
        }
        let tester =
            Special::Tester { datatype: datatype.clone(), constructor: constructor.clone() };
        self.special.insert(format!("is#{own}").into(), tester);
        self.special.insert(own.clone(), Special::Constructor);
        let types = Rc::from(&*signature.params);
        let entry = self.datatypes.entry(datatype).or_insert(Datatype { constructors: Vec::new() });
        entry.constructors.push(Constructor { name: constructor, fields, types });
    }

    /// The type of an expression.
    pub(crate) fn type_of(&self, expr: &Expr) -> Option<TypeId> {
        self.types.get(&std::ptr::from_ref(expr)).copied()
    }

    /// The declaration of a function.
    pub(crate) fn function(&self, name: &Name) -> Option<&'a FunctionDecl> {
        self.functions.get(name).copied()
    }

    /// The declaration of a procedure.
    pub(crate) fn procedure(&self, name: &Name) -> Result<&'a Procedure> {
        match self.procedures.get(name) {
            Some(procedure) => Ok(procedure),
            None => refuse(format!("the procedure `{name}` of a library")),
        }
    }

    /// The datatype with this name.
    pub(crate) fn datatype(&self, name: &Name) -> Option<&Datatype> {
        self.datatypes.get(name)
    }

    /// What a function stands for if it is not an ordinary one.
    pub(crate) fn special(&self, name: &Name) -> Option<&Special> {
        self.special.get(name)
    }

    /// The types of a signature's parameters.
    pub(crate) fn formals(
        &self,
        groups: &[VarGroup],
        scope: &TypeScope,
    ) -> Result<Vec<(Name, Ty)>> {
        let mut formals = Vec::new();
        for group in groups {
            let ty = TypeReader::new(self.checked).read(&group.ty, scope)?;
            formals.extend(group.names.iter().map(|ident| (ident.name.clone(), ty.clone())));
        }
        Ok(formals)
    }
}

/// Whether calls of a function are replaced by its body.
pub(crate) fn is_inline(function: &FunctionDecl) -> bool {
    function.body.is_some() && is_set(&function.attrs, "inline")
}

/// Whether a boolean attribute is set: the first one counts.
fn is_set(attrs: &[Attr], name: &str) -> bool {
    let Some(attr) = attrs.iter().find(|attr| attr.name == name) else { return false };
    attr.params.is_empty() || literal(attr) == Some("true")
}

fn is_false(attrs: &[Attr], name: &str) -> bool {
    attrs.iter().find(|attr| attr.name == name).and_then(literal) == Some("false")
}

/// The only parameter of an attribute, if it is a boolean or a number.
pub(crate) fn literal(attr: &Attr) -> Option<&str> {
    match &*attr.params {
        [AttrParam::Expr(Expr { kind: ExprKind::Literal(literal), .. })]
            if matches!(literal.kind, LiteralKind::Bool | LiteralKind::Int) =>
        {
            Some(&literal.text)
        }
        _ => None,
    }
}

/// Gives each expression of a declaration its type: the checker numbers them as visitors do.
struct Numbering<'s, 't> {
    types: &'t [TypeId],
    next: usize,
    found: &'s mut FxHashMap<*const Expr, TypeId>,
}

impl<'ast> Visit<'ast> for Numbering<'_, '_> {
    fn visit_expr(&mut self, expr: &'ast Expr) {
        if let Some(&ty) = self.types.get(self.next) {
            self.found.insert(std::ptr::from_ref(expr), ty);
        }
        self.next += 1;
        self.walk_expr(expr);
    }
}

/// Looks for attributes and statements that are refused wherever they stand.
struct Refused(Option<Refusal>);

impl<'ast> Visit<'ast> for Refused {
    fn visit_attr(&mut self, attr: &'ast Attr) {
        if let Some((name, what)) = REFUSED_ATTRS.iter().find(|(name, _)| attr.name == *name) {
            let what = format!("the attribute `:{name}` ({what})");
            self.0.get_or_insert(Refusal { what, span: Some(attr.span) });
        }
        self.walk_attr(attr);
    }

    fn visit_stmt(&mut self, stmt: &'ast Stmt) {
        let what = match &stmt.kind {
            StmtKind::Yield => "`yield`",
            StmtKind::Measure(_) => "`measure`",
            _ => return self.walk_stmt(stmt),
        };
        self.0.get_or_insert(Refusal { what: what.to_owned(), span: Some(stmt.span) });
    }

    fn visit_call(&mut self, call: &'ast CallStmt) {
        let concurrent = call.is_async || call.is_par || call.arms.len() != 1;
        let what = match (concurrent, call.free) {
            (true, _) => Some("a concurrent call"),
            (false, true) => Some("a free call"),
            (false, false) => None,
        };
        if let (Some(what), Some(arm)) = (what, call.arms.first()) {
            self.0.get_or_insert(Refusal { what: what.to_owned(), span: Some(arm.span) });
        }
        self.walk_call(call);
    }
}
