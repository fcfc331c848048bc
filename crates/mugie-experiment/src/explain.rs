//! What a verdict on a mutant means for its seed: which procedures changed, and where in the seed
//! to look.

use mugie_core::{GoalNames, Program, ReportedFailure, Verdict};
use mugie_results::result::ProcedureChange;

use crate::judge::Profile;
use crate::seed::OpenSeed;

/// A verdict on a program, in terms of its seed.
pub struct Explained<'a> {
    seed: &'a OpenSeed,
    /// What the goals of the program are called in the seed.
    names: GoalNames,
    program: &'a dyn Program,
    files: &'a [String],
    verdict: &'a Verdict,
}

impl<'a> Explained<'a> {
    /// A verdict on a program that was given to the verifier in these files.
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
    /// What the verifier said of each goal, under its name in the seed.
    pub fn profile(&self) -> Profile {
        Profile::new(self.verdict, |name| self.names.in_seed(name).to_owned())
    }

    /// The procedures whose outcome is not that in the seed.
    pub fn changes(&self, seed: &Profile) -> Vec<ProcedureChange> {
        let profile = self.profile();
        let changes = seed.worst().filter_map(|(name, before)| {
            // The verifier need not get to all procedures, if it is stopped or refuses.
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

    /// What could not be proved in a procedure, which is given by its name in the seed.
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

    /// What belongs to no procedure.
    pub fn messages(&self) -> Vec<ReportedFailure> {
        let messages = self.verdict.messages.iter();
        messages
            .map(|message| {
                self.at_home(self.seed.seed().locate_message(self.program, self.files, message))
            })
            .collect()
    }

    /// A failure with its place in what the user wrote.
    fn at_home(&self, failure: ReportedFailure) -> ReportedFailure {
        let seed_place = failure.seed_place.map(|place| self.seed.back().place(place));
        ReportedFailure { seed_place, ..failure }
    }
}
