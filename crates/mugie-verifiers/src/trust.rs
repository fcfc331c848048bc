//! Decides who may choose the programs that are run.
//!
//! The user's own choices are followed at once: the command line, variables, settings, and what is
//! shipped with mugie. A document of somebody else may name programs, too: a definition in the
//! current directory, the plan of a campaign, the record of a result. Somebody who unpacks an
//! archive has not read it, so what it asks for is run only with the user's consent. Consent is to
//! the document and to the programs that it names, as they are now: if one of them changes, consent
//! is needed again.
//!
//! Nothing here runs a program.

use std::fmt;
use std::io::{self, Write as _};
use std::path::{self, Path, PathBuf};

use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::claim::{self, Draft};
use crate::find::Environment;
use crate::input;
use crate::verifier::{content, field};

/// The variable that lists what to trust where nobody can be asked.
pub const VARIABLE: &str = "MUGIE_TRUST";

/// The file with what is trusted permanently, in the directory of the user's state.
const FILE: &str = "mugie/trusted.json";

/// Maximum size of that file in bytes.
const MAX_SIZE: u64 = 16 << 20;

/// What a document of somebody else asks for: the programs that it names, as they are on this
/// machine.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Demand {
    /// The path of the document, for display.
    pub document: String,
    /// The hash of the document.
    pub hash: String,
    /// The programs that were found.
    pub programs: Vec<NamedProgram>,
}

/// A program that a document names.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NamedProgram {
    /// Its path.
    pub path: String,
    /// The hash of its file.
    pub hash: String,
}

impl Demand {
    /// What a document with this [`hash`] asks for. If a program cannot be read, returns its path
    /// and the error.
    pub(crate) fn new(
        document: &Path,
        hash: String,
        programs: Vec<PathBuf>,
    ) -> Result<Demand, (PathBuf, io::Error)> {
        let document = path::absolute(document).unwrap_or_else(|_| document.to_owned());
        let mut named: Vec<NamedProgram> = Vec::new();
        for path in programs {
            let hash = content(&path).map_err(|error| (path.clone(), error))?;
            let program = NamedProgram { path: exact(&path), hash: hash.to_hex().to_string() };
            if !named.contains(&program) {
                named.push(program);
            }
        }
        Ok(Demand { document: exact(&document), hash, programs: named })
    }

    /// A hash of the document and of its programs, independent of their paths: the value for
    /// [`VARIABLE`].
    pub fn fingerprint(&self) -> String {
        let mut hasher = blake3::Hasher::new();
        field(&mut hasher, self.hash.as_bytes());
        for program in &self.programs {
            field(&mut hasher, program.hash.as_bytes());
        }
        hasher.finalize().to_hex().to_string()
    }

    /// Whether two demands are the same, independent of the path of the document.
    fn is_like(&self, other: &Demand) -> bool {
        (&self.hash, &self.programs) == (&other.hash, &other.programs)
    }
}

/// The hash of a document.
pub fn hash(text: &str) -> String {
    blake3::hash(text.as_bytes()).to_hex().to_string()
}

/// A path as text, unique to this path.
fn exact(path: &Path) -> String {
    let bytes = || format!("bytes {}", path.as_os_str().as_encoded_bytes().escape_ascii());
    path.to_str().map_or_else(bytes, str::to_owned)
}

/// Whether the user trusts what a document asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TrustState {
    /// The user trusts it as it is.
    Trusted,
    /// The user trusted it, but it or one of its programs has changed since.
    Changed,
    /// The user has never trusted it.
    Unknown,
}

/// Why the list of what is trusted cannot be read or written.
#[derive(Debug, Error)]
pub enum TrustError {
    /// The user has no directory for state.
    #[error(
        "there is no directory for the list of what you trust: neither XDG_STATE_HOME nor HOME is set"
    )]
    NoPlace,
    /// The file cannot be read or written.
    #[error("{}: cannot read or write the list of what you trust: {error}", path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// The cause.
        error: io::Error,
    },
}

/// The format of the file with what is trusted.
#[derive(Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct TrustFile {
    trusted: Vec<Demand>,
}

impl TrustFile {
    fn read(path: &Path) -> Result<TrustFile, TrustError> {
        let trouble = |error| TrustError::File { path: path.to_owned(), error };
        match input::read(path, MAX_SIZE) {
            Ok(bytes) => serde_json::from_slice(&bytes).map_err(|error| trouble(error.into())),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(TrustFile::default()),
            Err(error) => Err(trouble(error)),
        }
    }

