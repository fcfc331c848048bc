//! The libraries of Boogie 3, whose declarations it adds to a program: `base`, `node` and
//! `set_size`.
//!
//! Only the names and types that a checker needs are included. `base` comes with every program that
//! uses CIVL, the others on request. There are two editions: in that of Boogie 3.5.5, sets are a
//! datatype, and the attributes of declarations show whether a program uses CIVL; later, sets are maps
//! to `bool`.

use std::sync::{Arc, LazyLock};

use bpl_syntax::Dialect;
use bpl_syntax::ast::{
    ActionDecl, Attr, Body, Constructor, DatatypeDecl, Decl, Else, If, List, LoopSpec,
    ProcedureKind, Program, Signature, Spec, Stmt, StmtKind, VarDecl, VarGroup,
};

/// The libraries of Boogie 3 that a program is checked with.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Libraries {
    /// Which edition of them.
    pub edition: Edition,
    /// `base`: maps, vectors, sequences, options, linear cells.
    pub base: bool,
    /// `node`: linked lists.
    pub node: bool,
    /// `set_size`: the size of finite sets.
    pub set_size: bool,
}

/// The editions of the libraries.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Edition {
    /// That of Boogie 3.5.5.
    Of355,
    /// That of later versions.
    #[default]
    Later,
}

/// The part of `base` that all editions have.
const COMMON: &str = "
function MapConst<T, U>(U): [T]U;
function MapEq<T, U>([T]U, [T]U): [T]bool;
function MapIte<T, U>([T]bool, [T]U, [T]U): [T]U;
function MapOr<T>([T]bool, [T]bool): [T]bool;
function MapAnd<T>([T]bool, [T]bool): [T]bool;
function MapNot<T>([T]bool): [T]bool;
function MapImp<T>([T]bool, [T]bool): [T]bool;
function MapIff<T>([T]bool, [T]bool): [T]bool;
function MapDiff<T>([T]bool, [T]bool): [T]bool;
function MapAdd<T>([T]int, [T]int): [T]int;
function MapSub<T>([T]int, [T]int): [T]int;
function MapMul<T>([T]int, [T]int): [T]int;
function MapDiv<T>([T]int, [T]int): [T]int;
function MapMod<T>([T]int, [T]int): [T]int;
function MapGt<T>([T]int, [T]int): [T]bool;
function MapGe<T>([T]int, [T]int): [T]bool;
function MapLt<T>([T]int, [T]int): [T]bool;
function MapLe<T>([T]int, [T]int): [T]bool;
function Id<T>(T): T;
function Default<T>(): T;
function Choice<T>([T]bool): T;

datatype Option<T> { None(), Some(t: T) }
datatype Vec<T> { Vec(contents: [int]T, len: int) }
const Identity: [int]int;
function AtLeast(int): [int]bool;
function Range(int, int): [int]bool;
function Vec_Empty<T>(): Vec T;
function Vec_Append<T>(Vec T, T): Vec T;
function Vec_Update<T>(Vec T, int, T): Vec T;
function Vec_Nth<T>(Vec T, int): T;
function Vec_Len<T>(Vec T): int;
function Vec_Concat<T>(Vec T, Vec T): Vec T;
function Vec_Slice<T>(Vec T, int, int): Vec T;
function Vec_Swap<T>(Vec T, int, int): Vec T;
function Vec_Remove<T>(Vec T): Vec T;
function Vec_Contains<T>(Vec T, int): bool;
procedure Vec_Ext<T>(a: Vec T, b: Vec T) returns (i: int);

type Seq _;
function Seq_Empty<T>(): Seq T;
function Seq_Len<T>(Seq T): int;
function Seq_Concat<T>(Seq T, Seq T): Seq T;
function Seq_Unit<T>(T): Seq T;
function Seq_Nth<T>(Seq T, int): T;
function Seq_Extract<T>(Seq T, int, int): Seq T;

datatype Unit { Unit() }
";

