//! Differences that are Boogie's own: the mutant is equivalent, and Boogie has a defect.
//!
//! Each has a program in `explained/`, whose comments name the operator and the cause; a test shows
//! that the difference exists, and is recognised if it can occur. Differences that cannot occur,
//! because [programs](crate::program) avoid the construct, have no entry here.

use mugie_core::{Edit, Outcome};

use crate::boogie::Said;
use crate::program::mentions;

/// A defect of Boogie that causes differences.
#[derive(Clone, Copy, Debug)]
pub struct Cause {
    /// The name of the program in `explained/`.
    pub name: &'static str,
    /// A description of the defect.
    pub words: &'static str,
    /// Whether a difference has this cause.
    recognise: fn(&Difference<'_>) -> bool,
}

/// A difference between a seed and a mutant.
#[derive(Clone, Copy, Debug)]
pub struct Difference<'d> {
    /// The text of the seed.
    pub seed: &'d str,
    /// The text of the mutant.
    pub mutant: &'d str,
    /// The edits that lead to the mutant.
    pub edits: &'d [Edit],
    /// The answer for the seed.
    pub before: &'d Said,
    /// The answer for the mutant.
    pub after: &'d Said,
}

impl Difference<'_> {
    /// Whether one of the operators contributed to the mutant.
    fn uses(&self, operators: &[&str]) -> bool {
        self.edits.iter().any(|edit| operators.contains(&edit.operator.as_str()))
    }

    /// Whether a property holds for exactly one of the answers.
    fn one_says(&self, what: impl Fn(&Said) -> bool) -> bool {
        what(self.before) != what(self.after)
    }

    /// Whether one of the programs was rejected as a whole, or the like.
    fn is_trouble(&self) -> bool {
        self.before.trouble.is_some() || self.after.trouble.is_some()
    }
}

/// Every cause.
pub const CAUSES: &[Cause] = &[
    Cause {
        name: "concatenation-monomorphised",
        words: "Boogie 3 rejects programs with a type parameter and a bitvector concatenation",
        recognise: |difference| {
            difference.uses(&["add-unused", "remove-unused"])
                && difference.seed.contains(" ++ ")
                && difference.one_says(|said| {
                    said.trouble.is_some() && said.output.contains("Unable to monomorphize")
                })
        },
    },
    Cause {
        name: "errors-untold",
        words: "Boogie reports errors without listing any",
        recognise: |difference| {
            let counted = |said: &Said| {
                let mut outcomes = said.outcomes.clone();
                for outcome in outcomes.values_mut().flatten() {
                    if *outcome == Outcome::ToolError {
                        *outcome = Outcome::Failed;
                    }
                }
                outcomes
            };
            let is_untold = |said: &Said| said.output.contains(" proof obligations]  errors\n\n");
            !difference.is_trouble()
                && counted(difference.before) == counted(difference.after)
                && (is_untold(difference.before) || is_untold(difference.after))
        },
    },
    Cause {
        name: "inlined-where",
        words: "a `where` clause of a procedure that is inlined twice is renamed twice",
        recognise: |difference| {
            difference.uses(ORDERS)
                && !difference.is_trouble()
                && declarations(difference.seed)
                    .any(|decl| decl.contains("{:inline ") && mentions(decl, "where"))
        },
    },
    Cause {
        name: "ordered-constants",
        words: "a constant declared before its `unique` parent crashes Boogie",
        recognise: |difference| {
            difference.uses(ORDERS)
                && mentions(difference.seed, "extends")
                && difference.one_says(|said| {
                    said.trouble == Some(Outcome::Crashed)
                        && said.output.contains("ContractException: Assertion failed.")
                })
        },
    },
    Cause {
        name: "polymorphic-callee",
        words: "a call that precedes the polymorphic procedure it calls is rejected",
        recognise: |difference| {
            const WORDS: &str = "type variable must occur in types of given arguments";
            difference.uses(ORDERS)
                && difference.one_says(|said| {
                    said.trouble == Some(Outcome::Rejected) && said.output.contains(WORDS)
                })
        },
    },
    Cause {
        name: "two-heads",
        words: "which of two entries of a loop counts as its head depends on the order of jumps",
        recognise: |difference| {
            difference.uses(&["L6", "swap-blocks", "swap-targets"])
                && !difference.is_trouble()
                && gotos(difference.seed).any(|label| is_loop(difference.seed, label))
        },
    },
];

/// The operators that change the order of declarations.
const ORDERS: &[&str] = &["S1", "S3", "swap-procedures"];

/// The declarations of procedures and implementations, each with the text up to the next.
fn declarations(text: &str) -> impl Iterator<Item = &str> {
    let starts = ["procedure ", "implementation "];
    let mut places: Vec<usize> = starts
        .iter()
        .flat_map(|word| text.match_indices(word).map(|(place, _)| place))
        .filter(|place| *place == 0 || text[..*place].ends_with('\n'))
        .collect();
    places.sort_unstable();
    let ends = places.iter().skip(1).copied().chain([text.len()]).collect::<Vec<_>>();
    places.into_iter().zip(ends).map(|(start, end)| &text[start..end])
}

/// The labels that the program's `goto` statements name.
fn gotos(text: &str) -> impl Iterator<Item = &str> {
    text.split("goto ")
        .skip(1)
        .flat_map(|rest| rest.split(';').next().unwrap_or_default().split(',').map(str::trim))
}

/// Whether a label marks a loop.
fn is_loop(text: &str, label: &str) -> bool {
    text.split(&format!("{label}:")).skip(1).any(|rest| rest.trim_start().starts_with("while"))
}

/// The cause of a difference, if it is known.
pub fn explain(difference: &Difference<'_>) -> Option<&'static Cause> {
    CAUSES.iter().find(|cause| (cause.recognise)(difference))
}
