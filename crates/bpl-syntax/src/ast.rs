//! The syntax tree of a Boogie program: a plain value, compared and hashed up to layout.
//!
//! The tree keeps everything that matters to a reader of the language: the order of declarations
//! and clauses, grouping (`x, y: int`), every attribute in its place, the digits of each literal.
//! It does not keep white space, comments, redundant parentheses, the backslash of an escaped
//! identifier, or an empty `returns ()`.
//!
//! It knows nothing about scopes or types, which a checker handles.
//!
//! The types are exhaustive on purpose, so a new construct is a breaking change: whoever transforms programs
//! must not overlook it.

use std::hash::{Hash, Hasher};
use std::sync::Arc;

use thin_vec::ThinVec;

use crate::dialect::Dialect;
use crate::span::Span;
use crate::stack::deep;

pub use crate::name::Name;

/// The list type for the most common lists of a tree. An empty one, which most are, takes only the
/// size of a pointer.
pub type List<T> = ThinVec<T>;

/// An identifier with its source span.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Ident {
    /// The source span.
    pub span: Span,
    /// The text.
    pub name: Name,
}

impl Ident {
    /// Creates an identifier without a source span, for trees built by hand.
    pub fn new(name: impl Into<Name>) -> Ident {
        Ident { span: Span::default(), name: name.into() }
    }
}

/// A program. Cloning it copies one pointer per declaration, never a tree.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Program {
    /// The version of the language that the program is written in.
    pub dialect: Dialect,
    /// The declarations, in source order.
    pub decls: Vec<Arc<Decl>>,
}

impl Program {
    /// Returns a declaration for modification, after cloning it if it is shared with other
    /// programs.
    pub fn decl_mut(&mut self, index: usize) -> &mut Decl {
        Arc::make_mut(&mut self.decls[index])
    }
}

/// A top-level declaration.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Decl {
    /// `type T a = …, U b;`
    Type(TypeDecl),
    /// `const unique a, b: T;`
    Const(ConstDecl),
    /// `function f(x: T): U { … }`
    Function(FunctionDecl),
    /// `axiom e;`
    Axiom(AxiomDecl),
    /// `var x: T where e, y: U;`
    Var(VarDecl),
    /// `procedure p(…) returns (…); …` with or without a body
    Procedure(Procedure),
    /// `implementation p(…) returns (…) { … }`
    Implementation(Implementation),
    /// `datatype D<T> { C(x: T) }` (Boogie 3)
    Datatype(DatatypeDecl),
    /// `atomic action a(…) …` (Boogie 3)
    Action(ActionDecl),
    /// `yield invariant i(…); preserves …` (Boogie 3)
    Invariant(InvariantDecl),
}

impl Decl {
    /// The source span of the declaration.
    pub fn span(&self) -> Span {
        match self {
            Decl::Type(d) => d.span,
            Decl::Const(d) => d.span,
            Decl::Function(d) => d.span,
            Decl::Axiom(d) => d.span,
            Decl::Var(d) => d.span,
            Decl::Procedure(d) => d.span,
            Decl::Implementation(d) => d.span,
            Decl::Datatype(d) => d.span,
            Decl::Action(d) => d.span,
            Decl::Invariant(d) => d.span,
        }
    }

    /// The attributes of the declaration as a whole.
    pub fn attrs(&self) -> &[Attr] {
        match self {
            Decl::Type(d) => &d.attrs,
            Decl::Const(d) => &d.attrs,
            Decl::Function(d) => &d.attrs,
            Decl::Axiom(d) => &d.attrs,
            Decl::Var(d) => &d.attrs,
            Decl::Procedure(d) => &d.attrs,
            Decl::Implementation(d) => &d.attrs,
            Decl::Datatype(d) => &d.attrs,
            Decl::Action(d) => &d.attrs,
            Decl::Invariant(d) => &d.attrs,
        }
    }