/// The rest of `base` in later editions.
const BASE_LATER: &str = "
function Set_Empty<T>(): [T]bool;
function Set_Contains<T>([T]bool, T): bool;
function Set_IsSubset<T>([T]bool, [T]bool): bool;
function Set_IsDisjoint<T>([T]bool, [T]bool): bool;
function Set_Add<T>([T]bool, T): [T]bool;
function Set_Singleton<T>(T): [T]bool;
function Set_Remove<T>([T]bool, T): [T]bool;
function Set_Union<T>([T]bool, [T]bool): [T]bool;
function Set_Difference<T>([T]bool, [T]bool): [T]bool;
function Set_Intersection<T>([T]bool, [T]bool): [T]bool;

datatype One<T> { One(val: T) }
datatype Cell<T, U> { Cell(key: One T, val: U) }
datatype Map<T, U> { Map(dom: [T]bool, val: [T]U) }
type UnitMap K = Map K Unit;
function Map_Empty<T, U>(): Map T U;
function Map_Singleton<T, U>(T, U): Map T U;
function Map_Contains<T, U>(Map T U, T): bool;
function Map_IsDisjoint<T, U>(Map T U, Map T U): bool;
function Map_At<T, U>(Map T U, T): U;
function Map_Remove<T, U>(Map T U, T): Map T U;
function Map_Update<T, U>(Map T U, T, U): Map T U;
function Map_Swap<T, U>(Map T U, T, T): Map T U;
function Map_Extract<T, U>(Map T U, [T]bool): Map T U;
function Map_Exclude<T, U>(Map T U, [T]bool): Map T U;
function Map_Union<T, U>(Map T U, Map T U): Map T U;
function Map_WellFormed<T, U>(Map T U): bool;
function Map_Collector<T, U>(Map T U): [T]bool;
function Map_Collector_Empty<T, U, P>(Map T U): [P]bool;
function One_Collector<T>(One T): [One T]bool;

pure procedure Move<T>(u: T, v: T);
pure procedure Map_MakeEmpty<K, V>() returns (m: Map K V);
pure procedure One_Get<K>(path: UnitMap K, l: K);
pure procedure One_Put<K>(path: UnitMap K, l: K);
pure procedure Map_Get<K, V>(path: Map K V, k: K) returns (v: V);
pure procedure Map_Put<K, V>(path: Map K V, k: K, v: V);
pure procedure Map_Split<K, V>(path: Map K V, k: [K]bool) returns (l: Map K V);
pure procedure Map_Join<K, V>(path: Map K V, l: Map K V);
pure procedure Path_Load<V>(path: V) returns (v: V);
pure procedure Path_Store<V>(path: V, v: V);

type Loc;
datatype Tag<V> { Tag(loc: Loc, val: V) }
pure procedure Loc_New() returns (l: One Loc);
pure procedure Tag_New() returns (l: One Loc, tag: One (Tag Unit));
pure procedure Tags_New<V>(vals: [V]bool) returns (l: One Loc, tags: UnitMap (One (Tag V)));
pure procedure Copy<T>(v: T) returns (copy: T);
pure procedure Assume(b: bool);
pure action Assert(b: bool) {}
";

/// The rest of `base` in Boogie 3.5.5.
const BASE_355: &str = "
function MapOne<T>(T): [T]bool;
function ToMultiset<T>([T]bool): [T]int;
function IsSubset<T>([T]bool, [T]bool): bool;
function IsDisjoint<T>([T]bool, [T]bool): bool;

datatype Set<T> { Set(val: [T]bool) }
function Set_Empty<T>(): Set T;
function Set_Contains<T>(Set T, T): bool;
function Set_IsSubset<T>(Set T, Set T): bool;
function Set_IsDisjoint<T>(Set T, Set T): bool;
function Set_Add<T>(Set T, T): Set T;
function Set_Singleton<T>(T): Set T;
function Set_Remove<T>(Set T, T): Set T;
function Set_Union<T>(Set T, Set T): Set T;
function Set_Difference<T>(Set T, Set T): Set T;
function Set_Intersection<T>(Set T, Set T): Set T;
function Set_Collector<T>(Set T): [T]bool;
function UnitSet(): Set Unit;

