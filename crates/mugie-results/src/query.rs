//! The solver queries of a program, as data.

/// A query and its result.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct QueryRow {
    /// The procedure that the query belongs to, if that is known.
    pub procedure: Option<String>,
    /// The number of the part of the procedure that the query is about, from 1, if the procedure is
    /// known.
    pub part: Option<u32>,
    /// The number among the queries about that part, from 1: the first one decides, later ones look
    /// for more errors.
    pub number: u32,
    /// `sat`, `unsat` or `unknown`, or whatever else the solver answered.
    pub answer: String,
    /// The reason of an `unknown`.
    pub reason: Option<String>,
    /// The solver's resource count.
    pub work: Option<u64>,
    /// The solver's memory usage after the query, in bytes.
    pub memory: Option<u64>,
    /// The duration of the query, in seconds.
    pub seconds: f64,
    /// The query fingerprint, which is the same for equal queries.
    pub fingerprint: String,
}
