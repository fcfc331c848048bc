//! Filters for lists of seeds: by name, group, tool, verdict and operator. The script activates and shows
//! them; here are their controls, and what is filtered by.

use mugie_core::Outcome;
use mugie_results::data::{SeedIx, ToolIx};

use super::counts::Counts;
use super::write::Html;

/// What a list can be filtered for with a tool: the word in the attribute, and the words for people.
const VERDICTS: [(&str, &str); 9] = [
    ("brittle", "brittle"),
    ("robust", "no failing mutant"),
    ("failed", "some mutant not proved"),
    ("limits", "some mutant out of limits"),
    ("rejected", "some mutant rejected"),
    ("inconclusive", "some mutant inconclusive"),
    ("unverified", "seed not verified"),
    ("untested", "no mutant judged"),
    ("trouble", "some run without a verdict"),
];

/// Writes the filters of the list with the given identifier.
pub(super) fn write(html: &mut Html, counts: &Counts, list: &'static str, is_brittle: bool) {
    let data = counts.data;
    let form = [
        ("class", "filters"),
        ("role", "search"),
        ("data-list", list),
        ("aria-label", "Filter the seeds"),
        ("hidden", ""),
    ];
    html.element("form", &form, |html| {
        html.markup(
            "<label>Seed <input type=\"search\" name=\"text\" autocomplete=\"off\" \
             spellcheck=\"false\"/></label>",
        );
        let groups = numbered(data.groups.iter());
        if groups.len() > 1 {
            select(html, "Group", "group", &groups);
        }
        let tools = numbered(data.tools.iter().map(|tool| &tool.name));
        if tools.len() > 1 {
            select(html, "Tool", "tool", &tools);
        }
        let verdicts = VERDICTS.into_iter().filter(|(id, _)| {
            (!is_brittle || !["brittle", "robust", "untested"].contains(id))
                && data.seeds.indices().any(|seed| {
                    data.tools.indices().any(|tool| verdicts(counts, seed, tool).contains(id))
                })
        });
        let verdicts: Vec<(String, &str)> =
            verdicts.map(|(id, words)| (id.to_owned(), words)).collect();
        select(html, "Verdict", "verdict", &verdicts);
        let operators: Vec<(String, &str)> = (data.operators.iter_enumerated())
            .filter(|(operator, _)| {
                let fails = |seed: SeedIx, tool: ToolIx| {
                    counts.by_operator(seed, tool, *operator).differ > 0
                };
                data.seeds.indices().any(|seed| data.tools.indices().any(|tool| fails(seed, tool)))
            })
            .map(|(operator, name)| (operator.to_string(), name.as_str()))
            .collect();
        if !operators.is_empty() {
            select(html, "Operator of a failing mutant", "operator", &operators);
        }
        html.markup("<p role=\"status\"></p>");
    });
}

fn numbered<'n>(names: impl Iterator<Item = &'n String>) -> Vec<(String, &'n str)> {
    names.enumerate().map(|(number, name)| (number.to_string(), name.as_str())).collect()
}

fn select(html: &mut Html, label: &'static str, name: &'static str, options: &[(String, &str)]) {
    html.element("label", &[], |html| {
        html.text(label);
        html.text(" ");
        html.element("select", &[("name", name)], |html| {
            html.markup("<option value=\"\">any</option>");
            for (value, words) in options {
                html.leaf("option", &[("value", value)], words);
            }
        });
    });
}

/// What a seed is found by: its group; `TOOL:VERDICT` for each tool; and `TOOL:OPERATOR` for each operator
/// of a failing mutant.
pub(super) fn marks(counts: &Counts, seed: SeedIx) -> [(&'static str, String); 3] {
    let data = counts.data;
    let (mut is, mut by) = (Vec::new(), Vec::new());
    for tool in data.tools.indices() {
        is.extend(
            verdicts(counts, seed, tool).into_iter().map(|verdict| format!("{tool}:{verdict}")),
        );
        let fails = data
            .operators
            .indices()
            .filter(|&operator| counts.by_operator(seed, tool, operator).differ > 0);
        by.extend(fails.map(|operator| format!("{tool}:{operator}")));
    }
    let group = data.seeds[seed].group.to_string();
    [("data-group", group), ("data-is", is.join(" ")), ("data-by", by.join(" "))]
}

fn verdicts(counts: &Counts, seed: SeedIx, tool: ToolIx) -> Vec<&'static str> {
    let Some(baseline) = counts.baseline(seed, tool) else { return Vec::new() };
    let kinds = counts.kinds(seed, tool);
    if baseline.outcome != Outcome::Verified {
        return vec!["unverified"];
    }
    let brittle = counts.is_brittle(seed, tool);
    let judged = counts.all(seed, tool).judged > 0;
    let all = [
        (brittle, "brittle"),
        (judged && !brittle, "robust"),
        (kinds.failed > 0, "failed"),
        (kinds.out_of_limits > 0, "limits"),
        (kinds.rejected > 0, "rejected"),
        (kinds.inconclusive > 0, "inconclusive"),
        (!judged, "untested"),
        (kinds.trouble > 0, "trouble"),
    ];
    all.into_iter().filter(|(holds, _)| *holds).map(|(_, verdict)| verdict).collect()
}
