//! The distribution of the share of failing mutants over the seeds, with 95 % intervals.

use std::fmt::Write as _;

use mugie_results::data::{SeedIx, ToolIx};
use mugie_stats::Interval;

use super::HtmlTable;
use super::counts::{Counts, Tally};
use super::plot::{self, Figure, ROW, number};
use super::write::Html;
use crate::words;

/// The most rows of the plot.
const MAX_ROWS: usize = 60;

/// Writes both figures of a tool: the number of seeds by share, and the brittle seeds in detail.
pub(super) fn write(html: &mut Html, counts: &Counts, tool: ToolIx) {
    let data = counts.data;
    // Batches are different experiments: if there is a batch with the mix of operators, only its
    // mutants count.
    let mix = data.batches.position(|batch| batch.name == "*");
    let tally = |seed: SeedIx| match mix {
        Some(batch) => counts.by_batch(seed, tool, batch),
        None => counts.all(seed, tool),
    };
    let of = if mix.is_some() { "mutants of batch *" } else { "mutants" };
    let mut seeds: Vec<(SeedIx, Tally)> = (data.seeds.indices())
        .filter(|&seed| counts.verifies(seed, tool))
        .map(|seed| (seed, tally(seed)))
        .filter(|(_, tally)| tally.judged > 0)
        .collect();
    if seeds.is_empty() {
        html.markup("<p class=\"instead\">No mutant of a verified seed was judged.</p>");
        return;
    }
    seeds.sort_by(|(a, left), (b, right)| {
        right.share().partial_cmp(&left.share()).unwrap_or(std::cmp::Ordering::Equal).then(a.cmp(b))
    });
    if bins(&seeds).iter().filter(|count| **count > 0).count() > 1 {
        histogram(html, tool, &seeds, of);
    } else {
        html.leaf("p", &[("class", "instead")], &one_bin(counts, &seeds, of));
    }
    intervals(html, counts, tool, &seeds, of);
}

/// The sentence that stands for a histogram with one bar.
fn one_bin(counts: &Counts, seeds: &[(SeedIx, Tally)], of: &str) -> String {
    let name = |seed: SeedIx| words::plain(&counts.data.seeds[seed].name);
    match seeds {
        [(seed, tally)] => {
            let words = counts.share_words(*tally);
            format!("Of the {of} of {}, {words} fail.", name(*seed))
        }
        [(_, tally), ..] if tally.differ == 0 => {
            format!(
                "None of the {} has a failing mutant.",
                words::count(seeds.len(), "verified seed")
            )
        }
        [(_, most), .., (_, least)] => format!(
            "In each of the {}, {:.0} to {:.0} % of the {of} fail.",
            words::count(seeds.len(), "verified seed"),
            least.share().unwrap_or_default() * 100.0,
            most.share().unwrap_or_default() * 100.0,
        ),
        [] => String::new(),
    }
}

/// The number of seeds without a failing mutant, and with a share up to each tenth.
fn bins(seeds: &[(SeedIx, Tally)]) -> [usize; 11] {
    let mut bins = [0; 11];
    for (_, tally) in seeds {
        // Count tenths exactly: the first bin includes 10 %.
        let bin = (tally.differ * 10).div_ceil(tally.judged);
        bins[bin as usize] += 1;
    }
    bins
}

