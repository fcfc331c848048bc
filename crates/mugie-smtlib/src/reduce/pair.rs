//! A seed and its mutant as one object: the seed, and the edits that lead to the mutant.
//!
//! Whatever is cut is cut from the seed, which is then prepared again like a query that was read; the mutant is made
//! anew by the same operator, at what is left of its places, and compared with the seed as every mutant is.

use std::any::Any;
use std::collections::BTreeMap;
use std::sync::Arc;

use mugie_core::{
    Applied, Defect, Edit, GoalNames, LanguageOptions, Pair, PairError, Program, Verdict,
};
use smt_syntax::Script;

use super::again::Again;
use super::cut::{Cut, Left, NEW};
use super::neighbours;
use crate::answers::{ANSWERS, BUDGET, Budget, Expected};
use crate::base::Base;
use crate::language::budget_for;
use crate::prepare::{Prepared, prepare};
use crate::program::SmtProgram;
use crate::seed::complaints;

/// A seed, and the edits that lead to its mutant.
#[derive(Clone, Debug)]
pub(crate) struct SmtPair {
    pub(super) seed: SmtProgram,
    expected: Expected,
    /// For each check of the seed, its number in the query that the reduction started with, from 0.
    pub(super) checks: Arc<[usize]>,
    /// For each node of the seed, its number in that query.
    pub(super) origins: Arc<[u32]>,
    steps: Vec<(Edit, Arc<dyn Program>)>,
}

impl SmtPair {
    /// The pair of a seed and the mutant that the edits lead to.
    pub(crate) fn new(
        seed: SmtProgram,
        expected: Expected,
        edits: &[Edit],
    ) -> Result<SmtPair, PairError> {
        let checks = seed.base.script.commands().iter().filter(|it| it.kind.is_check()).count();
        let origins = (0..).take(seed.base.script.nodes().len()).collect();
        let checks = (0..checks).collect();
        SmtPair { seed, expected, checks, origins, steps: Vec::new() }.edited(edits)
    }

    /// A pair of any two programs, for a neighbour.
    pub(super) fn of(&self, seed: SmtProgram, mutant: SmtProgram) -> SmtPair {
        let mutant: Arc<dyn Program> = Arc::new(mutant);
        let step = self.steps.last().map(|(edit, _)| (edit.clone(), mutant));
        SmtPair { seed, steps: step.into_iter().collect(), ..self.clone() }
    }

    /// The same seed with other edits.
    fn edited(&self, edits: &[Edit]) -> Result<SmtPair, PairError> {
        let mut pair = SmtPair { steps: Vec::new(), ..self.clone() };
        for edit in edits {
            let applied = Pair::mutant(&pair).apply(edit)?;
            pair.push(applied)?;
        }
        Ok(pair)
    }

    fn push(&mut self, applied: Applied) -> Result<(), Defect> {
        let Applied { program, edit, .. } = applied;
        let defect = |reason: String| Defect::after(&edit, reason);
        let mutant = program.as_any().downcast_ref::<SmtProgram>();
        let mutant = mutant.ok_or_else(|| defect("it is no query".to_owned()))?;
        self.seed.check(mutant).map_err(defect)?;
        self.steps.push((edit, program));
        Ok(())
    }

    /// The base of the seed.
    pub(super) fn base(&self) -> &Base {
        &self.seed.base
    }

    /// The only edit, if there is one: every mutant of a query is made by one.
    pub(super) fn edit(&self) -> Option<&Edit> {
        match self.steps.as_slice() {
            [(edit, _)] => Some(edit),
            _ => None,
        }
    }

    /// The mutant as a query.
    pub(super) fn query(&self) -> Option<&SmtProgram> {
        Pair::mutant(self).as_any().downcast_ref()
    }

    /// What remains after a cut if it is still a pair: both queries can be prepared, and the mutant is the result of
    /// what is left of the edit.
    pub(super) fn after(&self, cut: &Cut) -> Option<SmtPair> {
        self.prepared(cut, self.expected.budget)
    }

    /// The same pair with a smaller budget, for a seed that takes this much work.
    pub(super) fn with_budget_for(&self, work: u64) -> Option<SmtPair> {
        let Some(Budget::Units(before)) = self.expected.budget else { return None };
        let budget = budget_for(work);
        (budget * 2 <= before)
            .then(|| self.prepared(&Cut::default(), Some(Budget::Units(budget))))?
    }

