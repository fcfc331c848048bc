//! What each node is there for: an operator, a bound name, a pattern, an attribute.
//!
//! Roles follow from the shape alone, for any script; nothing is checked. What does not have the shape of its command gets the
//! role that its place would have, or [`Role::Unknown`].

use crate::kind::Kind;
use crate::script::{Command, NodeId, Script};

/// What a node is there for. Lists have a role as a whole; so `(_ f 1)` in front of arguments is an operator.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Role {
    /// A command.
    Command,
    /// The name of a command.
    CommandName,
    /// A word of the syntax, such as `let`, `forall`, `!`, `_`, `as`, `par`.
    Syntax,
    /// The declared name of a function, constant, sort or datatype.
    Name,
    /// The declared name of a constructor.
    Constructor,
    /// The declared name of a selector.
    Selector,
    /// The name that `:named` declares.
    Named,
    /// What is applied to arguments.
    Operator,
    /// A term.
    Term,
    /// A sort, or the name of a sort that is applied to others.
    Sort,
    /// The sort of a bound variable or parameter, as a whole.
    BinderSort,
    /// The list of variables of a quantifier, or of parameters of a definition.
    Binders,
    /// A variable with its sort.
    Bound,
    /// A bound variable or parameter.
    Binder,
    /// A parameter of a sort or datatype.
    SortParameter,
    /// The list of bindings of a `let`.
    LetBindings,
    /// A binding of a `let`.
    LetBinding,
    /// The name that a `let` binds.
    LetName,
    /// The pattern of a case of a `match`. As an atom, it is a constructor or binds a variable.
    MatchPattern,
    /// A list of terms that instantiate a quantifier: of `:pattern`, or of a pool of cvc5.
    Pattern,
    /// The name of an attribute, option or note.
    AttributeName,
    /// The value of an attribute, option or note, and all parts of it; a tactic, a logic, a text to print.
    AttributeValue,
    /// The name in an indexed identifier: `extract` in `(_ extract 7 0)`.
    IndexedName,
    /// An index, or another number that is no term.
    Index,
    /// An index that refers to a declared name: `cons` in `(_ is cons)`.
    Reference,
    /// Not known: a part of an unknown command, or too much of something.
    Unknown,
    /// The list of the argument sorts of a function.
    Sorts,
    /// The list of the parameters of a sort or datatype.
    SortParameters,
    /// A list of terms that is no application.
    Terms,
    /// The list of the cases of a `match`.
    MatchCases,
    /// A case of a `match`.
    MatchCase,
    /// The list of the names of datatypes with their arities.
    SortHeaders,
    /// The name of a datatype with its arity.
    SortHeader,
    /// The list of the functions of `define-funs-rec`.
    FunctionHeaders,
    /// A function of `define-funs-rec`, with parameters and sort.
    FunctionHeader,
    /// The list of the bodies of datatypes.
    Datatypes,
    /// The body of a datatype, with or without `par`.
    Datatype,
    /// The list of the constructors of a datatype.
    Constructors,
    /// A constructor with its selectors.
    ConstructorParts,
    /// A selector with its sort.
    SelectorParts,
    /// The list of datatypes in the old form.
    OldDatatypes,
    /// A datatype in the old form: its name and its constructors.
    OldDatatype,
}

/// The words that bind the variables in the list after them: the standard's, Z3's and cvc5's.
const QUANTIFIERS: [&[u8]; 7] =
    [b"forall", b"exists", b"lambda", b"choice", b"choose", b"witness", b"set.comprehension"];

/// The indexed identifiers whose indices are names.
const REFERRING: [&[u8]; 7] =
    [b"is", b"map", b"as-array", b"update-field", b"update", b"tester", b"testers"];

/// The attributes whose values are lists of terms.
const PATTERNS: [&[u8]; 4] = [b":pattern", b":pool", b":inst-add-to-pool", b":skolem-add-to-pool"];

#[derive(Clone, Copy, Debug)]
struct Cell {
    role: Role,
    in_pattern: bool,
}

/// The roles of all nodes of a script, made once per script: two bytes per node.
#[derive(Clone, Debug)]
pub struct Roles {
    cells: Vec<Cell>,
}

impl Roles {
    /// Gives every node its role.
    pub fn new(script: &Script) -> Roles {
        let unknown = Cell { role: Role::Unknown, in_pattern: false };
        let mut walk = Walk { script, cells: vec![unknown; script.nodes().len()] };
        for command in script.commands() {
            walk.set(command.node, Role::Command, false);
            walk.command(*command);
            // A list comes before its elements, so that its role is known when theirs are given.
            for node in command.node + 1..script.node(command.node).skip {
                if script.is_list(node) {
                    walk.list(node);
                }
            }
        }
        Roles { cells: walk.cells }
    }

    /// The role of a node.
    pub fn of(&self, node: NodeId) -> Role {
        self.cells.get(node as usize).map_or(Role::Unknown, |cell| cell.role)
    }

