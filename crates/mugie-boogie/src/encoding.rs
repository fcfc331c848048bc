//! Explains errors that come from bytes which are no text, rather than from the program.
//!
//! Boogie reads bytes that are not UTF-8 as U+FFFD, and takes that character in comments and
//! strings but nowhere else. So does the parser; here its complaint is put in terms of bytes.

use bpl_syntax::diagnostic::{Diagnostic, Kind};
use bpl_syntax::source::{SourceFile, SourceMap};
use bpl_syntax::span::Span;

/// A zero byte this early means a binary file, as in `git` and `grep`.
const BINARY_PREFIX: usize = 8000;

/// Rewords syntax errors that stem from the encoding of a file.
pub(crate) fn explain(sources: &SourceMap, errors: &mut Vec<Diagnostic>) {
    for file in sources.files() {
        if let Some(zero) = first_zero(file) {
            let binary = |error: &Diagnostic| is_syntax_error_in(file, sources, error);
            if errors.iter().any(binary) {
                errors.retain(|error| !binary(error));
                errors.push(
                    Diagnostic::new(
                        Kind::Syntax,
                        span_at(file, zero, 1),
                        format!("this is a binary file: byte {zero} is zero"),
                    )
                    .help("give the text of a Boogie program, usually a file `*.bpl`"),
                );
            }
        }
    }
    for error in errors {
        explain_replacement(sources, error);
    }
}

/// What to say of a file that is accepted although some of its bytes are no text.
pub(crate) fn replaced_bytes(file: &SourceFile) -> Option<String> {
    let offset = first_replacement(file)?;
    let line = file.locate(span_at(file, offset, 0).start).line;
    Some(format!(
        "{}: the byte at offset {offset}, in line {line}, is not UTF-8; read as U+FFFD, as Boogie \
         does",
        file.name
    ))
}

/// The first byte of a file that was not UTF-8, as an offset into its text.
fn first_replacement(file: &SourceFile) -> Option<usize> {
    // Before the first one the text is what the file holds, byte for byte.
    if file.lossy { file.text.find(char::REPLACEMENT_CHARACTER) } else { None }
}

/// The place of an offset into a file's text.
pub(crate) fn span_at(file: &SourceFile, offset: usize, len: u32) -> Span {
    #[expect(clippy::cast_possible_truncation, reason = "files are bounded by MAX_SIZE")]
    let start = file.base + offset as u32;
    Span::new(start, start + len)
}

fn first_zero(file: &SourceFile) -> Option<usize> {
    file.text.bytes().take(BINARY_PREFIX).position(|byte| byte == 0)
}

fn is_syntax_error_in(file: &SourceFile, sources: &SourceMap, error: &Diagnostic) -> bool {
    error.kind == Kind::Syntax
        && sources.file_at(error.span.start).is_some_and(|at| at.base == file.base)
}

fn explain_replacement(sources: &SourceMap, error: &mut Diagnostic) {
    let Some(file) = sources.file_at(error.span.start).filter(|file| file.lossy) else { return };
    let at = (error.span.start - file.base) as usize;
    let rest = file.text.get(at..).unwrap_or_default();
    if error.kind != Kind::Syntax || !rest.starts_with(char::REPLACEMENT_CHARACTER) {
        return;
    }
    error.message = if first_replacement(file) == Some(at) {
        format!("the byte at offset {at} is not UTF-8")
    } else {
        "this byte is not UTF-8".to_owned()
    };
    error.help =
        Some("save the file as UTF-8; only comments and strings may hold other bytes".to_owned());
}
