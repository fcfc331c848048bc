//! Generic goals, which a verifier reports in instances.
//!
//! Boogie 3 verifies `procedure id<T>(…)` as `id_58`, with a number for each type parameter that
//! most edits change. The goal is `id`, whatever the numbers are.

use rustc_hash::{FxHashMap, FxHashSet};

use crate::verdict::Verdict;

/// The generic goals of a program, and how to tell their instances from other goals.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Instances {
    /// For each generic goal, the number of numbers that the name of an instance ends with.
    generic: FxHashMap<Box<str>, usize>,
    /// The other goals, which are no instances, whatever their names look like.
    plain: FxHashSet<Box<str>>,
}

impl Instances {
    /// The instances of the generic goals among these, each given with its name and the number of
    /// its type parameters.
    pub fn new<'n>(goals: impl IntoIterator<Item = (&'n str, usize)>) -> Instances {
        let mut instances = Instances::default();
        for (name, parameters) in goals {
            if parameters == 0 {
                instances.plain.insert(name.into());
            } else {
                instances.generic.insert(name.into(), parameters);
            }
        }
        if instances.generic.is_empty() { Instances::default() } else { instances }
    }

    /// The goal that a verifier reports under this name. Of several possible ones it is the one
    /// with the longest name.
    pub fn goal<'n>(&self, reported: &'n str) -> &'n str {
        if self.generic.is_empty() || self.plain.contains(reported) {
            return reported;
        }
        let mut name = reported;
        for numbers in 1.. {
            let Some((shorter, number)) = name.rsplit_once('_') else { break };
            if number.is_empty() || !number.bytes().all(|byte| byte.is_ascii_digit()) {
                break;
            }
            if self.generic.get(shorter) == Some(&numbers) {
                return shorter;
            }
            name = shorter;
        }
        reported
    }

    /// Changes a verdict so that it speaks of goals instead of their instances.
    pub fn in_verdict(&self, verdict: &mut Verdict) {
        if self.generic.is_empty() {
            return;
        }
        let Verdict { reason, procedures, .. } = verdict;
        for procedure in procedures {
            let goal = self.goal(&procedure.name);
            if goal != procedure.name {
                if let Some(reason) = reason {
                    *reason =
                        reason.replace(&format!("`{}`", procedure.name), &format!("`{goal}`"));
                }
                procedure.name = goal.to_owned();
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::verdict::{Outcome, Procedure};

    #[test]
    fn an_instance_belongs_to_its_generic_goal() {
        let instances =
            Instances::new([("id", 1), ("id_58", 0), ("two", 2), ("two_7", 1), ("p", 0)]);
        for (reported, goal) in [
            ("id", "id"),
            ("id_57", "id"),
            ("id_58", "id_58"),
            ("id_58_57", "id_58_57"),
            ("id_", "id_"),
            ("id_5x", "id_5x"),
            ("p_57", "p_57"),
            ("two_57", "two_57"),
            ("two_57_3", "two"),
            ("two_7_3", "two_7"),
            ("two_7_3_9", "two_7_3_9"),
            ("_57", "_57"),
            ("57", "57"),
            ("", ""),
        ] {
            assert_eq!(instances.goal(reported), goal, "{reported}");
        }
        assert_eq!(Instances::new([("id_5", 0), ("id", 0)]), Instances::default());
        assert_eq!(Instances::default().goal("id_57"), "id_57");
    }

    #[test]
    fn a_verdict_speaks_of_goals() {
        let procedure = |name: &str, outcome| Procedure {
            name: name.to_owned(),
            outcome,
            failures: Vec::new(),
            seconds: None,
            resources: None,
        };
        let mut verdict = Verdict {
            procedures: vec![
                procedure("id_57", Outcome::Failed),
                procedure("id_3", Outcome::Verified),
            ],
            ..Verdict::of_program(Outcome::Failed, "`id_57` failed")
        };
        Instances::new([("id", 1)]).in_verdict(&mut verdict);
        assert_eq!(verdict.reason.as_deref(), Some("`id` failed"));
        assert!(verdict.procedures.iter().all(|procedure| procedure.name == "id"));
    }
}