    /// The keyword of the declaration: `axiom`, `procedure`, ….
    pub fn keyword(&self) -> &'static str {
        match self {
            Decl::Type(_) => "type",
            Decl::Const(_) => "const",
            Decl::Function(_) => "function",
            Decl::Axiom(_) => "axiom",
            Decl::Var(_) => "var",
            Decl::Procedure(_) => "procedure",
            Decl::Implementation(_) => "implementation",
            Decl::Datatype(_) => "datatype",
            Decl::Action(_) => "action",
            Decl::Invariant(_) => "invariant",
        }
    }
}

/// `{:name params}`
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Attr {
    /// The source span, including the braces.
    pub span: Span,
    /// The name as written. Unlike anywhere else, a backslash is part of it.
    pub name: Name,
    /// The parameters.
    pub params: List<AttrParam>,
}

/// A parameter of an attribute.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum AttrParam {
    /// A string without its quotes, otherwise verbatim.
    Str(Name),
    /// An expression, in the scope of the attribute.
    Expr(Expr),
}

/// A type.
#[derive(Debug, Eq)]
pub struct Type {
    /// The source span.
    pub span: Span,
    /// The kind.
    pub kind: TypeKind,
}

/// The kinds of types.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum TypeKind {
    /// `int`
    Int,
    /// `real`
    Real,
    /// `bool`
    Bool,
    /// `C t u`, with `bv32`, `float24e8`, `rmode`, `string` and type variables among the names
    Named {
        /// The constructor, synonym or variable.
        name: Name,
        /// Its arguments.
        args: List<Type>,
    },
    /// `<a>[t, u]v`
    Map(Box<MapType>),
}

/// `<a>[t, u]v`
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct MapType {
    /// The bound type variables.
    pub type_params: List<Ident>,
    /// The types of the indices, possibly none.
    pub domain: List<Type>,
    /// The type of the elements.
    pub range: Type,
}

/// `x, y: T where e`: variables that share attributes, type and `where` clause.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct VarGroup {
    /// From the first name (or attribute) to the end of the type or `where` clause.
    pub span: Span,
    /// The attributes before the names. Always empty in a [`VarDecl`], which has its own.
    pub attrs: List<Attr>,
    /// The variables, at least one.
    pub names: List<Ident>,
    /// The type of the variables.
    pub ty: Type,
    /// The condition on each of the variables, where allowed.
    pub where_clause: Option<Box<Expr>>,
}

/// `type T a = …, U b;`
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct TypeDecl {
    /// The source span.
    pub span: Span,
    /// The attributes, which apply to every type defined here.
    pub attrs: List<Attr>,
    /// The types, at least one.
    pub defs: Vec<TypeDef>,
}

/// One type of a [`TypeDecl`].
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct TypeDef {
    /// Its name.
    pub name: Ident,
    /// Its parameters; the names matter only to a synonym.
    pub params: List<Ident>,
    /// The type it abbreviates, if it is a synonym and not a constructor.
    pub synonym: Option<Type>,
}

/// `const unique a, b: T;`
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct ConstDecl {
    /// The source span.
    pub span: Span,
    /// The attributes.
    pub attrs: List<Attr>,
    /// Whether the constants differ from all other `unique` constants of their type.
    pub unique: bool,
    /// The constants, at least one.
    pub names: List<Ident>,
    /// The type of the constants.
    pub ty: Type,
    /// The place in the partial order `<:` (Boogie 2).
    pub order: Option<ConstOrder>,
    /// `uses { … }`, the axioms that come with the constants (Boogie 3).
    pub uses: Option<Vec<AxiomDecl>>,
}

/// `extends unique a, b complete`
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct ConstOrder {
    /// The parents.
    pub parents: Vec<OrderParent>,
    /// Whether the constant has no other children than those declared.
    pub complete: bool,
}

/// A parent in a [`ConstOrder`].
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct OrderParent {
    /// Whether the edge is unique.
    pub unique: bool,
    /// The parent constant.
    pub name: Ident,
}

/// `function f<T>(x: T): U { … }`
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct FunctionDecl {
    /// The source span.
    pub span: Span,
    /// `revealed` (Boogie 3).
    pub revealed: bool,
    /// The attributes.
    pub attrs: List<Attr>,
    /// The name.
    pub name: Ident,
    /// The type parameters.
    pub type_params: List<Ident>,
    /// The arguments, either all with a name or all without.
    pub params: Vec<FunctionParam>,
    /// The result, possibly with a name that no expression can refer to.
    pub result: FunctionParam,
    /// The definition.
    pub body: Option<Expr>,
    /// `uses { … }`, the axioms that come with the function (Boogie 3).
    pub uses: Option<Vec<AxiomDecl>>,
}

