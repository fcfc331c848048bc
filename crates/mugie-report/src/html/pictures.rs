//! The pictures of each tool. One that would be empty, or show a single number, is a sentence instead.

use mugie_results::data::ToolIx;

use super::counts::Counts;
use super::heat::Columns;
use super::spread::Cost;
use super::write::Html;
use super::{heat, pairs, shares, spread, switch, upset};

/// Writes the pictures of each tool. The script shows one tool at a time.
pub(super) fn write(html: &mut Html, counts: &Counts) {
    let tools = &counts.data.tools;
    if tools.is_empty() {
        html.markup("<p>No tool was run.</p>");
        return;
    }
    if tools.len() > 1 {
        html.leaf("h3", &[], "On which mutants tools disagree");
        pairs::write(html, counts);
    }
    let tool_names: Vec<&str> = tools.iter().map(|tool| tool.name.as_str()).collect();
    switch(html, "tool", "Tool", &tool_names);
    for (number, tool) in tools.iter_enumerated() {
        let value = number.to_string();
        html.element("div", &[("data-tool", &value), ("class", "panel")], |html| {
            if tools.len() > 1 {
                html.element("p", &[("class", "tool")], |html| {
                    html.leaf("b", &[], &tool.name);
                    html.text(" ");
                    html.text(&tool.title);
                });
            }
            of_tool(html, counts, number);
        });
    }
}

fn of_tool(html: &mut Html, counts: &Counts, tool: ToolIx) {
    if !counts.brittle(tool).is_empty() {
        html.leaf("h3", &[], "Which seeds break");
        heat_maps(html, counts, tool);
    }
    html.element("div", &[("class", "gallery")], |html| {
        piece(html, "How many mutants fail", |html| shares::write(html, counts, tool));
        if !counts.brittle(tool).is_empty() && counts.data.batches.len() > 1 {
            piece(html, "Which batches break the same seeds", |html| {
                upset::write(html, counts, tool);
            });
        }
        piece(html, "How hard the solver works", |html| {
            spread::write(html, counts, tool, Cost::Effort);
        });
        piece(html, "How long mutants take", |html| {
            spread::write(html, counts, tool, Cost::Time);
        });
    });
}

fn piece(html: &mut Html, title: &'static str, content: impl FnOnce(&mut Html)) {
    html.element("div", &[("class", "piece")], |html| {
        html.leaf("h3", &[], title);
        content(html);
    });
}

fn heat_maps(html: &mut Html, counts: &Counts, tool: ToolIx) {
    let drawn: Vec<Columns> = Columns::ALL
        .into_iter()
        .filter(|columns| heat::columns(counts, *columns).len() > 1)
        .collect();
    let [first, ..] = drawn.as_slice() else {
        html.markup(
            "<p class=\"instead\">There is one batch and one operator, so there is nothing to tell \
             apart.</p>",
        );
        return;
    };
    let name = format!("columns-{tool}");
    let names: Vec<&str> = drawn.iter().map(|columns| columns.name()).collect();
    switch(html, &name, "Columns", &names);
    for columns in &drawn {
        let value = usize::from(columns != first).to_string();
        let mark = [("data-columns", value.as_str()), ("class", "panel")];
        html.element("div", &mark, |html| heat::write(html, counts, tool, *columns));
    }
}
