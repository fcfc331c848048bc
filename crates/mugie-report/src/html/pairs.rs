//! Tools side by side: the mutants on which two tools disagree.

use mugie_results::data::ToolIx;

use super::HtmlTable;
use super::counts::{Counts, ToolComparison};
use super::overview::counted;
use super::plot::{self, Figure, number};
use super::write::Html;

/// The height of a pair, in pixels: the names and the bars.
const HEIGHT: f64 = 46.0;
/// The middle of the plot, and the length of bars from there. The whole width is used, as there are
/// no names on the left.
const MIDDLE: f64 = 0.25;
const REACH: f64 = 0.62;

/// Writes the figure of all pairs of tools, or a sentence if no pair disagrees.
pub(super) fn write(html: &mut Html, counts: &Counts) {
    let pairs: Vec<&ToolComparison> = counts.pairs.iter().filter(|pair| pair.all() > 0).collect();
    if pairs.iter().all(|pair| pair.first_fails + pair.second_fails == 0) {
        let mutants = pairs.iter().map(|pair| pair.all() as usize).max().unwrap_or_default();
        let words = match mutants {
            0 => "There is no mutant that two tools judged, of a seed that both verify.".to_owned(),
            _ => format!(
                "None of up to {} that two tools judged fails with only one of them.",
                counted(mutants, "mutant")
            ),
        };
        html.leaf("p", &[("class", "instead")], &words);
        return;
    }
    let name = |tool: ToolIx| counts.data.tools[tool].name.as_str();
    let rows = pairs.iter().map(|pair| {
        let numbers =
            [pair.first_fails, pair.second_fails, pair.both_fail, pair.neither_fails, pair.all()];
        let mut row = vec![name(pair.tools.0).to_owned(), name(pair.tools.1).to_owned()];
        row.extend(numbers.iter().map(u32::to_string));
        row
    });
    let head = [
        "First tool",
        "Second tool",
        "Only first fails",
        "Only second fails",
        "Both fail",
        "Neither fails",
        "Mutants",
    ];
    let figure = Figure {
        id: "pairs",
        title: "Mutants on which two tools disagree",
        caption: "For each pair of tools, the mutants that fail under only one: to the left under \
                  the first, solid; to the right under the second, outlined. Only seeds that both \
                  verify and mutants that both judged are counted.",
        height: HEIGHT * number(pairs.len()) + 4.0,
        is_wide: false,
        names: 1.0,
        table: HtmlTable {
            groups: Vec::new(),
            title: "Mutants by pair of tools".to_owned(),
            caption: "Mutants that both tools judged, of seeds that both verify.".to_owned(),
            head: head.map(str::to_owned).to_vec(),
            rows: rows.collect(),
            notes: Vec::new(),
        },
    };
    let most = pairs.iter().map(|pair| pair.first_fails.max(pair.second_fails)).max();
    let most = f64::from(most.unwrap_or(1).max(1));
    plot::figure(html, &figure, |html| {
        let middle = plot::across(MIDDLE);
        for (row, pair) in pairs.iter().enumerate() {
            let top = HEIGHT * number(row);
            draw_pair(html, pair, (name(pair.tools.0), name(pair.tools.1)), most, top);
            plot::line(html, "axis", (&middle, top + 4.0), (&middle, top + HEIGHT - 6.0));
        }
    });
}

fn draw_pair(html: &mut Html, pair: &ToolComparison, names: (&str, &str), most: f64, top: f64) {
    let width = |count: u32| REACH * f64::from(count) / most;
    let (left, right) = (plot::across(MIDDLE - 0.02), plot::across(MIDDLE + 0.02));
    let first = plot::shortened(names.0, 20);
    plot::text(html, &left, top + 15.0, "end", "name", &format!("only {first}"));
    let second = plot::shortened(names.1, 20);
    plot::text(html, &right, top + 15.0, "start", "name", &format!("only {second}"));
    let down = (top + 21.0, 14.0);
    let (first, second) = (width(pair.first_fails), width(pair.second_fails));
    let from = plot::across(MIDDLE - first);
    plot::bar(html, "mark", (&from, &plot::wide(first)), down, "");
    let end = plot::across(MIDDLE - first - 0.015);
    plot::text(html, &end, top + 33.0, "end", "value", &pair.first_fails.to_string());
    let from = plot::across(MIDDLE);
    plot::bar(html, "outlined", (&from, &plot::wide(second)), down, "");
    let end = plot::across(MIDDLE + second + 0.015);
    plot::text(html, &end, top + 33.0, "start", "value", &pair.second_fails.to_string());
}
