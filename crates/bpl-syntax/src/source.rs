//! The files of a program, and the conversion of a [`Span`] to file, line and column.
//!
//! Boogie reads several files as one program, so the files share one range of offsets: each starts
//! where the previous one ends. Reading from disk is left to the caller.

use std::sync::OnceLock;

use crate::span::Span;

/// The largest total size of the files of one program, in bytes.
pub const MAX_SIZE: usize = u32::MAX as usize - 1;

/// The files of one program, in the order in which a verifier would be given them.
#[derive(Debug, Default)]
pub struct SourceMap {
    files: Vec<SourceFile>,
}

/// One file.
#[derive(Debug)]
pub struct SourceFile {
    /// The name used in messages.
    pub name: String,
    /// The text. Bytes that are not UTF-8 are replaced by U+FFFD, as in Boogie.
    pub text: String,
    /// Whether some bytes were not UTF-8.
    pub lossy: bool,
    /// The offset of its first byte in the program.
    pub base: u32,
    line_starts: OnceLock<Vec<u32>>,
    /// The number of characters before every [`STRIDE`]th byte.
    characters: OnceLock<Vec<u32>>,
}

/// The distance in bytes between two stored character counts. In a longer line, columns are not
/// counted from the start of the line, since it may contain many errors. Raising it saves memory
/// and makes locating slower.
const STRIDE: usize = 4096;

/// The start of a [`Span`], for display.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Location<'s> {
    /// The file.
    pub file: &'s SourceFile,
    /// The line, counted from 1.
    pub line: u32,
    /// The column in characters, counted from 1.
    pub column: u32,
    /// The number of bytes before it on the line.
    pub bytes_before: usize,
}

/// The error that the files are larger than [`MAX_SIZE`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TooLarge;

impl std::fmt::Display for TooLarge {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("the program is larger than 4 GiB")
    }
}

impl std::error::Error for TooLarge {}

impl SourceMap {
    /// Creates a program without files.
    pub fn new() -> SourceMap {
        SourceMap::default()
    }

    /// Creates a program of one file.
    pub fn single(name: impl Into<String>, bytes: impl Into<Vec<u8>>) -> Result<Self, TooLarge> {
        let mut map = SourceMap::new();
        map.add(name, bytes)?;
        Ok(map)
    }

    /// Appends a file.
    pub fn add(
        &mut self,
        name: impl Into<String>,
        bytes: impl Into<Vec<u8>>,
    ) -> Result<&SourceFile, TooLarge> {
        let (text, lossy) = match String::from_utf8(bytes.into()) {
            Ok(text) => (text, false),
            Err(error) => (String::from_utf8_lossy(error.as_bytes()).into_owned(), true),
        };
        // Leave one byte between two files, so that the end of a file differs from the start of the
        // next.
        let base = self.files.last().map_or(0, |file| file.base as usize + file.text.len() + 1);
        if base + text.len() > MAX_SIZE {
            return Err(TooLarge);
        }
        #[expect(clippy::cast_possible_truncation, reason = "bounded by MAX_SIZE")]
        let base = base as u32;
        let name = name.into();
        let (line_starts, characters) = (OnceLock::new(), OnceLock::new());
        self.files.push(SourceFile { name, text, lossy, base, line_starts, characters });
        Ok(&self.files[self.files.len() - 1])
    }

    /// The files, in order.
    pub fn files(&self) -> &[SourceFile] {
        &self.files
    }

    /// The file that contains an offset; `None` only if there are no files.
    pub fn file_at(&self, offset: u32) -> Option<&SourceFile> {
        let after = self.files.partition_point(|file| file.base <= offset);
        self.files.get(after.saturating_sub(1))
    }

    /// The file, line and column of a span's start; `None` only if there are no files.
    pub fn locate(&self, span: Span) -> Option<Location<'_>> {
        Some(self.file_at(span.start)?.locate(span.start))
    }
}

impl PartialEq for SourceFile {
    fn eq(&self, other: &SourceFile) -> bool {
        self.name == other.name && self.text == other.text && self.base == other.base
    }
}

impl Eq for SourceFile {}