    /// Replaces the file as a whole. Other users cannot read it.
    fn write(&self, path: &Path) -> io::Result<()> {
        let folder = path.parent().unwrap_or(Path::new("."));
        claim::create_private(folder)?;
        claim::sweep_once(folder, claim::DRAFT);
        let mut draft = Draft::new_in(folder, claim::DRAFT, 0o600)?;
        let text = serde_json::to_string_pretty(self)? + "\n";
        draft.file().write_all(text.as_bytes())?;
        draft.file().sync_all()?;
        draft.place(path)
    }
}

fn file(environment: &Environment) -> Option<PathBuf> {
    environment.state.as_ref().map(|state| state.join(FILE))
}

/// Whether the user trusts what a document asks for.
pub(crate) fn standing(
    environment: &Environment,
    demand: &Demand,
) -> Result<TrustState, TrustError> {
    if by_variable(environment, demand) {
        return Ok(TrustState::Trusted);
    }
    let Some(path) = file(environment) else { return Ok(TrustState::Unknown) };
    let kept = TrustFile::read(&path)?.trusted;
    Ok(if kept.iter().any(|other| other.is_like(demand)) {
        TrustState::Trusted
    } else if kept.iter().any(|other| other.document == demand.document) {
        TrustState::Changed
    } else {
        TrustState::Unknown
    })
}

/// Whether [`VARIABLE`] trusts everything.
pub(crate) fn everything(environment: &Environment) -> bool {
    environment.variables.get(VARIABLE).is_some_and(|value| value == "1")
}

fn by_variable(environment: &Environment, demand: &Demand) -> bool {
    let value = environment.variables.get(VARIABLE).and_then(|value| value.to_str());
    let fingerprint = demand.fingerprint();
    let mut words = value.unwrap_or_default().split([',', ' ']);
    everything(environment) || words.any(|word| word.eq_ignore_ascii_case(&fingerprint))
}

/// Records that the user trusts a demand permanently. It replaces an earlier one of the same
/// document.
pub(crate) fn keep(environment: &Environment, demand: &Demand) -> Result<(), TrustError> {
    let path = file(environment).ok_or(TrustError::NoPlace)?;
    let mut kept = TrustFile::read(&path)?;
    kept.trusted.retain(|other| other.document != demand.document && !other.is_like(demand));
    kept.trusted.push(demand.clone());
    kept.write(&path).map_err(|error| TrustError::File { path, error })
}

/// The part of a verifier's [options](crate::VerifierOptions) that does not come from the user but
/// from a document.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Foreign {
    /// The document.
    pub document: PathBuf,
    /// The [`hash`] of its text.
    pub hash: String,
    /// The definition that the document names by a path.
    pub verifier: Option<String>,
    /// The verifier's program.
    pub program: Option<PathBuf>,
    /// The solver.
    pub solver: Option<String>,
    /// The arguments.
    pub arguments: Vec<String>,
}

/// Whether an argument can only switch something on, or set a number or a word that is not the name
/// of a program. Any other argument might make a verifier run a program, as
/// `/proverOpt:PROVER_PATH=…` does with Boogie.
pub(crate) fn is_harmless(environment: &Environment, argument: &str) -> bool {
    let Some(switch) = ["--", "-", "/"].iter().find_map(|start| argument.strip_prefix(start))
    else {
        return false;
    };
    let (name, value) = switch.split_once([':', '=']).unwrap_or((switch, "0"));
    let is_number = value.starts_with(|first: char| first.is_ascii_digit())
        && value.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.');
    let is_word = !value.is_empty()
        && value.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
        && environment.program(value.as_ref()).is_none();
    name.starts_with(|first: char| first.is_ascii_alphabetic())
        && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_'))
        && (is_number || is_word)
}

/// What would be run with the user's consent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Untrusted {
    /// The document that asks for it.
    pub document: PathBuf,
    /// How to name it on a command line, if it is the definition of a verifier.
    pub name: Option<String>,
    /// The programs.
    pub runs: Vec<String>,
    /// Arguments for them that are not harmless.
    pub arguments: Vec<String>,
    /// Whether the user trusted an earlier state of it.
    pub changed: bool,
    /// The value for [`VARIABLE`] that would trust it.
    pub fingerprint: String,
}

