//! A query under mutation: a base and at most one choice of an operator.
//!
//! The text of a mutant is made whenever it is asked for. So a mutant takes a few bytes besides its seed,
//! however large that is. A mutant of a mutant has a base of its own.

use std::any::Any;
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::sync::{Arc, OnceLock, Weak};

use mugie_core::{
    About, Applied, ApplyError, Edit, EditTrace, FileText, Hash, Place, Program, Spot, UnitId,
};
use smt_syntax::{Kind, NodeId, Script};

use crate::base::{Base, Part};
use crate::equivalent::{self, Original};
use crate::operators::{ABOUTS, ALL, Choice, Site, Sites, seed_names};

/// The bytes by which a mutant may be longer than its seed before its text is moved in memory.
const SLACK: usize = 4096;

/// The bytes of the largest text that a thread keeps when it has its hash: another thread writes the mutant, or this
/// one soon. Raising it takes more memory for large queries, and less time if one thread does both.
const KEPT: usize = 4 << 20;

/// A text that was made, of which base and change.
#[derive(Debug, Default)]
struct Made {
    /// A weak pointer is of one base only, even if that is gone.
    base: Weak<Base>,
    change: Option<(usize, Choice)>,
    text: Vec<u8>,
}

/// A query under mutation.
#[derive(Clone, Debug)]
pub(crate) struct SmtProgram {
    pub(crate) base: Arc<Base>,
    /// The operator and the sites that make this program of the base.
    pub(crate) change: Option<(usize, Choice)>,
    /// The names in the seed of what was renamed in the base.
    renamed: Arc<BTreeMap<String, String>>,
    /// What the base says about its mutants as a seed, made when it is needed.
    original: Arc<OnceLock<Original>>,
    /// The hash of the text, made when it is needed.
    hash: OnceLock<Hash>,
}

impl SmtProgram {
    /// The program of a base.
    pub(crate) fn new(base: Base) -> SmtProgram {
        SmtProgram {
            base: Arc::new(base),
            change: None,
            renamed: Arc::default(),
            original: Arc::default(),
            hash: OnceLock::new(),
        }
    }

    /// The same query, in which these names (by the new ones) are not the seed's.
    pub(crate) fn renamed(self, names: BTreeMap<String, String>) -> SmtProgram {
        SmtProgram { renamed: Arc::new(names), ..self }
    }

    /// Checks that a mutant of this seed asks what the seed asks; says what is wrong otherwise.
    pub(crate) fn check(&self, mutant: &SmtProgram) -> Result<(), String> {
        let original = self.original.get_or_init(|| Original::new(&self.base));
        mutant.with_text(|made| equivalent::check(&self.base, original, mutant, &made.text))
    }

    /// The text. A large one is not in memory twice, so this thread does not have it any longer.
    pub(crate) fn text(&self) -> Vec<u8> {
        self.with_text(|made| {
            made.base = Weak::new();
            std::mem::take(&mut made.text)
        })
    }

    /// Calls a function with the text, which is made unless this thread made it last: it is asked for to hash a
    /// mutant, to check it and to write it.
    fn with_text<R>(&self, use_it: impl FnOnce(&mut Made) -> R) -> R {
        thread_local!(static LAST: RefCell<Made> = RefCell::default());
        LAST.with_borrow_mut(|made| {
            let is_made = std::ptr::eq(made.base.as_ptr(), Arc::as_ptr(&self.base))
                && made.change == self.change;
            if !is_made {
                made.base = Arc::downgrade(&self.base);
                made.change.clone_from(&self.change);
                made.text.clear();
                // Mutants are about as long as their seed.
                made.text.reserve(self.base.text().len() + SLACK);
                self.write(&mut made.text);
            }
            use_it(made)
        })
    }

    /// Appends the text.
    fn write(&self, out: &mut Vec<u8>) {
        match &self.change {
            None => out.extend_from_slice(self.base.text()),
            Some((operator, choice)) => ALL[*operator].write(&self.base, choice, out),
        }
    }

    /// Whether the change opens or closes scopes.
    pub(crate) fn changes_scopes(&self) -> bool {
        self.change.as_ref().is_some_and(|(operator, _)| ALL[*operator].changes_scopes())
    }