datatype One<T> { One(val: T) }
datatype Cell<T, U> { Cell(key: One T, val: U) }
datatype Map<T, U> { Map(dom: Set T, val: [T]U) }
function Map_Empty<T, U>(): Map T U;
function Map_Singleton<T, U>(T, U): Map T U;
function Map_Contains<T, U>(Map T U, T): bool;
function Map_IsDisjoint<T, U>(Map T U, Map T U): bool;
function Map_At<T, U>(Map T U, T): U;
function Map_Remove<T, U>(Map T U, T): Map T U;
function Map_Update<T, U>(Map T U, T, U): Map T U;
function Map_Swap<T, U>(Map T U, T, T): Map T U;
function Map_Extract<T, U>(Map T U, Set T): Map T U;
function Map_Exclude<T, U>(Map T U, Set T): Map T U;
function Map_Union<T, U>(Map T U, Map T U): Map T U;
function Map_WellFormed<T, U>(Map T U): bool;
function Map_Collector<T, U>(Map T U): [T]bool;
function One_Collector<T>(One T): [T]bool;
function Cell_Collector<T, U>(Cell T U): [T]bool;

pure procedure Set_MakeEmpty<K>() returns (l: Set K);
pure procedure Set_Split<K>(path: Set K, l: Set K);
pure procedure Set_Get<K>(path: Set K, k: [K]bool) returns (l: Set K);
pure procedure Set_Put<K>(path: Set K, l: Set K);
pure procedure One_Split<K>(path: Set K, l: One K);
pure procedure One_Get<K>(path: Set K, k: K) returns (l: One K);
pure procedure One_Put<K>(path: Set K, l: One K);
pure procedure Map_MakeEmpty<K, V>() returns (m: Map K V);
pure procedure Map_Pack<K, V>(dom: Set K, val: [K]V) returns (m: Map K V);
pure procedure Map_Unpack<K, V>(m: Map K V) returns (dom: Set K, val: [K]V);
pure procedure Map_Split<K, V>(path: Map K V, s: Set K) returns (m: Map K V);
pure procedure Map_Join<K, V>(path: Map K V, m: Map K V);
pure procedure Map_Get<K, V>(path: Map K V, k: K) returns (l: One K, v: V);
pure procedure Map_Put<K, V>(path: Map K V, l: One K, v: V);
pure procedure Map_GetValue<K, V>(path: Map K V, k: K) returns (v: V);
pure procedure Map_PutValue<K, V>(path: Map K V, k: K, v: V);

type Loc _;
datatype TaggedLoc<V, T> { TaggedLoc(loc: Loc V, tag: T) }
pure procedure Loc_New<V>() returns (l: One (Loc V));
pure procedure TaggedLocSet_New<V, T>(tags: Set T)
    returns (l: One (Loc V), tagged_locs: Set (TaggedLoc V T));
procedure create_async<T>(p: T);
procedure create_asyncs<T>(ps: [T]bool);
procedure create_multi_asyncs<T>(ps: [T]int);
procedure set_choice<T>(choice: T);
pure procedure Copy<T>(v: T) returns (copy: T);
pure procedure Assume(b: bool);
pure procedure Move<T>(u: T, v: T);
";

const NODE_355: &str = "
datatype Node<T> { Node(next: Option (Loc (Node T)), val: T) }
type LocNode T = Loc (Node T);
function Between<T>(
    [Loc (Node T)]Node T, Option (Loc (Node T)), Option (Loc (Node T)), Option (Loc (Node T))): bool;
function Avoiding<T>(
    [Loc (Node T)]Node T, Option (Loc (Node T)), Option (Loc (Node T)), Option (Loc (Node T))): bool;
function BetweenSet<T>(
    [Loc (Node T)]Node T, Option (Loc (Node T)), Option (Loc (Node T))): [Loc (Node T)]bool;
";

const SET_SIZE_355: &str = "
function Set_Size<T>(Set T): int;
pure procedure Lemma_SubsetSize<T>(a: Set T, b: Set T);
";

