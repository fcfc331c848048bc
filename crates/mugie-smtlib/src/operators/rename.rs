//! Gives the names of the query other names.

use std::collections::BTreeMap;

use mugie_core::About;
use rustc_hash::{FxBuildHasher, FxHashMap, FxHashSet};
use smt_syntax::declare::What;
use smt_syntax::{AtomKind, Role, Symbol};

use super::{Choice, Operator, Site, Sites, about};
use crate::base::Base;
use crate::random::Stream;

/// See [`Operator::about`].
#[derive(Debug)]
pub(crate) struct Rename;

impl Operator for Rename {
    fn about(&self) -> &'static About {
        about! {
            /// Gives names other names: of functions, constants, sorts, datatypes and variables.
            ///
            /// ```smt2 before
            /// (declare-fun f (Int) Int)
            /// (assert (forall ((x Int)) (> (f x) x)))
            /// ```
            /// ```smt2 after
            /// (declare-fun v1 (Int) Int)
            /// (assert (forall ((v0 Int)) (> (v1 v0) v0)))
            /// ```
            ///
            /// One new name stands for one old name wherever the old one occurs, whatever it means
            /// there. So overloading, shadowing and scopes stay what they are.
            ///
            /// ## Applies when
            /// the query declares or binds the name, it is no word of SMT-LIB or of a theory, and all
            /// of its occurrences are known to be names: an occurrence in an option, a note or a
            /// command that is not understood keeps it. The tester `is-C` follows the constructor `C`;
            /// if the query declares `is-C` itself, `C` stays. Texts of `:qid` and `:skolemid` stay.
            ///
            /// ## Sound because
            /// the meaning of a query does not depend on its names. No new name occurs in the query, or
            /// is known to a solver.
            "rename" 1
        }
    }

    fn sites(&self, base: &Base) -> Sites {
        Sites::Symbols(renameable(base))
    }

    fn write(&self, base: &Base, choice: &Choice, out: &mut Vec<u8>) {
        write(base, &new_names(base, choice), out);
    }

    /// The name must be one that this operator gives, and not occur yet.
    fn can_make(&self, base: &Base, _: u32, how: &str) -> bool {
        let digits = how.trim_start_matches('v');
        digits.len() < how.len()
            && !digits.is_empty()
            && digits.bytes().all(|byte| byte.is_ascii_digit())
            && base.symbols.find(how.as_bytes()).is_none()
            && base.symbols.find(format!("is-{how}").as_bytes()).is_none()
    }

    fn listed(&self, base: &Base, choice: &Choice) -> Vec<Site> {
        let names = new_names(base, choice);
        let symbols: Vec<Symbol> = base.symbols.all().collect();
        let site = |at: u32| {
            let how = names.get(&symbols[at as usize]).map(|name| name.as_str().into());
            Site { at, how }
        };
        choice.among(self.own_sites(base).singles()).into_iter().map(site).collect()
    }

    fn words(&self, base: &Base, choice: &Choice) -> String {
        match choice {
            Choice::One(_) => Rename::renaming(base, choice),
            Choice::Several(sites) if sites.len() == 1 => Rename::renaming(base, choice),
            choice => format!("rename {} names", choice.words(self.own_sites(base).len())),
        }
    }
}

impl Rename {
    /// What is done to a single name, in words.
    fn renaming(base: &Base, choice: &Choice) -> String {
        let names = new_names(base, choice);
        let mut names: Vec<_> = names.iter().collect();
        names.sort_unstable();
        names.first().map_or_else(String::new, |(symbol, name)| {
            let old = String::from_utf8_lossy(base.symbols.name(**symbol));
            format!("rename `{old}` to `{name}`")
        })
    }
}

/// Writes the query with other names.
pub(crate) fn write(base: &Base, names: &FxHashMap<Symbol, String>, out: &mut Vec<u8>) {
    let text = base.text();
    out.reserve(text.len());
    let mut by_number: Vec<Option<&str>> = vec![None; base.symbols.len()];
    by_number.iter_mut().zip(base.symbols.all()).for_each(|(new, symbol)| {
        *new = names.get(&symbol).map(String::as_str);
    });
    let mut copied = 0;
    for (node, place) in (0u32..).zip(base.script.nodes()) {
        let Some(name) = base.symbols.at(node).and_then(|symbol| by_number[symbol.index()]) else {
            continue;
        };
        if is_name(base.roles.of(node)) {
            out.extend_from_slice(&text[copied..place.start as usize]);
            out.extend_from_slice(name.as_bytes());
            copied = place.end as usize;
        }
    }
    out.extend_from_slice(&text[copied..]);
}