/// An argument or the result of a function.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct FunctionParam {
    /// Its attributes.
    pub attrs: List<Attr>,
    /// Its name, if it has one.
    pub name: Option<Ident>,
    /// Its type.
    pub ty: Type,
}

/// `axiom e;`
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct AxiomDecl {
    /// The source span.
    pub span: Span,
    /// `hideable` (Boogie 3).
    pub hideable: bool,
    /// The attributes.
    pub attrs: List<Attr>,
    /// The condition.
    pub expr: Expr,
}

/// `var x, y: T where e, z: U;`, global or local.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct VarDecl {
    /// The source span.
    pub span: Span,
    /// The attributes, which apply to every variable declared here.
    pub attrs: List<Attr>,
    /// The variables, at least one group.
    pub groups: Vec<VarGroup>,
}

/// The signature of a procedure, an implementation, an action or an invariant.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Signature {
    /// The name.
    pub name: Ident,
    /// The type parameters.
    pub type_params: List<Ident>,
    /// The in-parameters.
    pub params: Vec<VarGroup>,
    /// The out-parameters.
    pub returns: Vec<VarGroup>,
}

/// `procedure p(…) returns (…); requires …`, or with a body instead of the semicolon.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Procedure {
    /// The source span.
    pub span: Span,
    /// Plain, pure or yielding.
    pub kind: ProcedureKind,
    /// The attributes.
    pub attrs: List<Attr>,
    /// Name and parameters.
    pub signature: Signature,
    /// The clauses, in source order.
    pub specs: Vec<Spec>,
    /// The body, if it is given here.
    pub body: Option<Body>,
}

/// The kinds of procedures.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ProcedureKind {
    /// `procedure`
    Plain,
    /// `pure procedure` (Boogie 3)
    Pure,
    /// `yield left procedure` (Boogie 3)
    Yield(Option<Mover>),
}

/// The mover type of an action or a yielding procedure.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Mover {
    /// `atomic`
    Atomic,
    /// `both`
    Both,
    /// `left`
    Left,
    /// `right`
    Right,
}

/// `implementation p(…) returns (…) { … }`
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Implementation {
    /// The source span.
    pub span: Span,
    /// The attributes.
    pub attrs: List<Attr>,
    /// Name and parameters, never with `where` clauses.
    pub signature: Signature,
    /// The body.
    pub body: Body,
}

/// `datatype D<T> { C(x: T), … }`
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct DatatypeDecl {
    /// The source span.
    pub span: Span,
    /// The attributes.
    pub attrs: List<Attr>,
    /// The name of the type.
    pub name: Ident,
    /// Its parameters.
    pub type_params: List<Ident>,
    /// Its constructors, at least one.
    pub constructors: Vec<Constructor>,
}

/// A constructor of a [`DatatypeDecl`].
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Constructor {
    /// Its name.
    pub name: Ident,
    /// Its fields, never with `where` clauses.
    pub fields: Vec<VarGroup>,
}

/// `left action a(…) …`
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct ActionDecl {
    /// The source span.
    pub span: Span,
    /// `pure`.
    pub pure: bool,
    /// `async` (Boogie before 3.5.7).
    pub is_async: bool,
    /// The mover type, if it is given.
    pub mover: Option<Mover>,
    /// The attributes.
    pub attrs: List<Attr>,
    /// Name and parameters; no type parameters.
    pub signature: Signature,
    /// The clauses.
    pub specs: Vec<Spec>,
    /// The body.
    pub body: Option<Body>,
}

/// `yield invariant i(…); preserves e;`
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct InvariantDecl {
    /// The source span.
    pub span: Span,
    /// `yield`.
    pub is_yield: bool,
    /// The attributes.
    pub attrs: List<Attr>,
    /// Name and in-parameters.
    pub signature: Signature,
    /// The clauses: `preserves e;`, or `invariant e;` before 3.5.6.
    pub clauses: Vec<InvariantClause>,
}

