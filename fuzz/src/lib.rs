//! What the fuzz targets share.

use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Mutex, OnceLock};
use std::thread;

use bpl_syntax::Dialect;
use bpl_syntax::source::SourceMap;

/// Both versions of the language.
pub const DIALECTS: [Dialect; 2] = [Dialect::Boogie2, Dialect::Boogie3];

/// Stack of the worker: sanitizers make frames large, and derived code recurses without growing
/// the stack. Reserved only.
const STACK: usize = 1 << 30;

/// Calls `work` on the bytes as one program, in one thread that lives as long as the process and
/// has a deep stack, as the threads of mugie have.
///
/// The bytes are one file, or two if they hold the byte 1, which no program needs. A panic in
/// there ends the process: the fuzzer's panic hook sees to that.
pub fn with_sources(bytes: &[u8], work: fn(&SourceMap)) {
    type Worker = Mutex<(Sender<Vec<u8>>, Receiver<()>)>;
    static WORKER: OnceLock<Worker> = OnceLock::new();
    let worker = WORKER.get_or_init(|| {
        let (inputs, input) = channel::<Vec<u8>>();
        let (done, answers) = channel();
        let body = move || {
            for bytes in input {
                if let Some(sources) = sources(&bytes) {
                    work(&sources);
                }
                if done.send(()).is_err() {
                    break;
                }
            }
        };
        let thread = thread::Builder::new().stack_size(STACK).spawn(body);
        thread.expect("a thread can be started");
        Mutex::new((inputs, answers))
    });
    let (inputs, answers) = &*worker.lock().expect("the fuzzer has one thread");
    inputs.send(bytes.to_vec()).expect("the worker is alive");
    answers.recv().expect("the worker is alive");
}

/// Nothing only if the input is larger than a program can be.
fn sources(bytes: &[u8]) -> Option<SourceMap> {
    let mut sources = SourceMap::new();
    for (index, file) in bytes.splitn(2, |&byte| byte == 1).enumerate() {
        sources.add(format!("{index}.bpl"), file).ok()?;
    }
    Some(sources)
}
