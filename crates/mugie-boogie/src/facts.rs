//! Facts about the whole seed that operators need in order to be sound inside one declaration.
//!
//! They concern names that no operator changes, or no names at all, so the facts about a seed hold
//! for all of its mutants.

use bpl_syntax::Dialect;
use bpl_syntax::ast::{
    Attr, AttrParam, AxiomDecl, BinaryOp, CallStmt, Decl, Expr, ExprKind, FunctionDecl,
    LiteralKind, Name, ProcedureKind, Program, Stmt, StmtKind, Type, TypeDecl, TypeDef, TypeKind,
    VarGroup,
};
use bpl_syntax::visit::{Namespace, Occurrence, Visit};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::mentions::Variables;

/// Facts about a seed.
#[derive(Clone, Debug, Default)]
pub struct Facts {
    /// The version of the language.
    pub dialect: Dialect,
    /// Procedures with a meaning special to CIVL, Boogie's layer for concurrent programs.
    civl: FxHashSet<Name>,
    /// Names whose meaning depends on the order of declarations.
    ordered: FxHashSet<Name>,
    /// Names (`:name`) shared by several axioms, of which only one takes effect.
    ordered_axioms: FxHashSet<Name>,
    /// Constants with `:existential`, whose values Houdini infers. `rename-global` does not rename
    /// them.
    existential: FxHashSet<Name>,
    /// Global variables with `:assumption`. `rename-global` does not rename them.
    assumptions: FxHashSet<Name>,
    /// Properties of the types.
    types: Types,
    /// Language features used anywhere in the program.
    marks: Marks,
    /// The kinds of `where` clauses that exist outside bodies.
    wheres: Wheres,
}

/// The attributes that mark CIVL declarations in Boogie 2.
const CIVL_ATTRS: [&str; 22] = [
    "yields",
    "layer",
    "atomic",
    "left",
    "right",
    "both",
    "refines",
    "linear",
    "linear_in",
    "linear_out",
    "introduced",
    "intro",
    "pure",
    "phase",
    "stable",
    "yield_requires",
    "yield_ensures",
    "yield_preserves",
    "yield_loop",
    "yield_invariant",
    "creates",
    "pending_async",
];

impl Facts {
    /// Gathers the facts about a program.
    pub fn new(program: &Program) -> Facts {
        let mut facts = Facts { dialect: program.dialect, ..Facts::default() };
        let mut names: FxHashMap<&Name, Declared> = FxHashMap::default();
        for decl in &program.decls {
            if is_civl(decl)
                && let Some(name) = procedure_name(decl)
            {
                facts.civl.insert(name.clone());
            }
            let has = |name| has_attr(decl.attrs(), name);
            let (has_extern, has_inline) = (has("extern"), has("inline"));
            if has("existential") {
                facts.existential.extend(declared_names(decl).into_iter().cloned());
            }
            if has("assumption") {
                facts.assumptions.extend(declared_names(decl).into_iter().cloned());
            }
            let (is_declared, is_implemented) = match &**decl {
                Decl::Implementation(_) => (false, true),
                Decl::Procedure(procedure) => (true, procedure.body.is_some()),
                _ => (true, false),
            };
            for name in declared_names(decl) {
                let entry = names.entry(name).or_default();
                entry.declarations += u32::from(is_declared);
                entry.implementations += u32::from(is_implemented);
                entry.has_extern |= has_extern;
                entry.has_inline |= has_inline;
            }
        }
        facts.ordered = names
            .into_iter()
            .filter(|(_, declared)| declared.order_matters())
            .map(|(name, _)| name.clone())
            .collect();
        facts.ordered_axioms = repeated_axiom_names(program);
        let uses = Uses::new(program);
        facts.types = Types::new(program, &uses);
        facts.marks.floats = uses.floats;
        for decl in &program.decls {
            facts.marks.civl |= is_civl(decl);
            facts.marks.visit_decl(decl);
            match &**decl {
                Decl::Var(var) => facts.wheres.global |= has_where(&var.groups),
                Decl::Procedure(procedure) => {
                    facts.wheres.out |= has_where(&procedure.signature.returns);
                }
                _ => {}
            }
        }
        facts
    }

    /// Whether anything in the program belongs to CIVL.
    pub fn has_civl(&self) -> bool {
        self.marks.civl
    }

    /// Whether the program hides or reveals function definitions anywhere.
    pub fn has_hiding(&self) -> bool {
        self.marks.hiding
    }

    /// Whether any global variable has a `where` clause. The fact does not name the variable, since
    /// it may be renamed.
    pub fn has_global_where(&self) -> bool {
        self.wheres.global
    }

    /// Whether any out-parameter of a procedure has a `where` clause.
    pub fn has_out_where(&self) -> bool {
        self.wheres.out
    }

    /// Whether CIVL gives the declaration a special meaning. Such procedures have their own rules
    /// for clauses and statements, so they may only be moved as a whole.
    pub fn is_civl(&self, decl: &Decl) -> bool {
        is_civl(decl) || procedure_name(decl).is_some_and(|name| self.civl.contains(name))
    }

