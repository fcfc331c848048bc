//! What mutants cost relative to their seed, on a logarithmic scale: the solver's work, and processor time.

use std::fmt::Write as _;

use index_vec::{IndexVec, index_vec};
use mugie_core::Outcome;
use mugie_results::data::{SeedIx, ToolIx};

use super::HtmlTable;
use super::counts::{Counts, Times, times};
use super::plot::{self, Figure, ROW, number};
use super::write::Html;
use crate::words;

/// The most rows of a plot of times.
const MAX_TIMES: usize = 60;
/// The most rows of a plot of efforts, which are the same in every run: all seeds of most campaigns.
const MAX_EFFORTS: usize = 500;

/// Multiples that differ from one by less are one number in a plot.
const ALIKE: f64 = 0.05;

/// What is drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Cost {
    /// The solver's work.
    Effort,
    /// Processor time.
    Time,
}

/// What is known of a seed.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Spread {
    /// The number of mutants, if that is known.
    mutants: Option<usize>,
    least: f64,
    /// The lower and the upper quartile, if they are known.
    quartiles: Option<(f64, f64)>,
    median: f64,
    most: f64,
}

impl From<Times> for Spread {
    fn from(Times { mutants, five: [least, low, median, high, most] }: Times) -> Spread {
        Spread { mutants: Some(mutants), least, quartiles: Some((low, high)), median, most }
    }
}

impl Cost {
    fn title(self) -> &'static str {
        match self {
            Cost::Effort => "Solver work on mutants relative to their seed",
            Cost::Time => "Time of mutants relative to their seed",
        }
    }

    fn caption(self, has_quartiles: bool) -> String {
        let bar = if has_quartiles { ", a bar over the middle half" } else { "" };
        match self {
            Cost::Effort => format!(
                "The solver's count of its work on verified mutants as a multiple of its work on the \
                 seed, for the procedure in which it grows most, on a logarithmic scale: a thin line \
                 from the least to the most{bar}, a notch at the median. It is the same in every run, \
                 and a proof that is about to break shows in it."
            ),
            Cost::Time => format!(
                "The processor time of mutants as a multiple of their seed's, on a logarithmic scale: a \
                 thin line from the fastest to the slowest{bar}, a notch at the median. Mutants that \
                 time out are in it with the time they were given, those that shared a process with \
                 others are not."
            ),
        }
    }

    /// What is known of each seed with a tool.
    fn known(self, counts: &Counts, tool: ToolIx) -> Vec<(SeedIx, Spread)> {
        let data = counts.data;
        match self {
            Cost::Time => (data.seeds.indices())
                .filter_map(|seed| Some((seed, counts.times(seed, tool)?.into())))
                .collect(),
            Cost::Effort => efforts(counts, tool),
        }
    }

    fn id(self) -> &'static str {
        match self {
            Cost::Effort => "effort",
            Cost::Time => "times",
        }
    }
}

/// The solver's work on the verified mutants of each verified seed.
fn efforts(counts: &Counts, tool: ToolIx) -> Vec<(SeedIx, Spread)> {
    let data = counts.data;
    let mut ratios: IndexVec<SeedIx, Vec<f64>> = index_vec![Vec::new(); data.seeds.len()];
    for verdict in data.verdicts.iter().filter(|verdict| verdict.tool == tool) {
        let known = verdict.effort.filter(|_| verdict.outcome == Outcome::Verified);
        let known = known.map(f64::from).filter(|effort| effort.is_finite() && *effort > 0.0);
        ratios[data.mutants[verdict.mutant].seed].extend(known);
    }
    let mut all: IndexVec<SeedIx, Option<Spread>> =
        ratios.into_iter().map(|ratios| times(ratios).map(Spread::from)).collect();
    for effort in data.efforts.iter().filter(|effort| effort.tool == tool) {
        let (least, median, most) = (effort.least, effort.median, effort.most);
        if least > 0.0 && median > 0.0 && most > 0.0 {
            all[effort.seed].get_or_insert(Spread {
                mutants: None,
                least,
                quartiles: None,
                median,
                most,
            });
        }
    }
    let verified = all.into_iter_enumerated().filter(|(seed, _)| counts.verifies(*seed, tool));
    verified.filter_map(|(seed, spread)| Some((seed, spread?))).collect()
}