/// Whether a symbol with this role is a name.
fn is_name(role: Role) -> bool {
    matches!(
        role,
        Role::Name
            | Role::Constructor
            | Role::Selector
            | Role::Named
            | Role::Operator
            | Role::Term
            | Role::Sort
            | Role::BinderSort
            | Role::Binder
            | Role::SortParameter
            | Role::LetName
            | Role::MatchPattern
            | Role::Pattern
            | Role::Reference
    )
}

/// Whether a symbol with this role says nothing about the name.
fn is_no_occurrence(role: Role) -> bool {
    matches!(role, Role::CommandName | Role::Syntax | Role::AttributeValue | Role::IndexedName)
}

/// The symbols that can be renamed, by their numbers.
fn renameable(base: &Base) -> Vec<u32> {
    let mut may: Vec<bool> = vec![true; base.symbols.len()];
    for node in 0..u32::try_from(base.script.nodes().len()).unwrap_or(u32::MAX) {
        let Some(symbol) = base.symbols.at(node) else { continue };
        let role = base.roles.of(node);
        let is_odd = !is_name(role) && !is_no_occurrence(role);
        if is_odd || base.script.atom_kind(node) != Some(AtomKind::Symbol) {
            may[symbol.index()] = false;
        }
    }
    let is_site = |(number, symbol): (u32, Symbol)| {
        let is_one = may[symbol.index()] && base.is_own(symbol) && is_free(base, symbol);
        is_one.then_some(number)
    };
    (0..).zip(base.symbols.all()).filter_map(is_site).collect()
}

/// Whether nothing but the query gives the name a meaning.
fn is_free(base: &Base, symbol: Symbol) -> bool {
    let name = base.symbols.name(symbol);
    if KNOWN.binary_search(&String::from_utf8_lossy(name).as_ref()).is_ok()
        || [&b"fp."[..], b"str.", b"re.", b"seq.", b"set.", b"bag.", b"bv", b"rel."]
            .iter()
            .any(|start| name.starts_with(start))
    {
        return false;
    }
    // A tester that the query declares, and the constructor of such a tester.
    let tester = [b"is-", name].concat();
    let is_declared_tester = |symbol: Symbol| {
        let commands = base.declarations.declared_by(symbol);
        let all = commands.iter().flat_map(|command| base.declarations.of(*command as usize));
        let kinds: Vec<What> = all.filter(|it| it.symbol == symbol).map(|it| it.what).collect();
        kinds.contains(&What::Tester) && kinds.iter().any(|what| *what != What::Tester)
    };
    let constructor = base.symbols.find(&tester);
    !name.starts_with(b"is-") && constructor.is_none_or(|symbol| !is_declared_tester(symbol))
}

/// The new names of the chosen symbols, and of testers.
pub(crate) fn new_names(base: &Base, choice: &Choice) -> FxHashMap<Symbol, String> {
    let sites = Rename.own_sites(base).singles();
    let chosen: FxHashSet<u32> = choice.among(sites).into_iter().collect();
    let prefix = prefix(base);
    let mut numbers: Vec<usize> = (0..sites.len()).collect();
    if let Some(random) = choice.random() {
        Stream::of(random, 1).shuffle(&mut numbers);
    }
    let symbols: Vec<Symbol> = base.symbols.all().collect();
    let has_testers = base.symbols.has_prefix(b"is-");
    let mut names = FxHashMap::with_capacity_and_hasher(chosen.len(), FxBuildHasher);
    for (site, number) in sites.iter().zip(numbers) {
        if !chosen.contains(site) {
            continue;
        }
        let symbol = symbols[*site as usize];
        let name = choice.how(*site).map_or_else(|| format!("{prefix}{number}"), str::to_owned);
        if has_testers
            && let Some(tester) = base.symbols.find(&[b"is-", base.symbols.name(symbol)].concat())
        {
            names.insert(tester, format!("is-{name}"));
        }
        names.insert(symbol, name);
    }
    names
}

/// Letters that no symbol of the query starts with.
fn prefix(base: &Base) -> String {
    let mut prefix = "v".to_owned();
    let is_taken = |prefix: &str| {
        let taken = |symbol: Symbol| {
            let name = base.symbols.name(symbol);
            name.strip_prefix(prefix.as_bytes())
                .is_some_and(|rest| rest.first().is_none_or(u8::is_ascii_digit))
        };
        base.symbols.all().any(taken)
    };
    while base.symbols.has_prefix(prefix.as_bytes()) && is_taken(&prefix) {
        prefix.push('v');
    }
    prefix
}

