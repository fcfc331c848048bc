//! A table as JSON, with unchanged texts and numbers to ten digits.
//!
//! A share is in percent; with an interval it is `{ "percent": …, "low": …, "high": … }`, in all
//! rows of a column whose `interval` is true. A missing value is `null`.

use mugie_core::escaped_json;
use serde_json::{Value, json};

use super::{Align, Cell, RowKind, Table, significant};

/// The table as JSON.
pub(super) fn render(table: &Table) -> String {
    let columns: Vec<Value> = table
        .columns
        .iter()
        .map(|column| {
            json!({
                "head": column.head,
                "group": column.group,
                "align": match column.align {
                    Align::Left => "left",
                    Align::Right => "right",
                },
                "interval": column.interval,
            })
        })
        .collect();
    let rows: Vec<Value> = table
        .rows
        .iter()
        .map(|row| {
            json!({
                "kind": match row.kind {
                    RowKind::Normal => "normal",
                    RowKind::Summary => "summary",
                },
                "cells": row.cells.iter().map(cell).collect::<Vec<_>>(),
            })
        })
        .collect();
    let table = json!({
        "title": table.title,
        "caption": table.caption,
        "columns": columns,
        "rows": rows,
        "notes": table.notes,
    });
    escaped_json(&format!("{table:#}\n"))
}

fn cell(cell: &Cell) -> Value {
    match cell {
        Cell::Text(text) => json!(text),
        Cell::List(names) => json!(names),
        Cell::Integer(number) => json!(number),
        Cell::Decimal(number) | Cell::PValue(number) => json!(significant(*number)),
        Cell::Percent { share, interval: None, .. } => json!(significant(share * 100.0)),
        Cell::Percent { share, interval: Some(interval), .. } => json!({
            "percent": significant(share * 100.0),
            "low": significant(interval.low * 100.0),
            "high": significant(interval.high * 100.0),
        }),
        Cell::Missing => Value::Null,
    }
}
