//! Explains errors that are caused by bytes that are not text, rather than by the program.
//!
//! Boogie reads bytes that are not UTF-8 as U+FFFD, and accepts that character only in comments and
//! strings. So does the parser; this module rewrites its errors in terms of bytes.

use bpl_syntax::diagnostic::{Diagnostic, ErrorClass};
use bpl_syntax::source::{SourceFile, SourceMap};
use bpl_syntax::span::Span;

/// A zero byte within this many bytes from the start marks a binary file, as in `git` and `grep`.
const BINARY_PREFIX: usize = 8000;

/// Rewrites syntax errors that stem from the encoding of a file.
pub(crate) fn explain(sources: &SourceMap, errors: &mut Vec<Diagnostic>) {
    for file in sources.files() {
        if let Some(zero) = first_zero(file) {
            let binary = |error: &Diagnostic| is_syntax_error_in(file, sources, error);
            if errors.iter().any(binary) {
                errors.retain(|error| !binary(error));
                errors.push(
                    Diagnostic::new(
                        ErrorClass::Syntax,
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

/// The warning about an accepted file with bytes that are not UTF-8, if there are any.
pub(crate) fn replaced_bytes(file: &SourceFile) -> Option<String> {
    let offset = first_replacement(file)?;
    let line = file.locate(span_at(file, offset, 0).start).line;
    Some(format!(
        "{}: the byte at offset {offset}, in line {line}, is not UTF-8; read as U+FFFD, as Boogie \
         does",
        file.name
    ))
}

/// The offset in the text of the file's first byte that was not UTF-8.
fn first_replacement(file: &SourceFile) -> Option<usize> {
    // Up to the first replacement, the text equals the file byte for byte.
    if file.lossy { file.text.find(char::REPLACEMENT_CHARACTER) } else { None }
}

/// The span of `len` bytes at an offset in a file's text.
pub(crate) fn span_at(file: &SourceFile, offset: usize, len: u32) -> Span {
    #[expect(clippy::cast_possible_truncation, reason = "files are bounded by MAX_SIZE")]
    let start = file.base + offset as u32;
    Span::new(start, start + len)
}

fn first_zero(file: &SourceFile) -> Option<usize> {
    file.text.bytes().take(BINARY_PREFIX).position(|byte| byte == 0)
}

fn is_syntax_error_in(file: &SourceFile, sources: &SourceMap, error: &Diagnostic) -> bool {
    error.kind == ErrorClass::Syntax
        && sources.file_at(error.span.start).is_some_and(|at| at.base == file.base)
}

fn explain_replacement(sources: &SourceMap, error: &mut Diagnostic) {
    let Some(file) = sources.file_at(error.span.start).filter(|file| file.lossy) else { return };
    let at = (error.span.start - file.base) as usize;
    let rest = file.text.get(at..).unwrap_or_default();
    if error.kind != ErrorClass::Syntax || !rest.starts_with(char::REPLACEMENT_CHARACTER) {
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
