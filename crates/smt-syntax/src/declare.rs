//! What commands declare and mention.

use crate::kind::Kind;
use crate::role::{Role, Roles};
use crate::script::{NodeId, Script};
use crate::symbols::{Symbol, Symbols};

/// What a name is declared as.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum What {
    /// A function or constant, or a definition of one.
    Function,
    /// A sort or datatype.
    Sort,
    /// A constructor of a datatype.
    Constructor,
    /// A selector of a datatype.
    Selector,
    /// The tester `is-C` of a constructor `C`; listed only if the script mentions it.
    Tester,
    /// A term, by `:named`.
    Named,
    /// A relation of Z3's Datalog.
    Relation,
    /// A variable of Z3's Datalog.
    Variable,
}

/// A declared name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Declared {
    /// The name.
    pub symbol: Symbol,
    /// The node where it is declared; for a tester, its constructor.
    pub node: NodeId,
    /// What it is.
    pub what: What,
}

/// Lists of things, one list per index, in one vector.
#[derive(Clone, Debug)]
struct Lists<T> {
    ends: Vec<usize>,
    items: Vec<T>,
}

impl<T> Lists<T> {
    fn new() -> Lists<T> {
        Lists { ends: Vec::new(), items: Vec::new() }
    }

    fn end_list(&mut self) {
        self.ends.push(self.items.len());
    }

    fn get(&self, index: usize) -> &[T] {
        let start = index.checked_sub(1).map_or(0, |before| self.end(before));
        self.items.get(start..self.end(index)).unwrap_or_default()
    }

    fn end(&self, index: usize) -> usize {
        self.ends.get(index).copied().unwrap_or(self.items.len())
    }
}

/// The other direction: the indices of the lists that a symbol is in, for each symbol.
fn turned(count: usize, pairs: impl Iterator<Item = (Symbol, u32)> + Clone) -> Lists<u32> {
    let mut ends = vec![0; count];
    for (symbol, _) in pairs.clone() {
        ends[symbol.index()] += 1;
    }
    let mut total = 0;
    for end in &mut ends {
        // The start of its list for now; the end when the list is filled.
        let size = std::mem::replace(end, total);
        total += size;
    }
    let mut items = vec![0; total];
    for (symbol, list) in pairs {
        let end = &mut ends[symbol.index()];
        items[*end] = list;
        *end += 1;
    }
    Lists { ends, items }
}

/// What all commands declare and mention, in both directions, made once per script. Each question is answered in constant time.
#[derive(Clone, Debug)]
pub struct Declarations {
    declared: Lists<Declared>,
    mentions: Lists<Symbol>,
    declared_by: Lists<u32>,
    mentioned_by: Lists<u32>,
}

impl Declarations {
    /// The declarations and mentions of a script.
    pub fn new(script: &Script, symbols: &Symbols, roles: &Roles) -> Declarations {
        let mut declared = Lists::new();
        let mut mentions = Lists::new();
        // The last command that mentions a symbol, counted from 1.
        let mut last = vec![0; symbols.len()];
        for (number, command) in (1u32..).zip(script.commands()) {
            for node in command.node..script.node(command.node).skip {
                let Some(symbol) = symbols.at(node) else { continue };
                let role = roles.of(node);
                if let Some(what) = declares(command.kind, role) {
                    declared.items.push(Declared { symbol, node, what });
                    if what == What::Constructor {
                        let tester = [b"is-", symbols.name(symbol)].concat();
                        let tester = symbols.find(&tester);
                        let what = What::Tester;
                        declared.items.extend(tester.map(|symbol| Declared { symbol, node, what }));
                    }
                } else if is_mention(role) && last[symbol.index()] != number {
                    last[symbol.index()] = number;
                    mentions.items.push(symbol);
                }
            }
            declared.end_list();
            mentions.end_list();
        }
        let all = 0..script.commands().len();
        let lists = |index: usize| u32::try_from(index).unwrap_or(u32::MAX);
        let declared_by = turned(
            symbols.len(),
            all.clone().flat_map(|command| {
                declared.get(command).iter().map(move |it| (it.symbol, lists(command)))
            }),
        );
        let mentioned_by = turned(
            symbols.len(),
            all.flat_map(|command| {
                mentions.get(command).iter().map(move |it| (*it, lists(command)))
            }),
        );
        Declarations { declared, mentions, declared_by, mentioned_by }
    }

    /// The names that a command declares, in order.
    pub fn of(&self, command: usize) -> &[Declared] {
        self.declared.get(command)
    }

    /// The symbols that a command mentions, each once, in the order of their first mention. Names of bound variables are among
    /// them, because a name is not an identity: a variable may have the name of a function.
    pub fn mentions(&self, command: usize) -> &[Symbol] {
        self.mentions.get(command)
    }

    /// The commands that declare a symbol, in order; a command that declares it twice is there twice.
    pub fn declared_by(&self, symbol: Symbol) -> &[u32] {
        self.declared_by.get(symbol.index())
    }

    /// The commands that mention a symbol, in order.
    pub fn mentioned_by(&self, symbol: Symbol) -> &[u32] {
        self.mentioned_by.get(symbol.index())
    }
}

fn declares(kind: Kind, role: Role) -> Option<What> {
    match role {
        Role::Constructor => Some(What::Constructor),
        Role::Selector => Some(What::Selector),
        Role::Named => Some(What::Named),
        Role::Name => Some(match kind {
            Kind::DeclareFun | Kind::DeclareConst => What::Function,
            Kind::DefineFun | Kind::DefineFunRec | Kind::DefineFunsRec => What::Function,
            Kind::DefineConst => What::Function,
            Kind::DeclareRel => What::Relation,
            Kind::DeclareVar => What::Variable,
            _ => What::Sort,
        }),
        _ => None,
    }
}

/// Whether a symbol in this role may refer to a declaration.
fn is_mention(role: Role) -> bool {
    matches!(
        role,
        Role::Operator
            | Role::Term
            | Role::Sort
            | Role::BinderSort
            | Role::MatchPattern
            | Role::Reference
            | Role::Index
            | Role::Unknown
    )
}