    /// Whether a node is inside of a pattern, where terms are syntax for the matcher.
    pub fn in_pattern(&self, node: NodeId) -> bool {
        self.cells.get(node as usize).is_some_and(|cell| cell.in_pattern)
    }
}

/// What follows the elements of a list whose roles are known one by one.
#[derive(Clone, Copy)]
enum Rest {
    All(Role),
    Attributes,
}

struct Walk<'a> {
    script: &'a Script,
    cells: Vec<Cell>,
}

impl Walk<'_> {
    fn set(&mut self, node: NodeId, role: Role, in_pattern: bool) {
        if let Some(cell) = self.cells.get_mut(node as usize) {
            *cell = Cell { role, in_pattern };
        }
    }

    /// Gives roles to the elements of a list: the first ones one by one, then the rest.
    fn elements(&mut self, list: NodeId, first: &[Role], rest: Rest) {
        let inside = self.cells.get(list as usize).is_some_and(|cell| cell.in_pattern);
        let mut first = first.iter();
        // The keyword whose value comes next.
        let mut keyword: Option<&[u8]> = None;
        let script = self.script;
        for node in script.children(list) {
            let role = match (first.next(), rest) {
                (Some(&role), _) | (None, Rest::All(role)) => role,
                (None, Rest::Attributes) => {
                    let text = script.text(node);
                    if text.first() == Some(&b':') {
                        keyword = Some(text);
                        self.set(node, Role::AttributeName, inside);
                        continue;
                    }
                    match keyword.take() {
                        Some(name) if PATTERNS.contains(&name) => Role::Pattern,
                        Some(b":no-pattern") => {
                            self.set(node, Role::Term, true);
                            continue;
                        }
                        Some(b":named") => Role::Named,
                        _ => Role::AttributeValue,
                    }
                }
            };
            self.set(node, role, inside || role == Role::Pattern);
        }
    }

    fn command(&mut self, command: Command) {
        use Role::{
            AttributeName, AttributeValue, Binders, CommandName, Datatype, Index, Name, Sort, Sorts,
        };
        use Role::{SortParameters, Term, Terms, Unknown};
        let (roles, rest): (&[Role], Rest) = match command.kind {
            Kind::DeclareFun => (&[Name, Sorts, Sort], Rest::Attributes),
            Kind::DeclareConst | Kind::DeclareVar => (&[Name, Sort], Rest::Attributes),
            Kind::DeclareSort => (&[Name, Index], Rest::All(Unknown)),
            Kind::DeclareSortParameter => (&[Name], Rest::All(Unknown)),
            Kind::DeclareRel => (&[Name, Sorts], Rest::All(AttributeValue)),
            Kind::DeclareDatatype | Kind::DeclareCodatatype => {
                (&[Name, Datatype], Rest::All(Unknown))
            }
            Kind::DeclareDatatypes | Kind::DeclareCodatatypes => {
                let headers = self.script.children(command.node).nth(1);
                let first = headers.and_then(|headers| self.script.children(headers).next());
                if first.is_some_and(|first| self.script.is_list(first)) {
                    (&[Role::SortHeaders, Role::Datatypes], Rest::All(Unknown))
                } else {
                    (&[SortParameters, Role::OldDatatypes], Rest::All(Unknown))
                }
            }
            Kind::DefineFun | Kind::DefineFunRec => {
                (&[Name, Binders, Sort, Term], Rest::Attributes)
            }
            Kind::DefineFunsRec => (&[Role::FunctionHeaders, Terms], Rest::All(Unknown)),
            Kind::DefineConst => (&[Name, Sort, Term], Rest::All(Unknown)),
            Kind::DefineSort => (&[Name, SortParameters, Sort], Rest::All(Unknown)),
            Kind::Assert | Kind::AssertNot | Kind::AssertSoft => (&[Term], Rest::Attributes),
            Kind::Minimize | Kind::Maximize | Kind::Rule | Kind::Query => {
                (&[Term], Rest::Attributes)
            }
            Kind::Eval | Kind::Simplify | Kind::Display => (&[Term], Rest::Attributes),
            Kind::CheckSat => (&[], Rest::All(Term)),
            Kind::CheckSatAssuming | Kind::GetValue => (&[Terms], Rest::Attributes),
            Kind::Push | Kind::Pop => (&[], Rest::All(Index)),
            Kind::SetOption | Kind::SetInfo | Kind::GetInfo | Kind::GetOption => {
                (&[AttributeName], Rest::All(AttributeValue))
            }
            Kind::Other => (&[], Rest::All(Unknown)),
            _ => (&[], Rest::All(AttributeValue)),
        };
        let roles: Vec<Role> = [CommandName].iter().chain(roles).copied().collect();
        self.elements(command.node, &roles, rest);
    }

    /// Gives roles to the elements of a list that has one.
    fn list(&mut self, list: NodeId) {
        use Role::{Binder, Sort, Syntax, Term, Unknown};
        let Some(&Cell { role, .. }) = self.cells.get(list as usize) else { return };
        let head = self.script.head(list);
        let (roles, rest): (&[Role], Rest) = match role {
            Term => return self.term(list),
            Role::Operator => return self.operator(list),
            Sort | Role::BinderSort => match head {
                Some(b"_") => (&[Syntax, Role::IndexedName], Rest::All(Role::Index)),
                _ => (&[], Rest::All(Sort)),
            },
            Role::Sorts => (&[], Rest::All(Sort)),
            Role::SortParameters => (&[], Rest::All(Role::SortParameter)),
            Role::Terms | Role::Pattern => (&[], Rest::All(Term)),
            Role::Binders => (&[], Rest::All(Role::Bound)),
            Role::Bound => (&[Binder, Role::BinderSort], Rest::All(Unknown)),
            Role::LetBindings => (&[], Rest::All(Role::LetBinding)),
            Role::LetBinding => (&[Role::LetName, Term], Rest::All(Unknown)),
            Role::MatchCases => (&[], Rest::All(Role::MatchCase)),
            Role::MatchCase => (&[Role::MatchPattern, Term], Rest::All(Unknown)),
            Role::MatchPattern => (&[Role::Operator], Rest::All(Binder)),
            Role::AttributeName | Role::AttributeValue => (&[], Rest::All(Role::AttributeValue)),
            Role::Reference => (&[Role::Reference, Role::Sorts, Sort], Rest::All(Unknown)),
            Role::Index => (&[], Rest::All(Role::Index)),
            Role::SortHeaders => (&[], Rest::All(Role::SortHeader)),
            Role::SortHeader => (&[Role::Name, Role::Index], Rest::All(Unknown)),
            Role::FunctionHeaders => (&[], Rest::All(Role::FunctionHeader)),
            Role::FunctionHeader => (&[Role::Name, Role::Binders, Sort], Rest::All(Unknown)),
            Role::Datatypes => (&[], Rest::All(Role::Datatype)),
            Role::Datatype if head == Some(b"par") => {
                (&[Syntax, Role::SortParameters, Role::Constructors], Rest::All(Unknown))
            }
            Role::Datatype | Role::Constructors => (&[], Rest::All(Role::Constructor)),
            Role::OldDatatypes => (&[], Rest::All(Role::OldDatatype)),
            Role::OldDatatype => (&[Role::Name], Rest::All(Role::Constructor)),
            // As a list, a constructor has selectors.
            Role::Constructor => {
                self.set(list, Role::ConstructorParts, false);
                (&[Role::Constructor], Rest::All(Role::SelectorParts))
            }
            Role::SelectorParts => (&[Role::Selector, Sort], Rest::All(Unknown)),
            _ => (&[], Rest::All(Unknown)),
        };
        self.elements(list, roles, rest);
    }

    fn term(&mut self, list: NodeId) {
        use Role::{Syntax, Term, Unknown};
        let (roles, rest): (&[Role], Rest) = match self.script.head(list) {
            Some(b"!") => (&[Syntax, Term], Rest::Attributes),
            Some(b"let") => (&[Syntax, Role::LetBindings, Term], Rest::All(Unknown)),
            Some(b"match") => (&[Syntax, Term, Role::MatchCases], Rest::All(Unknown)),
            Some(b"par") => (&[Syntax, Role::SortParameters, Term], Rest::All(Unknown)),
            Some(b"_" | b"as") => return self.identifier(list, Term),
            Some(head) if QUANTIFIERS.contains(&head) && self.has_binders(list) => {
                (&[Syntax, Role::Binders], Rest::All(Term))
            }
            _ => (&[Role::Operator], Rest::All(Term)),
        };
        self.elements(list, roles, rest);
    }

    /// What is applied is an identifier, or in higher-order logic a term.
    fn operator(&mut self, list: NodeId) {
        match self.script.head(list) {
            Some(b"_" | b"as") => self.identifier(list, Role::Operator),
            _ => self.term(list),
        }
    }

    /// An indexed or qualified identifier in the place of a term or operator.
    fn identifier(&mut self, list: NodeId, role: Role) {
        let mut elements = self.script.children(list);
        if elements.next().and_then(|head| self.script.symbol(head)) == Some(b"as") {
            return self.elements(
                list,
                &[Role::Syntax, role, Role::Sort],
                Rest::All(Role::Unknown),
            );
        }
        let name = elements.next().and_then(|name| self.script.symbol(name));
        let refers = name.is_some_and(|name| REFERRING.contains(&name));
        let index = if refers { Role::Reference } else { Role::Index };
        self.elements(list, &[Role::Syntax, Role::IndexedName], Rest::All(index));
    }

    /// Whether a list of lists follows the head: `choice` and the like are no reserved words.
    fn has_binders(&self, list: NodeId) -> bool {
        let binders = self.script.children(list).nth(1);
        binders.is_some_and(|binders| {
            self.script.is_list(binders)
                && self.script.children(binders).all(|binder| self.script.is_list(binder))
        })
    }
}
