//! Every accepted program can be mutated: each mutant reads back and is accepted, too.
#![no_main]

use libfuzzer_sys::fuzz_target;
use mugie_boogie::BOOGIE;
use mugie_core::{Generator, Mutant, LanguageOptions, Seed, SourceText, Weights};
use mugie_fuzz::{files, on_deep_stack};

/// The number of mutants to draw from all operators; raising it slows down each input.
const DRAWN: usize = 8;

fuzz_target!(|bytes: &[u8]| {
    on_deep_stack(bytes, |bytes| {
        for dialect in ["2", "3"] {
            let texts = files(bytes).map(|(name, file)| SourceText { name, bytes: file.to_vec() });
            let mut options = LanguageOptions::default();
            options.set("dialect", dialect.to_owned());
            if let Ok(seed) = BOOGIE.read(texts.collect(), &options) {
                single_edits(&*seed);
                chains(&*seed);
            }
        }
    });
});

/// Checks the mutants at the first, the middle and the last place of each operator.
fn single_edits(seed: &dyn Seed) {
    let program = seed.program();
    for operator in 0..program.operators().len() {
        let places = program.places(operator);
        let Some(last) = places.checked_sub(1) else { continue };
        let mut numbers = vec![0, last / 2, last];
        numbers.dedup();
        for number in numbers {
            let name = program.operators()[operator].name;
            let place = program.place(operator, number).expect(name);
            let applied = program.apply_at(operator, place).expect(name);
            let (program, edits, change) = (applied.program, vec![applied.edit], applied.change);
            validate(seed, &Mutant { number: 1, parent: 0, edits, program, change });
        }
    }
}

/// Checks mutants of mutants.
fn chains(seed: &dyn Seed) {
    let names: Vec<_> = seed.program().operators().iter().map(|about| about.name).collect();
    let weights = Weights::parse(&names.join(","), BOOGIE.operators()).expect("all have names");
    for mutant in Generator::new(seed.program(), weights, 1, DRAWN, 4 * DRAWN as u64) {
        match mutant {
            Ok(mutant) => validate(seed, &mutant),
            Err(defect) => panic!("{defect}"),
        }
    }
}

fn validate(seed: &dyn Seed, mutant: &Mutant) {
    if let Err(defect) = seed.validate(mutant) {
        let seed: String = seed.program().texts().into_iter().map(|file| file.text).collect();
        panic!("{defect}\nof the seed\n{seed}");
    }
}
