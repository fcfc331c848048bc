//! The `UpSet` plot: brittle seeds by the exact set of batches that break them.
//!
//! A. Lex, N. Gehlenborg, H. Strobelt, R. Vuillemot and H. Pfister: `UpSet`: visualization of
//! intersecting sets. IEEE Transactions on Visualization and Computer Graphics 20 (2014).

use std::collections::BTreeMap;
use std::fmt::Write as _;

use mugie_results::data::{BatchIx, SeedIx, ToolIx};

use super::HtmlTable;
use super::counts::Counts;
use super::plot::{self, Figure, ROW, number};
use super::write::Html;
use crate::words;

/// The most rows of the plot.
const MAX_ROWS: usize = 40;
/// The share of the plot's width for the dots; the rest is for bars.
const DOTS: f64 = 0.62;

/// Writes the plot of a tool under which some seed is brittle, or a sentence if there is one set only.
pub(super) fn write(html: &mut Html, counts: &Counts, tool: ToolIx) {
    let data = counts.data;
    let mut sets = BTreeMap::<Vec<BatchIx>, Vec<SeedIx>>::new();
    for seed in counts.brittle(tool) {
        let breaks = |batch: &BatchIx| {
            !counts.measures.is_apart(*batch) && counts.by_batch(seed, tool, *batch).differ > 0
        };
        let set = (data.batches.indices()).filter(breaks).collect();
        sets.entry(set).or_default().push(seed);
    }
    if let ([(batches, seeds)], names) = (sets.iter().collect::<Vec<_>>().as_slice(), &data.batches)
    {
        let names: Vec<&str> = batches.iter().map(|&batch| names[batch].name.as_str()).collect();
        let seeds = match seeds.as_slice() {
            [seed] => {
                format!("The only brittle seed, {}, is", words::plain(&data.seeds[*seed].name))
            }
            seeds => format!("All {} brittle seeds are", seeds.len()),
        };
        let words = format!("{seeds} broken by exactly these batches: {}.", names.join(", "));
        html.leaf("p", &[("class", "instead")], &words);
        return;
    }
    // The largest sets of seeds first, then the sets of fewer batches.
    let mut sets: Vec<_> = sets.into_iter().collect();
    sets.sort_by_key(|(batches, seeds)| (usize::MAX - seeds.len(), batches.len()));
    let shown = &sets[..sets.len().min(MAX_ROWS)];
    let most = number(sets[0].1.len());
    let names: Vec<&str> = data.batches.iter().map(|batch| batch.name.as_str()).collect();
    let mut caption = "How many brittle seeds are broken by exactly these batches and by no \
                       other: a row for each set of batches, its dots joined by a line."
        .to_owned();
    if shown.len() < sets.len() {
        let _ = write!(caption, " The largest {} of {} sets are drawn.", shown.len(), sets.len());
    }
    let rows = sets.iter().map(|(batches, seeds)| {
        let names: Vec<&str> =
            batches.iter().map(|&batch| data.batches[batch].name.as_str()).collect();
        let seeds_of: Vec<&str> =
            seeds.iter().map(|&seed| data.seeds[seed].name.as_str()).collect();
        vec![names.join(", "), seeds.len().to_string(), seeds_of.join(", ")]
    });
    let top = plot::column_names_height(&names) + 4.0;
    let figure = Figure {
        id: &format!("upset-{tool}"),
        title: "Brittle seeds by the batches that break them",
        caption: &caption,
        height: top + ROW * number(shown.len()) + 2.0,
        is_wide: names.len() > 16,
        names: 1.0,
        table: HtmlTable {
            groups: Vec::new(),
            title: "Brittle seeds by the batches that break them".to_owned(),
            caption: "Each brittle seed is in exactly one row.".to_owned(),
            head: ["Exactly these batches", "Seeds", "Which"].map(str::to_owned).to_vec(),
            rows: rows.collect(),
            notes: Vec::new(),
        },
    };
    // The dots start where the names of rows would be, as there are none.
    let place = |batch: usize| -0.45 + (0.45 + DOTS) * (number(batch) + 0.5) / number(names.len());
    let places: Vec<f64> = (0..names.len()).map(place).collect();
    plot::figure(html, &figure, |html| {
        plot::column_names(html, &names, &places, top - 8.0);
        for (row, (batches, seeds)) in shown.iter().enumerate() {
            let y = top + ROW * number(row);
            draw_row(html, batches, &places, y);
            let from = plot::across(DOTS + 0.02);
            let width = (0.88 - DOTS) * number(seeds.len()) / most;
            let title = format!("{} seeds", seeds.len());
            plot::bar(html, "mark", (&from, &plot::wide(width)), (y + 4.0, ROW - 8.0), &title);
            let end = plot::across(DOTS + 0.035 + width);
            plot::text(html, &end, y + 14.0, "start", "value", &seeds.len().to_string());
        }
    });
}

fn draw_row(html: &mut Html, batches: &[BatchIx], places: &[f64], y: f64) {
    let middle = y + ROW / 2.0;
    if let ([first, ..], [.., last]) = (batches, batches)
        && first != last
    {
        let (from, to) = (plot::across(places[first.index()]), plot::across(places[last.index()]));
        plot::line(html, "join", (&from, middle), (&to, middle));
    }
    for (batch, place) in places.iter().enumerate() {
        let is_in = batches.contains(&BatchIx::from(batch));
        let (class, radius) = if is_in { ("mark", "5") } else { ("out", "2") };
        let (x, y) = (plot::across(*place), plot::pixels(middle));
        html.empty("circle", &[("class", class), ("cx", &x), ("cy", &y), ("r", radius)]);
    }
}
