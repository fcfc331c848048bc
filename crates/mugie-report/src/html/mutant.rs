//! A mutant with another verdict than its seed's, and its parts: what fails, the edits, the difference, and
//! the commands that reproduce it.

use mugie_core::Outcome;
use mugie_results::data::{Detail, MutantData};

use super::counts::Counts;
use super::diff;
use super::overview::counted;
use super::write::Html;
use crate::words::failure_with_place;

/// Writes a mutant, folded. Its address starts with that of its seed's section.
pub(super) fn write(html: &mut Html, counts: &Counts, section: &str, detail: &Detail) {
    let MutantData { batch, number, .. } = counts.data.mutants[detail.mutant];
    let address = format!("{section}:{batch}-{number}-{}", detail.tool);
    html.markup("\n");
    html.element("details", &[("class", "mutant"), ("id", &address)], |html| {
        html.element("summary", &[], |html| {
            html.leaf("h4", &[], &detail.name);
            html.text(" ");
            html.leaf("span", &[], &in_short(counts, detail));
        });
        changes(html, detail);
        html.leaf("h5", &[], "Edits");
        edits(html, detail);
        if !detail.diff.is_empty() {
            html.leaf("h5", &[], "Difference");
            diff::write(html, &detail.diff);
        }
        if !detail.reproduce.is_empty() {
            html.leaf("h5", &[], "Reproduce");
            commands(html, &detail.reproduce);
        }
    });
}

/// Writes the procedures whose verdict changed, and what fails.
pub(super) fn changes(html: &mut Html, detail: &Detail) {
    html.element("ul", &[("class", "changes")], |html| {
        for change in &detail.changes {
            html.element("li", &[], |html| {
                match &change.procedure {
                    Some(procedure) => html.leaf("code", &[], procedure),
                    None => html.text("the whole program"),
                }
                html.text(&format!(" {}", change.outcome));
                if !change.failures.is_empty() {
                    html.element("ul", &[], |html| {
                        for failure in &change.failures {
                            html.leaf("li", &[], &failure_with_place(failure));
                        }
                    });
                }
            });
        }
    });
}

/// Writes the edits.
pub(super) fn edits(html: &mut Html, detail: &Detail) {
    html.element("ol", &[("class", "edits")], |html| {
        for edit in &detail.edits {
            html.leaf("li", &[], edit);
        }
    });
}

/// Writes commands, which the script gives a button to copy them.
pub(super) fn commands(html: &mut Html, commands: &[String]) {
    html.element("div", &[("class", "commands")], |html| {
        html.element("pre", &[("tabindex", "0")], |html| {
            for (number, command) in commands.iter().enumerate() {
                if number > 0 {
                    html.markup("\n");
                }
                html.leaf("code", &[], command);
            }
        });
    });
}

/// The result of a mutant on one line.
fn in_short(counts: &Counts, detail: &Detail) -> String {
    let tool = &counts.data.tools[detail.tool].name;
    let mut outcomes: Vec<Outcome> = detail.changes.iter().map(|change| change.outcome).collect();
    outcomes.sort_unstable();
    outcomes.dedup();
    let outcomes: Vec<&str> = outcomes.iter().map(|outcome| outcome.words()).collect();
    let edits = counted(detail.edits.len(), "edit");
    format!("{tool} · {} · {edits}", outcomes.join(", "))
}