/// A clause of an [`InvariantDecl`].
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct InvariantClause {
    /// The source span.
    pub span: Span,
    /// Whether it starts with `invariant`, as before 3.5.6, and not with `preserves`.
    pub old_keyword: bool,
    /// The attributes.
    pub attrs: List<Attr>,
    /// The preserved condition.
    pub expr: Expr,
}

/// A clause of a procedure's or an action's specification.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Spec {
    /// `modifies x, y;`
    Modifies(Modifies),
    /// `free requires e;` and its like
    Condition(Condition),
    /// `requires call i(x);` and its like (Boogie 3)
    CallCondition(CallCondition),
    /// `measure e, f;` (Boogie 3)
    Measure(Measure),
    /// `refines a;` (Boogie 3)
    Refines(Refines),
    /// `creates a, b;` (Boogie before 3.5.7)
    Creates(Creates),
}

/// `modifies x, y;`
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Modifies {
    /// The source span.
    pub span: Span,
    /// The global variables, possibly none.
    pub names: List<Ident>,
}

/// `free requires e;` and its like
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Condition {
    /// The source span.
    pub span: Span,
    /// Whether it is assumed without being checked.
    pub free: bool,
    /// The keyword, which determines when the condition holds.
    pub kind: ConditionKind,
    /// The attributes.
    pub attrs: List<Attr>,
    /// The condition.
    pub expr: Expr,
}

/// The keyword of a [`Condition`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ConditionKind {
    /// `requires`
    Requires,
    /// `ensures`
    Ensures,
    /// `preserves` (Boogie 3)
    Preserves,
    /// `asserts` (Boogie 3)
    Asserts,
}

/// `requires call i(x);`
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct CallCondition {
    /// The source span.
    pub span: Span,
    /// The keyword, which determines when the condition holds.
    pub kind: ConditionKind,
    /// The call of a yield invariant.
    pub call: CallStmt,
}

/// `measure e, f;`, a clause, a loop clause or a statement.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Measure {
    /// The source span.
    pub span: Span,
    /// Whether it is not checked.
    pub free: bool,
    /// The attributes.
    pub attrs: List<Attr>,
    /// The lexicographic measure.
    pub exprs: List<Expr>,
}

/// `refines a;` or `refines action a { … }`
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Refines {
    /// The source span.
    pub span: Span,
    /// The attributes.
    pub attrs: List<Attr>,
    /// The refined action.
    pub target: RefinesTarget,
}

/// The action in a [`Refines`] clause.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum RefinesTarget {
    /// An action declared elsewhere.
    Named {
        /// The action.
        action: Ident,
        /// `using i` (Boogie before 3.5.7).
        using: Option<Ident>,
    },
    /// An action declared in place.
    Inline(Box<InlineAction>),
}

/// `refines left action a { … }`
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct InlineAction {
    /// The mover type.
    pub mover: Option<Mover>,
    /// The attributes.
    pub attrs: List<Attr>,
    /// The name; `_` if it has none.
    pub name: Ident,
    /// The body.
    pub body: Body,
}

/// `creates a, b;`
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Creates {
    /// The source span.
    pub span: Span,
    /// The actions.
    pub names: List<Ident>,
}

/// `{ var …; … }` of a procedure, an implementation or an action.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Body {
    /// The source span, including the braces.
    pub span: Span,
    /// The local variables.
    pub locals: Vec<VarDecl>,
    /// The statements.
    pub block: Block,
}

/// The statements between two braces.
pub type Block = Vec<Stmt>;

/// A statement. A label is a statement of its own.
#[derive(Debug, Eq)]
pub struct Stmt {
    /// The source span.
    pub span: Span,
    /// The kind.
    pub kind: StmtKind,
}

