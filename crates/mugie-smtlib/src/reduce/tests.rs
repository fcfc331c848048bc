//! Tests of pairs and cuts, without a solver.

use std::sync::Arc;

use mugie_core::{
    Edit, Language as _, LanguageOptions, Outcome, Pair, Place, SourceText, Strength, Verdict,
    number_of,
};

use super::cut::{How, Unit};
use super::pair::SmtPair;
use super::units::{self, Terms};
use super::without;

/// The pair of a query and its mutant by an operator, listed place by place.
fn pair(text: &str, operator: &str, place: Place, options: &[(&str, &str)]) -> SmtPair {
    let file = SourceText { name: "a.smt2".to_owned(), bytes: text.as_bytes().to_vec() };
    let options: LanguageOptions =
        options.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
    let seed = crate::SmtLib.read(vec![file], &options).unwrap();
    let number = number_of(seed.program().operators(), operator).unwrap();
    let place = seed.program().spelled_out(number, &place).unwrap_or(place);
    let pair = seed.pair(&[Edit::new(operator, place, "")]).unwrap();
    pair.as_any().downcast_ref::<SmtPair>().unwrap().clone()
}

fn all(random: u64) -> Place {
    Place::Many { many: Strength::All, random }
}

/// The part of a pair's seed with this text.
fn part(pair: &SmtPair, text: &str) -> Unit {
    let script = &pair.base().script;
    let mut nodes = 0..u32::try_from(script.nodes().len()).unwrap();
    let node = nodes.find(|node| script.text(*node) == text.as_bytes()).unwrap();
    (pair.origins[node as usize], How::Remove)
}

fn cut(pair: &SmtPair, parts: &[&str]) -> Option<SmtPair> {
    let units: Vec<Unit> = parts.iter().map(|text| part(pair, text)).collect();
    let smaller = without(pair, &units)?;
    smaller.as_any().downcast_ref::<SmtPair>().cloned()
}

fn texts(pair: &SmtPair) -> [String; 2] {
    let text = |program: &dyn mugie_core::Program| program.texts().remove(0).text;
    [text(Pair::seed(pair)), text(Pair::mutant(pair))]
}

/// The positions of some texts in the mutant.
fn order(pair: &SmtPair, parts: &[&str]) -> Vec<usize> {
    let mutant = &texts(pair)[1];
    let mut places: Vec<(usize, usize)> =
        parts.iter().enumerate().map(|(number, it)| (mutant.find(it).unwrap(), number)).collect();
    places.sort_unstable();
    places.into_iter().map(|(_, number)| number).collect()
}

const FIVE: &str =
    "(assert (= 1 1))(assert (= 2 2))(assert (= 3 3))(assert (= 4 4))(assert (= 5 5))(check-sat)";

#[test]
fn what_is_left_of_an_order_is_in_that_order() {
    let all_five = ["(= 1 1)", "(= 2 2)", "(= 3 3)", "(= 4 4)", "(= 5 5)"];
    for random in 0..20 {
        let mut units: Vec<mugie_core::UnitId> = (0..5).map(mugie_core::UnitId::of_seed).collect();
        crate::random::Stream::of(random, 0).shuffle(&mut units);
        let before = pair(FIVE, "shuffle-assertions", Place::Order { order: units }, &[]);
        let expected: Vec<usize> =
            order(&before, &all_five).into_iter().filter(|it| *it < 3).collect();
        match cut(&before, &["(assert (= 4 4))", "(assert (= 5 5))"]) {
            Some(after) => assert_eq!(order(&after, &all_five[..3]), expected),
            None => assert!(expected.is_sorted(), "{expected:?}"),
        }
    }
}

#[test]
fn what_is_left_of_an_order_of_arguments_is_in_that_order() {
    let text = "(declare-const a Bool)(declare-const b Bool)(declare-const c Bool)(declare-const d Bool)\
                (assert (and (not a) (not b) (not c) (not d)))(check-sat)";
    let parts = ["(not a)", "(not b)", "(not c)", "(not d)"];
    let mut cuts = 0;
    for random in 0..20 {
        let before = pair(text, "commute", all(random), &[]);
        let expected: Vec<usize> =
            order(&before, &parts).into_iter().filter(|it| *it < 3).collect();
        if let Some(after) = cut(&before, &["(not d)"]) {
            assert_eq!(order(&after, &parts[..3]), expected);
            cuts += 1;
        }
    }
    assert!(cuts > 5, "{cuts}");
}

#[test]
fn new_names_stay_the_same() {
    let text = "(declare-const a Bool)(declare-const b Bool)(assert a)(assert b)(check-sat)";
    let before = pair(text, "rename", all(3), &[]);
    let after = cut(&before, &["(assert a)", "(declare-const a Bool)"]).unwrap();
    let [seed, mutant] = texts(&after);
    assert_eq!(seed.lines().count(), 4);
    assert!(texts(&before)[1].contains(mutant.lines().next().unwrap()), "{mutant}");
}