/// Writes the figure of a tool, or a sentence if it would show nothing.
pub(super) fn write(html: &mut Html, counts: &Counts, tool: ToolIx, cost: Cost) {
    let data = counts.data;
    let mut seeds = cost.known(counts, tool);
    seeds.sort_by(|(a, left), (b, right)| right.most.total_cmp(&left.most).then(a.cmp(b)));
    if let Some(words) = instead(counts, cost, &seeds) {
        html.leaf("p", &[("class", "instead")], &words);
        return;
    }
    let most_rows = if cost == Cost::Time { MAX_TIMES } else { MAX_EFFORTS };
    let shown = &seeds[..seeds.len().min(most_rows)];
    let has_quartiles = seeds.iter().any(|(_, spread)| spread.quartiles.is_some());
    let mut caption = cost.caption(has_quartiles);
    if shown.len() < seeds.len() {
        let _ = write!(
            caption,
            " Of {} seeds, the {} with the largest multiples are drawn.",
            seeds.len(),
            shown.len()
        );
    }
    let top = 24.0;
    let height = ROW * number(shown.len());
    let figure = Figure {
        id: &format!("{}-{tool}", cost.id()),
        title: cost.title(),
        caption: &caption,
        height: top + height + 4.0,
        is_wide: false,
        names: plot::names_share(
            shown.iter().map(|(seed, _)| data.seeds[*seed].name.as_str()),
            plot::NAME,
        ),
        table: as_table(counts, cost, &seeds),
    };
    let scale = Scale::around(shown);
    plot::figure(html, &figure, |html| {
        scale.draw(html, top, height);
        for (row, (seed, spread)) in shown.iter().enumerate() {
            let middle = top + ROW * (number(row) + 0.5);
            plot::row_name(html, &data.seeds[*seed].name, plot::NAME, middle);
            let place = |ratio: f64| plot::across(scale.place(ratio));
            let (from, to) = (place(spread.least), place(spread.most));
            plot::line(html, "range", (&from, middle), (&to, middle));
            let title = format!(
                "{} to {}, median {}",
                multiple(spread.least),
                multiple(spread.most),
                multiple(spread.median)
            );
            let (low, high) = spread.quartiles.unwrap_or((spread.median, spread.median));
            let (low, high) = (scale.place(low), scale.place(high));
            let (left, width) = (plot::across(low), plot::wide((high - low).max(0.004)));
            plot::bar(html, "mark", (&left, &width), (middle - 4.0, 8.0), &title);
            let notch = place(spread.median);
            plot::line(html, "notch", (&notch, middle - 6.0), (&notch, middle + 6.0));
        }
    });
}

/// The sentence that stands for a figure that would be empty, or have one row.
fn instead(counts: &Counts, cost: Cost, seeds: &[(SeedIx, Spread)]) -> Option<String> {
    match seeds {
        [] => Some(match cost {
            Cost::Effort => "The tool does not report the solver's work.".to_owned(),
            Cost::Time => "No times of single mutants are known.".to_owned(),
        }),
        [(seed, spread)] => {
            let name = words::plain(&counts.data.seeds[*seed].name);
            let what = match cost {
                Cost::Effort => "The solver works",
                Cost::Time => "A run takes",
            };
            Some(format!(
                "{what} {} to {} as much on mutants of {name} as on the seed.",
                multiple(spread.least),
                multiple(spread.most)
            ))
        }
        _ => {
            let least = seeds.iter().map(|(_, spread)| spread.least).fold(f64::INFINITY, f64::min);
            let most = seeds.iter().map(|(_, spread)| spread.most).fold(0.0, f64::max);
            let what = match cost {
                Cost::Effort => "the solver works",
                Cost::Time => "a run takes",
            };
            (least > 1.0 - ALIKE && most < 1.0 + ALIKE).then(|| {
                format!(
                    "On all mutants of {} {what} {} to {} as much as on the seed.",
                    words::count(seeds.len(), "seed"),
                    multiple(least),
                    multiple(most)
                )
            })
        }
    }
}

