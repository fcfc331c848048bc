//! A query that was read and prepared.

use std::collections::BTreeMap;
use std::sync::Arc;

use mugie_core::{
    Defect, Edit, Failure, Language, LanguageOptions, Mutant, Pair, PairError, Program,
    ReportedFailure, Seed, SeedPlace, SourceFile, Verdict,
};

use crate::language::{SmtLib, expected};
use crate::program::SmtProgram;
use crate::reduce::SmtPair;

/// A query that was read and prepared.
#[derive(Debug)]
pub(crate) struct SmtSeed {
    pub(crate) name: String,
    /// The text that is run, in the layout of its author.
    pub(crate) original: String,
    pub(crate) program: Arc<dyn Program>,
    pub(crate) options: LanguageOptions,
    /// For each unit, the line of the author's file on which it starts.
    pub(crate) lines: Vec<Option<u32>>,
    /// The lines of the author's checks.
    pub(crate) checks: Vec<u32>,
    pub(crate) code_lines: usize,
}

impl SmtSeed {
    fn query(&self) -> Option<&SmtProgram> {
        self.program.as_any().downcast_ref()
    }
}

impl Seed for SmtSeed {
    fn language(&self) -> &'static dyn Language {
        &SmtLib
    }

    fn options(&self) -> &LanguageOptions {
        &self.options
    }

    fn sources(&self) -> Vec<SourceFile<'_>> {
        vec![SourceFile { name: &self.name, text: &self.original }]
    }

    fn program(&self) -> &Arc<dyn Program> {
        &self.program
    }

    fn validate(&self, mutant: &Mutant) -> Result<(), Defect> {
        let defect = |what: String| match mutant.edits.last() {
            Some(edit) => Defect::after(edit, what),
            None => Defect { edit: None, reason: what },
        };
        let program = mutant.program.as_any().downcast_ref::<SmtProgram>();
        let program = program.ok_or_else(|| defect("it is no query".to_owned()))?;
        let seed = self.query().ok_or_else(|| defect("its seed is no query".to_owned()))?;
        seed.check(program).map_err(defect)
    }

    fn pair(&self, edits: &[Edit]) -> Result<Arc<dyn Pair>, PairError> {
        let wrong = || PairError::IllFormed("it is no query".to_owned());
        let expected = expected(&self.options).map_err(|_| wrong())?;
        let seed = self.query().ok_or_else(wrong)?.clone();
        Ok(Arc::new(SmtPair::new(seed, expected, edits)?))
    }

    fn code_lines(&self) -> usize {
        self.code_lines
    }

    fn unit_line(&self, unit: usize) -> Option<u32> {
        self.lines.get(unit).copied().flatten()
    }

    /// A failure is located at its check, whose number is the line that the reader gives.
    fn locate_failure(&self, _: &dyn Program, _: &[String], failure: &Failure) -> ReportedFailure {
        let mut reported = ReportedFailure::from(failure);
        let check = failure.location.as_ref().map(|it| it.line as usize);
        let line = check.and_then(|check| self.checks.get(check.checked_sub(1)?).copied());
        reported.seed_place =
            line.map(|line| SeedPlace { file: self.name.clone(), line, column: 1, exact: true });
        reported
    }

    /// The complaints of the solver must be those about the seed: otherwise a part of the mutant did
    /// not reach the solver.
    fn can_compare(
        &self,
        mutant: &dyn Program,
        of_seed: &Verdict,
        of_mutant: &Verdict,
    ) -> Result<(), String> {
        let names = mutant.as_any().downcast_ref::<SmtProgram>().map(SmtProgram::seed_names);
        let names = names.unwrap_or_default();
        let seed = complaints(of_seed, &BTreeMap::new());
        let found = complaints(of_mutant, &names);
        match found.iter().find(|(text, number)| seed.get(*text) != Some(*number)) {
            _ if seed == found => Ok(()),
            Some((text, _)) => Err(format!("the solver complains about the mutant only: {text}")),
            None => Err("the solver does not complain as about the seed".to_owned()),
        }
    }
}

/// The complaints with the names of the seed, and how often each occurs.
pub(crate) fn complaints(
    verdict: &Verdict,
    names: &BTreeMap<String, String>,
) -> BTreeMap<String, usize> {
    let mut all = BTreeMap::new();
    for message in &verdict.messages {
        *all.entry(unnamed(&message.text, names)).or_default() += 1;
    }
    all
}

/// A text in which new names are replaced by those of the seed.
fn unnamed(text: &str, names: &BTreeMap<String, String>) -> String {
    let is_name = |c: char| c.is_alphanumeric() || "~!@$%^&*_-+=<>.?/".contains(c);
    let mut out = String::with_capacity(text.len());
    let mut word = String::new();
    let end = |word: &mut String, out: &mut String| {
        out.push_str(names.get(word.as_str()).map_or(word.as_str(), String::as_str));
        word.clear();
    };
    for c in text.chars() {
        if is_name(c) {
            word.push(c);
        } else {
            end(&mut word, &mut out);
            // Bars around a name are its author's.
            if c != '|' {
                out.push(c);
            }
        }
    }
    end(&mut word, &mut out);
    out
}
