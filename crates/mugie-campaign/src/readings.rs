//! A seed as each tool reads it: two tools may read two versions of its language.
//!
//! One reading draws the mutants, so that all tools get the same ones. A tool that reads the seed
//! otherwise runs the mutants that the same edits make of its own reading.

use std::sync::Arc;

use index_vec::IndexVec;
use mugie_core::{Mutant, hex, replay};
use mugie_experiment::seed::OpenSeed;
use mugie_experiment::sources::{Reading, Source, Unusable};

use crate::run::PlanToolIx;

/// How a tool reads a seed.
#[derive(Debug)]
pub(crate) enum ToolReading {
    /// As it is read to draw the mutants.
    Drawn,
    /// The same program, with other options.
    Other(Box<OpenSeed>),
    /// Not at all.
    LeftOut(Box<Unusable>),
}

impl ToolReading {
    /// Whether the tool may be given a mutant: the edits of the mutant must make the same program
    /// of the seed as the tool reads it.
    pub(crate) fn has(&self, mutant: &Mutant) -> bool {
        match self {
            ToolReading::Drawn => true,
            ToolReading::Other(seed) => {
                let hash = hex(&mutant.program.hash());
                replay(seed.program(), &mutant.edits, &hash).is_ok()
            }
            ToolReading::LeftOut(_) => false,
        }
    }
}

/// How all tools read a seed.
#[derive(Debug)]
pub(crate) struct SeedReadings {
    /// The seed as the first tool that can read it does. Its mutants are drawn from this reading.
    pub(crate) drawn: Arc<OpenSeed>,
    /// The reading of each tool.
    pub(crate) tools: IndexVec<PlanToolIx, ToolReading>,
}

impl SeedReadings {
    /// Reads a seed for all tools. Fails if no tool can read it, for the reason of the first.
    pub(crate) fn open<'r>(
        source: &Source,
        readings: impl Iterator<Item = &'r Reading> + Clone,
    ) -> Result<SeedReadings, Option<Box<Unusable>>> {
        let mut first = None;
        let drawn = readings.clone().find_map(|reading| match reading.open(source) {
            Ok(seed) => Some(seed),
            Err(unusable) => {
                first.get_or_insert(unusable);
                None
            }
        });
        let Some(drawn) = drawn else { return Err(first) };
        let tools = readings.map(|reading| tool_reading(source, reading, &drawn)).collect();
        Ok(SeedReadings { drawn: Arc::new(drawn), tools })
    }
}

/// How a tool reads a seed; where it does not care, as for drawing.
fn tool_reading(source: &Source, reading: &Reading, drawn: &OpenSeed) -> ToolReading {
    let language = drawn.seed().language();
    let options = reading.options.clone().of(language).or(drawn.seed().options());
    if options == *drawn.seed().options() {
        return ToolReading::Drawn;
    }
    let other = match (Reading { options, ..reading.clone() }).open(source) {
        Ok(other) => other,
        Err(unusable) => return ToolReading::LeftOut(unusable),
    };
    if other.hash() != drawn.hash() {
        let reason = "it is another program for this tool than for the first one that reads it";
        return ToolReading::LeftOut(Box::new(Unusable::new(source, reason)));
    }
    ToolReading::Other(Box::new(other))
}

#[cfg(test)]
mod tests {
    use mugie_boogie::BOOGIE;
    use mugie_core::{Generator, LanguageOptions, Languages, SourceText, Weights};

    use super::*;

    fn source(text: &str) -> Source {
        let file = SourceText { name: "a.bpl".to_owned(), bytes: text.as_bytes().to_vec() };
        Source::made("a.bpl".to_owned(), vec![file], BOOGIE, Arc::new(mugie_core::Same))
    }

    fn reading(dialect: Option<&str>) -> Reading {
        let mut options = LanguageOptions::default();
        if let Some(dialect) = dialect {
            options.set("dialect", dialect);
        }
        Reading { languages: Languages(&[BOOGIE]), usual: "boogie".to_owned(), options }
    }

    fn open(text: &str) -> Result<SeedReadings, Option<Box<Unusable>>> {
        let readings = [reading(Some("2")), reading(None), reading(Some("3"))];
        SeedReadings::open(&source(text), readings.iter())
    }

    fn tool(number: usize) -> PlanToolIx {
        number.into()
    }

    #[test]
    fn a_seed_is_left_out_for_those_that_cannot_read_it() {
        let new = open("datatype D { D(x: int) } procedure p() { }").unwrap();
        assert_eq!(new.drawn.seed().options().get("dialect"), Some("3"));
        assert!(matches!(&new.tools[tool(0)], ToolReading::LeftOut(it)
            if it.reason.contains("syntax error")));
        assert!(matches!(&new.tools[tool(1)], ToolReading::Drawn));
        assert!(matches!(&new.tools[tool(2)], ToolReading::Drawn));
        let old = open("type T; const a: T; const b: T; axiom a <: b; procedure p() { }").unwrap();
        assert_eq!(old.drawn.seed().options().get("dialect"), Some("2"));
        assert!(matches!(&old.tools[tool(1)], ToolReading::Drawn));
        assert!(matches!(&old.tools[tool(2)], ToolReading::LeftOut(_)));
        assert!(open("procedure p( { }").unwrap_err().is_some());
    }

    #[test]
    fn a_tool_gets_only_mutants_of_its_own_reading() {
        // In Boogie 3, an axiom may not be split.
        let both = open("const a: int; axiom a > 1 && a < 9; procedure p() { assert a > 1; }");
        let both = both.unwrap();
        let other = &both.tools[tool(2)];
        assert!(matches!(other, ToolReading::Other(_)));
        let program = both.drawn.program();
        let mutants = |operator: &str| {
            let weights = Weights::parse(operator, program.operators()).unwrap();
            let generator = Generator::new(program, weights, 1, 5, 100);
            generator.map(Result::unwrap).collect::<Vec<_>>()
        };
        let split = mutants("split-clause");
        assert!(!split.is_empty() && split.iter().all(|mutant| !other.has(mutant)));
        let swapped = mutants("S1");
        assert!(!swapped.is_empty() && swapped.iter().all(|mutant| other.has(mutant)));
    }
}
