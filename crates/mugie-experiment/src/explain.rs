//! Translates a verdict on a mutant into terms of its seed: which procedures changed, and where in
//! the seed to look.

use mugie_core::{GoalNames, Program, ReportedFailure, Verdict};
use mugie_results::result::ProcedureChange;

use crate::judge::Profile;
use crate::seed::OpenSeed;

/// A verdict on a program, in terms of its seed.
pub struct Explained<'a> {
    seed: &'a OpenSeed,
    /// The names that the program's goals have in the seed.
    names: GoalNames,
    program: &'a dyn Program,
    files: &'a [String],
    verdict: &'a Verdict,
}

impl<'a> Explained<'a> {
    /// Wraps the verdict on a program whose files had these names.
    pub fn new(
        seed: &'a OpenSeed,
        program: &'a dyn Program,
        files: &'a [String],
        verdict: &'a Verdict,
    ) -> Explained<'a> {
        let names = program.goal_names(&**seed.program());
        Explained { seed, names, program, files, verdict }
    }
}

impl Explained<'_> {
    /// The outcomes of all goals, under their names in the seed.
    pub fn profile(&self) -> Profile {
        Profile::new(self.verdict, |name| self.names.in_seed(name).to_owned())
    }

    /// The procedures whose outcome differs from the one in the seed.
    pub fn changes(&self, seed: &Profile) -> Vec<ProcedureChange> {
        let profile = self.profile();
        let changes = seed.worst().filter_map(|(name, before)| {
            // A verifier that is stopped or rejects the program does not reach all procedures.
            let mutant = profile.of(name).filter(|mutant| *mutant != before)?;
            Some(ProcedureChange {
                procedure: self.seed.back().goal(name),
                seed: before,
                mutant,
                failures: self.failures(name),
            })
        });
        changes.collect()
    }

    /// The failed proof obligations of a procedure, given by its name in the seed.
    pub fn failures(&self, name: &str) -> Vec<ReportedFailure> {
        let procedures = self.verdict.procedures.iter();
        procedures
            .filter(|procedure| self.names.in_seed(&procedure.name) == name)
            .flat_map(|procedure| &procedure.failures)
            .map(|failure| {
                self.at_home(self.seed.seed().locate_failure(self.program, self.files, failure))
            })
            .collect()
    }

    /// The messages that belong to no procedure.
    pub fn messages(&self) -> Vec<ReportedFailure> {
        let messages = self.verdict.messages.iter();
        messages
            .map(|message| {
                self.at_home(self.seed.seed().locate_message(self.program, self.files, message))
            })
            .collect()
    }

    /// Moves the place of a failure to the source that the user wrote.
    fn at_home(&self, failure: ReportedFailure) -> ReportedFailure {
        let back = self.seed.back();
        let words = failure.seed_place.as_ref().and_then(|place| back.description(place));
        let element = words.or(failure.element);
        let seed_place = failure.seed_place.map(|place| back.place(place));
        let tool_place = seed_place.as_ref().and_then(|place| back.shown(place));
        ReportedFailure { seed_place, tool_place, element, ..failure }
    }
}
