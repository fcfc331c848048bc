//! The tables of a campaign: the paper's, and comparisons of tools and operators.
//!
//! Here measures become rows and columns; [`measures`](mugie_results::measures) defines their
//! meaning.

use index_vec::Idx;
use mugie_results::compare::Pairs;
use mugie_results::data::{BatchIx, Data, GroupIx, ToolIx};
use mugie_results::measures::{FailureKind, Measures, Standing};
use mugie_results::solver::SolverMeasures;
use mugie_stats::holm;

use crate::overview::gap;
use crate::table::{Cell, Column, Table};
use crate::words::count;

/// A table with a name.
#[derive(Clone, Copy, Debug)]
pub struct NamedTable {
    /// The name on the command line.
    pub name: &'static str,
    /// A description, as a lower-case fragment.
    pub about: &'static str,
    /// Makes the table.
    pub make: fn(&Data) -> Table,
}

/// All tables, in the order of the paper.
pub const ALL: &[NamedTable] = &[
    NamedTable { name: "seeds", about: "sizes of the seeds", make: seeds },
    NamedTable {
        name: "fail",
        about: "how many passing seeds have failing mutants, and how many of these",
        make: fail,
    },
    NamedTable { name: "kinds", about: "failing mutants by kind of failure", make: kinds },
    NamedTable {
        name: "operators",
        about: "which operators were used in failing mutants",
        make: operators,
    },
    NamedTable {
        name: "batches",
        about: "brittle seeds by the batches that show it",
        make: batches,
    },
    NamedTable {
        name: "pass",
        about: "how many failing seeds have passing mutants, and how many of these",
        make: pass,
    },
    NamedTable {
        name: "problems",
        about: "how many distinct problems the solver gets",
        make: problems,
    },
    NamedTable {
        name: "effort",
        about: "the solver's work on mutants, relative to their seeds",
        make: effort,
    },
    NamedTable { name: "tools", about: "tools compared on the same mutants", make: tools },
    NamedTable {
        name: "compare-operators",
        about: "batches by one operator compared with one another",
        make: compare_operators,
    },
];

/// The table with the given name.
pub fn find(name: &str) -> Option<&'static NamedTable> {
    ALL.iter().find(|table| table.name == name)
}

/// The name of rows about all groups or batches.
const ALL_ROWS: &str = "all";

/// The note on intervals.
const INTERVALS: &str =
    "In parentheses: the exact interval of Clopper and Pearson with 95 % confidence.";

/// The table of what is no random sample, for which intervals mean nothing.
pub(crate) fn without_intervals(mut table: Table) -> Table {
    table.caption = table.caption.replace(&format!(" {INTERVALS}"), "");
    for column in &mut table.columns {
        column.interval = false;
    }
    for cell in table.rows.iter_mut().flat_map(|row| &mut row.cells) {
        if let Cell::Percent { interval, .. } = cell {
            *interval = None;
        }
    }
    table
}

/// The note on what p-values do not take into account.
const DEPENDENCE: &str = "Mutants of a seed have much in common, and the tests take them as \
    independent: the p-values are about mutants of these seeds, not about other seeds.";

fn seeds(data: &Data) -> Table {
    let measures = Measures::new(data);
    let mut table = Table {
        title: "Seeds".to_owned(),
        caption: "For each group of seeds: their number, and the minimum, median, mean, maximum \
            and total of their lines that are neither blank nor comment."
            .to_owned(),
        columns: vec![
            Column::label("group"),
            Column::number("# seeds"),
            Column::number("min"),
            Column::number("median"),
            Column::number("mean"),
            Column::number("max"),
            Column::number("total"),
        ],
        ..Table::default()
    };
    for (group, name) in groups(data) {
        let mut cells = vec![Cell::text(name)];
        match measures.sizes(group) {
            Some(sizes) => cells.extend([
                Cell::Integer(sizes.seeds),
                Cell::Integer(sizes.min),
                Cell::Decimal(sizes.median),
                Cell::Decimal(sizes.mean),
                Cell::Integer(sizes.max),
                Cell::Integer(sizes.total),
            ]),
            None => cells.extend([
                Cell::Integer(0),
                Cell::Missing,
                Cell::Missing,
                Cell::Missing,
                Cell::Missing,
                Cell::Integer(0),
            ]),
        }
        push(&mut table, group, cells);
    }
    table
}

