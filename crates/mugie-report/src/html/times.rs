//! Processor time of mutants relative to their seed, on a logarithmic scale.

use std::fmt::Write as _;

use mugie_results::data::{SeedIx, ToolIx};

use super::HtmlTable;
use super::counts::{Counts, Times};
use super::plot::{self, Figure, ROW, number};
use super::write::Html;

/// The most rows of the plot.
const MAX_ROWS: usize = 60;

/// Writes the figure of a tool.
pub(super) fn write(html: &mut Html, counts: &Counts, tool: ToolIx) {
    let data = counts.data;
    let mut seeds: Vec<(SeedIx, Times)> =
        (data.seeds.indices()).filter_map(|seed| Some((seed, counts.times(seed, tool)?))).collect();
    if seeds.is_empty() {
        html.markup("<p>No times are known, so there is nothing to draw.</p>");
        return;
    }
    let spread = |times: &Times| times.five[4] / times.five[0];
    seeds.sort_by(|(a, left), (b, right)| spread(right).total_cmp(&spread(left)).then(a.cmp(b)));
    let shown = &seeds[..seeds.len().min(MAX_ROWS)];
    let mut caption = "The processor time of mutants as a multiple of their seed's, on a \
                       logarithmic scale: a thin line from the fastest to the slowest, a bar over \
                       the middle half, a notch at the median. Mutants that time out are in it \
                       with the time they were given, those that shared a process with others are not."
        .to_owned();
    if shown.len() < seeds.len() {
        let _ = write!(
            caption,
            " Of {} seeds, the {} with the widest range are drawn.",
            seeds.len(),
            shown.len()
        );
    }
    let rows = seeds.iter().map(|(seed, times)| {
        let mut row = vec![data.seeds[*seed].name.clone(), times.mutants.to_string()];
        row.extend(times.five.iter().map(|ratio| multiple(*ratio)));
        row
    });
    let head =
        ["Seed", "Mutants", "Fastest", "Lower quartile", "Median", "Upper quartile", "Slowest"];
    let top = 24.0;
    let height = ROW * number(shown.len());
    let figure = Figure {
        id: &format!("times-{tool}"),
        title: "Time of mutants relative to their seed",
        caption: &caption,
        height: top + height + 4.0,
        is_wide: false,
        table: HtmlTable {
            groups: Vec::new(),
            title: "Time of mutants relative to their seed".to_owned(),
            caption: "Processor time as a multiple of the seed's.".to_owned(),
            head: head.map(str::to_owned).to_vec(),
            rows: rows.collect(),
            notes: Vec::new(),
        },
    };
    let scale = Scale::around(shown);
    plot::figure(html, &figure, |html| {
        scale.draw(html, top, height);
        for (row, (seed, times)) in shown.iter().enumerate() {
            let middle = top + ROW * (number(row) + 0.5);
            plot::row_name(html, &data.seeds[*seed].name, middle);
            let [min, low, median, high, max] = times.five.map(|ratio| scale.place(ratio));
            let (from, to) = (plot::across(min), plot::across(max));
            plot::line(html, "range", (&from, middle), (&to, middle));
            let title = format!(
                "{} to {}, median {}",
                multiple(times.five[0]),
                multiple(times.five[4]),
                multiple(times.five[2])
            );
            let (left, width) = (plot::across(low), plot::wide((high - low).max(0.004)));
            plot::bar(html, "mark", (&left, &width), (middle - 4.0, 8.0), &title);
            let notch = plot::across(median);
            plot::line(html, "notch", (&notch, middle - 6.0), (&notch, middle + 6.0));
        }
    });
}

/// A multiple of the seed's time, with two significant digits.
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
    /// The scale that includes all times, and the 1 of the seeds.
    fn around(seeds: &[(SeedIx, Times)]) -> Scale {
        let (mut low, mut high) = (-1, 1);
        // Times are floating-point numbers, so the loops over powers of ten are short.
        for (_, times) in seeds {
            while low > -40 && times.five[0] < 10_f64.powi(low) {
                low -= 1;
            }
            while high < 40 && times.five[4] > 10_f64.powi(high) {
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
