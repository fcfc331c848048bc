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

/// Calls `work` on the bytes in one thread that lives as long as the process and has a deep stack,
/// as the threads of mugie have. A panic in there ends the process: the fuzzer's panic hook sees to
/// that.
pub fn on_deep_stack(bytes: &[u8], work: fn(&[u8])) {
    type Worker = Mutex<(Sender<Vec<u8>>, Receiver<()>)>;
    static WORKER: OnceLock<Worker> = OnceLock::new();
    let worker = WORKER.get_or_init(|| {
        let (inputs, input) = channel::<Vec<u8>>();
        let (done, answers) = channel();
        let body = move || {
            for bytes in input {
                work(&bytes);
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

/// The files that the bytes are: one, or two if they hold the byte 1, which no program needs.
pub fn files(bytes: &[u8]) -> impl Iterator<Item = (String, &[u8])> {
    let files = bytes.splitn(2, |&byte| byte == 1).enumerate();
    files.map(|(index, file)| (format!("{index}.bpl"), file))
}

/// The bytes as one program. Nothing only if they are more than a program can have.
pub fn sources(bytes: &[u8]) -> Option<SourceMap> {
    let mut sources = SourceMap::new();
    for (name, file) in files(bytes) {
        sources.add(name, file).ok()?;
    }
    Some(sources)
}