/// The kinds of statements.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum StmtKind {
    /// `l:`
    Label(Ident),
    /// `assert e;`
    Assert(Box<Predicate>),
    /// `assume e;`
    Assume(Box<Predicate>),
    /// `havoc x, y;`
    Havoc(List<Ident>),
    /// `x, m[i] := e, f;`
    Assign(Box<Assign>),
    /// `C(x, y) := e;` (Boogie 3)
    Unpack(Box<Unpack>),
    /// `call x := p(e);`, or several arms at once
    Call(Box<CallStmt>),
    /// `yield;` (Boogie 2)
    Yield,
    /// `if (e) { … } else { … }`
    If(Box<If>),
    /// `while (e) invariant …; { … }`
    While(Box<While>),
    /// `break l;`
    Break(Option<Ident>),
    /// `goto l, m;`
    Goto(Box<Goto>),
    /// `return;`
    Return(List<Attr>),
    /// `measure e;` (Boogie 3)
    Measure(Box<Measure>),
    /// `hide f;` (Boogie 3); `None` is `*`
    Hide(Option<Ident>),
    /// `reveal f;` (Boogie 3); `None` is `*`
    Reveal(Option<Ident>),
    /// `push;` (Boogie 3)
    Push,
    /// `pop;` (Boogie 3)
    Pop,
}

/// The condition of an `assert` or an `assume`.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Predicate {
    /// The attributes.
    pub attrs: List<Attr>,
    /// The condition.
    pub expr: Expr,
}

/// `x, m[i] := e, f;`
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Assign {
    /// The targets, at least one.
    pub lhs: List<Lhs>,
    /// The attributes after the `:=`.
    pub attrs: List<Attr>,
    /// The values.
    pub rhs: List<Expr>,
}

/// `m[i][j]->f`, the left side of an assignment.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Lhs {
    /// The variable.
    pub base: Ident,
    /// The path from the variable to the assigned element, outermost step first.
    pub steps: List<LhsStep>,
}

/// A step of an [`Lhs`].
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum LhsStep {
    /// `[i, j]`
    Index(List<Expr>),
    /// `->f` (Boogie 3)
    Field(Ident),
}

/// `C(x, y) := e;`
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Unpack {
    /// The datatype's constructor.
    pub constructor: Ident,
    /// The variables that receive the fields.
    pub vars: List<Ident>,
    /// The attributes after the `:=`.
    pub attrs: List<Attr>,
    /// The value whose fields are assigned.
    pub rhs: Expr,
}

/// `async free call x := p(e);`, `par a() | b();` or `call a() | b();`
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct CallStmt {
    /// `async`.
    pub is_async: bool,
    /// `free`: preconditions are not checked.
    pub free: bool,
    /// Written `par`, the parallel call of Boogie before 3.5.6.
    pub is_par: bool,
    /// The calls, at least one.
    pub arms: Vec<CallArm>,
}

/// One call of a [`CallStmt`].
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct CallArm {
    /// The source span.
    pub span: Span,
    /// The attributes before it.
    pub attrs: List<Attr>,
    /// The variables that receive the results.
    pub outs: List<Ident>,
    /// The procedure.
    pub callee: Ident,
    /// The arguments.
    pub args: List<Expr>,
}

/// `if (e) { … } else { … }`
#[derive(Debug, Eq)]
pub struct If {
    /// The attributes (Boogie 3).
    pub attrs: List<Attr>,
    /// The condition.
    pub guard: Guard,
    /// The statements if the condition holds.
    pub then_block: Block,
    /// The `else` branch.
    pub else_branch: Option<Else>,
}

/// What follows `else`.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Else {
    /// `else if …`
    If(Box<If>),
    /// `else { … }`
    Block(Block),
}

/// A condition, or `*` for a nondeterministic choice.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Guard {
    /// `(*)`
    Star,
    /// `(e)`
    Expr(Expr),
}

/// `while (e) invariant …; { … }`
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct While {
    /// The condition.
    pub guard: Guard,
    /// The clauses before the body.
    pub specs: Vec<LoopSpec>,
    /// The body.
    pub block: Block,
}

/// A clause of a loop.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum LoopSpec {
    /// `free invariant e;`
    Invariant(LoopInvariant),
    /// `invariant call i(x);` (Boogie 3)
    Call {
        /// The source span.
        span: Span,
        /// The attributes before the call.
        attrs: List<Attr>,
        /// The call of a yield invariant.
        call: CallStmt,
    },
    /// `measure e;` (Boogie 3)
    Measure(Measure),
}

