//! What all plots share: the figure around them, scales, labels, and the same data as a table.
//!
//! Plots are as wide as the page: horizontal positions are percentages, heights and font sizes are
//! pixels. So a plot on a phone is narrow, but its text is not small. Colours come from classes,
//! which the style sheet defines for light and dark.

use super::write::Html;
use super::{HtmlTable, table};
use crate::words;

/// Where the names on the left end, in percent.
const NAMES_END: f64 = 31.0;
/// Where the plot area starts and ends, in percent.
const START: f64 = 33.0;
const END: f64 = 95.0;

/// The height of a row, in pixels.
pub(super) const ROW: f64 = 20.0;

/// A count as a floating-point number, for a scale.
pub(super) fn number(number: usize) -> f64 {
    f64::from(u32::try_from(number).unwrap_or(u32::MAX))
}

/// The horizontal position of a share of the plot's width, in percent.
pub(super) fn across(share: f64) -> String {
    percent(START + (END - START) * share)
}

/// The width of a share of the plot's width, in percent.
pub(super) fn wide(share: f64) -> String {
    percent((END - START) * share)
}

fn percent(value: f64) -> String {
    format!("{value:.2}%")
}

/// A position or size in pixels.
pub(super) fn pixels(value: f64) -> String {
    let text = format!("{value:.1}");
    text.strip_suffix(".0").map(str::to_owned).unwrap_or(text)
}

/// The description of a figure.
#[derive(Debug)]
pub(super) struct Figure<'a> {
    /// The identifier, unique in the page.
    pub(super) id: &'a str,
    /// The title, in a few words.
    pub(super) title: &'a str,
    /// How to read the plot, and what it shows.
    pub(super) caption: &'a str,
    /// The height of the plot, in pixels.
    pub(super) height: f64,
    /// Whether the plot needs more than the width of a phone.
    pub(super) is_wide: bool,
    /// The share that the names of the rows take of the room on the left; the plot gets the rest.
    pub(super) names: f64,
    /// The same data as numbers.
    pub(super) table: HtmlTable,
}

/// Writes a figure with the plot that `draw` writes.
pub(super) fn figure(html: &mut Html, figure: &Figure, draw: impl FnOnce(&mut Html)) {
    let (title, caption) = (format!("{}-title", figure.id), format!("{}-caption", figure.id));
    html.element("figure", &[("id", figure.id)], |html| {
        html.element("figcaption", &[("id", &caption)], |html| {
            html.leaf("b", &[], figure.title);
            html.text(" ");
            html.text(figure.caption);
        });
        let class = if figure.is_wide { "plot wide" } else { "plot" };
        let region = [("class", class), ("role", "region"), ("tabindex", "0")];
        let label = [("aria-labelledby", title.as_str())];
        let attributes =
            if figure.is_wide { [&region[..], &label[..]].concat() } else { region[..1].to_vec() };
        html.element("div", &attributes, |html| {
            let height = pixels(figure.height);
            let attributes = [
                ("role", "img"),
                ("width", "100%"),
                ("height", height.as_str()),
                ("aria-labelledby", title.as_str()),
                ("aria-describedby", caption.as_str()),
            ];
            html.element("svg", &attributes, |html| {
                html.leaf("title", &[("id", &title)], figure.title);
                html.leaf("desc", &[], figure.caption);
                let surplus = NAMES_END * (1.0 - figure.names) / (1.0 - START / 100.0);
                if surplus <= 0.0 {
                    return draw(html);
                }
                // A wider picture, of which the unused room sticks out on the left.
                let (x, width) = (percent(-surplus), percent(100.0 + surplus));
                let wider = [("x", x.as_str()), ("width", &width), ("overflow", "visible")];
                html.element("svg", &wider, draw);
            });
        });
        html.element("details", &[("class", "data")], |html| {
            html.markup("<summary>As a table</summary>");
            table::write(html, &format!("{}-data", figure.id), &figure.table);
        });
    });
}

/// The most characters of the name of a row, which fit on a phone; a wide plot has room for more.
pub(super) const NAME: usize = 16;
pub(super) const WIDE_NAME: usize = 34;

/// The share that names of rows with at most `most` characters take of the room on the left.
pub(super) fn names_share<'n>(names: impl Iterator<Item = &'n str>, most: usize) -> f64 {
    /// The least characters to leave room for: a number on the scale is as wide.
    const LEAST: usize = 4;
    let longest = names.map(|name| name.chars().count()).max().unwrap_or(0);
    number(longest.clamp(LEAST, most)) / number(most)
}

/// Writes the name of a row, shortened if it is long.
pub(super) fn row_name(html: &mut Html, name: &str, most: usize, middle: f64) {
    let short = shortened(name, most);
    let y = pixels(middle + 4.0);
    let end = percent(NAMES_END);
    html.element("text", &[("x", &end), ("y", &y), ("text-anchor", "end")], |html| {
        html.text(&short);
        if short != name {
            html.leaf("title", &[], &words::plain(name));
        }
    });
}