    /// Whether the declaration must keep its place: it shares a name with another declaration, and
    /// the first of the two takes effect.
    pub fn is_ordered(&self, decl: &Decl) -> bool {
        !self.ordered.is_empty() && declared_names(decl).iter().any(|n| self.ordered.contains(*n))
            || !self.ordered_axioms.is_empty()
                && axiom_name(decl).is_some_and(|name| self.ordered_axioms.contains(name))
    }

    /// Whether an expression mentions a constant that Houdini infers. Houdini drops a clause only
    /// if it has the form `b ==> e` for such a constant `b`, so its form matters.
    pub(crate) fn has_candidate(&self, expr: &Expr) -> bool {
        if self.existential.is_empty() {
            return false;
        }
        let mut variables = Variables::default();
        variables.visit_expr(expr);
        variables.0.into_iter().any(|name| self.existential.contains(name))
    }

    /// Whether this is a global `:assumption` variable, which may only be assigned `a && e`.
    pub(crate) fn is_assumption(&self, name: &Name) -> bool {
        self.assumptions.contains(name)
    }

    /// Whether some function's result type depends on the context of the call and not only on the
    /// arguments. Boogie infers the types of arithmetic from left to right, so the order of
    /// operands may then decide whether a program is well-typed.
    pub(crate) fn has_open_results(&self) -> bool {
        self.types.open_results
    }

    /// Whether some type synonym drops one of its parameters, so that an occurrence of a type does
    /// not always determine its arguments.
    pub(crate) fn has_phantoms(&self) -> bool {
        self.types.phantoms
    }

    /// Whether a Boogie 2 program uses a feature that works in only one of Boogie's two type
    /// encodings: datatype selectors, floating-point numbers, powers. Boogie chooses the encoding
    /// by whether anything is polymorphic.
    pub(crate) fn depends_on_encoding(&self) -> bool {
        self.types.depend_on_encoding
    }

    /// Whether the program mentions a floating-point type or number. If not, every sum and product
    /// is one of integers or of real numbers.
    pub(crate) fn has_floats(&self) -> bool {
        self.marks.floats
    }
}

/// The number of declarations of a name, in all namespaces.
#[derive(Default)]
struct Declared {
    declarations: u32,
    implementations: u32,
    has_extern: bool,
    has_inline: bool,
}

impl Declared {
    /// Whether the order of the declarations matters: Boogie keeps the first of two declarations
    /// with `:extern`, and inlines the first of several implementations.
    fn order_matters(&self) -> bool {
        (self.declarations > 1 && self.has_extern) || (self.implementations > 1 && self.has_inline)
    }
}

/// Properties of a program's types.
#[derive(Clone, Debug, Default)]
struct Types {
    phantoms: bool,
    open_results: bool,
    depend_on_encoding: bool,
}

impl Types {
    fn new(program: &Program, uses: &Uses) -> Types {
        let mut types = Types::default();
        for decl in &program.decls {
            if let Decl::Type(TypeDecl { attrs, defs, .. }) = &**decl {
                types.phantoms |= defs.iter().any(is_phantom);
                types.depend_on_encoding |= has_attr(attrs, "datatype");
            }
        }
        types.depend_on_encoding |=
            program.dialect == Dialect::Boogie2 && (uses.floats || uses.powers);
        types.open_results = program.decls.iter().any(|decl| {
            matches!(&**decl, Decl::Function(function) if !function.type_params.is_empty()
                && (types.phantoms || !determines_types(function)))
        });
        types
    }
}

/// Detects floating-point numbers and powers.
#[derive(Default)]
struct Uses {
    floats: bool,
    powers: bool,
}

impl Uses {
    fn new(program: &Program) -> Uses {
        let mut uses = Uses::default();
        program.decls.iter().for_each(|decl| uses.visit_decl(decl));
        uses
    }
}

impl<'d> Visit<'d> for Uses {
    fn visit_type(&mut self, ty: &'d Type) {
        self.floats |= matches!(&ty.kind, TypeKind::Named { name, .. } if is_float(name));
        self.walk_type(ty);
    }

    fn visit_expr(&mut self, expr: &'d Expr) {
        match &expr.kind {
            ExprKind::Literal(literal) => self.floats |= literal.kind == LiteralKind::Float,
            ExprKind::Binary(op, _) => self.powers |= *op == BinaryOp::Pow,
            _ => {}
        }
        self.walk_expr(expr);
    }
}

/// Whether the name is a floating-point type, such as `float24e8`.
fn is_float(name: &Name) -> bool {
    name.strip_prefix("float").is_some_and(|size| size.starts_with(|c: char| c.is_ascii_digit()))
}

/// Whether a synonym has a parameter that does not occur in its definition.
fn is_phantom(def: &TypeDef) -> bool {
    let Some(body) = &def.synonym else { return false };
    let mut names = Names::default();
    names.visit_type(body);
    def.params.iter().any(|param| !names.0.contains(&param.name))
}

/// Whether all type parameters of a function occur in its argument types.
pub(crate) fn determines_types(function: &FunctionDecl) -> bool {
    let mut names = Names::default();
    for param in &function.params {
        names.visit_type(&param.ty);
    }
    function.type_params.iter().all(|param| names.0.contains(&param.name))
}