/// `free invariant e;`
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct LoopInvariant {
    /// The source span.
    pub span: Span,
    /// Whether it is assumed without being checked.
    pub free: bool,
    /// The attributes.
    pub attrs: List<Attr>,
    /// The condition.
    pub expr: Expr,
}

/// `goto l, m;`
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Goto {
    /// The attributes (Boogie 3).
    pub attrs: List<Attr>,
    /// The labels, at least one.
    pub targets: List<Ident>,
}

/// An expression.
#[derive(Debug, Eq)]
pub struct Expr {
    /// The source span.
    pub span: Span,
    /// The kind.
    pub kind: ExprKind,
}

/// The kinds of expressions.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum ExprKind {
    /// `true`, `1.50`, `7bv8`, `RNE`, `"text"`, …
    Literal(Literal),
    /// A variable or a constant.
    Var(Name),
    /// `f(e, …)`
    Call {
        /// The function, or constructor, selector, tester.
        function: Name,
        /// The arguments.
        args: List<Expr>,
    },
    /// `old(e)`
    Old(Box<Expr>),
    /// `int(e)`, `real(e)`
    Convert(NumericType, Box<Expr>),
    /// `!e`, `-e`
    Unary(UnaryOp, Box<Expr>),
    /// `e + f`, …
    Binary(BinaryOp, Box<(Expr, Expr)>),
    /// `e is C` (Boogie 3)
    Is(Box<(Expr, Ident)>),
    /// `e: T`
    Coerce(Box<Expr>, Box<Type>),
    /// `m[i, j]`
    Select(Box<Expr>, List<Expr>),
    /// `m[i, j := e]`
    Store(Box<Store>),
    /// `b[hi:lo]`, bits of a bitvector
    Extract(Box<Extract>),
    /// `e->f` (Boogie 3)
    Field(Box<(Expr, Ident)>),
    /// `e->(f := v)` (Boogie 3)
    FieldUpdate(Box<FieldUpdate>),
    /// `if c then e else f`
    If(Box<IfExpr>),
    /// `(forall x: T :: e)`, `(exists …)`, `(lambda …)`
    Quantifier(Box<Quantifier>),
    /// `(var x := e; f)`
    Let(Box<Let>),
    /// `|{ … }|`
    Code(Box<CodeExpr>),
}

/// A literal, spelled as in the source.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Literal {
    /// The kind of literal.
    pub kind: LiteralKind,
    /// The spelling; for a string, without the quotes.
    pub text: Name,
}

/// The kinds of literals.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum LiteralKind {
    /// `true`, `false`
    Bool,
    /// `42`
    Int,
    /// `1.50`, `1e3`
    Real,
    /// `7bv8`
    BitVector,
    /// `0x1.8e0f24e8`, `0NaN24e8`
    Float,
    /// `RNE`, `roundTowardZero`
    RoundingMode,
    /// `"text"` (Boogie 3)
    Str,
}

/// The target of a numeric conversion.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum NumericType {
    /// `int(e)`
    Int,
    /// `real(e)`
    Real,
}

/// The prefix operators.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum UnaryOp {
    /// `!`
    Not,
    /// `-`
    Neg,
}

/// The infix operators, weakest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum BinaryOp {
    /// `<==>`
    Iff,
    /// `==>`
    Implies,
    /// `<==`; `a <== b` means `b ==> a`
    Explies,
    /// `&&`
    And,
    /// `||`
    Or,
    /// `==`
    Eq,
    /// `!=`
    Ne,
    /// `<`
    Lt,
    /// `<=`
    Le,
    /// `>`
    Gt,
    /// `>=`
    Ge,
    /// `<:` (Boogie 2)
    Subtype,
    /// `++`
    Concat,
    /// `+`
    Add,
    /// `-`
    Sub,
    /// `*`
    Mul,
    /// `/`
    RealDiv,
    /// `div`
    Div,
    /// `mod`
    Mod,
    /// `**`
    Pow,
}

/// `m[i, j := e]`
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Store {
    /// The map.
    pub map: Expr,
    /// The indices, possibly none.
    pub indices: List<Expr>,
    /// The new element.
    pub value: Expr,
}

