//! Edits at many places at once: every operator, alone and in company, over the programs of
//! `fixtures/verified`.

#![expect(clippy::unwrap_used, reason = "a test may panic")]
#![expect(clippy::disallowed_methods, reason = "the tests read files")]

use std::fs;
use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

use mugie_boogie::{BOOGIE, operators};
use mugie_core::{
    Applied, Edit, Generator, LanguageOptions, Mutant, Place, Program, Seed, SourceText, Strength,
    Strengths, UnitId, UnitSet, Weights, number_of,
};

fn read(text: &str) -> Box<dyn Seed> {
    let source = SourceText { name: "a.bpl".to_owned(), bytes: text.as_bytes().to_vec() };
    let seed = BOOGIE.read(vec![source], &LanguageOptions::default());
    seed.unwrap_or_else(|rejected| panic!("{text}\n{:?}", rejected.errors))
}

fn seeds() -> Vec<Box<dyn Seed>> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/verified");
    let mut paths: Vec<_> = fs::read_dir(folder).unwrap().map(|e| e.unwrap().path()).collect();
    paths.sort_unstable();
    paths.iter().map(|path| read(&fs::read_to_string(path).unwrap())).collect()
}

fn operator(name: &str) -> usize {
    number_of(operators::abouts(), name).unwrap()
}

/// Applies an operator, and asserts that the result is well-formed and that it can be repeated from what is
/// stored.
#[track_caller]
fn applied(seed: &dyn Seed, operator: usize, place: &Place) -> Applied {
    let program = seed.program();
    let applied = program.apply_at(operator, place.clone()).unwrap();
    let words = format!("{}: {}", applied.edit.operator, applied.edit.words);
    let stored = serde_json::to_string(&applied.edit).unwrap();
    let again = program.apply(&serde_json::from_str::<Edit>(&stored).unwrap()).unwrap();
    assert_eq!(again.program.texts(), applied.program.texts(), "{words}");
    let made = Arc::clone(&applied.program);
    let mutant = Mutant::made(vec![applied.edit.clone()], made, applied.change.clone());
    seed.validate(&mutant).unwrap_or_else(|defect| panic!("{words}\n{defect}"));
    applied
}

fn text(program: &dyn Program) -> String {
    program.texts().into_iter().map(|file| file.text).collect()
}

/// The place of an operator at many places.
fn many(strength: Strength, random: u64) -> Place {
    Place::Many { many: strength, random }
}

#[test]
fn strong_edits_are_replayed_spelled_out_and_taken_apart() {
    let mut made = vec![0; operators::ALL.len()];
    for seed in seeds() {
        let program = seed.program();
        for (operator, made) in made.iter_mut().enumerate() {
            if !program.takes_many(operator) || program.places(operator) == 0 {
                continue;
            }
            for random in 0..6 {
                let strength = if random % 2 == 0 { Strength::All } else { Strength::Some };
                let place = many(strength, random);
                let strong = applied(&*seed, operator, &place);
                assert_eq!(strong.edit.strength, strength);
                assert_ne!(text(&*strong.program), text(&**program), "{}", strong.edit.words);
                *made += 1;

                let listed = program.spelled_out(operator, &place).unwrap();
                let spelled = applied(&*seed, operator, &listed);
                assert_eq!(text(&*spelled.program), text(&*strong.program));
                assert!(program.spelled_out(operator, &listed).is_none());

                let all: Vec<usize> = (0..listed.listed()).collect();
                let halves = all.split_at(all.len() / 2);
                let every_third: Vec<usize> = all.iter().copied().step_by(3).collect();
                for part in [halves.0, halves.1, &every_third] {
                    if let Some(part) = listed.only(part) {
                        let several = program.apply_at(operator, part.clone());
                        // What is left of a list may change nothing, which an order says.
                        if several.is_ok() || matches!(part, Place::Several { .. }) {
                            applied(&*seed, operator, &part);
                        }
                    }
                }
                for one in all {
                    if let Some(single) = listed.only(&[one]) {
                        let as_single = single.as_single().unwrap();
                        let single = applied(&*seed, operator, &single);
                        let plain = applied(&*seed, operator, &as_single);
                        assert_eq!(text(&*single.program), text(&*plain.program));
                        assert_eq!(single.edit.words, plain.edit.words);
                    }
                }
            }
        }
    }
    for (operator, made) in operators::ALL.iter().zip(made) {
        let name = operator.about().name;
        assert_eq!(made > 0, operator.at_many().is_some(), "{name} has no strong edit anywhere");
    }
}