fn as_table(counts: &Counts, cost: Cost, seeds: &[(SeedIx, Spread)]) -> HtmlTable {
    let rows = seeds.iter().map(|(seed, spread)| {
        let mutants = spread.mutants.map_or_else(|| "–".to_owned(), |mutants| mutants.to_string());
        let (low, high) = match spread.quartiles {
            Some((low, high)) => (multiple(low), multiple(high)),
            None => ("–".to_owned(), "–".to_owned()),
        };
        let name = counts.data.seeds[*seed].name.clone();
        let (least, median, most) =
            (multiple(spread.least), multiple(spread.median), multiple(spread.most));
        vec![name, mutants, least, low, median, high, most]
    });
    let head = ["Seed", "Mutants", "Least", "Lower quartile", "Median", "Upper quartile", "Most"];
    HtmlTable {
        groups: Vec::new(),
        title: cost.title().to_owned(),
        caption: "As a multiple of the seed's.".to_owned(),
        head: head.map(str::to_owned).to_vec(),
        rows: rows.collect(),
        notes: Vec::new(),
    }
}

/// A multiple of the seed's cost, with two significant digits.
fn multiple(ratio: f64) -> String {
    match ratio {
        _ if ratio < 0.1 => format!("{ratio:.3} ×"),
        _ if ratio < 10.0 => format!("{ratio:.2} ×"),
        _ if ratio < 100.0 => format!("{ratio:.1} ×"),
        _ => format!("{ratio:.0} ×"),
    }
}

/// A logarithmic scale between two powers of ten.
#[derive(Clone, Copy, Debug)]
struct Scale {
    low: i32,
    high: i32,
}

impl Scale {
    /// The scale that includes all multiples, and the 1 of the seeds.
    fn around(seeds: &[(SeedIx, Spread)]) -> Scale {
        let (mut low, mut high) = (-1, 1);
        // They are floating-point numbers, so the loops over powers of ten are short.
        for (_, spread) in seeds {
            while low > -40 && spread.least < 10_f64.powi(low) {
                low -= 1;
            }
            while high < 40 && spread.most > 10_f64.powi(high) {
                high += 1;
            }
        }
        Scale { low, high }
    }

    fn place(self, ratio: f64) -> f64 {
        (ratio.log10() - f64::from(self.low)) / f64::from(self.high - self.low)
    }

    fn draw(self, html: &mut Html, top: f64, height: f64) {
        for power in self.low..=self.high {
            let x = plot::across(self.place(10_f64.powi(power)));
            let class = if power == 0 { "one" } else { "grid" };
            plot::line(html, class, (&x, top), (&x, top + height));
            let name = match power {
                -2..=4 => format!("{} ×", 10_f64.powi(power)),
                _ => format!("1e{power} ×"),
            };
            plot::text(html, &x, top - 6.0, "middle", "tick", &name);
        }
    }
}

#[cfg(test)]
mod tests {
    use mugie_results::data::EffortData;

    use super::*;
    use crate::html::testing;

    #[test]
    fn a_plot_that_carries_one_number_is_a_sentence() {
        let mut data = testing::small();
        data.baselines[2].outcome = Outcome::Verified;
        for number in [0, 1] {
            data.efforts.push(EffortData {
                seed: testing::seed(number),
                tool: testing::tool(0),
                least: 0.99,
                median: 1.0,
                most: 1.01,
            });
        }
        let mut html = Html::default();
        write(&mut html, &Counts::new(&data), testing::tool(0), Cost::Effort);
        let text = html.into_string();
        assert!(!text.contains("<svg"), "{text}");
        assert!(
            text.contains("On all mutants of 2 seeds the solver works 0.99 × to 1.01 ×"),
            "{text}"
        );
    }

    #[test]
    fn effort_is_known_by_mutant_or_by_seed() {
        let mut data = testing::small();
        data.baselines[2].outcome = Outcome::Verified;
        data.verdicts[4].effort = Some(3.0);
        for number in [0, 1] {
            data.efforts.push(EffortData {
                seed: testing::seed(number),
                tool: testing::tool(0),
                least: 1.0,
                median: 2.0,
                most: 50.0,
            });
        }
        let known = Cost::Effort.known(&Counts::new(&data), testing::tool(0));
        let most: Vec<f64> = known.iter().map(|(_, spread)| spread.most).collect();
        assert_eq!(most, [3.0, 50.0], "what is known by mutant comes first");
    }
}