fn fail(data: &Data) -> Table {
    let measures = Measures::new(data);
    let mut table = Table {
        title: "Passing seeds with failing mutants".to_owned(),
        caption: format!(
            "For each group and tool: the seeds that pass (# pass); those of them with a failing \
             mutant, their number (# ∃fail) and share (% ∃fail); the share of a seed's mutants \
             that fail, averaged over passing seeds (mean % fail), that time out (mean % timeout), \
             and that fail, averaged over seeds with a failing mutant (mean % ∃fail). Means are \
             over seeds with at least one judged mutant. {INTERVALS}"
        ),
        columns: vec![Column::label("group"), Column::text("tool"), Column::number("# pass")],
        ..Table::default()
    };
    let Some(main) = measures.main_batch() else { return without_batches(table) };
    let head = format!("batch {}", data.batches[main].name);
    table.columns.extend(
        [
            Column::number("# ∃fail"),
            Column::interval("% ∃fail"),
            Column::number("mean % fail"),
            Column::number("mean % timeout"),
            Column::number("mean % ∃fail"),
        ]
        .map(|column| column.under(&head)),
    );
    let others: Vec<BatchIx> = (data.batches.indices()).filter(|&batch| batch != main).collect();
    for &batch in &others {
        let column = Column::number(&data.batches[batch].name);
        table.columns.push(column.under("# ∃fail in batch"));
    }
    for (group, name) in groups(data) {
        for (tool, tool_data) in data.tools.iter_enumerated() {
            let robustness = measures.robustness(group, tool, main);
            let mut cells = vec![
                Cell::text(name),
                Cell::text(&tool_data.name),
                Cell::Integer(robustness.passing),
                Cell::Integer(robustness.brittle),
                Cell::share(robustness.brittle_share()),
                Cell::percent(robustness.mean_fail),
                Cell::percent(robustness.mean_timeout),
                Cell::percent(robustness.mean_fail_of_brittle),
            ];
            cells.extend(
                others
                    .iter()
                    .map(|&batch| Cell::Integer(measures.robustness(group, tool, batch).brittle)),
            );
            push(&mut table, group, cells);
        }
    }
    table.notes = gaps(&measures, None, Standing::Passes);
    table
}

fn kinds(data: &Data) -> Table {
    let measures = Measures::new(data);
    let mut table = Table {
        title: "Failing mutants by kind".to_owned(),
        caption: "For each batch and tool: passing seeds with failing mutants of each kind, and \
            how many such mutants. Type errors are mutants that were rejected before \
            verification; verification failures are failed or inconclusive; other limits are \
            those of resource units and memory. A seed may have failures of several kinds."
            .to_owned(),
        columns: vec![Column::label("batch"), Column::text("tool")],
        ..Table::default()
    };
    let heads = FailureKind::ALL.map(|kind| match kind {
        FailureKind::Timeout => "timeouts",
        FailureKind::TypeError => "type errors",
        FailureKind::Verification => "verification failures",
        FailureKind::OtherLimit => "other limits",
    });
    for head in heads.into_iter().chain(["all"]) {
        table.columns.extend(["seeds", "mutants"].map(|unit| Column::number(unit).under(head)));
    }
    let scopes = data.batches.iter_enumerated().map(|(batch, of)| (Some(batch), of.name.as_str()));
    for (batch, name) in scopes.chain([(None, ALL_ROWS)]) {
        for (tool, tool_data) in data.tools.iter_enumerated() {
            let failures = measures.failures(None, tool, batch);
            let mut cells = vec![Cell::text(name), Cell::text(&tool_data.name)];
            for count in failures.by_kind.iter().chain([&failures.total]) {
                cells.extend([Cell::Integer(count.seeds), Cell::Integer(count.mutants)]);
            }
            push(&mut table, batch, cells);
        }
    }
    table.notes = gaps(&measures, None, Standing::Passes);
    table
}