    /// The order of the base's commands.
    fn order(&self) -> Option<Vec<u32>> {
        let (operator, choice) = self.change.as_ref()?;
        ALL[*operator].order(&self.base, choice)
    }

    /// The names in the seed of all that was renamed: by the new name.
    pub(crate) fn seed_names(&self) -> BTreeMap<String, String> {
        let mut names = BTreeMap::new();
        if let Some((operator, choice)) = &self.change {
            names = seed_names(&self.base, *operator, choice);
        }
        for old in names.values_mut() {
            if let Some(first) = self.renamed.get(old) {
                old.clone_from(first);
            }
        }
        for (new, old) in &*self.renamed {
            names.entry(new.clone()).or_insert_with(|| old.clone());
        }
        names
    }

    /// The same program without a choice: its text is that of its base.
    fn settled(&self) -> Option<SmtProgram> {
        if self.change.is_none() {
            return Some(self.clone());
        }
        let script = Script::parse(self.text()).ok()?;
        let ids = match self.order() {
            None => self.base.ids.clone(),
            // A command that is new has the first free number.
            Some(order) => {
                let id = |it: &u32| self.base.ids.get(*it as usize).copied().unwrap_or(*it);
                order.iter().map(id).collect()
            }
        };
        let renamed = Arc::new(self.seed_names());
        Some(SmtProgram { renamed, ..SmtProgram::new(Base::new(script, ids)) })
    }

    pub(crate) fn choice(&self, operator: usize, place: &Place) -> Result<Choice, ApplyError> {
        let no_place = || ApplyError::NoPlace {
            operator: ALL[operator].about().id().to_owned(),
            words: format!("{place:?}"),
        };
        let base = &self.base;
        let index = |id: &UnitId| {
            let found = self.unit(id).and_then(|unit| u32::try_from(unit).ok());
            found.ok_or_else(|| ApplyError::NoUnit(id.to_string()))
        };
        let sites = base.sites(operator);
        match (place, sites) {
            (Place::Swap { swap: (one, other) }, sites) => {
                let (one, other) = (index(one)?, index(other)?);
                let is_one = sites.has_pair(one, other);
                is_one.then_some(Choice::Swap(one.min(other), one.max(other))).ok_or_else(no_place)
            }
            (Place::Inside { unit, at }, Sites::Nodes(nodes)) => {
                let (first, after) = self.nodes_of(index(unit)?, nodes);
                let at = usize::try_from(*at).unwrap_or(usize::MAX);
                let node = nodes[first..after].get(at).copied();
                node.map(Choice::One).ok_or_else(no_place)
            }
            (Place::Program { at: 0 }, Sites::Whole(true)) => Ok(Choice::One(0)),
            (Place::Program { at }, Sites::Symbols(symbols)) => {
                let at = usize::try_from(*at).unwrap_or(usize::MAX);
                symbols.get(at).copied().map(Choice::One).ok_or_else(no_place)
            }
            (Place::Many { many, random }, sites)
                if self.takes_many(operator) && sites.len() > 0 =>
            {
                Ok(Choice::Many(*many, *random))
            }
            (Place::Order { order }, _) => {
                let order: Vec<u32> = order.iter().map(index).collect::<Result<_, _>>()?;
                let is_allowed = ALL[operator].allows(base, &order);
                is_allowed.then(|| Choice::Order(order.into())).ok_or_else(no_place)
            }
            (Place::Several { several }, sites) => {
                let site = |spot: &Spot| self.site(operator, sites, spot).ok_or_else(no_place);
                let mut several: Vec<Site> = several.iter().map(site).collect::<Result<_, _>>()?;
                several.sort_unstable_by_key(|site| site.at);
                let are_different = several.windows(2).all(|two| two[0].at != two[1].at);
                let is_one = are_different && !several.is_empty() && has_no_name_twice(&several);
                is_one.then(|| Choice::Several(several.into())).ok_or_else(no_place)
            }
            _ => Err(no_place()),
        }
    }