/// Writes text in the plot.
pub(super) fn text(
    html: &mut Html,
    x: &str,
    y: f64,
    anchor: &'static str,
    class: &'static str,
    text: &str,
) {
    let y = pixels(y);
    html.leaf("text", &[("x", x), ("y", &y), ("text-anchor", anchor), ("class", class)], text);
}

/// Writes a line in the plot.
pub(super) fn line(
    html: &mut Html,
    class: &'static str,
    (x1, y1): (&str, f64),
    (x2, y2): (&str, f64),
) {
    let (y1, y2) = (pixels(y1), pixels(y2));
    html.empty("line", &[("class", class), ("x1", x1), ("y1", &y1), ("x2", x2), ("y2", &y2)]);
}

/// Writes a bar in the plot, with a tooltip.
pub(super) fn bar(
    html: &mut Html,
    class: &'static str,
    (x, width): (&str, &str),
    (y, height): (f64, f64),
    title: &str,
) {
    let (y, height) = (pixels(y), pixels(height));
    let attributes = [("class", class), ("x", x), ("y", &y), ("width", width), ("height", &height)];
    if title.is_empty() {
        html.empty("rect", &attributes);
    } else {
        html.element("rect", &attributes, |html| html.leaf("title", &[], title));
    }
}

/// Writes names over columns: horizontally if all are short, slanted otherwise. Each name belongs
/// to the place with the same index, a share of the plot's width. The names end at `bottom`.
pub(super) fn column_names(html: &mut Html, names: &[&str], places: &[f64], bottom: f64) {
    let slanted = are_slanted(names);
    for (name, place) in names.iter().zip(places) {
        let (x, y) = (across(*place), pixels(bottom));
        html.element("svg", &[("x", &x), ("y", &y), ("overflow", "visible")], |html| {
            let short = shortened(name, 12);
            let attributes: &[_] = if slanted {
                &[("transform", "rotate(-50)"), ("class", "name")]
            } else {
                &[("text-anchor", "middle"), ("class", "name")]
            };
            html.element("text", attributes, |html| {
                html.text(&short);
                if short != *name {
                    html.leaf("title", &[], &words::plain(name));
                }
            });
        });
    }
}

/// The height of the names over columns.
pub(super) fn column_names_height(names: &[&str]) -> f64 {
    if are_slanted(names) { 76.0 } else { 20.0 }
}

fn are_slanted(names: &[&str]) -> bool {
    names.iter().any(|name| name.chars().count() > 3)
}

/// Writes a scale from 0 to 100 percent over rows of the given height, with lines through them.
pub(super) fn percent_scale(html: &mut Html, top: f64, height: f64) {
    for tick in [0_u8, 25, 50, 75, 100] {
        let x = across(f64::from(tick) / 100.0);
        line(html, "grid", (&x, top), (&x, top + height));
        text(html, &x, top - 6.0, "middle", "tick", &format!("{tick} %"));
    }
}

/// A name of at most `most` characters; the middle is cut, as names differ at the ends.
pub(super) fn shortened(name: &str, most: usize) -> String {
    let characters: Vec<char> = name.chars().collect();
    if characters.len() <= most {
        return name.to_owned();
    }
    let head = most / 2;
    let tail = most - head - 1;
    let (start, end) = (&characters[..head], &characters[characters.len() - tail..]);
    start.iter().chain(&['…']).chain(end).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_names_keep_both_ends() {
        assert_eq!(shortened("bubble-sort.bpl", 20), "bubble-sort.bpl");
        assert_eq!(shortened("binary-search-tree-insertion.bpl", 20), "binary-sea…rtion.bpl");
    }

    #[test]
    fn short_names_leave_more_room_for_the_plot() {
        let share = |names: &[&str]| names_share(names.iter().copied(), WIDE_NAME);
        assert!((share(&["a", "brittle.bpl"]) - 11.0 / 34.0).abs() < 1e-9);
        assert!((share(&[&"x".repeat(50)]) - 1.0).abs() < 1e-9);
        let html = |names| {
            let mut html = Html::default();
            let table = HtmlTable::default();
            let of = Figure {
                id: "i",
                title: "",
                caption: "",
                height: 9.0,
                is_wide: true,
                names,
                table,
            };
            figure(&mut html, &of, |html| html.text("plot"));
            html.into_string()
        };
        // What is at 33 % of the wider picture is at 0.33 * 131.3 - 31.3 = 12 % of the figure.
        let wider = "<svg x=\"-31.30%\" width=\"131.30%\" overflow=\"visible\">plot";
        let written = html(11.0 / 34.0);
        assert!(written.contains(wider), "{written}");
        assert!(!html(1.0).contains("overflow"));
    }
}