fn operators(data: &Data) -> Table {
    let measures = Measures::new(data);
    let mut table = Table {
        title: "Operators in failing mutants".to_owned(),
        columns: vec![
            Column::label("group"),
            Column::text("tool"),
            Column::number("# failing mutants"),
        ],
        ..Table::default()
    };
    let Some(main) = measures.main_batch() else { return without_batches(table) };
    table.caption = format!(
        "For each group and tool: the failing mutants of passing seeds in batch {}, and the \
         percentage of them that used each operator at least once, perhaps with others. {INTERVALS}",
        data.batches[main].name
    );
    let used = measures.operators_of(main);
    for &operator in &used {
        let column = Column::interval(&data.operators[operator]);
        table.columns.push(column.under("% of failing mutants that used"));
    }
    let by_tool: Vec<_> =
        (data.tools.indices()).map(|tool| measures.operator_use(tool, main)).collect();
    for (group, name) in groups(data) {
        for (of_tool, tool) in by_tool.iter().zip(&data.tools) {
            let of_group = &of_tool[group.map_or(data.groups.len(), GroupIx::index)];
            let mut cells =
                vec![Cell::text(name), Cell::text(&tool.name), Cell::Integer(of_group.failing)];
            cells
                .extend(used.iter().map(|&operator| Cell::rounded_share(of_group.share(operator))));
            push(&mut table, group, cells);
        }
    }
    table.notes = gaps(&measures, Some(main), Standing::Passes);
    table
}

fn batches(data: &Data) -> Table {
    let measures = Measures::new(data);
    let mut table = Table {
        title: "Brittle seeds by batch".to_owned(),
        caption: "For each tool and set of batches: the passing seeds that have a failing mutant \
            in every batch of the set and in no other. Each brittle seed is counted once."
            .to_owned(),
        columns: vec![
            Column::label("tool"),
            Column::text("failing mutants in batches"),
            Column::number("# seeds"),
            Column::text("seeds"),
        ],
        ..Table::default()
    };
    for (tool, tool_data) in data.tools.iter_enumerated() {
        for set in measures.intersections(tool) {
            let names: Vec<&str> =
                set.batches.iter().map(|&batch| data.batches[batch].name.as_str()).collect();
            let seeds = set.seeds.iter().map(|&seed| data.seeds[seed].name.clone()).collect();
            table.push(vec![
                Cell::text(&tool_data.name),
                Cell::text(names.join(" ∩ ")),
                Cell::Integer(set.seeds.len()),
                Cell::List(seeds),
            ]);
        }
    }
    for (tool, tool_data) in data.tools.iter_enumerated() {
        let brittle = measures.failures(None, tool, None).total.seeds;
        table.push_summary(vec![
            Cell::text(&tool_data.name),
            Cell::text("any"),
            Cell::Integer(brittle),
            Cell::Missing,
        ]);
    }
    let apart: Vec<&str> = data.names_apart().collect();
    for (tool, tool_data) in data.tools.iter_enumerated().filter(|_| !apart.is_empty()) {
        table.push_summary(vec![
            Cell::text(&tool_data.name),
            Cell::text(format!("apart: {}", apart.join(", "))),
            Cell::Integer(measures.apart(tool).seeds.part),
            Cell::Missing,
        ]);
    }
    table.notes = gaps(&measures, None, Standing::Passes);
    table
}