#[test]
fn places_can_be_restricted_to_units() {
    let mut restricted = 0;
    for seed in seeds() {
        let program = seed.program();
        let units: UnitSet = (0..program.unit_count()).step_by(2).collect();
        for operator in 0..operators::ALL.len() {
            for random in 0..4 {
                let place = program.many_within(operator, Strength::All, random, &units);
                let Some(place) = place else { continue };
                restricted += 1;
                assert!(place.units().into_iter().all(|unit| units.contains(unit)));
                assert!(program.is_within(operator, &place, &units));
                applied(&*seed, operator, &place);
            }
        }
    }
    assert!(restricted > 100, "{restricted}");
}

#[test]
fn counts_are_those_of_a_program_that_is_read_again() {
    for seed in seeds() {
        let program = seed.program();
        let numbers: Vec<usize> = (0..operators::ALL.len()).collect();
        for operator in &numbers {
            program.places(*operator);
        }
        for operator in &numbers {
            if program.takes_many(*operator) && program.places(*operator) > 0 {
                let strong = applied(&*seed, *operator, &many(Strength::All, 7));
                strong.program.learn_from(&**program, &strong.change, &numbers);
                let [file] = <[_; 1]>::try_from(strong.program.texts()).unwrap();
                let again = read(&file.text);
                for counted in &numbers {
                    let is_about_additions = operators::ALL[*counted].about().name == "add-unused";
                    if !is_about_additions {
                        assert_eq!(
                            strong.program.places(*counted),
                            again.program().places(*counted),
                            "{} after {}",
                            operators::ALL[*counted].about().name,
                            strong.edit.operator,
                        );
                    }
                }
            }
        }
    }
}

#[test]
fn all_orders_of_declarations_are_drawn() {
    let seed = read("const a: int; const b: int; const c: int;");
    let swap = operator("swap-declarations");
    let mut orders: Vec<Vec<usize>> = (0..60)
        .map(|random| applied(&*seed, swap, &many(Strength::All, random)).program.unit_order())
        .collect();
    orders.sort_unstable();
    orders.dedup();
    // The order of the seed is no mutant.
    assert_eq!(orders.len(), 5, "{orders:?}");
}

#[test]
fn all_orders_of_clauses_are_drawn() {
    let seed = read("procedure p(x: int); requires x > 0; requires x > 1; requires x > 2;");
    let swap = operator("swap-clauses");
    let mut texts: Vec<String> = (0..60)
        .map(|random| text(&*applied(&*seed, swap, &many(Strength::All, random)).program))
        .collect();
    texts.sort_unstable();
    texts.dedup();
    assert_eq!(texts.len(), 5, "{texts:?}");
}

#[test]
fn changes_that_undo_each_other_are_not_drawn() {
    let seed = read("const a, b, c, d: bool; axiom (a && b) && (c && d);");
    let regroup = operator("reassociate");
    assert_eq!(seed.program().places(regroup), 2);
    for random in 0..20 {
        for strength in [Strength::Some, Strength::All] {
            let strong = applied(&*seed, regroup, &many(strength, random));
            assert_ne!(text(&*strong.program), text(&**seed.program()));
        }
    }
}

#[test]
fn words_say_how_many_places_there_are() {
    let axioms = (0..20).map(|it| format!("axiom 1 + {it} == {it} + 1; "));
    let seed = read(&axioms.collect::<Vec<_>>().concat());
    let words = |name: &str, strength: Strength| {
        let place = many(strength, 1);
        let listed = seed.program().spelled_out(operator(name), &place).unwrap();
        (applied(&*seed, operator(name), &place).edit.words, listed.listed())
    };
    let (shuffled, moved) = words("swap-declarations", Strength::All);
    assert_eq!(shuffled, "shuffle all 20 declarations");
    assert!(moved > 10, "{moved}");
    let (some, moved) = words("swap-declarations", Strength::Some);
    assert_eq!(some, format!("shuffle {moved} of 20 declarations"));
    assert!((3..10).contains(&moved), "{moved}");
    let (swapped, places) = words("swap-operands", Strength::All);
    let all = seed.program().places(operator("swap-operands"));
    assert_eq!(swapped, format!("swap the operands at {places} of {all} places"));
    assert!((all / 4..all).contains(&(places as u64)), "{places} of {all}");
}

#[test]
fn what_must_keep_its_place_does() {
    let seed = read(
        "procedure {:inline 1} p(); implementation p() { assert false; } implementation p() { }
         const {:extern} c: int; const {:extern} c: int; const d: int; procedure q() { }",
    );
    for random in 0..30 {
        let shuffled = applied(&*seed, operator("swap-declarations"), &many(Strength::All, random));
        let order = shuffled.program.unit_order();
        assert_eq!(order[..5], [0, 1, 2, 3, 4], "{}", shuffled.edit.words);
    }
    let unit = UnitId::of_seed;
    let order =
        |numbers: &[usize]| Place::Order { order: numbers.iter().map(|it| unit(*it)).collect() };
    for wrong in [order(&[5, 0]), order(&[6, 6]), order(&[6]), order(&[5, 9]), order(&[5, 6])] {
        assert!(seed.program().apply_at(operator("swap-declarations"), wrong).is_err());
    }
    assert!(seed.program().apply_at(operator("swap-procedures"), order(&[6, 5])).is_err());
}

