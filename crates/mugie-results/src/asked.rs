//! What was asked of which tools, and with what: everything that the numbers of a campaign or a test depend
//! on. Nothing here knows how it is shown.

use index_vec::IndexVec;

use crate::data::ToolIx;
use crate::result::Host;

/// What was run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Kind {
    /// A campaign by a plan, with a store.
    #[default]
    Campaign,
    /// A test of some programs.
    Test,
}

/// What was asked, and with what.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Asked {
    /// What was run.
    pub kind: Kind,
    /// The release of mugie that ran it last.
    pub mugie: Option<String>,
    /// The random seeds that mutants were drawn with.
    pub random_seeds: Vec<u64>,
    /// Whether all mutants that the operators yield were asked for.
    pub exhaustive: bool,
    /// The confidence after which a test stops, if that was asked for.
    pub confidence: Option<f64>,
    /// The goals that were checked, as patterns; all if there are none.
    pub goals: Vec<String>,
    /// When and where it ran, as far as that is recorded.
    pub sessions: Vec<Session>,
    /// How each tool was run. Tools of which nothing is known are missing at the end.
    pub tools: IndexVec<ToolIx, AskedTool>,
}

/// A day on which something ran, and the machine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Session {
    /// The day, such as `2026-11-19`, if it is recorded.
    pub day: Option<String>,
    /// The machine.
    pub host: Host,
}

/// How a tool was run.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct AskedTool {
    /// The command line, with `{files}` where the files go.
    pub command: Vec<String>,
    /// The profile of options.
    pub profile: Option<String>,
    /// The solver's random seed.
    pub solver_seed: Option<u64>,
    /// The time limit of a run in seconds.
    pub seconds: Option<f64>,
    /// The limit of processor time of a run in seconds.
    pub cpu_seconds: Option<f64>,
    /// The memory limit of a run in bytes.
    pub memory: Option<u64>,
    /// The limit of processes and threads of a run.
    pub processes: Option<u32>,
    /// The solver's resource limit.
    pub resource_limit: Option<u64>,
    /// The number of further runs that must agree before a timeout counts.
    pub confirm: usize,
    /// Whether several mutants could share a process.
    pub shared: bool,
    /// Whether the solver was tapped.
    pub tapped: bool,
}
