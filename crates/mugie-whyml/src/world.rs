//! The state of a translation: what the text needs to be declared, and what was weakened.
//!
//! A translation runs in rounds. Each round translates everything, with the instances that the
//! earlier rounds needed; it ends when a round needs nothing new ([`crate::instances`]).

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use bpl_check::TypeId;
use bpl_syntax::ast::{Expr, Name, Type};
use rustc_hash::FxHashMap;

use crate::names;
use crate::refusal::{Result, refuse};
use crate::source::Source;
use crate::types::{Ty, TypeReader, TypeScope};

/// Something that the text uses and that must be declared. All types are shapes.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Need {
    /// A sort.
    Sort(Ty),
    /// The type of variables that hold values of a type.
    Variable(Ty),
    /// The predicate that tells whether a value fits its tags.
    Fits(Ty),
    /// A function of the program, with its type arguments.
    Function(Name, Vec<Ty>),
    /// Selection from a map, with the arguments of its type parameters.
    Select(Ty, Vec<Ty>),
    /// Update of a map, with the arguments of its type parameters.
    Store(Ty, Vec<Ty>),
    /// A procedure that is called, with its type arguments.
    Procedure(Name, Vec<Ty>),
    /// The injection of the values of a type into those of a more general one.
    Inject(Ty, Ty),
    /// The tag of a type.
    Tag(Ty),
    /// Equality of values of two types, of which neither is more general.
    Same(Ty, Ty),
    /// The partial order `<:` on a type.
    Order(Ty),
}

/// The limits of a translation. Beyond them the text would be of no use to Why3.
const MAX_STEPS: usize = 50_000_000;

/// The state of a translation.
pub(crate) struct World<'s, 'a> {
    pub(crate) source: &'s Source<'a>,
    /// What earlier rounds needed.
    pub(crate) known: BTreeSet<Need>,
    /// What quantifiers are matched with from now on, if the search has ended.
    pub(crate) matched: Option<BTreeSet<Need>>,
    /// What this round needs.
    pub(crate) needed: BTreeSet<Need>,
    /// While the types are looked for at which a quantifier matters: the instances in its triggers.
    pub(crate) anchors: Option<Vec<Need>>,
    /// The largest height of a type argument that is worth an instance.
    pub(crate) max_height: u32,
    /// Functions for lambda expressions, by their definition; the value is the name.
    pub(crate) lambdas: BTreeMap<String, Lambda>,
    /// What was weakened.
    pub(crate) notes: BTreeSet<String>,
    /// Whether the text uses reals.
    pub(crate) reals: bool,
    /// Whether the text uses `div` or `mod`.
    pub(crate) division: bool,
    /// Whether the trigger that was last translated has something that no trigger may have.
    pub(crate) broken: bool,
    /// The number of variables to be found by matching that are in use.
    pub(crate) open: u32,
    /// The work done so far, in nodes and bytes.
    steps: usize,
    /// The types that mention no type variable.
    closed: FxHashMap<TypeId, Ty>,
}

/// A function that stands for a lambda expression.
#[derive(Clone, Debug)]
pub(crate) struct Lambda {
    pub(crate) name: String,
    /// The line that declares it.
    pub(crate) declaration: String,
    /// The lines that define it.
    pub(crate) axioms: Vec<String>,
}

impl<'s, 'a> World<'s, 'a> {
    pub(crate) fn new(source: &'s Source<'a>) -> World<'s, 'a> {
        World {
            source,
            known: BTreeSet::new(),
            matched: None,
            needed: BTreeSet::new(),
            anchors: None,
            max_height: u32::MAX,
            lambdas: BTreeMap::new(),
            notes: BTreeSet::new(),
            reals: false,
            division: false,
            broken: false,
            open: 0,
            steps: 0,
            closed: FxHashMap::default(),
        }
    }

    /// Ends the search for types at which quantifiers matter: those that are known now are used.
    pub(crate) fn freeze(&mut self) {
        let mut known = self.known.clone();
        known.extend(self.needed.iter().cloned());
        self.matched = Some(known);
    }

    /// Starts the next round.
    pub(crate) fn next_round(&mut self) {
        self.known.append(&mut self.needed);
        self.lambdas.clear();
        self.notes.clear();
        self.reals = false;
        self.division = false;
        self.steps = 0;
    }

    /// Counts work, and refuses programs that take too much of it.
    pub(crate) fn step(&mut self, amount: usize) -> Result<()> {
        self.steps += amount;
        if self.steps > MAX_STEPS {
            return refuse(
                "a program whose inline functions and type instances make it this large",
            );
        }
        Ok(())
    }

