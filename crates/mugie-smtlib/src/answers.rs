//! The answers that a query is expected to have, as the solver itself tells them to the reader of its
//! output.

/// The option with the answers to expect.
pub(crate) const ANSWERS: &str = "answers";

/// The option with the resource units that each check may take.
pub(crate) const BUDGET: &str = "units";

/// What a check may take.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Budget {
    /// Resource units of the solver: the same in every run.
    Units(u64),
    /// Wall time, in seconds.
    Seconds(f64),
}

impl Budget {
    /// Reads a budget: `1000000` units, or `20s`.
    pub(crate) fn parse(text: &str) -> Option<Budget> {
        match text.strip_suffix('s') {
            None => text.parse::<u32>().ok().map(|units| Budget::Units(units.into())),
            Some(seconds) => {
                let seconds: f64 = seconds.parse().ok()?;
                (seconds > 0.0 && seconds < 4e6).then_some(Budget::Seconds(seconds))
            }
        }
    }
}

/// What is expected of the checks of a query.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Expected {
    /// The answers, one for each check; `unsat` for those that are missing.
    pub(crate) answers: Vec<String>,
    /// What each check may take.
    pub(crate) budget: Option<Budget>,
}

impl Expected {
    /// The command before a check, with the number of the check from 0: it makes the solver print what
    /// is expected. There is none for `unsat` without a budget.
    pub(crate) fn echo(&self, check: usize) -> Option<String> {
        let answer = self.answers.get(check).map_or("unsat", String::as_str);
        match self.budget {
            Some(Budget::Units(units)) => {
                Some(format!("(echo \"mugie expects {answer} within {units}\")"))
            }
            _ if answer == "unsat" => None,
            _ => Some(format!("(echo \"mugie expects {answer}\")")),
        }
    }

    /// The command that sets the budget.
    pub(crate) fn limit(&self) -> Option<String> {
        self.budget.map(|budget| match budget {
            Budget::Units(units) => format!("(set-option :reproducible-resource-limit {units})"),
            Budget::Seconds(seconds) => {
                format!("(set-option :timeout {})", (seconds * 1000.0).round().max(1.0))
            }
        })
    }

    /// The commands after each check: they make the solver print its count, and why it gave up if time
    /// is limited.
    pub(crate) fn meter(&self) -> &'static str {
        match self.budget {
            Some(Budget::Seconds(_)) => "(get-info :rlimit) (get-info :reason-unknown)",
            _ => "(get-info :rlimit)",
        }
    }
}