fn pass(data: &Data) -> Table {
    let measures = Measures::new(data);
    let mut table = Table {
        title: "Failing seeds with passing mutants".to_owned(),
        columns: vec![
            Column::label("group"),
            Column::text("tool"),
            Column::number("# fail"),
            Column::number("# ∃pass"),
            Column::interval("% ∃pass"),
            Column::number("mean % pass"),
            Column::number("mean % ∃pass"),
        ],
        ..Table::default()
    };
    let Some(main) = measures.main_batch() else { return without_batches(table) };
    table.caption = format!(
        "For each group and tool: the seeds that fail (# fail); those of them with a passing \
         mutant in batch {}, their number (# ∃pass) and share (% ∃pass); the share of a seed's \
         mutants that pass, averaged over failing seeds (mean % pass) and over those with a \
         passing mutant (mean % ∃pass). Means are over seeds with at least one judged mutant. \
         {INTERVALS}",
        data.batches[main].name
    );
    for (group, name) in groups(data) {
        for (tool, tool_data) in data.tools.iter_enumerated() {
            let recovery = measures.recovery(group, tool, main);
            let cells = vec![
                Cell::text(name),
                Cell::text(&tool_data.name),
                Cell::Integer(recovery.failing),
                Cell::Integer(recovery.recovering),
                Cell::share(recovery.recovering_share()),
                Cell::percent(recovery.mean_pass),
                Cell::percent(recovery.mean_pass_of_recovering),
            ];
            push(&mut table, group, cells);
        }
    }
    table.notes = gaps(&measures, Some(main), Standing::Fails);
    table
}

/// The note for campaigns whose solvers were not tapped.
const NOT_TAPPED: &str = "No data: the solver was not tapped.";

fn problems(data: &Data) -> Table {
    let measures = Measures::new(data);
    let table = Table {
        title: "Different problems for the solver".to_owned(),
        caption:
            "For each group and tool: the passing seeds and their mutants of which it is known \
            what they are to the solver, which are all but rejected ones; how many different \
            problems these are, mutants of a seed that are the same to the solver counted once, \
            and how many of the problems fail; the share of a seed's mutants that fail, and the \
            share of its problems that fail, averaged over seeds."
                .to_owned(),
        columns: vec![
            Column::label("group"),
            Column::text("tool"),
            Column::number("# seeds"),
            Column::number("# mutants"),
            Column::number("# problems"),
            Column::number("# failing"),
            Column::number("of mutants").under("mean % fail"),
            Column::number("of problems").under("mean % fail"),
        ],
        ..Table::default()
    };
    with_solver_rows(table, &measures, |solver, group, tool| {
        let problems = solver.problems(group, tool);
        vec![
            Cell::Integer(problems.seeds),
            Cell::Integer(problems.mutants),
            Cell::Integer(problems.distinct),
            Cell::Integer(problems.failing),
            Cell::percent(problems.mean_fail_of_mutants),
            Cell::percent(problems.mean_fail_of_problems),
        ]
    })
}

fn effort(data: &Data) -> Table {
    let measures = Measures::new(data);
    let table = Table {
        title: "Work for the solver".to_owned(),
        caption:
            "For each group and tool: the passing seeds and their verified mutants of which it \
            is known how much work they are to the solver, in its own units; how many times as \
            much work as its seed a mutant is, in the procedure that grew most, as median and \
            maximum; mutants that are more than 2 and 10 times the work, and the seeds they \
            belong to. These proofs may be about to break."
                .to_owned(),
        columns: vec![
            Column::label("group"),
            Column::text("tool"),
            Column::number("# seeds"),
            Column::number("# mutants"),
            Column::number("median"),
            Column::number("max"),
            Column::number("mutants").under("above 2"),
            Column::number("seeds").under("above 2"),
            Column::number("mutants").under("above 10"),
            Column::number("seeds").under("above 10"),
        ],
        ..Table::default()
    };
    let decimal = |number: Option<f64>| number.map_or(Cell::Missing, Cell::Decimal);
    with_solver_rows(table, &measures, |solver, group, tool| {
        let efforts = solver.efforts(group, tool);
        vec![
            Cell::Integer(efforts.seeds),
            Cell::Integer(efforts.mutants),
            decimal(efforts.median),
            decimal(efforts.most),
            Cell::Integer(efforts.above_2.0),
            Cell::Integer(efforts.above_2.1),
            Cell::Integer(efforts.above_10.0),
            Cell::Integer(efforts.above_10.1),
        ]
    })
}

