//! What is left of failing mutants without the changes that do not matter.

use mugie_exec::Executor;
use mugie_experiment::causes::{find_causes, reduce_witness};
use mugie_experiment::minimise::{MinimiseError, SearchProgress};
use mugie_experiment::recipe::Recipe;
use mugie_experiment::seed_test::Finished;

use super::Test;
use crate::messages::Trouble;
use crate::parallel;
use crate::progress::MinimiseMeter;

impl Test {
    /// Finds the causes of failing mutants: of those to look at first, or of all.
    pub(super) fn find_causes(
        &self,
        seeds: &mut [Finished],
        recipe: &Recipe,
        plain: &dyn Executor,
    ) -> Result<(), Trouble> {
        let mut meter = MinimiseMeter::new();
        for seed in seeds {
            let budget = self.causes.budget();
            let found = parallel::alone(|| {
                let mut each = |progress: &SearchProgress| meter.show(progress);
                if budget > 0 {
                    reduce_witness(seed, recipe, plain, budget, &mut each)?;
                }
                if self.causes.minimise {
                    find_causes(seed, plain, budget, &mut each)?;
                }
                Ok(())
            })?;
            found.map_err(|error| match error {
                MinimiseError::Thread(error) => parallel::no_thread(&error),
                error => Trouble::new(error.to_string()),
            })?;
        }
        meter.hide();
        Ok(())
    }
}
