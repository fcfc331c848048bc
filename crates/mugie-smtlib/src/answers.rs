//! The answers that a query is expected to have, as the solver itself tells them to the reader of its
//! output.

/// The option with the answers to expect.
pub(crate) const ANSWERS: &str = "answers";

/// The option with the resource units that each check may take.
pub(crate) const BUDGET: &str = "units";

/// What is expected of the checks of a query.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Expected {
    /// The answers, one for each check; `unsat` for those that are missing.
    pub(crate) answers: Vec<String>,
    /// The resource units that each check may take.
    pub(crate) budget: Option<u64>,
}

impl Expected {
    /// The command before a check, with the number of the check from 0: it makes the solver print what
    /// is expected. There is none for `unsat` without a budget.
    pub(crate) fn echo(&self, check: usize) -> Option<String> {
        let answer = self.answers.get(check).map_or("unsat", String::as_str);
        match self.budget {
            None if answer == "unsat" => None,
            None => Some(format!("(echo \"mugie expects {answer}\")")),
            Some(budget) => Some(format!("(echo \"mugie expects {answer} within {budget}\")")),
        }
    }

    /// The command that sets the budget.
    pub(crate) fn limit(&self) -> Option<String> {
        self.budget.map(|budget| format!("(set-option :reproducible-resource-limit {budget})"))
    }
}
