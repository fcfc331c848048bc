//! The strengths of edits, with queries.

#![expect(clippy::unwrap_used, reason = "tests may panic")]

use std::collections::BTreeSet;
use std::sync::Arc;

use mugie_core::{
    Edit, Focus, Generator, Language as _, LanguageOptions, Place, Program, Scope, SourceText,
    Strength, Strengths, UnitId, Weights, hex, replay,
};
use mugie_smtlib::SmtLib;

const QUERY: &str = "(set-logic ALL)
    (declare-fun a () Int) (declare-fun b () Int) (declare-fun c () Int)
    (assert (! (and (> a 1) (> b 2)) :named one)) (assert (! (and (> b 3) (> c 4)) :named two))
    (assert (! (and (> c 5) (< a 3)) :named three)) (assert (! (or (< c 5) (< b 3)) :named four))
    (check-sat)";

fn seed() -> Arc<dyn Program> {
    let file = SourceText { name: "a.smt2".to_owned(), bytes: QUERY.as_bytes().to_vec() };
    let seed = SmtLib.read(vec![file], &LanguageOptions::default());
    Arc::clone(seed.expect("the query is right").program())
}

/// The edits of mutants of a strength, each made from its record again.
fn edits(operators: &str, strength: Option<Strengths>, scope: &str) -> Vec<Edit> {
    let seed = seed();
    let weights = Weights::parse(operators, seed.operators()).unwrap();
    let focus = Focus::new(&*seed, &Scope::from(scope.to_owned())).unwrap();
    let generator = Generator::new(&seed, weights, 1, 20, 1_000).within(focus);
    let mutants = generator.with_strength(strength).map(Result::unwrap);
    let edits = mutants.map(|mutant| {
        replay(&seed, &mutant.edits, &hex(&mutant.program.hash())).unwrap();
        assert_eq!(mutant.edits.len(), 1);
        mutant.edits[0].clone()
    });
    edits.collect()
}

#[test]
fn every_strength_is_drawn_as_asked() {
    let strengths = |asked: Strengths| -> BTreeSet<Strength> {
        edits("all", Some(asked), "all").iter().map(|edit| edit.strength).collect()
    };
    assert_eq!(strengths(Strengths::One), BTreeSet::from([Strength::One]));
    assert!(strengths(Strengths::All).contains(&Strength::All));
    assert!(!strengths(Strengths::All).contains(&Strength::Some));
    assert!(strengths(Strengths::Mixed).contains(&Strength::All));
    assert_eq!(edits("all", Some(Strengths::Mixed), "all"), edits("all", None, "all"));
}

#[test]
fn a_strong_edit_within_a_scope_names_its_places() {
    let seed = seed();
    for (operators, strength) in
        [("shuffle-assertions", Strengths::All), ("commute", Strengths::Some)]
    {
        let edits = edits(operators, Some(strength), "t*");
        assert!(!edits.is_empty(), "{operators}");
        for edit in edits {
            assert!(!matches!(edit.place, Place::Many { .. }), "{edit:?}");
            let is_in = |unit: &UnitId| {
                let names = seed.unit_names(seed.unit(unit).unwrap());
                names.iter().all(|name| name.starts_with('t'))
            };
            let units = edit.place.units();
            // A swap is a change of either command.
            let is_within = match edit.place {
                Place::Swap { .. } => units.into_iter().any(is_in),
                _ => units.into_iter().all(is_in),
            };
            assert!(is_within, "{edit:?}");
        }
    }
}
