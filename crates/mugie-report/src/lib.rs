//! Renders the results of tests and campaigns, for people and for other programs.
//!
//! A [`TestReport`] becomes text: one module per format, on top of `words`, which all formats use,
//! and `findings`, which lists what is wrong. The data of a campaign become one of the named
//! [tables], a [table] becomes text, and all of it a page of [`html`]. Other results have one text
//! each: [`minimal`], [`diagnosis`], [`queries`], [`status`], [`plan`]. The same input gives the same
//! text. This crate knows nothing of terminals, files and processes.
//!
//! Names and messages in a report come from programs and verifiers and may contain anything. Only
//! [`Format::Json`] and [`table::TableFormat::Json`] keep them unchanged; elsewhere, control
//! characters are escaped.

mod advice;
mod diagnosis;
mod effort;
mod findings;
mod github;
pub mod html;
mod json;
mod junit;
mod known;
mod levels;
mod markdown;
mod minimal;
mod overview;
mod paint;
mod queries;
mod sarif;
pub mod table;
pub mod tables;
#[cfg(test)]
mod testing;
mod text;
mod witness;
mod words;

use mugie_results::result::TestReport;

pub use advice::{advice, page};
pub use diagnosis::diagnosis;
pub use known::{compare, exit, known, update};
pub use levels::levels;
pub use minimal::minimal;
pub use overview::{duration, plan, plan_json, status, status_json};
pub use queries::{queries, queries_json};
pub use text::{in_full, scope, seed_line, summary};

/// The formats of a report.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Format {
    /// For people at a terminal.
    Text,
    /// The whole report: the content of `result.json`.
    Json,
    /// `JUnit` XML: a suite per seed, a test per procedure.
    Junit,
    /// SARIF 2.1.0, for code scanning.
    Sarif,
    /// Workflow commands that make GitHub annotate files.
    Github,
    /// Markdown, for the summary of a CI job.
    Markdown,
}

impl Format {
    /// All formats.
    pub const ALL: [Format; 6] = [
        Format::Text,
        Format::Json,
        Format::Junit,
        Format::Sarif,
        Format::Github,
        Format::Markdown,
    ];

    /// The name, as on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Format::Text => "text",
            Format::Json => "json",
            Format::Junit => "junit",
            Format::Sarif => "sarif",
            Format::Github => "github",
            Format::Markdown => "markdown",
        }
    }
}

/// Renders a report, with a line break at the end. Only text has colours.
///
/// The text about one seed is the full report. For several seeds it is a [`seed_line`] each and the
/// [`summary`].
pub fn render(report: &TestReport, format: Format, colour: bool) -> String {
    match format {
        Format::Text => text::render(report, colour),
        Format::Json => json::render(report),
        Format::Junit => junit::render(report),
        Format::Sarif => sarif::render(report),
        Format::Github => github::render(report),
        Format::Markdown => markdown::render(report),
    }
}