/// A table about the solver, with a row for each group and tool; `cells` makes the cells after
/// their names.
fn with_solver_rows(
    mut table: Table,
    measures: &Measures<'_>,
    cells: impl Fn(&SolverMeasures<'_, '_>, Option<GroupIx>, ToolIx) -> Vec<Cell>,
) -> Table {
    let data = measures.data();
    let Some(main) = measures.main_batch() else { return without_batches(table) };
    let solver = SolverMeasures::new(measures, main);
    for (group, name) in groups(data) {
        for (tool, tool_data) in data.tools.iter_enumerated() {
            let names = [Cell::text(name), Cell::text(&tool_data.name)];
            let cells = names.into_iter().chain(cells(&solver, group, tool)).collect();
            push(&mut table, group, cells);
        }
    }
    table.notes.push(format!("Batch {}.", data.batches[main].name));
    table.notes.extend(solver.is_empty().then(|| NOT_TAPPED.to_owned()));
    table
}

fn tools(data: &Data) -> Table {
    let measures = Measures::new(data);
    let mut table = Table {
        title: "Tools on the same mutants".to_owned(),
        caption: format!(
            "For each pair of tools: the mutants that both judged, of seeds that pass with both, \
             and which tool fails on them. p is of the exact test of McNemar on the mutants on \
             which the tools disagree; p (Holm) is corrected for the number of pairs. {DEPENDENCE}"
        ),
        columns: vec![
            Column::label("batch"),
            Column::text("first tool"),
            Column::text("second tool"),
            Column::number("seeds"),
            Column::number("mutants"),
            Column::number("neither").under("mutants that fail with"),
            Column::number("only the first").under("mutants that fail with"),
            Column::number("only the second").under("mutants that fail with"),
            Column::number("both").under("mutants that fail with"),
            Column::number("p"),
            Column::number("p (Holm)"),
        ],
        ..Table::default()
    };
    let Some(main) = measures.main_batch() else { return without_batches(table) };
    let tools = data.tools.indices();
    let pairs: Vec<(ToolIx, ToolIx)> = tools
        .clone()
        .flat_map(|first| tools.clone().map(move |second| (first, second)))
        .filter(|(first, second)| first < second)
        .collect();
    for (batch, name) in [(Some(main), data.batches[main].name.as_str()), (None, ALL_ROWS)] {
        let counts: Vec<_> = pairs
            .iter()
            .map(|&(first, second)| measures.pairs(None, first, second, batch))
            .collect();
        let p_values: Vec<f64> = counts.iter().map(Pairs::p_value).collect();
        let tests = p_values.iter().zip(holm(&p_values));
        for ((&(first, second), counts), (&p_value, corrected)) in
            pairs.iter().zip(&counts).zip(tests)
        {
            let cells = vec![
                Cell::text(name),
                Cell::text(&data.tools[first].name),
                Cell::text(&data.tools[second].name),
                Cell::Integer(counts.seeds),
                Cell::Integer(counts.mutants()),
                Cell::Integer(counts.both_verify),
                Cell::Integer(counts.only_first_fails),
                Cell::Integer(counts.only_second_fails),
                Cell::Integer(counts.both_fail),
                Cell::PValue(p_value),
                Cell::PValue(corrected),
            ];
            push(&mut table, batch, cells);
        }
    }
    table.notes = if pairs.is_empty() {
        vec!["There is nothing to compare with fewer than two tools.".to_owned()]
    } else {
        gaps(&measures, None, Standing::Passes)
    };
    table
}

