//! Captures what a run prints to one stream, up to a maximum size.

use std::collections::VecDeque;

use crate::run::Captured;

/// Bytes kept from the beginning of a stream, and from its end; raising it costs memory.
const PART: usize = 1 << 20;

/// The beginning and the end of a stream.
#[derive(Debug, Default)]
pub(super) struct Capture {
    head: Vec<u8>,
    tail: VecDeque<u8>,
    dropped: u64,
}

impl Capture {
    /// Appends the next bytes of the stream.
    pub(super) fn push(&mut self, bytes: &[u8]) {
        let (head, rest) = bytes.split_at(bytes.len().min(PART - self.head.len()));
        self.head.extend_from_slice(head);
        let kept = &rest[rest.len().saturating_sub(PART)..];
        let dropped = (self.tail.len() + kept.len()).saturating_sub(PART);
        self.tail.drain(..dropped);
        self.tail.extend(kept);
        self.dropped += (dropped + rest.len() - kept.len()) as u64;
    }

    /// The captured text. A note replaces omitted bytes, and the incomplete lines around it are
    /// omitted as well, because they could be mistaken for something else.
    pub(super) fn finish(self) -> Captured {
        let Capture { mut head, tail, mut dropped } = self;
        let mut tail = Vec::from(tail);
        let truncated = dropped > 0;
        if truncated {
            if let Some(newline) = head.iter().rposition(|&byte| byte == b'\n') {
                dropped += (head.len() - (newline + 1)) as u64;
                head.truncate(newline + 1);
            }
            if let Some(newline) = tail.iter().position(|&byte| byte == b'\n') {
                dropped += tail.drain(..=newline).len() as u64;
            }
            head.extend_from_slice(format!("\n[{dropped} bytes left out]\n").as_bytes());
        }
        head.append(&mut tail);
        let text = String::from_utf8(head)
            .unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned());
        Captured { text, truncated }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn capture(text: &[u8], piece: usize) -> Captured {
        let mut capture = Capture::default();
        text.chunks(piece).for_each(|bytes| capture.push(bytes));
        capture.finish()
    }

    #[test]
    fn all_that_fits_is_kept() {
        for length in [0, 1, PART - 1, PART, PART + 1, 2 * PART] {
            let text = "x".repeat(length);
            let captured = capture(text.as_bytes(), 1000);
            assert!(captured.text == text && !captured.truncated, "{length}");
        }
    }

    #[test]
    fn a_flood_leaves_its_first_and_last_lines() {
        let lines: Vec<String> = (0..1_000_000).map(|line| line.to_string()).collect();
        let text = lines.join("\n") + "\n";
        for piece in [1000, 3 * PART] {
            let captured = capture(text.as_bytes(), piece);
            assert!(captured.truncated);
            assert!(captured.text.len() <= 2 * PART + 100);
            assert!(captured.text.starts_with("0\n1\n"));
            assert!(captured.text.ends_with("\n999998\n999999\n"));
            let (head, tail) = captured.text.split_once(" bytes left out]\n").unwrap();
            let (head, dropped) = head.split_once("\n[").unwrap();
            let number = |line: Option<&str>| line.unwrap().parse::<u32>().unwrap();
            let (last, first) = (number(head.lines().last()), number(tail.lines().next()));
            assert!(last < first);
            assert_eq!(head.len() + tail.len() + dropped.parse::<usize>().unwrap(), text.len());
        }
    }

    #[test]
    fn bytes_that_are_no_text_are_replaced() {
        assert_eq!(capture(b"a\xff\xfeb", 1).text, "a\u{fffd}\u{fffd}b");
    }
}
