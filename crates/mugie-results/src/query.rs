//! What a solver was asked about a program, query by query, as data.

/// A query and what came of it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct QueryRow {
    /// The procedure that it is about, if that is known.
    pub procedure: Option<String>,
    /// Its number among the queries about the procedure, from 1: the first one decides, later ones
    /// look for more errors.
    pub number: u32,
    /// `sat`, `unsat` or `unknown`, or whatever else the solver said.
    pub answer: String,
    /// Why the solver does not know.
    pub reason: Option<String>,
    /// The solver's work on it, in its own units.
    pub work: Option<u64>,
    /// Bytes in use by the solver after it.
    pub memory: Option<u64>,
    /// How long it took.
    pub seconds: f64,
    /// A hash that is the same for equal queries.
    pub fingerprint: String,
}