/// `b[hi:lo]`
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Extract {
    /// The bitvector.
    pub vector: Expr,
    /// One more than the highest bit, in digits.
    pub high: Name,
    /// The lowest bit, in digits.
    pub low: Name,
}

/// `e->(f := v)`
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct FieldUpdate {
    /// The datatype value.
    pub record: Expr,
    /// The field.
    pub field: Ident,
    /// Its new value.
    pub value: Expr,
}

/// `if c then e else f`
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct IfExpr {
    /// The condition.
    pub cond: Expr,
    /// The value if the condition holds.
    pub then_expr: Expr,
    /// The value otherwise.
    pub else_expr: Expr,
}

/// `(forall<T> x: T :: {f(x)} e)`
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Quantifier {
    /// The binder.
    pub binder: Binder,
    /// The bound type variables.
    pub type_params: List<Ident>,
    /// The bound variables. The list is empty only if there are type variables.
    pub bound: Vec<VarGroup>,
    /// The attributes and triggers, in source order.
    pub annotations: Vec<Annotation>,
    /// The body.
    pub body: Expr,
}

/// The binders of parenthesised expressions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Binder {
    /// `forall`
    Forall,
    /// `exists`
    Exists,
    /// `lambda`
    Lambda,
}

/// An annotation between the `::` and the body of a [`Quantifier`].
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Annotation {
    /// `{:weight 3}`
    Attr(Attr),
    /// `{f(x), g(x)}`, or `{:nopats f(x)}`
    Trigger(Trigger),
}

/// `{f(x), g(x)}`: terms whose presence together makes the solver instantiate the quantifier.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Trigger {
    /// The source span, including the braces.
    pub span: Span,
    /// Whether it is a `{:nopats e}`: a term that must *not* serve as a trigger.
    pub negative: bool,
    /// The terms, at least one.
    pub terms: List<Expr>,
}

/// `(var x, y := e, f; body)`
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Let {
    /// The variables.
    pub vars: Vec<LetVar>,
    /// Their values.
    pub values: List<Expr>,
    /// The attributes after the semicolon.
    pub attrs: List<Attr>,
    /// The body.
    pub body: Expr,
}

/// A variable of a [`Let`].
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct LetVar {
    /// The attributes before it.
    pub attrs: List<Attr>,
    /// Its name.
    pub name: Ident,
}

/// `|{ var …; l: …; return e; }|`
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct CodeExpr {
    /// The local variables.
    pub locals: Vec<VarDecl>,
    /// The blocks, at least one.
    pub blocks: Vec<CodeBlock>,
}

/// `l: …; goto m;` of a [`CodeExpr`].
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct CodeBlock {
    /// The label.
    pub label: Ident,
    /// The statements, which are simple ones only.
    pub stmts: Block,
    /// The end of the block.
    pub transfer: CodeTransfer,
}

/// The end of a [`CodeBlock`].
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum CodeTransfer {
    /// `goto l, m;`
    Goto(Goto),
    /// `return e;`
    Return {
        /// The attributes (Boogie 3).
        attrs: List<Attr>,
        /// The value of the code expression.
        expr: Expr,
    },
}

/// Implements cloning, comparing and hashing for the nodes that make trees tall. The derived
/// implementations would overflow the stack on a tree of [`MAX_HEIGHT`](crate::parse::MAX_HEIGHT).
macro_rules! tall {
    ($( $node:ident { $( $field:ident ),* } )*) => { $(
        impl Clone for $node {
            fn clone(&self) -> $node {
                deep(|| $node { $( $field: self.$field.clone() ),* })
            }
        }

        impl PartialEq for $node {
            fn eq(&self, other: &$node) -> bool {
                deep(|| $( self.$field == other.$field )&&*)
            }
        }

        impl Hash for $node {
            fn hash<H: Hasher>(&self, state: &mut H) {
                deep(|| { $( self.$field.hash(state); )* });
            }
        }
    )* };
}

tall! {
    Type { span, kind }
    Stmt { span, kind }
    If { attrs, guard, then_block, else_branch }
    Expr { span, kind }
}