    /// Notes that the text uses something.
    pub(crate) fn need(&mut self, need: Need) {
        match &mut self.anchors {
            Some(anchors) => anchors.push(need),
            None => {
                self.needed.insert(need);
            }
        }
    }

    /// The type of an expression.
    pub(crate) fn type_of(&mut self, expr: &Expr, scope: &TypeScope) -> Result<Ty> {
        let Some(id) = self.source.type_of(expr) else {
            return refuse("an expression without a type");
        };
        self.read_id(id, scope)
    }

    /// Converts a type of the checker.
    pub(crate) fn read_id(&mut self, id: TypeId, scope: &TypeScope) -> Result<Ty> {
        if let Some(ty) = self.closed.get(&id) {
            return Ok(ty.clone());
        }
        let mut reader = TypeReader::new(self.source.checked);
        let ty = reader.read_id(id, scope)?;
        if !reader.saw_variable {
            self.closed.insert(id, ty.clone());
        }
        Ok(ty)
    }

    /// Converts a type from syntax.
    pub(crate) fn read_type(&mut self, ty: &Type, scope: &TypeScope) -> Result<Ty> {
        TypeReader::new(self.source.checked).read(ty, scope)
    }

    /// The sort of the values of a type.
    pub(crate) fn sort(&mut self, ty: &Ty) -> String {
        let shape = ty.shape();
        let name = names::of_type("", &shape);
        if !matches!(shape, Ty::Int | Ty::Real | Ty::Bool) {
            self.need(Need::Sort(shape));
        } else if shape == Ty::Real {
            self.reals = true;
        }
        name
    }

    /// The condition that a value fits the tags of its type; `None` if the type has no tags.
    pub(crate) fn fits(&mut self, value: &str, ty: &Ty) -> Option<String> {
        let tags = ty.tags();
        if tags.is_empty() {
            return None;
        }
        let shape = ty.shape();
        let mut text = format!("({} {value}", names::of_type("fits_", &shape));
        for tag in tags {
            text.push(' ');
            text.push_str(&tag);
        }
        text.push(')');
        self.need(Need::Sort(shape.clone()));
        self.need(Need::Fits(shape));
        Some(text)
    }

    /// Notes that an assumption was weakened.
    pub(crate) fn note(&mut self, note: impl Into<String>) {
        if self.anchors.is_none() {
            self.notes.insert(note.into());
        }
    }
}

/// A variable of the program, as it is written in WhyML.
#[derive(Clone, Debug)]
pub(crate) struct Variable {
    pub(crate) ty: Ty,
    /// Its value.
    pub(crate) now: Rc<str>,
    /// Its value in the old state.
    pub(crate) before: Rc<str>,
}

impl Variable {
    /// A variable whose value never changes.
    pub(crate) fn fixed(ty: Ty, text: impl Into<Rc<str>>) -> Variable {
        let now = text.into();
        Variable { ty, before: Rc::clone(&now), now }
    }
}

/// The variables and type variables in scope.
#[derive(Clone, Debug, Default)]
pub(crate) struct Scope {
    /// Parameters, local and global variables.
    pub(crate) frame: Rc<FxHashMap<Name, Variable>>,
    /// Bound variables, innermost last.
    pub(crate) bound: Vec<(Name, Variable)>,
    /// Type variables.
    pub(crate) types: Vec<(Name, Ty)>,
    /// The number of inline functions around the expression, which keeps the names of their bound
    /// variables apart.
    pub(crate) level: u32,
    /// Whether the expression is about the old state.
    pub(crate) old: bool,
}

impl Scope {
    /// The variable with this name; `None` if it is a constant.
    pub(crate) fn variable(&self, name: &Name) -> Option<&Variable> {
        let bound = self.bound.iter().rev().find(|(other, _)| other == name);
        bound.map(|(_, variable)| variable).or_else(|| self.frame.get(name))
    }

    /// The prefix of names of this kind that are bound here.
    pub(crate) fn prefix(&self, kind: char) -> String {
        if self.level == 0 { format!("{kind}_") } else { format!("{kind}{}_", self.level) }
    }

    /// All tags in scope, without repetition.
    pub(crate) fn tags(&self) -> Vec<Rc<str>> {
        let mut tags: Vec<Rc<str>> = Vec::new();
        for (_, ty) in &self.types {
            for tag in ty.tags() {
                if !tags.contains(&tag) {
                    tags.push(tag);
                }
            }
        }
        tags
    }
}