/// The names in a type.
#[derive(Default)]
struct Names<'d>(FxHashSet<&'d Name>);

impl<'d> Visit<'d> for Names<'d> {
    fn visit_name(&mut self, name: &'d Name, _: Namespace, _: Occurrence) {
        self.0.insert(name);
    }
}

/// The names (`:name`) that occur on more than one axiom.
fn repeated_axiom_names(program: &Program) -> FxHashSet<Name> {
    let mut seen = FxHashSet::default();
    let names = program.decls.iter().filter_map(|decl| axiom_name(decl));
    names.filter(|name| !seen.insert(*name)).cloned().collect()
}

/// The value of an axiom's `:name` attribute.
fn axiom_name(decl: &Decl) -> Option<&Name> {
    let Decl::Axiom(axiom) = decl else { return None };
    let mut named = axiom.attrs.iter().filter(|attr| attr.name == "name");
    named.find_map(|attr| match attr.params.as_slice() {
        [AttrParam::Str(name)] => Some(name),
        _ => None,
    })
}

pub(crate) fn has_attr(attrs: &[Attr], name: &str) -> bool {
    attrs.iter().any(|attr| attr.name == name)
}

/// Language features used by a program; but for floating-point numbers, as far as they are visible
/// outside expressions.
#[derive(Clone, Debug, Default)]
struct Marks {
    /// Whether CIVL is used.
    civl: bool,
    /// Whether function definitions are hidden or revealed (Boogie 3).
    hiding: bool,
    /// Whether there is a floating-point type or number.
    floats: bool,
}

/// The kinds of variables with `where` clauses.
#[derive(Clone, Debug, Default)]
struct Wheres {
    /// Whether a global variable has one.
    global: bool,
    /// Whether an out-parameter of a procedure has one.
    out: bool,
}

impl<'d> Visit<'d> for Marks {
    fn visit_decl(&mut self, decl: &'d Decl) {
        self.hiding |= matches!(decl, Decl::Function(function) if function.revealed);
        self.walk_decl(decl);
    }

    fn visit_axiom(&mut self, axiom: &'d AxiomDecl) {
        self.hiding |= axiom.hideable;
        self.walk_axiom(axiom);
    }

    fn visit_stmt(&mut self, stmt: &'d Stmt) {
        match stmt.kind {
            StmtKind::Hide(_) | StmtKind::Reveal(_) | StmtKind::Push | StmtKind::Pop => {
                self.hiding = true;
            }
            StmtKind::Yield => self.civl = true,
            _ => self.walk_stmt(stmt),
        }
    }

    fn visit_call(&mut self, call: &'d CallStmt) {
        self.civl |= call.is_async || call.is_par || call.arms.len() > 1;
        self.walk_call(call);
    }

    fn visit_attr(&mut self, attr: &'d Attr) {
        self.civl |= CIVL_ATTRS.contains(&attr.name.as_str());
    }

    fn visit_expr(&mut self, _: &'d Expr) {}
}

fn has_where(groups: &[VarGroup]) -> bool {
    groups.iter().any(|group| group.where_clause.is_some())
}

pub(crate) fn is_civl(decl: &Decl) -> bool {
    let marked = |attrs: &[Attr]| attrs.iter().any(|a| CIVL_ATTRS.contains(&a.name.as_str()));
    match decl {
        Decl::Action(_) | Decl::Invariant(_) => true,
        Decl::Procedure(procedure) => {
            procedure.kind != ProcedureKind::Plain || marked(&procedure.attrs)
        }
        Decl::Implementation(implementation) => marked(&implementation.attrs),
        _ => false,
    }
}

/// The procedure that a declaration declares or implements.
fn procedure_name(decl: &Decl) -> Option<&Name> {
    match decl {
        Decl::Procedure(procedure) => Some(&procedure.signature.name.name),
        Decl::Implementation(implementation) => Some(&implementation.signature.name.name),
        Decl::Action(action) => Some(&action.signature.name.name),
        Decl::Invariant(invariant) => Some(&invariant.signature.name.name),
        _ => None,
    }
}

/// The names that a declaration introduces at the top level; for an implementation, the name of its
/// procedure.
pub(crate) fn declared_names(decl: &Decl) -> Vec<&Name> {
    match decl {
        Decl::Type(types) => types.defs.iter().map(|def| &def.name.name).collect(),
        Decl::Const(consts) => consts.names.iter().map(|ident| &ident.name).collect(),
        Decl::Function(function) => vec![&function.name.name],
        Decl::Axiom(_) => Vec::new(),
        Decl::Var(vars) => {
            vars.groups.iter().flat_map(|g| &g.names).map(|ident| &ident.name).collect()
        }
        Decl::Datatype(datatype) => std::iter::once(&datatype.name.name)
            .chain(datatype.constructors.iter().map(|constructor| &constructor.name.name))
            .collect(),
        Decl::Procedure(_) | Decl::Implementation(_) | Decl::Action(_) | Decl::Invariant(_) => {
            procedure_name(decl).into_iter().collect()
        }
    }
}
