//! What the fuzz targets share.

use std::panic::resume_unwind;
use std::thread;

use bpl_syntax::Dialect;
use bpl_syntax::source::SourceMap;

/// Both versions of the language.
pub const DIALECTS: [Dialect; 2] = [Dialect::Boogie2, Dialect::Boogie3];

/// The bytes as one file, or as two if they hold the byte 1, which no program needs.
///
/// Returns nothing only if the input is larger than a program can be.
pub fn sources(bytes: &[u8]) -> Option<SourceMap> {
    let mut sources = SourceMap::new();
    for (index, file) in bytes.splitn(2, |&byte| byte == 1).enumerate() {
        sources.add(format!("{index}.bpl"), file).ok()?;
    }
    Some(sources)
}

/// Runs on a deep stack, as the program does: sanitizers make frames large, and derived code
/// recurses without growing the stack.
pub fn deep(work: impl FnOnce() + Send) {
    thread::scope(|scope| {
        let worker = thread::Builder::new().stack_size(1 << 30).spawn_scoped(scope, work);
        let worker = worker.expect("a thread can be started");
        if let Err(panic) = worker.join() {
            resume_unwind(panic);
        }
    });
}