const NODE_LATER: &str = "
datatype Node<T> { Node(next: Option Loc, val: T) }
function Between<T>([One Loc]Node T, Option Loc, Option Loc, Option Loc): bool;
function Avoiding<T>([One Loc]Node T, Option Loc, Option Loc, Option Loc): bool;
function BetweenSet<T>([One Loc]Node T, Option Loc, Option Loc): [Loc]bool;
function InDomain<T>(Map (One Loc) (Node T), Option Loc): bool;
function StackAbs<T>(Option Loc, Map (One Loc) (Node T)): Vec T;
function StackAbsDef<T>(Option Loc, Map (One Loc) (Node T)): Vec T;
pure procedure StackAbsLemma<T>(start: Option Loc, nodes: Map (One Loc) (Node T));
pure procedure StackFrameLemma<T>(
    start: Option Loc, nodes: Map (One Loc) (Node T), other: Map (One Loc) (Node T));
function SetAbs<T>(Option Loc, Map (One Loc) (Node T)): [T]bool;
function SetAbsDef<T>(Option Loc, Map (One Loc) (Node T)): [T]bool;
pure procedure SetAbsLemma<T>(start: Option Loc, nodes: Map (One Loc) (Node T));
pure procedure SetFrameLemma<T>(
    start: Option Loc, nodes: Map (One Loc) (Node T), other: Map (One Loc) (Node T));
function QueueAbs<T>(Vec T, Option Loc, Map (One Loc) (Node T)): Vec T;
function QueueAbsDef<T>(Vec T, Option Loc, Map (One Loc) (Node T)): Vec T;
pure procedure QueueAbsLemma<T>(
    queue: Vec T, start: Option Loc, nodes: Map (One Loc) (Node T));
pure procedure QueueFrameLemma<T>(
    queue: Vec T,
    start: Option Loc, nodes: Map (One Loc) (Node T), other: Map (One Loc) (Node T));
";

const SET_SIZE_LATER: &str = "
function Set_Size<T>([T]bool): int;
pure procedure Lemma_SetSize_Subset<T>(a: [T]bool, b: [T]bool);
";

/// The declarations of the libraries.
pub(crate) fn declarations(libraries: Libraries) -> Vec<Arc<Decl>> {
    type Parsed = LazyLock<Vec<Arc<Decl>>>;
    fn parse(text: &str) -> Vec<Arc<Decl>> {
        bpl_syntax::parse(text, Dialect::Boogie3).program.decls
    }
    static COMMON_DECLS: Parsed = LazyLock::new(|| parse(COMMON));
    static EARLY: [Parsed; 3] = [
        LazyLock::new(|| parse(BASE_355)),
        LazyLock::new(|| parse(NODE_355)),
        LazyLock::new(|| parse(SET_SIZE_355)),
    ];
    static LATE: [Parsed; 3] = [
        LazyLock::new(|| parse(BASE_LATER)),
        LazyLock::new(|| parse(NODE_LATER)),
        LazyLock::new(|| parse(SET_SIZE_LATER)),
    ];

    let [base, node, set_size] = match libraries.edition {
        Edition::Of355 => &EARLY,
        Edition::Later => &LATE,
    };
    let chosen: [(bool, &Parsed); 4] = [
        (libraries.base, &COMMON_DECLS),
        (libraries.base, base),
        (libraries.node, node),
        (libraries.set_size, set_size),
    ];
    chosen
        .into_iter()
        .filter(|(wanted, _)| *wanted)
        .flat_map(|(_, decls)| decls.iter().map(Arc::clone))
        .collect()
}

impl Libraries {
    /// The libraries that a program gets, given those that were asked for.
    pub(crate) fn completed(self, uses_civl: bool) -> Libraries {
        let base = self.base || uses_civl;
        // The others need `base`, and do not bring it.
        Libraries { base, node: self.node && base, set_size: self.set_size && base, ..self }
    }
}