impl fmt::Display for Untrusted {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let document = self.document.display();
        if self.changed {
            write!(f, "{document} or a program that it names changed since you trusted it")?;
        } else {
            write!(f, "{document} is not trusted")?;
        }
        f.write_str(", so nothing was run: ")?;
        let quoted = |words: &[String]| {
            let words: Vec<_> = words.iter().map(|word| format!("`{word}`")).collect();
            words.join(", ")
        };
        match (self.runs.as_slice(), self.arguments.as_slice()) {
            ([], []) => f.write_str("it says how to run a verifier"),
            ([], arguments) => write!(f, "it wants the arguments {}", quoted(arguments)),
            (runs, []) => write!(f, "it wants to run {}", quoted(runs)),
            (runs, arguments) => {
                write!(f, "it wants to run {}, with {}", quoted(runs), quoted(arguments))
            }
        }
    }
}

impl Untrusted {
    /// How to consent.
    pub fn help(&self) -> String {
        let fingerprint = &self.fingerprint;
        match &self.name {
            Some(name) => format!(
                "look at it with `mugie verifiers {name} --show`; trust it with `mugie verifiers \
                 --trust {name}`, or with --trust for one run; for CI, set {VARIABLE} to 1 or to \
                 {fingerprint}"
            ),
            None => format!(
                "look at what it names; consent with --trust for this run or, unless a campaign runs \
                 it, by naming the program yourself on the command line; for CI, set {VARIABLE} to 1 or to {fingerprint}"
            ),
        }
    }
}

#[cfg(test)]
#[cfg(unix)]
mod tests {
    use std::fs;
    use std::os::unix::fs::PermissionsExt as _;

    use super::*;

    #[test]
    fn switches_numbers_and_words_are_harmless() {
        let environment = Environment { path: Some("/bin".into()), ..Environment::default() };
        let is_harmless = |argument: &str| is_harmless(&environment, argument);
        for argument in
            ["/noinfer", "-noinfer", "--no-infer", "/vcsCores:4", "--limit=2.5", "/proc:Max"]
        {
            assert!(is_harmless(argument), "{argument}");
        }
        for argument in [
            "noinfer",
            "",
            "-",
            "--",
            "---x",
            "//x",
            "/proverOpt:PROVER_PATH=sh",
            "/z3exe:sh",
            "/z3exe:./evil",
            "/z3exe:",
            "/z3exe:..",
            "a b",
            "-c id",
            "/log:../x",
            "@file",
            "/1",
        ] {
            assert!(!is_harmless(argument), "{argument}");
        }
    }

    #[test]
    fn consent_is_to_what_was_seen() {
        let folder = tempfile::tempdir().unwrap();
        let tool = folder.path().join("tool");
        fs::write(&tool, "one").unwrap();
        let environment =
            Environment { state: Some(folder.path().join("state")), ..Environment::default() };
        let demand = |document: &str, text: &str| {
            Demand::new(Path::new(document), hash(text), vec![tool.clone()]).unwrap()
        };
        let is =
            |document: &str, text: &str| standing(&environment, &demand(document, text)).unwrap();
        assert_eq!(is("a.toml", "x"), TrustState::Unknown);
        keep(&environment, &demand("a.toml", "x")).unwrap();
        assert_eq!(is("a.toml", "x"), TrustState::Trusted);
        assert_eq!(is("b.toml", "x"), TrustState::Trusted);
        assert_eq!(is("a.toml", "y"), TrustState::Changed);
        assert_eq!(is("b.toml", "y"), TrustState::Unknown);
        fs::write(&tool, "two").unwrap();
        assert_eq!(is("a.toml", "x"), TrustState::Changed);
        keep(&environment, &demand("a.toml", "x")).unwrap();
        assert_eq!(is("a.toml", "x"), TrustState::Trusted);
        let file = folder.path().join("state/mugie/trusted.json");
        let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
        assert_eq!((mode(&file), mode(file.parent().unwrap())), (0o600, 0o700));
        assert_eq!(TrustFile::read(&file).unwrap().trusted.len(), 1);
        fs::write(&file, "damaged").unwrap();
        assert!(standing(&environment, &demand("a.toml", "x")).is_err());
    }

    #[test]
    fn a_variable_trusts_everything_or_what_it_has_the_fingerprint_of() {
        let demand = Demand::new(Path::new("a.toml"), hash("x"), Vec::new()).unwrap();
        let with = |value: &str| {
            let variables = [(VARIABLE.to_owned(), value.into())].into_iter().collect();
            let environment = Environment { variables, ..Environment::default() };
            standing(&environment, &demand).unwrap()
        };
        let other = Demand { hash: "00".to_owned(), ..demand.clone() };
        assert_eq!(with("1"), TrustState::Trusted);
        assert_eq!(with(&format!("abc,{}", demand.fingerprint())), TrustState::Trusted);
        for value in ["", "0", "yes", &other.fingerprint()] {
            assert_eq!(with(value), TrustState::Unknown, "{value}");
        }
    }
}
