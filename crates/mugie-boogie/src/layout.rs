//! Formats the `Debug` text of a tree over several lines, for `mugie debug`.
//!
//! `{:#?}` is unsuitable: its cost grows with the square of the depth, and trees may be thousands
//! of levels deep. This layout takes linear time, keeps short groups on one line, and stops
//! indenting at a depth where nobody could follow.

/// The number of bytes up to which a bracketed group stays on one line.
const LINE: usize = 88;

/// The largest indentation in columns.
const MAX_INDENT: usize = 60;

/// Breaks the long groups of a `{:?}` text over several lines.
pub(crate) fn layout(text: &str) -> String {
    let bytes = text.as_bytes();
    let closers = closers(bytes);
    let mut out = String::with_capacity(text.len() * 2);
    let mut depth = 0;
    let mut copied = 0;
    let mut at = 0;
    // Slices begin and end next to ASCII brackets or commas, so they fall on character boundaries.
    while at < bytes.len() {
        match bytes[at] {
            b'"' | b'\'' => at = literal_end(bytes, at),
            b'{' | b'[' | b'(' => {
                let closer = closers[at] as usize;
                if closer - at <= LINE {
                    at = closer + 1;
                    continue;
                }
                depth += 1;
                out += text[copied..=at].trim_start();
                new_line(&mut out, depth);
                at += 1;
                copied = at;
            }
            b'}' | b']' | b')' => {
                depth -= 1;
                out += text[copied..at].trim();
                new_line(&mut out, depth);
                copied = at;
                at += 1;
            }
            b',' => {
                out += text[copied..=at].trim_start();
                new_line(&mut out, depth);
                at += 1;
                copied = at;
            }
            _ => at += 1,
        }
    }
    out += text[copied..].trim_start();
    out.push('\n');
    out
}

fn new_line(out: &mut String, depth: usize) {
    out.push('\n');
    let indent = (2 * depth).min(MAX_INDENT);
    out.extend(std::iter::repeat_n(' ', indent));
}

/// For each opening bracket, the position of its partner, or of the end of the text if it has none.
fn closers(bytes: &[u8]) -> Vec<u32> {
    let clamp = |at: usize| u32::try_from(at).unwrap_or(u32::MAX);
    let mut closers = vec![clamp(bytes.len().saturating_sub(1)); bytes.len()];
    let mut open = Vec::new();
    let mut at = 0;
    while at < bytes.len() {
        match bytes[at] {
            b'"' | b'\'' => {
                at = literal_end(bytes, at);
                continue;
            }
            b'{' | b'[' | b'(' => open.push(at),
            b'}' | b']' | b')' => {
                if let Some(opener) = open.pop() {
                    closers[opener] = clamp(at);
                }
            }
            _ => {}
        }
        at += 1;
    }
    closers
}

/// The position after a quoted literal.
fn literal_end(bytes: &[u8], start: usize) -> usize {
    let quote = bytes[start];
    let mut at = start + 1;
    while at < bytes.len() && bytes[at] != quote {
        at += if bytes[at] == b'\\' { 2 } else { 1 };
    }
    (at + 1).min(bytes.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn short_groups_stay_on_one_line() {
        let value = vec![Some("a, {b"), None, Some("\"[")];
        assert_eq!(layout(&format!("{value:?}")), "[Some(\"a, {b\"), None, Some(\"\\\"[\")]\n");
    }

    #[test]
    fn long_groups_are_broken() {
        let value = vec![vec![100_000_000; 5], vec![100_000_000; 5]];
        insta::assert_snapshot!(layout(&format!("{value:?}")), @r#"
            [
              [100000000, 100000000, 100000000, 100000000, 100000000],
              [100000000, 100000000, 100000000, 100000000, 100000000]
            ]
        "#);
    }

    #[test]
    fn deep_trees_take_linear_space() {
        let text = format!("{}{}", "f(".repeat(100_000), ")".repeat(100_000));
        assert!(layout(&text).len() < 20_000_000);
    }
}
