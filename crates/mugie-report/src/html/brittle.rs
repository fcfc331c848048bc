//! The brittle seeds, open: which mutants fail and why, the smallest difference that is known, and how to
//! reproduce it.

use std::fmt::Write as _;

use index_vec::index_vec;
use mugie_results::data::{Detail, Details, SeedIx};
use mugie_results::verifies;

use super::anchors::Anchors;
use super::counts::Counts;
use super::overview::counted;
use super::write::Html;
use super::{diff, filters, mutant, seeds};

/// Bytes for all differences: about two hundred of usual length. Those after are in the seeds' sections only.
const DIFF_BYTES: usize = 3_000_000;

/// The number of seeds from which on there are filters.
const FILTERED: usize = 4;

/// Writes the section's content.
pub(super) fn write(html: &mut Html, counts: &Counts, details: &Details, anchors: &Anchors) {
    let data = counts.data;
    let mut seeds: Vec<SeedIx> = (data.seeds.indices())
        .filter(|&seed| data.tools.indices().any(|tool| counts.is_brittle(seed, tool)))
        .collect();
    if seeds.is_empty() {
        let any = data.verdicts.iter().any(|verdict| verifies(verdict.outcome).is_some());
        html.markup(if any {
            "<p>No verified seed has a failing mutant.</p>"
        } else {
            "<p>No mutant has been judged yet.</p>"
        });
        return;
    }
    // The largest share with any tool first.
    let share = |seed: &SeedIx| {
        let of_tool = data.tools.indices().filter(|&tool| counts.is_brittle(*seed, tool));
        of_tool.filter_map(|tool| counts.all(*seed, tool).share()).fold(0.0, f64::max)
    };
    seeds.sort_by(|a, b| share(b).total_cmp(&share(a)).then(a.cmp(b)));
    let mut smallest = index_vec![None::<&Detail>; data.seeds.len()];
    for detail in &details.mutants {
        let seed = data.mutants[detail.mutant].seed;
        // Of a seed that only some tools verify, the mutants of the others may be mended ones.
        if counts.is_brittle(seed, detail.tool)
            && smallest[seed].is_none_or(|other| size(detail) < size(other))
        {
            smallest[seed] = Some(detail);
        }
    }
    if seeds.len() >= FILTERED {
        filters::write(html, counts, "brittle-list", true);
    }
    let mut room = DIFF_BYTES;
    html.element("div", &[("id", "brittle-list")], |html| {
        for seed in seeds {
            let marks = filters::marks(counts, seed);
            let address = anchors.brittle(seed);
            let mut attributes = vec![("class", "card"), ("id", address.as_str())];
            attributes.extend(marks.iter().map(|(name, value)| (*name, value.as_str())));
            html.markup("\n");
            html.element("article", &attributes, |html| {
                card(html, counts, details, anchors, seed, smallest[seed], &mut room);
            });
        }
    });
}

/// What makes a mutant easy to understand: few edits, then a short difference, which must be known.
fn size(detail: &Detail) -> (bool, usize, usize) {
    (detail.diff.is_empty(), detail.edits.len(), detail.diff.len())
}

fn card(
    html: &mut Html,
    counts: &Counts,
    details: &Details,
    anchors: &Anchors,
    seed: SeedIx,
    smallest: Option<&Detail>,
    room: &mut usize,
) {
    let data = counts.data;
    html.element("h3", &[], |html| {
        let link = format!("#{}", anchors.brittle(seed));
        html.leaf("a", &[("class", "name"), ("href", &link)], &data.seeds[seed].name);
    });
    html.element("p", &[("class", "state")], |html| {
        for words in seeds::headline(counts, seed) {
            html.leaf("span", &[], &words);
            html.text(" ");
        }
    });
    html.element("div", &[("class", "two")], |html| {
        html.element("div", &[], |html| {
            seeds::causes(html, counts, seed, details);
            if let Some(detail) = smallest {
                html.leaf("h4", &[], "What fails");
                mutant::changes(html, detail);
                html.leaf("h4", &[], "Edits");
                mutant::edits(html, detail);
                if !detail.reproduce.is_empty() {
                    html.leaf("h4", &[], "Reproduce");
                    mutant::commands(html, &detail.reproduce);
                }
            }
            html.element("p", &[("class", "back")], |html| {
                let link = format!("#{}", anchors.section(seed));
                html.leaf("a", &[("href", &link)], "All that is known of this seed");
            });
        });
        html.element("div", &[], |html| {
            let Some(detail) = smallest else {
                html.markup("<p class=\"remark\">The mutants are not available in detail.</p>");
                return;
            };
            let mut title =
                format!("A failing mutant: {}, {}", detail.name, counted(detail.edits.len(), "edit"));
            if data.tools.len() > 1 {
                let _ = write!(title, ", with {}", data.tools[detail.tool].name);
            }
            html.leaf("h4", &[], &title);
            if detail.diff.is_empty() {
                html.markup(if details.missing.contains(&seed) {
                    "<p class=\"remark\">The seed has changed since, or is gone: there is no difference \
                     to show.</p>"
                } else {
                    "<p class=\"remark\">There is no difference to show.</p>"
                });
                return;
            }
            let mut piece = Html::default();
            diff::write(&mut piece, &detail.diff);
            match room.checked_sub(piece.len()) {
                Some(left) => {
                    *room = left;
                    html.element("div", &[("class", "clip")], |html| html.append(&piece));
                }
                None => html.markup(
                    "<p class=\"remark\">The page is too long for this difference; the commands \
                     make it.</p>",
                ),
            }
        });
    });
}