#[test]
fn the_check_that_is_left_keeps_its_name_and_its_answer() {
    let text = "(declare-const p Bool)(push)(assert p)(check-sat)(pop)(push)(assert (not p))(assert p)(check-sat)\n\
                (pop)(assert true)(check-sat)";
    let swap = Place::Order { order: ["9", "8"].map(|it| it.to_owned().into()).to_vec() };
    let options = [("answers", "sat,unsat,sat")];
    let before = pair(text, "shuffle-assertions", swap, &options);
    let choices = units::other_checks(&before, Some(1));
    let after = without(&before, &choices[0]).unwrap();
    let seed = after.seed().texts().remove(0).text;
    let expected = "(declare-const p Bool)\n(push)\n(assert (not p))\n(assert p)\n(check-sat)\n(get-info :rlimit)\n";
    assert_eq!(seed, expected);
    assert_eq!(after.goal_names().in_seed("#1"), "#2");
    assert_eq!(after.goal_names().in_mutant("#2"), "#1");
    let before: LanguageOptions =
        options.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
    assert_eq!(after.options(&before).get("answers"), Some("unsat"));
}

#[test]
fn nothing_that_is_used_counts_as_unused() {
    let text = "(declare-sort S 0)(declare-sort T 0)(declare-fun f (S) Int)(declare-fun g (T) Int)(declare-const s S)\
                (set-info :note x)(assert (let ((a 1) (b 2)) (forall ((x S) (y S)) (! (= (f s) b) :pattern ((f x))))))\
                (assert true)(check-sat)";
    let pair = pair(text, "shuffle-assertions", all(1), &[]);
    let mut unused = units::unused(&pair);
    unused.extend(Terms::of(&pair).unused);
    let mut wanted =
        ["(declare-sort T 0)", "(declare-fun g (T) Int)", "(set-info :note x)", "(a 1)", "(y S)"]
            .map(|text| part(&pair, text))
            .to_vec();
    let key = |unit: &Unit| unit.0;
    unused.sort_unstable_by_key(key);
    wanted.sort_unstable_by_key(key);
    assert_eq!(unused, wanted);
}

#[test]
fn parts_of_patterns_and_attributes_stay() {
    let text = "(declare-fun p (Bool) Bool)(assert (forall ((x Bool)) (! (=> (p x) (ite (p x) x false)) \
                :pattern ((p (and x true))) :weight 3)))(assert true)(check-sat)";
    let pair = pair(text, "shuffle-assertions", all(1), &[]);
    let Terms { arguments, replaced, .. } = Terms::of(&pair);
    assert_eq!(arguments.concat().len(), 1);
    // The body, the conclusion, its two branches in its place, its condition, and each of them.
    assert_eq!(replaced.len(), 2 + 2 + 2 + 2 + 2, "{replaced:?}");
}

#[test]
fn a_neighbour_differs_by_names_or_by_the_random_seed() {
    let text = "(set-option :smt.mbqi false)(declare-const aa Bool)(assert aa)(assert (not aa))(check-sat)";
    let pair = pair(
        text,
        "shuffle-assertions",
        Place::Order { order: ["3", "2"].map(|it| it.to_owned().into()).to_vec() },
        &[],
    );
    let neighbour = |number: usize| {
        let found = pair.neighbour(number).unwrap();
        texts(found.as_any().downcast_ref::<SmtPair>().unwrap())
    };
    let [seed, mutant] = neighbour(0);
    assert!(!seed.contains("aa") && !mutant.contains("aa"), "{seed}{mutant}");
    assert_eq!(mutant.find("(assert (not"), seed.find("(assert v"));
    for (text, own) in neighbour(1).iter().zip(texts(&pair)) {
        let left = text.lines().filter(|line| !line.contains(".random_seed "));
        assert!(left.eq(own.lines()), "{text}");
        assert!(
            text.starts_with("(set-option :smt.mbqi false)\n(set-option :smt.random_seed"),
            "{text}"
        );
    }
}

#[test]
fn complaints_must_be_old_and_the_same_about_both() {
    let text = "(assert p)(assert true)(check-sat)";
    let pair: Arc<dyn Pair> = Arc::new(pair(text, "shuffle-assertions", all(1), &[]));
    let verdict = |texts: &[&str]| {
        let message =
            |text: &&str| mugie_core::Message { text: (*text).to_owned(), location: None };
        let messages = texts.iter().map(message).collect();
        Verdict { messages, ..Verdict::of_program(Outcome::Verified, "") }
    };
    let old = verdict(&["unknown constant p", "odd"]);
    assert!(pair.is_evidence(&old, &verdict(&["odd"]), &verdict(&["odd"])));
    assert!(!pair.is_evidence(&old, &verdict(&["odd"]), &verdict(&[])));
    assert!(!pair.is_evidence(&old, &verdict(&["odd", "odd"]), &verdict(&["odd", "odd"])));
    assert!(!pair.is_evidence(&old, &verdict(&["new"]), &verdict(&["new"])));
}