    /// One of several sites.
    fn site(&self, operator: usize, sites: &Sites, spot: &Spot) -> Option<Site> {
        let number = usize::try_from(spot.at).ok()?;
        let at = match (sites, &spot.unit) {
            (Sites::Nodes(nodes), Some(unit)) => {
                let unit = u32::try_from(self.unit(unit)?).ok()?;
                let (first, after) = self.nodes_of(unit, nodes);
                *nodes[first..after].get(number)?
            }
            // A name that is not said could be one that is said for another symbol.
            (Sites::Symbols(symbols), None) if spot.how.is_some() => *symbols.get(number)?,
            _ => return None,
        };
        let can_make = |how: &String| ALL[operator].can_make(&self.base, at, how);
        let is_one = spot.how.as_ref().is_none_or(can_make);
        is_one.then(|| Site { at, how: spot.how.as_deref().map(Into::into) })
    }

    /// The place of a node or symbol.
    pub(crate) fn spot(&self, operator: usize, site: &Site) -> Option<Spot> {
        let how = site.how.as_deref().map(str::to_owned);
        let sites = self.base.sites(operator);
        let number = sites.singles().binary_search(&site.at).ok()?;
        Some(match sites {
            Sites::Nodes(nodes) => {
                let command = u32::try_from(self.base.script.command_of(site.at)?).ok()?;
                let (first, _) = self.nodes_of(command, nodes);
                Spot { unit: Some(self.id(command)), at: (number - first) as u64, how }
            }
            _ => Spot { unit: None, at: number as u64, how },
        })
    }

    /// The range of an operator's nodes that are in a command.
    fn nodes_of(&self, command: u32, nodes: &[NodeId]) -> (usize, usize) {
        let script = &self.base.script;
        let Some(command) = script.commands().get(command as usize) else { return (0, 0) };
        let skip = script.node(command.node).skip;
        (
            nodes.partition_point(|node| *node < command.node),
            nodes.partition_point(|node| *node < skip),
        )
    }

    pub(crate) fn id(&self, command: u32) -> UnitId {
        let id = self.base.ids.get(command as usize).copied().unwrap_or(command);
        UnitId::of_seed(id as usize)
    }
}