fn compare_operators(data: &Data) -> Table {
    let measures = Measures::new(data);
    let mut table = Table {
        title: "Operators compared".to_owned(),
        caption: format!(
            "For each tool and batch by one operator: failing among judged mutants of passing \
             seeds, and the same in all other batches by one operator. p is of Fisher's exact \
             test; p (Holm) is corrected for the number of batches. {INTERVALS} {DEPENDENCE}"
        ),
        columns: vec![
            Column::label("tool"),
            Column::text("batch"),
            Column::text("operator"),
            Column::number("failing"),
            Column::number("judged"),
            Column::interval("% fail"),
            Column::interval("% fail of others"),
            Column::number("p"),
            Column::number("p (Holm)"),
        ],
        ..Table::default()
    };
    for (tool, tool_data) in data.tools.iter_enumerated() {
        for comparison in measures.compare_operators(tool) {
            table.push(vec![
                Cell::text(&tool_data.name),
                Cell::text(&data.batches[comparison.batch].name),
                Cell::text(&data.operators[comparison.operator]),
                Cell::Integer(comparison.own.part),
                Cell::Integer(comparison.own.whole),
                Cell::share(comparison.own),
                Cell::share(comparison.others),
                Cell::PValue(comparison.p_value),
                Cell::PValue(comparison.corrected),
            ]);
        }
    }
    table.notes = if table.rows.is_empty() {
        vec!["There is no batch by a single operator.".to_owned()]
    } else {
        gaps(&measures, None, Standing::Passes)
    };
    table
}

/// The groups and their names, and finally all of them together.
fn groups(data: &Data) -> impl Iterator<Item = (Option<GroupIx>, &str)> {
    let groups = data.groups.iter_enumerated();
    groups.map(|(group, name)| (Some(group), name.as_str())).chain([(None, ALL_ROWS)])
}

/// Adds a row about one group or batch, or a summary row.
fn push<I: Idx>(table: &mut Table, scope: Option<I>, cells: Vec<Cell>) {
    match scope {
        Some(_) => table.push(cells),
        None => table.push_summary(cells),
    }
}

fn without_batches(table: Table) -> Table {
    Table { notes: vec!["The campaign has no batches.".to_owned()], ..table }
}

/// The number of seeds with the given standing that have no judged mutant in a batch, or in the main one.
fn untested(
    measures: &Measures<'_>,
    tool: ToolIx,
    batch: Option<BatchIx>,
    standing: Standing,
) -> usize {
    let Some(batch) = batch.or_else(|| measures.main_batch()) else { return 0 };
    let seeds = measures.data().seeds.indices();
    let of_standing = seeds.filter(|&seed| measures.standing(tool, seed) == standing);
    of_standing.filter(|&seed| measures.seed_failures(tool, batch, seed).whole == 0).count()
}

/// A sentence for each tool about missing or uncertain verdicts: on seeds, and on mutants of the
/// seeds with the given standing.
fn gaps(measures: &Measures<'_>, batch: Option<BatchIx>, standing: Standing) -> Vec<String> {
    let data = measures.data();
    let until_failure = data.until_failure;
    let mut notes: Vec<String> =
        gap(data).map(|gap| format!("The campaign is not complete: {gap}.")).into_iter().collect();
    if until_failure {
        notes.push(
            "Batches end at the first mutant with another verdict than its seed, so the shares of \
             mutants mean little."
                .to_owned(),
        );
    }
    let names: Vec<&str> = data.names_apart().collect();
    if !names.is_empty() {
        notes.push(format!(
            "Mutants by {} are kept apart: they count only in batches that have no others.",
            names.join(", ")
        ));
    }
    for (tool, tool_data) in data.tools.iter_enumerated() {
        let standings = measures.standings(None, tool);
        let coverage = measures.coverage(tool, batch, standing);
        let mut parts = Vec::new();
        if standings.unknown > 0 {
            parts.push(format!("{} not run yet", count(standings.unknown, "seed")));
        }
        let untested = untested(measures, tool, batch, standing);
        if untested > 0 {
            let mutant = "without a judged mutant, which are in no share";
            parts.push(format!("{} {mutant}", count(untested, "seed")));
        }
        if standings.not_expressible > 0 {
            let seeds = count(standings.not_expressible, "seed");
            parts.push(format!("{seeds} not expressible in its language"));
        }
        if standings.trouble > 0 {
            parts.push(format!("no verdict on {}", count(standings.trouble, "seed")));
        }
        if coverage.trouble > 0 {
            parts.push(format!("no verdict on {}", count(coverage.trouble, "mutant")));
        }
        if coverage.unsteady > 0 {
            parts.push(count(coverage.unsteady, "flaky mutant"));
        }
        if !parts.is_empty() {
            notes.push(format!("With {}: {}.", tool_data.name, parts.join("; ")));
        }
    }
    notes
}

