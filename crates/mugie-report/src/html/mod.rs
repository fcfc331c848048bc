//! A campaign as one HTML file that works offline.
//!
//! The file loads nothing: style and script are in it, plots are SVG, and a content security policy
//! allows nothing else, not even another script or style in the file itself. Without the script,
//! only sorting, filtering, switching and copying are lost. All text goes through the writer in
//! `write`, which escapes it. The same data give the same bytes.

mod anchors;
mod asked;
mod brittle;
mod compared;
mod counts;
mod diff;
mod filters;
mod heat;
mod mutant;
mod overview;
mod pairs;
mod pictures;
mod plot;
mod seeds;
mod shares;
mod spread;
mod table;
mod tested;
#[cfg(test)]
mod testing;
mod upset;
mod write;

use mugie_results::TestReport;
use mugie_results::asked::Kind;
use mugie_results::data::{Data, Details};

use crate::overview::gap;
use crate::table::Table;
use crate::tables;

use anchors::Anchors;
use counts::Counts;
use write::Html;

/// The style sheet.
macro_rules! style {
    () => {
        include_str!("style.css")
    };
}

/// The script.
macro_rules! script {
    () => {
        include_str!("script.js")
    };
}

/// The SHA-256 of the style sheet and of the script in Base64: the only ones that the content
/// security policy allows. A test computes what they must be.
macro_rules! style_hash {
    () => {
        "nKJx6LcQvAkslTH+j3iDfVmhczU/s1BjLXmQxXioS3Q="
    };
}
macro_rules! script_hash {
    () => {
        "+rPU3NlRmKyJoNAnxt0D4rZR7y8VFTERqqKVOohIH9Q="
    };
}

/// The tables that say something of a test.
const TEST_TABLES: [&str; 3] = ["fail", "kinds", "operators"];

/// A table for people.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct HtmlTable {
    /// The title, in a few words.
    title: String,
    /// How to read it; may be empty.
    caption: String,
    /// Headings over several columns: the number of columns, and the heading, which may be empty.
    groups: Vec<(usize, String)>,
    /// The headings of the columns.
    head: Vec<String>,
    /// The cells, row by row. The first cell of a row is its name.
    rows: Vec<Vec<String>>,
    /// Remarks below the table.
    notes: Vec<String>,
}

impl From<Table> for HtmlTable {
    fn from(table: Table) -> HtmlTable {
        let (groups, head, rows) = (table.head_groups(), table.heads(), table.words());
        let Table { title, caption, notes, .. } = table;
        HtmlTable { title, caption, groups, head, rows, notes }
    }
}

impl HtmlTable {
    /// The table without all-zero columns, from the given column on.
    fn without_zeros(mut self, from: usize) -> HtmlTable {
        let keep: Vec<bool> = (0..self.head.len())
            .map(|column| column < from || self.rows.iter().any(|row| row[column] != "0"))
            .collect();
        for row in self.rows.iter_mut().chain([&mut self.head]) {
            let mut columns = keep.iter();
            row.retain(|_| columns.next().is_some_and(|keep| *keep));
        }
        self
    }
}

/// The report of a test. `apart` has the operators that are kept apart.
pub fn test_report(report: &TestReport, apart: &[&str]) -> String {
    let (data, details) = tested::page(report, apart);
    self::report(&data, &details)
}

