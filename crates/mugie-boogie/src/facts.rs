//! What operators must know of the whole seed to stay sound inside one declaration.
//!
//! These facts are about names that no operator changes, or about no names at all, so those of the
//! seed hold for all of its mutants.

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
    /// Procedures that CIVL, the layer for concurrent programs, gives a meaning of their own.
    civl: FxHashSet<Name>,
    /// Names of which the order of declarations decides what they mean.
    ordered: FxHashSet<Name>,
    /// Names of axioms, of which likewise only one counts.
    ordered_axioms: FxHashSet<Name>,
    /// Constants with `:existential`, which Houdini chooses. `rename-global` leaves them alone.
    existential: FxHashSet<Name>,
    /// Global variables with `:assumption`. `rename-global` leaves them alone, too.
    assumptions: FxHashSet<Name>,
    /// What the types are like.
    types: Types,
    /// What is used anywhere at all.
    marks: Marks,
    /// Which `where` clauses there are that cannot be seen from a body.
    wheres: Wheres,
}

/// The attributes by which Boogie 2 marks what belongs to CIVL.
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
        facts.types = Types::new(program);
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

    /// Whether the definitions of functions are hidden or revealed anywhere.
    pub fn has_hiding(&self) -> bool {
        self.marks.hiding
    }

    /// Whether any global variable has a `where` clause. Not which one: it may get a new name.
    pub fn has_global_where(&self) -> bool {
        self.wheres.global
    }

    /// Whether any out-parameter of a procedure has a `where` clause.
    pub fn has_out_where(&self) -> bool {
        self.wheres.out
    }

    /// Whether CIVL has a say in what the declaration means. Such procedures have rules of their
    /// own about clauses and statements, so only their place in the program may change.
    pub fn is_civl(&self, decl: &Decl) -> bool {
        is_civl(decl) || procedure_name(decl).is_some_and(|name| self.civl.contains(name))
    }

    /// Whether the declaration must stay where it is: it shares a name with another, and the
    /// first of the two counts.
    pub fn is_ordered(&self, decl: &Decl) -> bool {
        !self.ordered.is_empty() && declared_names(decl).iter().any(|n| self.ordered.contains(*n))
            || !self.ordered_axioms.is_empty()
                && axiom_name(decl).is_some_and(|name| self.ordered_axioms.contains(name))
    }

    /// Whether an expression mentions a constant that Houdini chooses. Houdini drops a clause
    /// only if it has the form `b ==> e` for such a constant `b`, so its form means something.
    pub(crate) fn has_candidate(&self, expr: &Expr) -> bool {
        if self.existential.is_empty() {
            return false;
        }
        let mut variables = Variables::default();
        variables.visit_expr(expr);
        variables.0.into_iter().any(|name| self.existential.contains(name))
    }

    /// Whether a global variable of this name may be assigned to in a fixed form only.
    pub(crate) fn is_assumption(&self, name: &Name) -> bool {
        self.assumptions.contains(name)
    }

    /// Whether the type of some function's result depends on where it is called, not only on the
    /// arguments. Boogie tries the types of arithmetic from the left, so that what stands on which
    /// side may decide whether a program is well-typed.
    pub(crate) fn has_open_results(&self) -> bool {
        self.types.open_results
    }

    /// Whether some type synonym drops one of its parameters: what mentions a type may not
    /// determine it then.
    pub(crate) fn has_phantoms(&self) -> bool {
        self.types.phantoms
    }

    /// Whether something in a program of Boogie 2 means what it should in only one of the two
    /// encodings of types, between which Boogie chooses by whether anything is polymorphic:
    /// selectors of datatypes, floating-point numbers, powers.
    pub(crate) fn depends_on_encoding(&self) -> bool {
        self.types.depend_on_encoding
    }
}

/// How often a name is declared, in any name space.
#[derive(Default)]
struct Declared {
    declarations: u32,
    implementations: u32,
    has_extern: bool,
    has_inline: bool,
}

impl Declared {
    /// Of two declarations with `:extern` the first is kept; of several implementations of a
    /// procedure the first is inlined.
    fn order_matters(&self) -> bool {
        (self.declarations > 1 && self.has_extern) || (self.implementations > 1 && self.has_inline)
    }
}

/// What the types of a program are like.
#[derive(Clone, Debug, Default)]
struct Types {
    phantoms: bool,
    open_results: bool,
    depend_on_encoding: bool,
}

impl Types {
    fn new(program: &Program) -> Types {
        let mut types = Types::default();
        for decl in &program.decls {
            if let Decl::Type(TypeDecl { attrs, defs, .. }) = &**decl {
                types.phantoms |= defs.iter().any(is_phantom);
                types.depend_on_encoding |= has_attr(attrs, "datatype");
            }
        }
        let mut uses = Uses(types.depend_on_encoding);
        if program.dialect == Dialect::Boogie2 {
            program.decls.iter().for_each(|decl| uses.visit_decl(decl));
        }
        types.depend_on_encoding = uses.0;
        types.open_results = program.decls.iter().any(|decl| {
            matches!(&**decl, Decl::Function(function) if !function.type_params.is_empty()
                && (types.phantoms || !determines_types(function)))
        });
        types
    }
}

/// Whether floating-point numbers or powers are used.
struct Uses(bool);

impl<'d> Visit<'d> for Uses {
    fn visit_type(&mut self, ty: &'d Type) {
        self.0 |= matches!(&ty.kind, TypeKind::Named { name, .. } if is_float(name));
        self.walk_type(ty);
    }

    fn visit_expr(&mut self, expr: &'d Expr) {
        self.0 |= match &expr.kind {
            ExprKind::Literal(literal) => literal.kind == LiteralKind::Float,
            ExprKind::Binary(op, _) => *op == BinaryOp::Pow,
            _ => false,
        };
        self.walk_expr(expr);
    }
}

/// Whether a type is one of floating-point numbers, `float24e8`.
fn is_float(name: &Name) -> bool {
    name.strip_prefix("float").is_some_and(|size| size.starts_with(|c: char| c.is_ascii_digit()))
}

/// Whether a synonym has a parameter that what it stands for does not mention.
fn is_phantom(def: &TypeDef) -> bool {
    let Some(body) = &def.synonym else { return false };
    let mut names = Names::default();
    names.visit_type(body);
    def.params.iter().any(|param| !names.0.contains(&param.name))
}

/// Whether the types of the arguments mention all type parameters of a function.
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

/// The names that more than one axiom has.
fn repeated_axiom_names(program: &Program) -> FxHashSet<Name> {
    let mut seen = FxHashSet::default();
    let names = program.decls.iter().filter_map(|decl| axiom_name(decl));
    names.filter(|name| !seen.insert(*name)).cloned().collect()
}

/// The name that `:name` gives an axiom.
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

/// What the declarations of a program use, as far as it shows outside of expressions.
#[derive(Clone, Debug, Default)]
struct Marks {
    /// Whether anything belongs to CIVL.
    civl: bool,
    /// Whether definitions of functions are hidden or revealed (Boogie 3).
    hiding: bool,
}

/// Which variables have `where` clauses.
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

fn is_civl(decl: &Decl) -> bool {
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

/// The names that a declaration introduces at the top level; of an implementation, its
/// procedure's.
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
