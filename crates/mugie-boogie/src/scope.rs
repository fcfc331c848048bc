//! The part of a program that its user wrote, and which declarations a change belongs to.
//!
//! Dafny writes its prelude before the user's part of every program: the axioms of its encoding, and the
//! types of its module `_System`, thousands of lines that are the same for everybody.

use bpl_syntax::ast::{AttrParam, Decl, Name};
use mugie_core::{OwnUnits, Place, UnitSet};
use rustc_hash::FxHashSet;

use crate::facts::declared_names;
use crate::offers::Offers;
use crate::operators;
use crate::subject::{Rearrangement, Subject};

/// The first declaration of every program that Dafny makes.
const DAFNY: &str = "$$Language$Dafny";

/// The module of Dafny's own types, which precede the user's.
const SYSTEM: &str = "_System.";

impl Subject {
    /// The declarations of the user, if Dafny made the program.
    pub(crate) fn own_units(&self) -> Option<OwnUnits> {
        let declares = |index: usize, is_it: fn(&str) -> bool| {
            self.mentions(index).declared.iter().any(|name| is_it(name.as_str()))
        };
        if self.is_empty() || !declares(0, |name| name == DAFNY) {
            return None;
        }
        let last = (0..self.len()).rev().find(|index| declares(*index, is_of_system))?;
        // Axioms have no names; those before the next name are about the last one.
        let first = (last + 1..self.len()).find(|index| self.keyword(*index) != "axiom")?;
        let own = first..self.len();
        let words = |units: &mut dyn Iterator<Item = usize>| -> FxHashSet<&Name> {
            units.flat_map(|index| &self.mentions(index).words).collect()
        };
        let mentioned = words(&mut own.clone());
        let is_mentioned =
            |index: &usize| self.mentions(*index).declared.iter().any(|it| mentioned.contains(it));
        let with_mentioned = (0..first).filter(is_mentioned).chain(own.clone()).collect();
        Some(OwnUnits { own: own.collect(), with_mentioned })
    }

    /// The names of a declaration: those that it declares, and the one that it has for users.
    pub(crate) fn names_of(&self, index: usize) -> Vec<String> {
        let decl = self.decl(index);
        let mut names: Vec<String> =
            declared_names(&decl).iter().map(ToString::to_string).collect();
        for attr in decl.attrs().iter().filter(|attr| attr.name == "verboseName") {
            if let [AttrParam::Str(text)] = &*attr.params {
                names.push(text.to_string());
            }
        }
        names
    }

    /// Whether a change of whole declarations belongs to one of these: a swap or a move to those
    /// that change places, an addition to its neighbours, a renaming or a removal to what it renames
    /// or removes.
    pub(crate) fn is_change_within(&self, operator: usize, place: &Place, units: &UnitSet) -> bool {
        let is_in = |index: usize| self.nodes.get(index).is_some_and(|it| units.contains(&it.id));
        match place {
            Place::Many { .. } => true,
            Place::Order { order } => order.iter().any(|unit| units.contains(unit)),
            Place::Several { several } => several.iter().any(|spot| match &spot.unit {
                Some(unit) => units.contains(unit),
                None => self.is_change_within(operator, &Place::Program { at: spot.at }, units),
            }),
            Place::Inside { unit, .. } | Place::Move { moved: unit, .. } => units.contains(unit),
            Place::Swap { swap: (one, other) } => units.contains(one) || units.contains(other),
            Place::Program { at } => {
                let mut offers = Offers::picking(*at);
                operators::ALL[operator].in_program(self, &mut offers);
                match offers.into_picked().map(|change| change.result) {
                    Some(Rearrangement::Insert(gap, _)) => is_in(gap) || gap > 0 && is_in(gap - 1),
                    Some(Rearrangement::Replace(replaced)) => {
                        self.owners(&replaced).into_iter().any(is_in)
                    }
                    Some(
                        Rearrangement::Swap(..)
                        | Rearrangement::Order(_)
                        | Rearrangement::ToSecondFile { .. },
                    )
                    | None => false,
                }
            }
        }
    }

    /// The declarations that are removed or get other names; all of them, if there are none such.
    fn owners(&self, replaced: &[(usize, Vec<Decl>)]) -> Vec<usize> {
        let is_owner = |(index, decls): &&(usize, Vec<Decl>)| {
            let names: Vec<&Name> = decls.iter().flat_map(declared_names).collect();
            names != declared_names(&self.decl(*index))
        };
        let owners: Vec<usize> = replaced.iter().filter(is_owner).map(|it| it.0).collect();
        if owners.is_empty() { replaced.iter().map(|(index, _)| *index).collect() } else { owners }
    }

    /// A place of an operator in one of these declarations, drawn at random.
    pub(crate) fn place_in(
        &self,
        operator: usize,
        units: &UnitSet,
        below: &mut dyn FnMut(u64) -> u64,
    ) -> Option<Place> {
        let focused: Vec<usize> =
            (0..self.len()).filter(|index| units.contains(&self.nodes[*index].id)).collect();
        let inside: u64 = focused.iter().map(|index| self.count_in(operator, *index)).sum();
        let all = self.count(operator);
        let all_inside = self.inside(operator);
        // Places inside declarations are counted; others are drawn until one fits.
        let places = inside + (all - all_inside);
        if places == 0 {
            return None;
        }
        (0..mugie_core::DRAWS).find_map(|_| {
            let number = below(places);
            let Some(number) = number.checked_sub(inside) else {
                return self.place_inside(operator, &focused, number);
            };
            let place = self.place(operator, all_inside + number)?;
            self.is_change_within(operator, &place, units).then_some(place)
        })
    }