#[test]
fn lists_of_places_that_are_none_are_refused() {
    let seed = read("axiom 1 + 2 == 3; axiom 1 < 2;");
    let swap = operator("swap-operands");
    let place = |text: &str| serde_json::from_str::<Place>(text).unwrap();
    for wrong in [
        r#"{"several": [{"decl": "0", "at": 2}]}"#,
        r#"{"several": [{"decl": "0", "at": 1}, {"decl": "0", "at": 1}]}"#,
        r#"{"several": [{"decl": "0", "at": 1, "how": "2 1"}]}"#,
        r#"{"several": [{"decl": "7", "at": 0}]}"#,
        r#"{"several": [{"at": 0}]}"#,
        r#"{"order": ["1", "0"]}"#,
        r#"{"many": "one", "random": 1}"#,
    ] {
        assert!(seed.program().apply_at(swap, place(wrong)).is_err(), "{wrong}");
    }
    let unused = operator("rename-local");
    assert!(seed.program().apply_at(unused, many(Strength::All, 1)).is_err());
}

/// A program that repeats its declarations and statements this often.
fn long(times: usize) -> String {
    let each = |what: &str| -> String {
        (0..times)
            .fold(String::new(), |text, number| text + &what.replace('#', &number.to_string()))
    };
    let locals = each("var x#, y#: int; ");
    let statements = each(
        "L#: assert # + 1 == 1 + # && x# > 0; assert # <= y#; if (# < x0) { havoc x0, x1; \
         m[#] := m[# := 1][2]; } goto L#, M#; M#: return; ",
    );
    format!(
        "{} {} procedure p(a: int); {} procedure q() {{ {locals} var m: [int]int; {statements} return; }}",
        each("axiom (forall x#, y: int :: {f#(x#), f#(y)} {f#(y), f#(x#)} x# + y == y + x#);"),
        each("function f#(x: int): int { x }"),
        each("requires a > # && a > 0; ensures a > #;"),
    )
}

#[test]
fn time_is_linear() {
    let (short, long) = (read(&long(100)), read(&long(2_000)));
    let mut slow = Vec::new();
    for (number, operator) in operators::ALL.iter().enumerate() {
        if operator.at_many().is_none() || short.program().places(number) == 0 {
            continue;
        }
        let time = |seed: &dyn Seed, times: usize| {
            let program = seed.program();
            program.places(number);
            let started = Instant::now();
            for _ in 0..times {
                program.apply_at(number, many(Strength::All, 1)).unwrap();
            }
            started.elapsed()
        };
        // The same work in twenty parts takes as long, whatever else the machine does; a square would be
        // twenty times as much.
        let is_linear = (0..5).any(|_| {
            let parts = time(&*short, 20);
            time(&*long, 1) < 6 * parts
        });
        if !is_linear {
            slow.push(operator.about().name);
        }
    }
    assert!(slow.is_empty(), "{slow:?}");
}

/// The first mutants by some operators.
fn drawn(seed: &dyn Seed, choice: &str, strength: Option<Strengths>, wanted: usize) -> Vec<Mutant> {
    let weights = Weights::parse(choice, operators::abouts()).unwrap();
    let generator = Generator::new(seed.program(), weights, 7, wanted, 10_000);
    generator.with_strength(strength).map(Result::unwrap).collect()
}

#[test]
fn mixed_mutants_have_each_of_the_paper_s_in_less_than_twice_the_number() {
    for seed in seeds() {
        let papers = drawn(&*seed, "paper", None, 12);
        let mixed = drawn(&*seed, "all", Some(Strengths::Mixed), 24);
        for paper in &papers {
            let found = mixed.iter().find(|it| it.program.hash() == paper.program.hash());
            assert!(found.is_some_and(|it| it.number < 2 * paper.number), "{}", paper.number);
        }
        for (number, mutant) in (1..).zip(&mixed) {
            assert_eq!(mutant.number, number);
            // The parent has all edits of a mutant but the last.
            let parent = mixed.iter().take(number - 1).find(|it| it.number == mutant.parent);
            let of_parent = parent.map_or(&[][..], |parent| &parent.edits);
            assert_eq!(mutant.edits.split_last().unwrap().1, of_parent, "{number}");
        }
    }
}