#[cfg(test)]
mod tests {
    use std::process::Command;

    use index_vec::IndexVec;
    use mugie_results::example;
    use serde_json::Value;

    use super::*;
    use crate::table::TableFormat;

    /// A name with every character that is special in some format.
    const HOSTILE: &str = "=a_b&c%d#e$f^g\\h{i}~j|k*l`m\"n'o,p;q<r>s[t]--\n\r\t\0\u{202e}好é";

    fn all_in(data: &Data, format: TableFormat) -> String {
        let tables: Vec<String> =
            ALL.iter().map(|table| (table.make)(data).render(format)).collect();
        tables.join("\n")
    }

    fn hostile() -> Data {
        let mut data = example::data();
        let spoil = |name: &mut String| *name = format!("{HOSTILE}{name}");
        data.groups.iter_mut().for_each(spoil);
        data.operators.iter_mut().for_each(spoil);
        data.seeds.iter_mut().for_each(|seed| spoil(&mut seed.name));
        data.tools.iter_mut().for_each(|tool| spoil(&mut tool.name));
        data.batches.iter_mut().skip(1).for_each(|batch| spoil(&mut batch.name));
        // At the start of a LaTeX row, these would be arguments of the preceding command.
        data.groups[0].insert(0, '[');
        data.groups[1].insert(0, '*');
        data
    }

    #[test]
    fn tables_as_text() {
        insta::assert_snapshot!(all_in(&example::data(), TableFormat::Text));
    }

    #[test]
    fn tables_as_markdown() {
        insta::assert_snapshot!(all_in(&example::data(), TableFormat::Markdown));
    }

    #[test]
    fn tables_as_csv() {
        insta::assert_snapshot!(all_in(&example::data(), TableFormat::Csv));
    }

    #[test]
    fn tables_as_latex() {
        insta::assert_snapshot!(all_in(&example::data(), TableFormat::Latex));
    }

    #[test]
    fn tables_as_json() {
        let data = example::data();
        insta::assert_snapshot!(batches(&data).render(TableFormat::Json));
        let fail: Value = serde_json::from_str(&fail(&data).render(TableFormat::Json)).unwrap();
        let last = &fail["rows"][7]["cells"];
        assert_eq!(last[0], "all");
        assert_eq!(last[1], "new");
        assert_eq!(last[2], 3);
        assert!((last[5].as_f64().unwrap() - 100.0 * 11.0 / 36.0).abs() < 1e-6);
        let low = last[4]["low"].as_f64().unwrap();
        assert!((low - 9.4299).abs() < 1e-3, "{low}");
        assert_eq!(fail["rows"][4]["cells"][4], Value::Null);
    }

    #[test]
    fn names_are_found_and_unique() {
        for table in ALL {
            assert_eq!(find(table.name).unwrap().about, table.about);
        }
        assert!(find("nonsense").is_none());
    }

    #[test]
    fn every_row_has_a_cell_for_each_column() {
        for data in [example::data(), hostile(), Data::default()] {
            for named in ALL {
                let table = (named.make)(&data);
                for row in &table.rows {
                    assert_eq!(row.cells.len(), table.columns.len(), "{}", named.name);
                }
            }
        }
    }