    /// The place with this number among those inside some declarations.
    fn place_inside(&self, operator: usize, units: &[usize], mut number: u64) -> Option<Place> {
        units.iter().find_map(|index| {
            let count = self.count_in(operator, *index);
            if number < count {
                return Some(Place::Inside { unit: self.nodes[*index].id.clone(), at: number });
            }
            number -= count;
            None
        })
    }
}

/// Whether a name is one of Dafny's module `_System`: `Tclass._System.nat`, `#_System._tuple#2`. In the
/// names of users, Dafny doubles underscores.
fn is_of_system(name: &str) -> bool {
    let starts = |(at, _): (usize, &str)| at == 0 || name[..at].ends_with(['.', '#', '$']);
    name.match_indices(SYSTEM).any(starts)
}

#[cfg(test)]
mod tests {
    use mugie_core::{Focus, Generator, Program, Scope, Weights};
    use std::sync::Arc;

    use super::*;
    use crate::operators::testing::subject;

    /// A program in the form that Dafny gives to programs.
    const DAFNY_LIKE: &str = "const $$Language$Dafny: bool; axiom $$Language$Dafny;
        type Ty; function Lit(x: int): int; function Unused(x: int): int;
        axiom (forall x: int :: { Lit(x) } Lit(x) == x);
        const unique class._System.Tuple0: Ty;
        axiom (forall x: int :: { Unused(x) } Unused(x) == x);
        const unique class.My__System.__default: Ty;
        procedure {:verboseName \"M.Max (correctness)\"} Impl$$M.Max(a: int) returns (m: int);
          ensures m >= Lit(a);
        implementation {:verboseName \"M.Max (correctness)\"} Impl$$M.Max(a: int) returns (m: int)
        { if (a > 0) { m := a; } else { m := a + 1; } }";

    /// The descriptions of the declarations in a set.
    fn described(subject: &Subject, units: &UnitSet) -> Vec<String> {
        let is_in = |index: &usize| units.contains(&subject.nodes[*index].id);
        (0..subject.len()).filter(is_in).map(|index| subject.describe(index)).collect()
    }

    #[test]
    fn the_users_part_follows_the_module_system() {
        let program = subject(DAFNY_LIKE);
        let OwnUnits { own, with_mentioned } = Subject::own_units(&program).unwrap();
        let users = [
            "const `class.My__System.__default`",
            "procedure `Impl$$M.Max`",
            "implementation `Impl$$M.Max`",
        ];
        assert_eq!(described(&program, &own), users);
        let more = described(&program, &with_mentioned);
        assert_eq!(more[..2], ["type `Ty`", "function `Lit`"]);
        assert_eq!(more[2..], users);
        assert_eq!(Subject::own_units(&subject("const a: int; procedure p() { }")), None);
    }

    #[test]
    fn half_of_the_changes_are_in_the_users_part() {
        let prelude = (0..50).fold(String::new(), |text, number| {
            format!("{text} function f{number}(x: int): int {{ x + {number} }}")
        });
        let text = DAFNY_LIKE.replacen("type Ty;", &format!("type Ty; {prelude}"), 1);
        let program = subject(&text);
        let own = Subject::own_units(&program).unwrap().with_mentioned;
        let seed: Arc<dyn Program> = Arc::new(program);
        let inside = |scope: &Scope| {
            let weights = Weights::parse("S1,swap-operands,mirror-comparison", seed.operators());
            let focus = Focus::new(&*seed, scope).unwrap();
            let generator = Generator::new(&seed, weights.unwrap(), 1, 60, 10_000).within(focus);
            let places = generator.map(|it| it.unwrap().edits.pop().unwrap().place);
            let is_own = |place: &Place| match place {
                Place::Inside { unit, .. } => own.contains(unit),
                Place::Swap { swap: (one, other) } => own.contains(one) || own.contains(other),
                _ => false,
            };
            places.filter(is_own).count()
        };
        let (all, user) = (inside(&Scope::All), inside(&Scope::User));
        assert!(all < 20 && user >= 30, "{all} {user}");
    }

    #[test]
    fn only_what_is_named_changes() {
        let seed: Arc<dyn Program> = Arc::new(subject(DAFNY_LIKE));
        for pattern in ["M.Max*", "Impl$$M.Max"] {
            let scope = Scope::from(pattern.to_owned());
            let focus = Focus::new(&*seed, &scope).unwrap();
            assert_eq!(focus.size(), Some(2));
            let weights = Weights::parse("L3,L4,mirror-comparison,swap-operands", seed.operators());
            let generator = Generator::new(&seed, weights.unwrap(), 1, 20, 1_000).within(focus);
            let words: Vec<String> =
                generator.map(|it| it.unwrap().edits.pop().unwrap().words).collect();
            assert!(!words.is_empty() && words.iter().all(|it| it.contains("Impl$$M.Max")));
        }
        assert!(Focus::new(&*seed, &Scope::Named("nobody".to_owned())).is_err());
    }

    #[test]
    fn a_renaming_belongs_to_what_is_renamed() {
        let program = subject(
            "function f(x: int): int; axiom f(1) == 2; procedure p() { assert f(1) == 2; }",
        );
        let rename = (0..operators::ALL.len())
            .find(|number| operators::ALL[*number].about().name == "rename-global")
            .unwrap();
        let inside = |units: &[usize]| -> Vec<bool> {
            let units: UnitSet = units.iter().copied().collect();
            (0..program.count(rename))
                .map(|number| {
                    let place = program.place(rename, number).unwrap();
                    program.is_change_within(rename, &place, &units)
                })
                .collect()
        };
        assert_eq!(inside(&[0]), [true, false]);
        assert_eq!(inside(&[1]), [false, false]);
        assert_eq!(inside(&[2]), [false, true]);
    }
}
