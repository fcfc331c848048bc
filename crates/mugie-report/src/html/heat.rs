//! The heat map: the share of failing mutants by seed and batch or operator.

use std::fmt::Write as _;

use mugie_results::data::{BatchIx, OperatorIx, SeedIx, ToolIx};

use super::HtmlTable;
use super::counts::{Counts, Tally};
use super::plot::{self, Figure, ROW, number};
use super::write::Html;

/// What the columns are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Columns {
    /// A column for each batch.
    Batches,
    /// A column for each operator that contributed to some mutant.
    Operators,
}

impl Columns {
    /// Both kinds of columns.
    pub(super) const ALL: [Columns; 2] = [Columns::Batches, Columns::Operators];

    /// The name of the kind.
    pub(super) fn name(self) -> &'static str {
        match self {
            Columns::Batches => "batches",
            Columns::Operators => "operators",
        }
    }
}

/// One column.
#[derive(Clone, Copy)]
pub(super) enum ColumnIx {
    Batch(BatchIx),
    Operator(OperatorIx),
}

/// The most rows of the plot.
const MAX_ROWS: usize = 150;

/// The columns of a kind.
pub(super) fn columns(counts: &Counts, columns: Columns) -> Vec<ColumnIx> {
    let data = counts.data;
    match columns {
        Columns::Batches => data.batches.indices().map(ColumnIx::Batch).collect(),
        Columns::Operators => {
            let used = data.mutants.iter().fold(0, |used, mutant| used | mutant.operators);
            let is_used = |operator: &OperatorIx| used >> operator.index() & 1 == 1;
            data.operators.indices().filter(is_used).map(ColumnIx::Operator).collect()
        }
    }
}

/// Writes the heat map of a tool under which some seed is brittle.
pub(super) fn write(html: &mut Html, counts: &Counts, tool: ToolIx, kind: Columns) {
    let data = counts.data;
    let all = columns(counts, kind);
    let name = |column: ColumnIx| match column {
        ColumnIx::Batch(batch) => data.batches[batch].name.as_str(),
        ColumnIx::Operator(operator) => data.operators[operator].as_str(),
    };
    let tally = |seed: SeedIx, column: ColumnIx| match column {
        ColumnIx::Batch(batch) => counts.by_batch(seed, tool, batch),
        ColumnIx::Operator(operator) => counts.by_operator(seed, tool, operator),
    };
    let names: Vec<&str> = all.iter().map(|&column| name(column)).collect();
    let brittle = counts.brittle(tool);
    let mut head = vec!["Seed".to_owned()];
    head.extend(names.iter().map(|name| (*name).to_owned()));
    let rows = brittle.iter().map(|&seed| {
        let mut row = vec![data.seeds[seed].name.clone()];
        row.extend(all.iter().map(|&column| cell_words(counts, tally(seed, column))));
        row
    });
    let shown = &brittle[..brittle.len().min(MAX_ROWS)];
    let mut caption = match kind {
        Columns::Batches => "The share of failing mutants in percent, by seed and batch.",
        Columns::Operators => {
            "The share of failing mutants in percent among those that an operator had a part in, \
             by seed and operator, over all batches."
        }
    }
    .to_owned();
    caption.push_str(
        " A dot means that no mutant fails, an empty place that there is none. Seeds without a \
         failing mutant are left out.",
    );
    if shown.len() < brittle.len() {
        let _ = write!(caption, " Of {} seeds, {} are drawn.", brittle.len(), shown.len());
    }
    let top = plot::column_names_height(&names) + 4.0;
    let title = match kind {
        Columns::Batches => "Failing mutants by seed and batch",
        Columns::Operators => "Failing mutants by seed and operator",
    };
    let figure = Figure {
        id: &format!("heat-{}-{tool}", kind.name()),
        title,
        caption: &caption,
        height: top + ROW * number(shown.len()) + 2.0,
        is_wide: true,
        names: plot::names_share(
            shown.iter().map(|&seed| data.seeds[seed].name.as_str()),
            plot::WIDE_NAME,
        ),
        table: HtmlTable {
            groups: Vec::new(),
            title: title.to_owned(),
            caption: format!(
                "Failing of judged mutants, with the share in percent{}.",
                counts.with_interval(" and its 95 % interval")
            ),
            head,
            rows: rows.collect(),
            notes: Vec::new(),
        },
    };
    let width = 1.0 / number(all.len().max(1));
    let places: Vec<f64> = (0..all.len()).map(|place| (number(place) + 0.5) * width).collect();
    plot::figure(html, &figure, |html| {
        plot::column_names(html, &names, &places, top - 8.0);
        for (row, &seed) in shown.iter().enumerate() {
            let y = top + ROW * number(row);
            plot::row_name(html, &data.seeds[seed].name, plot::WIDE_NAME, y + ROW / 2.0);
            for (place, &column) in all.iter().enumerate() {
                draw_cell(html, tally(seed, column), number(place) * width, width, y);
            }
        }
    });
}

fn cell_words(counts: &Counts, tally: Tally) -> String {
    if tally.judged == 0 {
        return "–".to_owned();
    }
    format!("{} of {}: {}", tally.differ, tally.judged, counts.share_words(tally))
}

fn draw_cell(html: &mut Html, tally: Tally, left: f64, width: f64, y: f64) {
    let Some(share) = tally.share() else { return };
    let middle = plot::across(left + width / 2.0);
    if tally.differ == 0 {
        plot::text(html, &middle, y + 14.0, "middle", "none", "·");
        return;
    }
    let (fill, ink) = level(share);
    let title = format!("{} of {} fail", tally.differ, tally.judged);
    plot::bar(html, fill, (&plot::across(left), &plot::wide(width)), (y, ROW), &title);
    let percent = share * 100.0;
    // A share above zero must not be shown as zero.
    let words = if percent < 1.0 { "<1".to_owned() } else { format!("{percent:.0}") };
    plot::text(html, &middle, y + 14.0, "middle", ink, &words);
}

/// The classes of a share: of its cell and of the text on it.
fn level(share: f64) -> (&'static str, &'static str) {
    match share {
        _ if share < 0.05 => ("heat1", "on-pale"),
        _ if share < 0.15 => ("heat2", "on-pale"),
        _ if share < 0.35 => ("heat3", "on-pale"),
        _ if share < 0.6 => ("heat4", "on-strong"),
        _ if share < 0.85 => ("heat5", "on-strong"),
        _ => ("heat6", "on-strong"),
    }
}
