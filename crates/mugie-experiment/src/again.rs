//! Recreates a program from its origin: the first step of a worker on another machine.

use mugie_core::{
    Closure, Dropped, EmptyScope, Files, Focus, Generator, Mutant, Weights, WeightsError, hex,
};
use mugie_exec::{Draw, Made, Origin};

use crate::baseline::Step;
use crate::seed::OpenSeed;

/// Why a program cannot be recreated.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum AgainError {
    /// The origin names another seed.
    #[error("the seed is a different one")]
    OtherSeed,
    /// The operators are not those of the seed's language.
    #[error(transparent)]
    Operators(#[from] WeightsError),
    /// The scope of change has no units.
    #[error(transparent)]
    Scope(#[from] EmptyScope),
    /// Fewer mutants are drawn than the number requires.
    #[error("there is no mutant {0}")]
    NoMutant(usize),
    /// The mutant is ill-formed: a bug in mugie.
    #[error("mutant {0} is ill-formed and was left out: {1}")]
    Dropped(usize, String),
    /// The recreated program differs from the recorded one.
    #[error("the program has a different hash")]
    OtherHash,
}

impl From<Box<Dropped>> for AgainError {
    fn from(dropped: Box<Dropped>) -> AgainError {
        AgainError::Dropped(dropped.number, dropped.to_string())
    }
}

/// The mutant with the given number among those that `draw` yields.
pub fn mutant(seed: &OpenSeed, draw: &Draw, number: usize) -> Result<Mutant, AgainError> {
    let program = seed.program();
    let weights = Weights::parse(&draw.operators, program.operators())?;
    let focus = Focus::new(&**program, &draw.scope)?;
    let is_it = |mutant: &Result<Mutant, Box<Dropped>>| {
        mutant.as_ref().map_or_else(|dropped| dropped.number, |mutant| mutant.number) == number
    };
    let found = if draw.exhaustive {
        let closure = Closure::new(program, &weights, draw.mutants).within(focus);
        closure.checked_by(seed.shared()).find(is_it)
    } else {
        let (random_seed, attempts) = (draw.random_seed, draw.attempts);
        let generator = Generator::new(program, weights, random_seed, draw.mutants, attempts);
        let generator = generator.with_strength(draw.strength);
        generator.within(focus).checked_by(seed.shared()).find(is_it)
    };
    let mutant = found.ok_or(AgainError::NoMutant(number))??;
    mutant.check(seed.seed())?;
    Ok(mutant)
}

/// Recreates the files of a program from its seed. The program's hash must be the recorded one.
pub fn files(seed: &OpenSeed, origin: &Origin) -> Result<Files, AgainError> {
    if seed.hash() != origin.seed {
        return Err(AgainError::OtherSeed);
    }
    let (files, hash) = match &origin.made {
        Made::Original => {
            (seed.baseline_request(Step::Original { repetition: 0 }).files, seed.hash())
        }
        Made::Printed => (seed.baseline_request(Step::COMPARED).files, seed.hash()),
        Made::Mutant { draw, number } => {
            let mutant = mutant(seed, draw, *number)?;
            let files = seed.mutant_request(draw, &mutant, false).files;
            (files, hex(&mutant.program.hash()))
        }
    };
    if hash == origin.hash { Ok(files) } else { Err(AgainError::OtherHash) }
}

#[cfg(test)]
mod tests {
    use mugie_core::Scope;
    use mugie_exec::Request;

    use super::*;

    #[test]
    fn a_request_without_its_files_is_enough() {
        let text = "const a: int; const b: int; axiom a < b; procedure p() { assert a < b; }";
        let seed = crate::testing::seed("seed.bpl", text);
        let draw = |exhaustive| Draw {
            operators: "all".to_owned(),
            random_seed: 7,
            mutants: 20,
            attempts: 1_000,
            exhaustive,
            strength: None,
            scope: Scope::from("p".to_owned()),
        };
        let mut requests =
            vec![seed.baseline_request(Step::TIMED), seed.baseline_request(Step::COMPARED)];
        for exhaustive in [false, true] {
            let draw = draw(exhaustive);
            let mutant = mutant(&seed, &draw, 13).unwrap();
            requests.push(seed.mutant_request(&draw, &mutant, true));
        }
        for Request { files: wanted, origin, .. } in requests {
            let origin = origin.unwrap();
            assert_eq!(files(&seed, &origin).unwrap(), wanted);
            let other = Origin { hash: "0".to_owned(), ..origin.clone() };
            assert_eq!(files(&seed, &other), Err(AgainError::OtherHash));
            let other = Origin { seed: "0".to_owned(), ..origin };
            assert_eq!(files(&seed, &other), Err(AgainError::OtherSeed));
        }
        let none = mutant(&seed, &draw(true), 21).map(|mutant| mutant.number);
        assert_eq!(none, Err(AgainError::NoMutant(21)));
    }
}