impl Program for SmtProgram {
    fn texts(&self) -> Vec<FileText> {
        // The seed is UTF-8, and operators move whole nodes.
        let text = String::from_utf8(self.text())
            .unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned());
        vec![FileText { part: 0, text }]
    }

    fn file_count(&self) -> usize {
        1
    }

    fn hash(&self) -> Hash {
        *self.hash.get_or_init(|| {
            self.with_text(|made| {
                let hash = *blake3::hash(&made.text).as_bytes();
                if made.text.len() > KEPT {
                    *made = Made::default();
                }
                hash
            })
        })
    }

    fn unit_count(&self) -> usize {
        self.base.ids.len()
    }

    fn unit_order(&self) -> Vec<usize> {
        let id = |command: usize| self.base.ids[command] as usize;
        match self.order() {
            None => (0..self.base.ids.len()).map(id).collect(),
            Some(order) => {
                let old = order.iter().filter(|command| (**command as usize) < self.base.ids.len());
                old.map(|command| id(*command as usize)).collect()
            }
        }
    }

    fn unit(&self, id: &UnitId) -> Option<usize> {
        let number = u32::try_from(id.own_number()?).ok()?;
        // In the seed, numbers are places.
        let first = self.base.ids.get(number as usize).filter(|it| **it == number);
        first.map(|_| number as usize).or_else(|| self.base.ids.iter().position(|it| *it == number))
    }

    fn describe(&self, unit: usize) -> String {
        describe(&self.base, u32::try_from(unit).unwrap_or(u32::MAX))
    }

    fn unit_names(&self, unit: usize) -> Vec<String> {
        let declared = self.base.declarations.of(unit).iter();
        let name = |it: &smt_syntax::declare::Declared| {
            String::from_utf8_lossy(self.base.symbols.name(it.symbol)).into_owned()
        };
        declared.map(name).collect()
    }

    fn operators(&self) -> &'static [&'static About] {
        &ABOUTS
    }

    fn places(&self, operator: usize) -> u64 {
        self.settled().map_or(0, |program| program.base.sites(operator).len())
    }

    fn places_inside(&self, operator: usize, unit: usize) -> u64 {
        let Sites::Nodes(nodes) = self.base.sites(operator) else { return 0 };
        let (first, after) = self.nodes_of(u32::try_from(unit).unwrap_or(u32::MAX), nodes);
        (after - first) as u64
    }

    fn takes_many(&self, operator: usize) -> bool {
        !ALL[operator].changes_scopes()
    }

    fn is_alone(&self) -> bool {
        true
    }

    fn place(&self, operator: usize, number: u64) -> Option<Place> {
        let settled = self.settled()?;
        let sites = settled.base.sites(operator);
        match sites {
            Sites::Groups(_) | Sites::Pairs(_) => {
                let (one, other) = sites.pair(number)?;
                Some(Place::Swap { swap: (settled.id(one), settled.id(other)) })
            }
            Sites::Nodes(nodes) => {
                let index = usize::try_from(number).ok()?;
                let command = settled.base.script.command_of(*nodes.get(index)?)?;
                let command = u32::try_from(command).ok()?;
                let (first, _) = settled.nodes_of(command, nodes);
                Some(Place::Inside { unit: settled.id(command), at: (index - first) as u64 })
            }
            Sites::Symbols(_) | Sites::Whole(_) => {
                (number < sites.len()).then_some(Place::Program { at: number })
            }
        }
    }

    fn apply_at(&self, operator: usize, place: Place) -> Result<Applied, ApplyError> {
        let about = ALL[operator].about();
        let settled = self.settled().ok_or_else(|| ApplyError::NoPlace {
            operator: about.id().to_owned(),
            words: "the query cannot be read".to_owned(),
        })?;
        let choice = settled.choice(operator, &place)?;
        let words = ALL[operator].words(&settled.base, &choice);
        let (change, hash) = (Some((operator, choice)), OnceLock::new());
        let program = SmtProgram { change, hash, ..settled };
        let edit = Edit::new(about.id(), place, words);
        Ok(Applied { program: Arc::new(program), edit, change: EditTrace::new(()) })
    }

    fn spelled_out(&self, operator: usize, place: &Place) -> Option<Place> {
        let settled = self.settled()?;
        let choice = settled.choice(operator, place).ok()?;
        let Choice::Many(..) = choice else { return None };
        if let Some(order) = ALL[operator].order(&settled.base, &choice) {
            let moved = (0u32..).zip(&order).filter(|(place, command)| place != *command);
            let order = moved.map(|(_, command)| settled.id(*command)).collect();
            return Some(Place::Order { order });
        }
        let sites = ALL[operator].listed(&settled.base, &choice);
        let spots = sites.iter().map(|site| settled.spot(operator, site));
        Some(Place::Several { several: spots.collect::<Option<_>>()? })
    }

    fn as_any(&self) -> &dyn Any {
        self
    }
}

/// Whether no two symbols get the same name.
fn has_no_name_twice(sites: &[Site]) -> bool {
    let mut names: Vec<&str> = sites
        .iter()
        .filter_map(|site| site.how.as_deref())
        .filter(|it| it.starts_with('v'))
        .collect();
    names.sort_unstable();
    names.windows(2).all(|two| two[0] != two[1])
}

/// The longest name in a description, in characters.
const LONG: usize = 60;

/// Describes a command.
pub(crate) fn describe(base: &Base, command: u32) -> String {
    let script = &base.script;
    let Some(found) = script.commands().get(command as usize) else { return "nothing".to_owned() };
    let declared = base.declarations.of(command as usize).first();
    let name = declared.map(|it| shortened(base.symbols.name(it.symbol)));
    let name = name.map(|name| format!(" `{name}`")).unwrap_or_default();
    let number = |kind: Kind| {
        let before = &script.commands()[..=command as usize];
        before.iter().filter(|it| it.kind == kind).count()
    };
    match base.parts.get(command as usize) {
        Some(Part::Assertion) if is_goal(base, command) => {
            format!("assertion #{}{name}, the goal,", number(Kind::Assert))
                .trim_end_matches(',')
                .to_owned()
        }
        Some(Part::Assertion) => {
            let qid = quantifier_name(base, found.node).map(|name| format!(" `{name}`"));
            let name = if name.is_empty() { qid.unwrap_or_default() } else { name };
            format!("assertion #{}{name}", number(Kind::Assert))
        }
        Some(Part::Declaration) => format!("declaration{name}"),
        _ => format!("`{}` #{}", found.kind.name(), command + 1),
    }
}