/// The report of a campaign, with some mutants in detail.
///
/// Details are shown in order, up to a bound on the size of the file; the report says how many were
/// left out.
///
/// # Panics
///
/// If the data or the details refer to a seed, batch, tool or mutant that does not exist.
pub fn report(data: &Data, details: &Details) -> String {
    let counts = Counts::new(data);
    let mut html = Html::default();
    html.markup("<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">");
    html.markup(concat!(
        "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; ",
        "style-src 'sha256-",
        style_hash!(),
        "'; script-src 'sha256-",
        script_hash!(),
        "'; base-uri 'none'; form-action 'none'\">",
        "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">",
        "<meta name=\"color-scheme\" content=\"light dark\">",
        "<meta name=\"referrer\" content=\"no-referrer\">",
    ));
    html.leaf("title", &[], &format!("{}: robustness of verification", data.name));
    html.markup(concat!("<style>", style!(), "</style></head>\n<body>"));
    html.markup("<a class=\"skip\" href=\"#main\">Skip to the report</a>\n<header>");
    html.markup("<p class=\"kind\">Robustness of verification</p>");
    html.leaf("h1", &[], &data.name);
    if let Some(gap) = gap(data) {
        let run = match data.asked.kind {
            Kind::Campaign => "campaign",
            Kind::Test => "test",
        };
        let words = format!("The {run} is not complete: {gap}.");
        html.leaf("p", &[("class", "gap")], &words);
    }
    let anchors = Anchors::new(data);
    navigation(&mut html);
    html.markup("</header>\n<main id=\"main\">");
    section(&mut html, "asked", "What was asked", |html| asked::write(html, data));
    section(&mut html, "answer", "The answer", |html| {
        overview::write(html, &counts);
        compared::write(html, &counts);
        remarks(html, data, details, &anchors);
    });
    section(&mut html, "brittle", "Brittle seeds", |html| {
        brittle::write(html, &counts, details, &anchors);
    });
    section(&mut html, "pictures", "Pictures", |html| pictures::write(html, &counts));
    section(&mut html, "seeds", "All seeds", |html| {
        fold(html, "all-seeds", &all_seeds(data), |html| seeds::table(html, &counts, &anchors));
    });
    section(&mut html, "tables", "Tables", |html| write_tables(html, &counts));
    // The script precedes the long part, so that switches and filters work before it is loaded.
    html.markup(concat!("\n<script>", script!(), "</script>"));
    section(&mut html, "detail", "Seeds in detail", |html| {
        seeds::sections(html, &counts, details, &anchors);
    });
    html.markup(
        "</main>\n<footer><p>Written by mugie. This file loads nothing from elsewhere.</p>",
    );
    html.markup("</footer></body></html>\n");
    html.into_string()
}

fn navigation(html: &mut Html) {
    html.markup(
        "<nav aria-label=\"Contents\"><ul><li><a href=\"#asked\">What was asked</a></li>\
         <li><a href=\"#answer\">The answer</a></li><li><a href=\"#brittle\">Brittle seeds</a></li>\
         <li><a href=\"#pictures\">Pictures</a></li><li><a href=\"#all-seeds\">All seeds</a></li>\
         <li><a href=\"#tables\">Tables</a></li><li><a href=\"#detail\">In detail</a></li></ul></nav>",
    );
}

/// The summary of the table of all seeds.
fn all_seeds(data: &Data) -> String {
    format!("{}, by name, tool, verdict and operator", overview::counted(data.seeds.len(), "seed"))
}

/// Writes what is to be known besides failing mutants.
fn remarks(html: &mut Html, data: &Data, details: &Details, anchors: &Anchors) {
    /// The most remarks shown here; all are in the sections of the seeds.
    const MOST: usize = 20;
    if details.remarks.is_empty() {
        return;
    }
    html.element("ul", &[("class", "findings"), ("id", "remarks")], |html| {
        for (seed, words) in details.remarks.iter().take(MOST) {
            html.element("li", &[], |html| {
                let link = format!("#{}", anchors.section(*seed));
                html.leaf("a", &[("href", &link)], &data.seeds[*seed].name);
                html.text(" ");
                html.text(words);
            });
        }
        if details.remarks.len() > MOST {
            let more = format!("and {} more: see the table of seeds", details.remarks.len() - MOST);
            html.leaf("li", &[], &more);
        }
    });
}

/// Writes folded content.
fn fold(html: &mut Html, id: &str, summary: &str, content: impl FnOnce(&mut Html)) {
    html.element("details", &[("class", "fold"), ("id", id)], |html| {
        html.leaf("summary", &[], summary);
        content(html);
    });
}

/// Writes a section with a heading.
fn section(
    html: &mut Html,
    id: &'static str,
    title: &'static str,
    content: impl FnOnce(&mut Html),
) {
    html.markup("\n");
    let heading = format!("{id}-heading");
    html.element("section", &[("id", id), ("aria-labelledby", &heading)], |html| {
        html.leaf("h2", &[("id", &heading)], title);
        content(html);
    });
}

/// Writes a choice between several options, which the script activates and shows.
fn switch(html: &mut Html, name: &str, legend: &'static str, choices: &[&str]) {
    if choices.len() < 2 {
        return;
    }
    let (kind, _) = name.split_once('-').unwrap_or((name, ""));
    html.element(
        "fieldset",
        &[("class", "switch"), ("data-switch", kind), ("hidden", "")],
        |html| {
            html.leaf("legend", &[], legend);
            for (number, choice) in choices.iter().enumerate() {
                let value = number.to_string();
                html.element("label", &[], |html| {
                    let input = [("type", "radio"), ("name", name), ("value", value.as_str())];
                    let checked = [("checked", "")];
                    let checked = if number == 0 { &checked[..] } else { &[] };
                    html.empty("input", &[&input[..], checked].concat());
                    html.leaf("span", &[], choice);
                });
            }
        },
    );
}

fn write_tables(html: &mut Html, counts: &Counts) {
    let data = counts.data;
    if data.tools.is_empty() {
        html.markup("<p>No tool was run.</p>");
        return;
    }
    let numbers = overview::numbers(counts);
    fold(html, "table-numbers", &numbers.title, |html| table::write(html, "numbers", &numbers));
    for named in tables::ALL {
        // Of a test, it is not known which mutants that agree with the seed were made by which operator.
        if data.asked.kind == Kind::Test && !TEST_TABLES.contains(&named.name) {
            continue;
        }
        let mut table = (named.make)(data);
        // The seeds of a test are no sample, and neither are all mutants of a seed.
        if data.asked.exhaustive || (data.asked.kind == Kind::Test && named.name == "fail") {
            table = tables::without_intervals(table);
        }
        let table = HtmlTable::from(table);
        let id = format!("table-{}", named.name);
        fold(html, &id, &table.title, |html| table::write(html, named.name, &table));
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write as _;
    use std::process::{Command, Stdio};

    use mugie_results::data::Detail;

    use super::*;

    /// The SHA-256 of a text in Base64, computed by a program that every Linux system has.
    #[expect(clippy::disallowed_methods, reason = "a program computes the sum")]
    fn sha256(text: &str) -> Option<String> {
        const DIGITS: &[u8; 64] =
            b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
        let mut child =
            Command::new("sha256sum").stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().ok()?;
        child.stdin.take().unwrap().write_all(text.as_bytes()).unwrap();
        let output = String::from_utf8(child.wait_with_output().unwrap().stdout).unwrap();
        let bytes: Vec<u8> = (0..32)
            .map(|byte| u8::from_str_radix(&output[2 * byte..2 * byte + 2], 16).unwrap())
            .collect();
        let mut base64 = String::new();
        for three in bytes.chunks(3) {
            let all = three.iter().fold(0, |all, byte| all << 8 | usize::from(*byte));
            let all = all << (8 * (3 - three.len()));
            for digit in 0..=three.len() {
                base64.push(char::from(DIGITS[all >> (18 - 6 * digit) & 63]));
            }
        }
        base64.push_str(["", "=", "=="][(3 - bytes.len() % 3) % 3]);
        Some(base64)
    }

    #[test]
    #[expect(clippy::disallowed_methods, reason = "`make update` writes this very file")]
    fn policy_has_this_style_and_this_script_recorded() {
        if sha256("").is_none() {
            eprintln!("SKIPPED: there is no sha256sum");
            return;
        }
        assert_eq!(sha256("").unwrap(), "47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=");
        let found = [sha256(style!()).unwrap(), sha256(script!()).unwrap()];
        let recorded = [style_hash!(), script_hash!()];
        if std::env::var("UPDATE").as_deref() == Ok("1") {
            let file = concat!(env!("CARGO_MANIFEST_DIR"), "/src/html/mod.rs");
            let mut text = std::fs::read_to_string(file).unwrap();
            for (recorded, found) in recorded.iter().zip(&found) {
                text = text.replace(recorded, found);
            }
            std::fs::write(file, text).unwrap();
            return;
        }
        assert_eq!(found, recorded, "style.css or script.js changed: run `make update`");
    }

    fn of(mutants: Vec<Detail>) -> Details {
        Details { mutants, ..Details::default() }
    }

    #[test]
    fn hostile_names_are_text() {
        let mut data = testing::small();
        let hostile = "</style></title><script>alert(1)</script>]]><!--\" onload='x";
        data.name = hostile.to_owned();
        data.groups[0] = hostile.to_owned();
        data.seeds[0].name = hostile.to_owned();
        data.seeds[0].files[0] = hostile.to_owned();
        data.batches[1].name = hostile.to_owned();
        data.tools[0].name = hostile.to_owned();
        data.tools[0].title = hostile.to_owned();
        data.operators[0] = hostile.to_owned();
        data.baselines[0].reason = Some(hostile.to_owned());
        let mut detail = testing::detail();
        detail.name = hostile.to_owned();
        detail.changes[0].procedure = Some(hostile.to_owned());
        detail.changes[0].failures[0].message = hostile.to_owned();
        detail.changes[0].failures[0].element = Some(hostile.to_owned());
        detail.edits = vec![hostile.to_owned()];
        detail.diff = format!("@@ -1 +1 @@\n-{hostile}\n+x{hostile}\n");
        detail.reproduce = vec![hostile.to_owned()];
        let html = report(&data, &of(vec![detail]));
        assert_eq!(html.matches("<script").count(), 1);
        assert_eq!(html.matches("</style").count(), 1);
        assert!(!html.contains("<!--"));
        assert!(!html.contains("onload='") && !html.contains("\" onload="));
    }

    #[test]
    fn columns_of_zeros_are_left_out() {
        let text = |cells: [&str; 4]| cells.map(str::to_owned).to_vec();
        let table = HtmlTable {
            head: text(["a", "b", "c", "d"]),
            rows: vec![text(["x", "0", "0", "0"]), text(["y", "0", "0", "1"])],
            ..HtmlTable::default()
        };
        let table = table.without_zeros(2);
        assert_eq!(table.head, ["a", "b", "d"]);
        assert_eq!(table.rows, [["x", "0", "0"], ["y", "0", "1"]]);
    }

    #[test]
    fn same_data_give_the_same_report() {
        let (data, detail) = (testing::small(), testing::detail());
        let details = of(vec![detail]);
        assert_eq!(report(&data, &details), report(&data, &details));
    }

    #[test]
    fn campaign_that_has_not_started_has_a_report() {
        let html = report(&Data::default(), &Details::default());
        assert!(html.contains("no seeds"), "{html}");
        let mut data = testing::small();
        data.verdicts.clear();
        data.baselines.clear();
        report(&data, &Details::default());
    }

    #[test]
    fn large_campaign_stays_small() {
        let data = testing::large();
        let details = of(testing::many_details(&data));
        let html = report(&data, &details);
        assert!(html.len() < 20_000_000, "{} bytes", html.len());
        assert!(html.contains(" more "), "says what it leaves out");
    }
}
