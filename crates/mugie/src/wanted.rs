//! A verifier as somebody wants it, by the command line or by the plan of a campaign.

use mugie_verifiers::{Limits, Options, Registry, Verifier};

use crate::commands::test::{LimitArgs, VerifierArgs};
use crate::commands::verifiers::resolve_trouble;
use crate::report::Trouble;

/// A verifier that is wanted, and what its runs may use.
#[derive(Debug)]
pub(crate) struct Wanted {
    /// The name of the verifier, or the file with its definition.
    pub(crate) verifier: String,
    /// What is wanted of it.
    pub(crate) options: Options,
    /// What a run may use.
    pub(crate) limits: Limits,
    /// How many more runs must time out before a timeout counts.
    pub(crate) confirm: usize,
}

impl Wanted {
    /// What the command line says.
    pub(crate) fn new(verifier: &VerifierArgs, limits: &LimitArgs) -> Wanted {
        Wanted {
            verifier: verifier.name().to_owned(),
            options: verifier.options(limits),
            limits: limits.limits(),
            confirm: limits.confirm(),
        }
    }

    /// The verifier on this machine.
    pub(crate) fn resolve(&self, registry: &Registry) -> Result<Verifier, Trouble> {
        self.resolve_with(registry, &self.options)
    }

    /// The verifier with other options.
    pub(crate) fn resolve_with(
        &self,
        registry: &Registry,
        options: &Options,
    ) -> Result<Verifier, Trouble> {
        registry.resolve(&self.verifier, options).map_err(|error| resolve_trouble(&error))
    }
}
