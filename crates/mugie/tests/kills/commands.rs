//! The commands that are killed: each takes some seconds.

use crate::processes::Victim::{self, Keeper, Mugie, Solver, Tap, Verifier};

/// A command and its expected behaviour.
pub(crate) struct Tested {
    pub(crate) name: &'static str,
    /// The arguments of mugie. Running them again resumes the interrupted work or restarts it.
    pub(crate) arguments: &'static [&'static str],
    /// The exit code of an undisturbed run.
    pub(crate) code: i32,
    /// A second command, whose output shows the results of the first.
    pub(crate) then: Option<&'static [&'static str]>,
    /// Suffixes of the files whose content is not compared, because it contains measured times.
    pub(crate) measured: &'static [&'static str],
    pub(crate) victims: &'static [Victim],
    pub(crate) needs_boogie: bool,
}

/// The plan of the campaign.
pub(crate) const PLAN: &str = r#"
name = "kills"
random_seed = 1

[seeds]
paths = ["brittle.bpl", "max.bpl"]

[limits]
seconds = 20

[[batch]]
name = "S1"
mutants = 6

[[batch]]
name = "*"
operators = "paper"
mutants = 4

[[tool]]
name = "boogie"
"#;

/// All commands that are killed.
pub(crate) const COMMANDS: [Tested; 4] = [
    Tested {
        name: "test",
        arguments: &[
            "test",
            "brittle.bpl",
            "max.bpl",
            "-n",
            "12",
            "--budget",
            "4",
            "--out",
            "found",
            "--force",
            "-j",
            "2",
        ],
        code: 1,
        then: None,
        measured: &["found/measurements.jsonl", ".out"],
        victims: &[Mugie, Keeper, Verifier, Tap, Solver],
        needs_boogie: true,
    },
    Tested {
        name: "campaign",
        arguments: &["campaign", "run", "plan.toml", "--no-fail", "-j", "2"],
        code: 0,
        then: Some(&["campaign", "table", "plan.toml", "all"]),
        measured: &["plan.sqlite"],
        victims: &[Mugie, Keeper, Verifier, Tap, Solver],
        needs_boogie: true,
    },
    Tested {
        name: "minimise",
        arguments: &[
            "minimise",
            "brittle.bpl",
            "--mutant",
            "4",
            "--operators",
            "S1",
            "--exhaustive",
            "--budget",
            "14",
            "--out",
            "small",
            "-j",
            "2",
        ],
        code: 0,
        then: None,
        measured: &[],
        victims: &[Mugie, Keeper, Verifier, Solver],
        needs_boogie: true,
    },
    Tested {
        name: "mutate",
        arguments: &["mutate", "max.bpl", "-n", "2000", "--out", "made", "--force", "-j", "2"],
        code: 0,
        then: None,
        measured: &[],
        victims: &[Mugie],
        needs_boogie: false,
    },
];
