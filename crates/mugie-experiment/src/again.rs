//! From where a program comes from to the program: what a worker on another machine does first.

use std::sync::Arc;

use mugie_core::{Closure, Defect, Files, Generator, Mutant, Program, Weights, WeightsError, hex};
use mugie_exec::{Draw, Made, Origin};

use crate::baseline::Step;
use crate::seed::OpenSeed;

/// Why a program cannot be made again.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum AgainError {
    /// It is a program of another seed.
    #[error("the seed is another one")]
    OtherSeed,
    /// The operators are not those of the seed's language.
    #[error(transparent)]
    Operators(#[from] WeightsError),
    /// There are not as many mutants.
    #[error("there is no mutant {0}")]
    NoMutant(usize),
    /// A mutant turned out wrong: a bug of mugie.
    #[error(transparent)]
    Defect(#[from] Defect),
    /// What comes out is another program.
    #[error("the program has another hash")]
    OtherHash,
}

/// The mutant of a number among those that are drawn in some way.
pub fn mutant(seed: &Arc<dyn Program>, draw: &Draw, number: usize) -> Result<Mutant, AgainError> {
    let weights = Weights::parse(&draw.operators, seed.operators())?;
    let is_it = |mutant: &Result<Mutant, Defect>| {
        mutant.as_ref().map_or(true, |mutant| mutant.number == number)
    };
    let found = if draw.exhaustive {
        Closure::new(seed, &weights, draw.mutants).find(is_it)
    } else {
        Generator::new(seed, weights, draw.random_seed, draw.mutants, draw.attempts).find(is_it)
    };
    Ok(found.ok_or(AgainError::NoMutant(number))??)
}

/// The files of a program, made again from its seed. Its hash must be the one on record.
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
            let mutant = mutant(seed.program(), draw, *number)?;
            let files = seed.mutant_request(draw, &mutant, false).files;
            (files, hex(&mutant.program.hash()))
        }
    };
    if hash == origin.hash { Ok(files) } else { Err(AgainError::OtherHash) }
}

#[cfg(test)]
mod tests {
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
        };
        let mut requests =
            vec![seed.baseline_request(Step::TIMED), seed.baseline_request(Step::COMPARED)];
        for exhaustive in [false, true] {
            let draw = draw(exhaustive);
            let mutant = mutant(seed.program(), &draw, 13).unwrap();
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
        let none = mutant(seed.program(), &draw(true), 21).map(|mutant| mutant.number);
        assert_eq!(none, Err(AgainError::NoMutant(21)));
    }
}