/// The datatypes that come with asynchronous actions in Boogie 3.5.5: the calls that are still to be
/// done, with the parameters of the action.
pub(crate) fn pending_asyncs(program: &Program, edition: Edition) -> Vec<Arc<Decl>> {
    let pending = program.decls.iter().filter_map(|decl| {
        let Decl::Action(ActionDecl { span, is_async: true, signature, .. }) = &**decl else {
            return None;
        };
        let name = signature.name.clone();
        let bare = |group: &VarGroup| VarGroup { where_clause: None, ..group.clone() };
        let fields = signature.params.iter().map(bare).collect();
        Some(Arc::new(Decl::Datatype(DatatypeDecl {
            span: *span,
            attrs: List::new(),
            name: name.clone(),
            type_params: List::new(),
            constructors: vec![Constructor { name, fields }],
        })))
    });
    if edition == Edition::Of355 { pending.collect() } else { Vec::new() }
}

/// Whether a program uses CIVL, the layer for concurrent programs.
pub(crate) fn uses_civl(program: &Program, edition: Edition) -> bool {
    program.decls.iter().any(|decl| {
        let is_var = |groups: &[VarGroup]| groups.iter().any(|group| attrs(&group.attrs));
        if edition == Edition::Of355 {
            return attrs(decl.attrs())
                || decl.attrs().iter().any(|attr| attr.name == "pending_async")
                || matches!(&**decl, Decl::Var(vars) if is_var(&vars.groups));
        }
        attrs(decl.attrs())
            || match &**decl {
                Decl::Action(_) | Decl::Invariant(_) => true,
                Decl::Procedure(procedure) => {
                    matches!(procedure.kind, ProcedureKind::Yield(_))
                        || signature(&procedure.signature)
                        || procedure.specs.iter().any(spec)
                        || procedure.body.as_ref().is_some_and(body)
                }
                Decl::Implementation(implementation) => {
                    signature(&implementation.signature) || body(&implementation.body)
                }
                Decl::Datatype(datatype) => {
                    datatype.constructors.iter().any(|constructor| groups(&constructor.fields))
                }
                Decl::Var(var) => groups(&var.groups),
                Decl::Type(_) | Decl::Const(_) | Decl::Function(_) | Decl::Axiom(_) => false,
            }
    })
}

fn attrs(attrs: &[Attr]) -> bool {
    attrs.iter().any(|attr| {
        matches!(
            attr.name.as_str(),
            "layer" | "yields" | "linear" | "linear_in" | "linear_out" | "mark" | "hide" | "sync"
        )
    })
}

fn groups(groups: &[VarGroup]) -> bool {
    groups.iter().any(|group| attrs(&group.attrs))
}

fn signature(signature: &Signature) -> bool {
    groups(&signature.params) || groups(&signature.returns)
}

fn spec(spec: &Spec) -> bool {
    match spec {
        Spec::Condition(condition) => attrs(&condition.attrs),
        Spec::Modifies(_) | Spec::Measure(_) => false,
        Spec::CallCondition(_) | Spec::Refines(_) | Spec::Creates(_) => true,
    }
}

fn body(body: &Body) -> bool {
    body.locals.iter().any(|VarDecl { attrs: own, .. }| attrs(own)) || block(&body.block)
}

fn block(stmts: &[Stmt]) -> bool {
    stmts.iter().any(|stmt| match &stmt.kind {
        StmtKind::Assert(predicate) | StmtKind::Assume(predicate) => attrs(&predicate.attrs),
        StmtKind::Call(call) => call.is_async || call.arms.iter().any(|arm| attrs(&arm.attrs)),
        StmtKind::If(conditional) => branches(conditional),
        StmtKind::While(stmt) => {
            block(&stmt.block)
                || stmt.specs.iter().any(|spec| match spec {
                    LoopSpec::Invariant(invariant) => attrs(&invariant.attrs),
                    LoopSpec::Call { .. } => true,
                    LoopSpec::Measure(_) => false,
                })
        }
        _ => false,
    })
}

fn branches(conditional: &If) -> bool {
    crate::types::deep(|| {
        block(&conditional.then_block)
            || match &conditional.else_branch {
                Some(Else::If(other)) => branches(other),
                Some(Else::Block(other)) => block(other),
                None => false,
            }
    })
}
