//! Controls: runs that tell a finding from chance, made before an answer accuses a program.

use mugie_core::Outcome;
use serde::{Deserialize, Serialize};

/// What the runs before an accusation showed.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Controls {
    /// The outcomes of the seed's bytes in runs alone on the machine, as far as mugie knows.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub alone: Vec<Outcome>,
    /// The outcomes of the seed's bytes while the other program was run.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub in_company: Vec<Outcome>,
    /// The outcomes of further runs of the failing mutant; without one, of the seed as it is printed.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub other: Vec<Outcome>,
    /// The circumstances that were tried on the seed.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tried: Vec<Circumstance>,
    /// The circumstances that change the verdict on the seed each time.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub differences: Vec<Difference>,
    /// What moved, if the same bytes got different verdicts.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub moved: Option<Moved>,
    /// Whether the runs were interrupted before they decided anything.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub interrupted: bool,
}

impl Controls {
    /// Whether mutants differ from the seed only because their files have other names.
    pub fn explain_mutants(&self) -> bool {
        self.differences.iter().any(|difference| difference.explains)
    }
}

/// Something about a run that is no part of the program.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Circumstance {
    /// The names of the program's files.
    FileName,
    /// The name of the folder that the verifier runs in.
    Folder,
    /// Whether the verifier writes a log of the solver's queries.
    Log,
    /// Whether the solver is behind mugie's proxy, or the process shared with other programs.
    Proxy,
}

impl Circumstance {
    /// Every circumstance, in the order in which they are tried.
    pub const ALL: [Circumstance; 4] =
        [Circumstance::FileName, Circumstance::Folder, Circumstance::Log, Circumstance::Proxy];

    /// The circumstance as it follows "brittle to".
    pub fn words(self) -> &'static str {
        match self {
            Circumstance::FileName => "file name",
            Circumstance::Folder => "folder",
            Circumstance::Log => "log",
            Circumstance::Proxy => "proxy",
        }
    }

    /// What is different, after "verified usually, failed".
    pub fn in_words(self) -> &'static str {
        match self {
            Circumstance::FileName => "in a file of another name",
            Circumstance::Folder => "in a folder of another name",
            Circumstance::Log => "with a log of the solver's queries",
            Circumstance::Proxy => "with the solver behind mugie's proxy",
        }
    }
}

/// A circumstance that changes the verdict on the same bytes each time.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Difference {
    /// The circumstance.
    pub circumstance: Circumstance,
    /// The outcome of a usual run.
    pub usual: Outcome,
    /// The outcome in the other circumstance.
    pub changed: Outcome,
    /// Whether this alone makes the mutant's verdict differ: under the seed's names it has the seed's.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub explains: bool,
}

/// What moved between runs of the same bytes with different verdicts, as far as it can be known.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Moved {
    /// A limit of time or memory: how far a run gets depends on the machine.
    Limit,
    /// The verdicts of runs in company differ from those of runs alone: threads, or their order.
    Company,
    /// The queries to the solver: the verifier itself is not deterministic.
    Query,
    /// Nothing that mugie can see.
    Nothing,
}

impl Moved {
    /// What moved, in words.
    pub fn words(self) -> &'static str {
        match self {
            Moved::Limit => "a limit of time or memory was reached in some of the runs",
            Moved::Company => {
                "runs with another run beside them differ from runs alone: threads or their order"
            }
            Moved::Query => "the text of the queries to the solver differs from run to run",
            Moved::Nothing => "nothing that mugie can see differs between the runs",
        }
    }
}
