//! Differences that are Boogie's own: the mutant is equivalent, and Boogie has a defect.
//!
//! Each has a program in `explained/`, whose comments say operator and cause; a test shows that the
//! difference is really there. Most cannot come up here, because [programs](crate::program) leave out
//! the form that it takes. Those that can are recognised by what this module looks at.

use mugie_core::Edit;

use crate::boogie::Said;

/// A difference that is Boogie's own.
#[derive(Clone, Copy, Debug)]
pub struct Cause {
    /// The name of its program in `explained/`.
    pub name: &'static str,
    /// What is wrong with Boogie.
    pub words: &'static str,
    /// Whether a difference is of this kind.
    recognise: fn(&Difference<'_>) -> bool,
}

/// A difference between a seed and a mutant.
#[derive(Clone, Copy, Debug)]
pub struct Difference<'d> {
    /// The text of the seed.
    pub seed: &'d str,
    /// The text of the mutant.
    pub mutant: &'d str,
    /// What leads to it.
    pub edits: &'d [Edit],
    /// What was said of the seed.
    pub before: &'d Said,
    /// What was said of the mutant.
    pub after: &'d Said,
}

impl Difference<'_> {
    /// Whether one of some operators has a part in it.
    fn uses(&self, operators: &[&str]) -> bool {
        self.edits.iter().any(|edit| operators.contains(&edit.operator.as_str()))
    }
}

/// Every cause.
pub const CAUSES: &[Cause] = &[Cause {
    name: "concatenation-monomorphised",
    words: "Boogie 3 refuses a program that has a type parameter and concatenates bitvectors",
    recognise: |difference| {
        let is_refused = |said: &Said| {
            said.trouble.is_some() && said.output.contains("Unable to monomorphize input program")
        };
        difference.uses(&["add-unused", "remove-unused"])
            && difference.seed.contains(" ++ ")
            && is_refused(difference.before) != is_refused(difference.after)
    },
}];

/// The cause of a difference, if it is known.
pub fn explain(difference: &Difference<'_>) -> Option<&'static Cause> {
    CAUSES.iter().find(|cause| (cause.recognise)(difference))
}