    fn prepared(&self, cut: &Cut, budget: Option<Budget>) -> Option<SmtPair> {
        let edit = self.edit()?;
        let Left { text, origins } = cut.apply(self.base(), &self.origins);
        let script = Script::parse(text).ok()?;
        if script.nodes().len() != origins.len() {
            return None;
        }
        let checks: Vec<usize> = self.kept_checks(cut);
        let answers = || checks.iter().map(|check| self.answer(*check).to_owned()).collect();
        let is_usual = self.expected.answers.is_empty();
        let expected = Expected { answers: if is_usual { Vec::new() } else { answers() }, budget };
        let Prepared { printed, commands, .. } = prepare(&script, &expected).ok()?;
        let printed = Script::parse(printed).ok()?;
        if printed.commands().len() != commands.len() {
            return None;
        }
        let mut moved = Vec::with_capacity(printed.nodes().len());
        for (command, number) in printed.commands().iter().zip(commands) {
            let nodes = command.node..printed.node(command.node).skip;
            match number.map(|number| script.commands()[number].node) {
                Some(first) => {
                    let first = first as usize;
                    moved.extend_from_slice(origins.get(first..first + nodes.len())?);
                }
                None => moved.extend(nodes.map(|_| NEW)),
            }
        }
        let checks = checks.iter().map(|check| self.checks[*check]).collect();
        let ids = (0..).take(printed.commands().len()).collect();
        let seed = SmtProgram::new(Base::new(printed, ids));
        let mut pair = SmtPair { seed, expected, checks, origins: moved.into(), steps: Vec::new() };
        let edit = Again { before: self, cut, after: &pair }.edit(edit)?;
        let applied = pair.seed.apply(&edit).ok()?;
        pair.push(applied).ok()?;
        Some(pair)
    }

    /// The numbers of the checks that a cut leaves.
    fn kept_checks(&self, cut: &Cut) -> Vec<usize> {
        let commands = self.base().script.commands().iter().filter(|it| it.kind.is_check());
        let is_kept = |node: u32| !cut.removes(self.origins[node as usize]);
        commands.enumerate().filter(|(_, it)| is_kept(it.node)).map(|(check, _)| check).collect()
    }

    /// The answer that is expected of a check.
    fn answer(&self, check: usize) -> &str {
        self.expected.answers.get(check).map_or("unsat", String::as_str)
    }
}

impl Pair for SmtPair {
    fn seed(&self) -> &dyn Program {
        &self.seed
    }

    fn mutant(&self) -> &dyn Program {
        self.steps.last().map_or(&self.seed, |(_, program)| &**program)
    }

    fn edits(&self) -> Vec<Edit> {
        self.steps.iter().map(|(edit, _)| edit.clone()).collect()
    }

    fn with_edits(&self, edits: &[Edit]) -> Result<Arc<dyn Pair>, PairError> {
        Ok(Arc::new(self.edited(edits)?))
    }

    /// The answers of the checks that are left, and the budget.
    fn options(&self, before: &LanguageOptions) -> LanguageOptions {
        let mut options = before.clone();
        if !self.expected.answers.is_empty() {
            let answers: Vec<&str> = (0..self.checks.len()).map(|it| self.answer(it)).collect();
            options.set(ANSWERS, answers.join(","));
        }
        if let Some(Budget::Units(budget)) = self.expected.budget {
            options.set(BUDGET, budget.to_string());
        }
        options
    }

    /// Checks are numbered, so they get other numbers when one before them goes.
    fn goal_names(&self) -> GoalNames {
        let name = |number: usize| format!("#{}", number + 1).into_boxed_str();
        let names = self.checks.iter().enumerate().filter(|(new, old)| new != *old);
        GoalNames::new(names.map(|(new, old)| (name(new), name(*old))))
    }

    /// The solver may not complain about anything new, and must complain about both queries alike: it goes on after an
    /// error, with another problem.
    fn is_evidence(&self, first: &Verdict, of_seed: &Verdict, of_mutant: &Verdict) -> bool {
        let known = complaints(first, &BTreeMap::new());
        let seed = complaints(of_seed, &self.seed.seed_names());
        let names = self.query().map(SmtProgram::seed_names).unwrap_or_default();
        let is_known = |(text, number): (&String, &usize)| known.get(text) >= Some(number);
        seed.iter().all(is_known) && complaints(of_mutant, &names) == seed
    }

    fn neighbour(&self, number: usize) -> Option<Arc<dyn Pair>> {
        Some(Arc::new(neighbours::of(self, number)?))
    }

    fn as_any(&self) -> &dyn Any {
        self
    }
}

/// Whether an edit exchanges names.
pub(super) fn is_renaming(edit: &Edit) -> bool {
    edit.operator == "rename"
}