    #[test]
    fn nothing_to_show_is_no_reason_to_panic() {
        let no_batches = Data {
            batches: IndexVec::new(),
            mutants: IndexVec::new(),
            verdicts: Vec::new(),
            ..example::data()
        };
        for data in [Data::default(), no_batches] {
            for format in TableFormat::ALL {
                assert!(!all_in(&data, format).is_empty());
            }
        }
    }

    #[test]
    fn names_are_only_text_in_every_format() {
        let data = hostile();
        for named in ALL {
            let table = (named.make)(&data);
            for format in TableFormat::ALL {
                let text = table.render(format);
                let raw = format == TableFormat::Json;
                assert!(raw || !text.contains(['\r', '\t', '\0', '\u{202e}']), "{text:?}");
            }
            let json: Value = serde_json::from_str(&table.render(TableFormat::Json)).unwrap();
            let first = &json["rows"][0]["cells"][0];
            assert!(first == "*" || first.as_str().unwrap().contains(HOSTILE));

            let fields: Vec<usize> =
                table.render(TableFormat::Csv).lines().map(|line| csv_fields(line).len()).collect();
            let intervals = table.columns.iter().filter(|column| column.interval).count();
            let expected = table.columns.len() + 2 * intervals;
            assert_eq!(fields, vec![expected; table.rows.len() + 1]);
            for line in table.render(TableFormat::Csv).lines() {
                assert!(csv_fields(line).iter().all(|field| !field.starts_with('=')));
            }

            let markdown = table.render(TableFormat::Markdown);
            let lines: Vec<&str> = markdown.lines().filter(|line| line.starts_with("| ")).collect();
            assert_eq!(lines.len(), table.rows.len() + 2);
            for line in lines {
                let plain = line.replace("\\\\", "").replace("\\|", "");
                assert_eq!(plain.matches('|').count(), table.columns.len() + 1, "{line}");
            }
        }
    }

    /// The fields of a line of RFC 4180.
    fn csv_fields(line: &str) -> Vec<String> {
        let mut fields = vec![String::new()];
        let mut quoted = false;
        let mut characters = line.chars().peekable();
        while let Some(character) = characters.next() {
            match character {
                '"' if quoted && characters.peek() == Some(&'"') => {
                    characters.next();
                    fields.last_mut().unwrap().push('"');
                }
                '"' => quoted = !quoted,
                ',' if !quoted => fields.push(String::new()),
                _ => fields.last_mut().unwrap().push(character),
            }
        }
        assert!(!quoted, "{line}");
        fields
    }

    #[test]
    #[expect(clippy::disallowed_methods, reason = "LaTeX is a program that reads files")]
    fn latex_compiles() {
        let installed = Command::new("kpsewhich").arg("booktabs.sty").output();
        if !installed.is_ok_and(|output| output.status.success()) {
            eprintln!("SKIPPED: needs pdflatex and booktabs (Debian: texlive-latex-recommended)");
            return;
        }
        let folder = tempfile::tempdir().unwrap();
        let mut document =
            String::from("\\documentclass{article}\n\\usepackage{booktabs}\n\\begin{document}\n");
        for data in [example::data(), hostile(), Data::default()] {
            for named in ALL {
                document += &(named.make)(&data).render(TableFormat::Latex);
                document += "\\clearpage\n";
            }
        }
        document += "\\end{document}\n";
        std::fs::write(folder.path().join("tables.tex"), document).unwrap();
        let output = Command::new("pdflatex")
            .args(["-halt-on-error", "-interaction=nonstopmode", "tables.tex"])
            .current_dir(folder.path())
            .output()
            .unwrap();
        let log = String::from_utf8_lossy(&output.stdout);
        assert!(output.status.success(), "{log}");
        assert!(!log.contains("Missing character"), "{log}");
        assert!(folder.path().join("tables.pdf").exists());
    }
}
