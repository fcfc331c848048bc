//! What a verdict on a mutant means for its seed: which procedures changed, and where in the seed
//! to look.

use mugie_operators::{ProcedureNames, Subject};
use mugie_verifiers::Verdict;

use crate::judge::Profile;
use crate::places::{self, SeedSource};
use crate::report::{ProcedureChange, ReportedFailure};

/// A verdict on a program, in terms of its seed.
pub(crate) struct Explained<'a> {
    pub(crate) seed: &'a SeedSource,
    /// What the procedures of the program are called in the seed.
    pub(crate) names: ProcedureNames,
    pub(crate) subject: &'a Subject,
    pub(crate) files: &'a [String],
    pub(crate) verdict: &'a Verdict,
}

impl Explained<'_> {
    pub(crate) fn profile(&self) -> Profile {
        Profile::new(self.verdict, |name| self.names.in_seed(name).to_owned())
    }

    /// The procedures whose outcome is not that in the seed.
    pub(crate) fn changes(&self, seed: &Profile) -> Vec<ProcedureChange> {
        let profile = self.profile();
        let changes = seed.worst().filter_map(|(name, before)| {
            // The verifier need not get to all procedures, if it is stopped or refuses.
            let mutant = profile.of(name).filter(|mutant| *mutant != before)?;
            Some(ProcedureChange {
                procedure: name.to_owned(),
                seed: before,
                mutant,
                failures: self.failures(name),
            })
        });
        changes.collect()
    }

    /// What could not be proved in a procedure, which is given by its name in the seed.
    pub(crate) fn failures(&self, name: &str) -> Vec<ReportedFailure> {
        let procedures = self.verdict.procedures.iter();
        procedures
            .filter(|procedure| self.names.in_seed(&procedure.name) == name)
            .flat_map(|procedure| &procedure.failures)
            .map(|failure| places::report_failure(self.seed, self.subject, self.files, failure))
            .collect()
    }

    /// What belongs to no procedure.
    pub(crate) fn messages(&self) -> Vec<ReportedFailure> {
        let messages = self.verdict.messages.iter();
        messages
            .map(|message| places::report_message(self.seed, self.subject, self.files, message))
            .collect()
    }
}
