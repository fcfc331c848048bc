//! The protocol of a test: the arguments of the command with all defaults filled in.

use std::num::NonZeroUsize;

use mugie_core::{Focus, Generator, Language, Scope, Strengths, Weights};
use mugie_exec::Draw;
use mugie_experiment::recipe::Recipe;
use mugie_experiment::seed_test::Protocol;
use mugie_experiment::sources::{Reading, Source};
use mugie_results::result::{Speed, TestSettings};
use mugie_stats::Sequential;
use mugie_verifiers::Verifier;

use super::arguments::{MutantArgs, StoppingArgs, Test};
use crate::messages::Trouble;
use crate::parts::{language_of, languages};
use crate::session;
use crate::tool_spec::ToolSpec;
use crate::{exhaustive, parallel};

/// The number of mutants of a seed.
const USUAL_NUMBER: usize = 100;

/// The paper's operators; in other languages, all that preserve what a verifier can do.
const PAPERS: &str = "paper";

/// An operator at one strength is drawn less after this many mutants of a program that pose the seed's own problem.
/// Raising it wastes more runs, and misses less.
const PARK_AFTER: usize = 4;

/// All operators that preserve what a verifier can do.
const SOUND: &str = "all";

impl Test {
    /// Fails if all mutants of the seeds are asked for, and there are too many. Seeds that cannot be read
    /// are left to the test.
    pub(super) fn check_exhaustive(
        &self,
        sources: &[Source],
        reading: &Reading,
        protocol: &Protocol,
    ) -> Result<(), Trouble> {
        if !self.mutants.exhaustive || self.mutants.number.is_some() {
            return Ok(());
        }
        let check = |source: &Source| {
            let Ok(seed) = reading.open(source) else { return Ok(()) };
            let program = seed.program();
            let operators = &protocol.settings.operators;
            let Ok(weights) = Weights::parse(operators, program.operators()) else { return Ok(()) };
            let scope = self.mutants.scope.of(&**program);
            let Ok(focus) = Focus::new(&**program, &scope) else { return Ok(()) };
            exhaustive::check(source.name(), program, &weights, focus)
        };
        parallel::alone(|| sources.iter().try_for_each(check))?
    }

    /// The protocol of the test.
    pub(super) fn protocol(
        &self,
        spec: &ToolSpec,
        verifier: &Verifier,
        sources: &[Source],
        tap: bool,
    ) -> Result<Protocol, Trouble> {
        let MutantArgs { number, operators, seed, max_attempts, exhaustive, .. } = &self.mutants;
        let StoppingArgs { until_failure, confidence, failing } = &self.stopping;
        let is_paper = self.mutants.paper || *exhaustive;
        let own = languages().find(verifier.input());
        let usual = own.map(Language::usual_test).unwrap_or_default();
        // Queries have this strength anyway.
        let is_query = own.is_some_and(Language::is_query);
        let is_mixed = operators.is_none() && !is_paper && !is_query;
        let strength = self.mutants.strength.asked().or(is_mixed.then_some(Strengths::Mixed));
        // The verifier may take programs of other languages, which do not have its language's operators.
        let is_own =
            own.is_some_and(|own| sources.iter().all(|it| language_of(it).id() == own.id()));
        let usual_operators = usual.operators.filter(|_| is_own).unwrap_or(SOUND);
        let set = if is_paper || is_query { PAPERS } else { usual_operators };
        let operators = operators.clone().unwrap_or_else(|| set.to_owned());
        // Whether the operators belong to the seed's own language is checked when the seed is read.
        let of = |language: &&dyn Language| Weights::parse(&operators, language.operators());
        let mut known = own.into_iter().chain(languages().0.iter().copied());
        if known.clone().all(|language| of(&language).is_err())
            && let Some(Err(error)) = known.next().map(|language| of(&language))
        {
            return Err(Trouble::new(error.to_string()).help("`mugie operators` lists them"));
        }
        let is_strong = strength.is_some_and(|it| it != Strengths::One);
        let has_fixed_list =
            self.mutants.fixed || *exhaustive || self.speed.plain || self.speed.cross_check > 0.0;
        let is_open = number.is_none() && !self.mutants.paper && !*exhaustive && !*until_failure;
        let confidence = confidence.or(usual.confidence.filter(|_| is_open));
        let most = confidence.map(|share| Sequential::new(share).cap());
        let usual_number = if *exhaustive { exhaustive::MOST } else { USUAL_NUMBER };
        let mutants = most.map_or(number.map_or(usual_number, NonZeroUsize::get), |most| {
            usize::try_from(most).unwrap_or(usize::MAX)
        });
        let attempts = max_attempts.unwrap_or_else(|| Generator::usual_attempts(mutants));
        let settings = TestSettings {
            operators: operators.clone(),
            mutants,
            exhaustive: *exhaustive,
            strength,
            random_seed: *seed,
            max_attempts: attempts,
            time_limit: spec.limits.time.as_secs_f64(),
            cpu_limit: spec.limits.cpu.map(|limit| limit.as_secs_f64()),
            memory_limit: spec.limits.memory,
            process_limit: Some(spec.limits.processes),
            resource_limit: spec.options.resource_limit,
            confirm: spec.confirm,
            until_failure: *until_failure,
            confidence,
            failing: *failing,
            tries: usual.tries,
            park_after: usual
                .park_after
                .or(is_strong.then_some(PARK_AFTER))
                .filter(|_| !has_fixed_list),
            procedures: self.procedures.globs().to_vec(),
            mutate: self.mutants.scope.asked(),
            max_effort: self.max_effort,
            speed: Speed {
                batches: !self.speed.plain
                    && verifier.batch().is_some_and(|batch| tap || !batch.needs_tap()),
                tap,
                cross_check: self.speed.cross_check,
            },
        };
        let (random_seed, exhaustive) = (*seed, *exhaustive);
        // The scope depends on the seed.
        let scope = Scope::All;
        let draw = Draw { operators, random_seed, mutants, attempts, exhaustive, strength, scope };
        let recipe = Recipe {
            draw,
            command: verifier.command_words(),
            translate: session::translate_words(verifier),
            time_limit: settings.time_limit,
        };
        let sorts_declarations = verifier.sorts_declarations();
        let names_goals = verifier.names_goals();
        Ok(Protocol { settings, recipe, names_goals, sorts_declarations })
    }
}