fn histogram(html: &mut Html, tool: ToolIx, seeds: &[(SeedIx, Tally)], of: &str) {
    const HEIGHT: f64 = 130.0;
    let bins = bins(seeds);
    let name = |bin: usize| match bin {
        0 => "none".to_owned(),
        1 => "to 10 %".to_owned(),
        _ => format!("{} to {} %", bin * 10 - 10, bin * 10),
    };
    let caption = format!(
        "How many of the {} have which share of failing {of}. The first bar is for those without, \
         the others are for shares up to the percentage below them.",
        words::count(seeds.len(), "verified seed")
    );
    let rows = bins.iter().enumerate().map(|(bin, count)| vec![name(bin), count.to_string()]);
    let figure = Figure {
        id: &format!("histogram-{tool}"),
        title: "Seeds by share of failing mutants",
        caption: &caption,
        height: HEIGHT + 44.0,
        is_wide: false,
        names: 1.0,
        table: HtmlTable {
            groups: Vec::new(),
            title: "Seeds by share of failing mutants".to_owned(),
            caption: "Each verified seed is in exactly one row.".to_owned(),
            head: ["Failing mutants", "Seeds"].map(str::to_owned).to_vec(),
            rows: rows.collect(),
            notes: Vec::new(),
        },
    };
    plot::figure(html, &figure, |html| {
        let most = number(bins.iter().copied().max().unwrap_or(1).max(1));
        let floor = HEIGHT + 20.0;
        // The bars use the whole width, as there are no names on the left.
        let left = |bin: usize| -0.5 + 1.5 * number(bin) / 11.0;
        for (bin, &count) in bins.iter().enumerate() {
            let height = HEIGHT * number(count) / most;
            let class = if bin == 0 { "calm" } else { "mark" };
            let title = format!("{}: {}", name(bin), words::count(count, "seed"));
            let across = (plot::across(left(bin) + 0.01), plot::wide(1.5 / 11.0 - 0.02));
            let down = (floor - height, height);
            plot::bar(html, class, (&across.0, &across.1), down, &title);
            let middle = plot::across(left(bin) + 0.75 / 11.0);
            let count = count.to_string();
            plot::text(html, &middle, floor - height - 5.0, "middle", "value", &count);
            let tick = match bin {
                0 => "none".to_owned(),
                bin => format!("≤{}", bin * 10),
            };
            plot::text(html, &middle, floor + 16.0, "middle", "tick", &tick);
        }
        let (from, to) = (plot::across(-0.5), plot::across(1.0));
        plot::line(html, "axis", (&from, floor), (&to, floor));
    });
}

fn intervals(html: &mut Html, counts: &Counts, tool: ToolIx, seeds: &[(SeedIx, Tally)], of: &str) {
    let data = counts.data;
    let brittle = seeds.iter().filter(|(_, tally)| tally.differ > 0).count();
    if brittle < 2 {
        // The sentence or the table of seeds says it.
        return;
    }
    let shown = &seeds[..brittle.min(MAX_ROWS)];
    let mut caption = format!(
        "The share of failing {of} for each seed that has some{}.",
        counts.with_interval(", with its 95 % interval (Clopper and Pearson)"),
    );
    if shown.len() < brittle {
        let _ = write!(caption, " The {} largest of {brittle} are drawn.", shown.len());
    }
    let rows = seeds.iter().map(|(seed, tally)| {
        let seed = &data.seeds[*seed];
        let (differ, judged) = (tally.differ.to_string(), tally.judged.to_string());
        vec![seed.name.clone(), differ, judged, counts.share_words(*tally)]
    });
    let top = 24.0;
    let height = ROW * number(shown.len());
    let figure = Figure {
        id: &format!("intervals-{tool}"),
        title: "Share of failing mutants of the brittle seeds",
        caption: &caption,
        height: top + height + 4.0,
        is_wide: false,
        names: plot::names_share(
            shown.iter().map(|(seed, _)| data.seeds[*seed].name.as_str()),
            plot::NAME,
        ),
        table: HtmlTable {
            groups: Vec::new(),
            title: "Share of failing mutants by seed".to_owned(),
            caption: format!(
                "All verified seeds: failing {of}{}.",
                counts.with_interval(", with the 95 % interval")
            ),
            head: ["Seed", "Failing", "Judged", "Share"].map(str::to_owned).to_vec(),
            rows: rows.collect(),
            notes: Vec::new(),
        },
    };
    plot::figure(html, &figure, |html| {
        plot::percent_scale(html, top, height);
        for (row, (seed, tally)) in shown.iter().enumerate() {
            let middle = top + ROW * (number(row) + 0.5);
            plot::row_name(html, &data.seeds[*seed].name, plot::NAME, middle);
            if let Some(Interval { low, high }) = counts.interval(*tally) {
                let (low, high) = (plot::across(low), plot::across(high));
                plot::line(html, "range", (&low, middle), (&high, middle));
            }
            let share = tally.share().unwrap_or_default();
            let (x, y) = (plot::across(share), plot::pixels(middle));
            let attributes = [("class", "mark"), ("cx", &x), ("cy", &y), ("r", "4.5")];
            html.element("circle", &attributes, |html| {
                html.leaf("title", &[], &counts.share_words(*tally));
            });
        }
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bins_are_closed_above() {
        let seeds = [(0, 50), (5, 50), (6, 50), (50, 50), (1, 1000)]
            .map(|(differ, judged)| (SeedIx::from(0_usize), Tally { judged, differ }));
        assert_eq!(bins(&seeds), [1, 2, 1, 0, 0, 0, 0, 0, 0, 0, 1]);
    }
}