impl SourceFile {
    /// The line and column of an offset in this file.
    pub fn locate(&self, offset: u32) -> Location<'_> {
        let starts = self.line_starts();
        let offset = (offset.saturating_sub(self.base) as usize).min(self.text.len());
        let line = starts.partition_point(|&start| start as usize <= offset);
        let start = starts[line - 1] as usize;
        let bytes_before = offset - start;
        let column = if bytes_before < STRIDE {
            count_characters(&self.text.as_bytes()[start..offset])
        } else {
            self.characters_before(offset) - self.characters_before(start)
        };
        #[expect(clippy::cast_possible_truncation, reason = "bounded by MAX_SIZE")]
        Location { file: self, line: line as u32, column: column as u32 + 1, bytes_before }
    }

    /// The number of characters before an offset in the text.
    fn characters_before(&self, offset: usize) -> usize {
        let bytes = self.text.as_bytes();
        let table = self.characters.get_or_init(|| {
            let mut sum = 0;
            let mut table = vec![0];
            for piece in bytes.chunks(STRIDE) {
                sum += count_characters(piece);
                #[expect(clippy::cast_possible_truncation, reason = "bounded by MAX_SIZE")]
                table.push(sum as u32);
            }
            table
        });
        let piece = offset / STRIDE;
        table[piece] as usize + count_characters(&bytes[piece * STRIDE..offset])
    }

    /// The text of a line, counted from 1, without its line break.
    pub fn line(&self, line: u32) -> &str {
        let starts = self.line_starts();
        let Some(&start) = starts.get(line as usize - 1) else { return "" };
        let end = starts.get(line as usize).map_or(self.text.len(), |&next| next as usize);
        self.text[start as usize..end].trim_end_matches(['\r', '\n'])
    }

    /// The offsets of the line starts. Lines end at LF, CR or CRLF, as in Boogie.
    fn line_starts(&self) -> &[u32] {
        self.line_starts.get_or_init(|| {
            let bytes = self.text.as_bytes();
            let mut starts = vec![0];
            for (i, &byte) in bytes.iter().enumerate() {
                if byte == b'\n' || (byte == b'\r' && bytes.get(i + 1) != Some(&b'\n')) {
                    #[expect(clippy::cast_possible_truncation, reason = "bounded by MAX_SIZE")]
                    starts.push(i as u32 + 1);
                }
            }
            starts
        })
    }
}

/// The number of characters that start within these bytes of a text.
fn count_characters(bytes: &[u8]) -> usize {
    bytes.iter().filter(|&&byte| byte & 0xC0 != 0x80).count()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_end_at_lf_cr_and_crlf() {
        let map = SourceMap::single("a", "x\ny\rz\r\nw").unwrap();
        let lines: Vec<_> = (1..=4).map(|line| map.files()[0].line(line)).collect();
        assert_eq!(lines, ["x", "y", "z", "w"]);
    }

    #[test]
    fn columns_count_characters() {
        let map = SourceMap::single("a", "// é x").unwrap();
        assert_eq!(map.locate(Span::new(6, 7)).unwrap().column, 6);
    }

    #[test]
    fn columns_of_long_lines_are_those_of_short_ones() {
        let line = "aé€😀".repeat(3 * STRIDE);
        let map = SourceMap::single("a", format!("é\n{line}\n{line}")).unwrap();
        let file = &map.files()[0];
        for (column, (byte, _)) in (1..).zip(line.char_indices()) {
            for (number, start) in [(2, 3), (3, 4 + line.len())] {
                let location = file.locate(u32::try_from(start + byte).unwrap());
                let found = (location.line, location.column, location.bytes_before);
                assert_eq!(found, (number, column, byte));
            }
        }
    }

    #[test]
    fn files_share_one_space_of_offsets() {
        let mut map = SourceMap::new();
        map.add("a", "x").unwrap();
        let base = map.add("b", "\ny").unwrap().base;
        let end_of_a = map.locate(Span::new(1, 1)).unwrap();
        assert_eq!((end_of_a.file.name.as_str(), end_of_a.line, end_of_a.column), ("a", 1, 2));
        let y = map.locate(Span::new(base + 1, base + 2)).unwrap();
        assert_eq!((y.file.name.as_str(), y.line, y.column), ("b", 2, 1));
    }
}