/// The names in the seed of what a choice renames: pairs of the new and the old name.
pub(crate) fn seed_names(
    base: &Base,
    operator: usize,
    choice: &Choice,
) -> BTreeMap<String, String> {
    if super::ALL[operator].about().name != Rename.about().name {
        return BTreeMap::new();
    }
    let old = |symbol: &Symbol| String::from_utf8_lossy(base.symbols.name(*symbol)).into_owned();
    new_names(base, choice).iter().map(|(symbol, name)| (name.clone(), old(symbol))).collect()
}

/// Words that have a meaning to a solver, in the order of their bytes. A query that declares one of them
/// keeps it.
const KNOWN: &[&str] = &[
    "!",
    "*",
    "+",
    "-",
    "/",
    "<",
    "<=",
    "=",
    "=>",
    ">",
    ">=",
    "Array",
    "Bag",
    "BitVec",
    "Bool",
    "Char",
    "Float128",
    "Float16",
    "Float32",
    "Float64",
    "FloatingPoint",
    "Int",
    "List",
    "NUMERAL",
    "RNA",
    "RNE",
    "RTN",
    "RTP",
    "RTZ",
    "Real",
    "RegEx",
    "RegLan",
    "Relation",
    "RoundingMode",
    "STRING",
    "Seq",
    "Set",
    "String",
    "Table",
    "Tuple",
    "Unicode",
    "UnitTuple",
    "_",
    "abs",
    "and",
    "as",
    "as-array",
    "assert",
    "choice",
    "choose",
    "concat",
    "cons",
    "const",
    "cos",
    "default",
    "distinct",
    "div",
    "divisible",
    "emptybag",
    "emptyset",
    "exists",
    "exp",
    "extract",
    "false",
    "first",
    "forall",
    "head",
    "iand",
    "if",
    "iff",
    "implies",
    "insert",
    "int.pow2",
    "int2bv",
    "is",
    "is_int",
    "ite",
    "lambda",
    "let",
    "map",
    "match",
    "max",
    "member",
    "min",
    "mod",
    "nand",
    "nil",
    "nor",
    "not",
    "or",
    "par",
    "pi",
    "pow2",
    "real.pi",
    "rem",
    "repeat",
    "roundNearestTiesToAway",
    "roundNearestTiesToEven",
    "roundTowardNegative",
    "roundTowardPositive",
    "roundTowardZero",
    "second",
    "select",
    "sep",
    "setminus",
    "sign_extend",
    "sin",
    "singleton",
    "sqrt",
    "store",
    "subset",
    "tail",
    "tan",
    "to_fp",
    "to_fp_unsigned",
    "to_int",
    "to_real",
    "true",
    "tuple",
    "ubv_to_int",
    "union",
    "update",
    "update-field",
    "wand",
    "witness",
    "xor",
    "zero_extend",
];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::program::testing::mutants;

    #[test]
    fn known_words_are_sorted() {
        assert!(KNOWN.is_sorted(), "{:?}", KNOWN.windows(2).find(|two| two[0] > two[1]));
    }

    #[test]
    fn all_occurrences_are_renamed_alike() {
        let seed = "(declare-datatypes ((L 0)) (((nil) (pair (hd Int) (tl L)))))(declare-fun |a b| (L) Int)\
                    (assert (forall ((x L)) (! (=> (is-pair x) (> (|a b| x) (hd x))) :pattern ((|a b| x)) :qid hd)))\
                    (check-sat)";
        let all = mutants(seed, "rename", 60);
        let full = all.iter().max_by_key(|text| text.matches('v').count()).unwrap();
        for old in ["L ", "|a b|", "pair", "tl", "(hd "] {
            assert!(!full.contains(old), "{old} is in {full}");
        }
        assert!(full.contains(":qid hd") && full.contains("(nil)"), "{full}");
        assert!(full.contains("(is-v"), "{full}");
    }

    #[test]
    fn names_of_theories_and_odd_occurrences_stay() {
        let seed = "(declare-fun select (Int) Int)(declare-const p Bool)(check-sat-assuming (p))\
                    (set-info :note p)(assert (= (select 0) 0))(check-sat)";
        for text in mutants(seed, "rename", 30) {
            assert!(text.contains("select") && text.contains(":note p"), "{text}");
        }
    }
}