/// Whether an assertion is the last one before a check.
fn is_goal(base: &Base, command: u32) -> bool {
    let mut after = base.script.commands().iter().skip(command as usize + 1);
    after
        .find(|it| it.kind.class() != smt_syntax::Class::Output)
        .is_some_and(|it| it.kind.is_check())
}

/// The name that the first quantifier in a command has for logs.
fn quantifier_name(base: &Base, command: NodeId) -> Option<String> {
    let nodes = command..base.script.node(command).skip;
    let mut keys = nodes.filter(|node| base.script.text(*node) == b":qid");
    let value = keys.next()? + 1;
    base.script.symbol(value).map(shortened)
}

/// Describes a term with the command that it is in.
pub(crate) fn describe_place(base: &Base, node: NodeId) -> String {
    let head = base.script.head(node).map(shortened).unwrap_or_default();
    format!("`{head}` in {}", describe_command(base, node))
}

/// Describes the command that a node is in.
pub(crate) fn describe_command(base: &Base, node: NodeId) -> String {
    let command = base.script.command_of(node).and_then(|it| u32::try_from(it).ok());
    describe(base, command.unwrap_or(u32::MAX))
}

fn shortened(name: &[u8]) -> String {
    let name = String::from_utf8_lossy(name);
    match name.char_indices().nth(LONG) {
        Some((end, _)) => format!("{}…", &name[..end]),
        None => name.into_owned(),
    }
}

#[cfg(test)]
pub(crate) mod testing {
    use std::collections::BTreeSet;

    use super::*;
    use mugie_core::{Language as _, LanguageOptions, SourceText, Strength, number_of};

    fn seed(text: &str) -> Arc<dyn Program> {
        let file = SourceText { name: "a.smt2".to_owned(), bytes: text.as_bytes().to_vec() };
        let seed = crate::SmtLib.read(vec![file], &LanguageOptions::default());
        Arc::clone(seed.expect("the query is right").program())
    }

    /// The texts of all programs that a number of draws of an operator lead to.
    pub(crate) fn mutants(text: &str, operator: &str, draws: u64) -> Vec<String> {
        let program = seed(text);
        let operator = number_of(program.operators(), operator).expect("there is the operator");
        let seed_text = program.texts().remove(0).text;
        let mut places: Vec<Place> =
            (0..program.places(operator)).filter_map(|it| program.place(operator, it)).collect();
        if !places.is_empty() && program.takes_many(operator) {
            for random in 0..draws {
                for many in [Strength::Some, Strength::All] {
                    places.push(Place::Many { many, random });
                }
            }
        }
        let texts = places.into_iter().map(|place| {
            let applied = program.apply_at(operator, place).expect("the place is one");
            let again = program.apply(&applied.edit).expect("it can be done again");
            assert_eq!(again.program.hash(), applied.program.hash());
            if let Some(listed) = program.spelled_out(operator, &applied.edit.place)
                && applied.program.hash() != program.hash()
            {
                let again = program.apply_at(operator, listed).expect("the list is right");
                assert_eq!(again.program.hash(), applied.program.hash());
            }
            applied.program.texts().remove(0).text
        });
        let texts: BTreeSet<String> = texts.filter(|text| *text != seed_text).collect();
        texts.into_iter().collect()
    }

    /// What a function makes of all single places of an operator.
    pub(crate) fn texts(
        text: &str,
        operator: &str,
        of: impl Fn(&dyn Program, Place) -> String,
    ) -> Vec<String> {
        let program = seed(text);
        let operator = number_of(program.operators(), operator).expect("there is the operator");
        let places = (0..program.places(operator)).filter_map(|it| program.place(operator, it));
        places.map(|place| of(&*program, place)).collect()
    }
}
