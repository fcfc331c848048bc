//! Shared helpers of the tests: programs, and running Why3 on their translations.

#![expect(clippy::unwrap_used, reason = "a test may panic")]
#![expect(clippy::disallowed_methods, reason = "the tests read files and run Why3")]
#![expect(clippy::print_stderr, reason = "a test says why it skips")]
#![allow(dead_code, reason = "each test uses some of them")]

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use mugie_core::{Files, NotExpressible, Translated};
use mugie_whyml::WHYML;

/// The clone.
pub(crate) fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// The Boogie programs in a folder and its subfolders, in order.
pub(crate) fn programs(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == "bpl") {
                found.push(path);
            }
        }
    }
    found.sort_unstable();
    found
}

/// Translates one text.
pub(crate) fn translate(text: &str) -> Result<Translated, NotExpressible> {
    WHYML.translate(&Files(vec![("program.bpl".to_owned(), text.to_owned())]))
}

/// The translated text of a program that has one.
pub(crate) fn whyml(text: &str) -> String {
    translate(text).unwrap().files.0.remove(0).1
}

/// Translates a file.
pub(crate) fn translate_file(path: &Path) -> Result<Translated, NotExpressible> {
    translate(&fs::read_to_string(path).unwrap())
}

/// Why3 with Z3, in a folder of its own.
pub(crate) struct Why3 {
    folder: tempfile::TempDir,
}

/// Z3 without its model-based instantiation, which is what Boogie asks of it, and without limits on the
/// clock.
const PROVERS: &str = r#"[prover]
name = "Z3nombqi"
version = "any"
command = "z3 -smt2 auto_config=false smt.mbqi=false smt.random_seed=42 -st %f"
driver = "z3_471"
editor = ""
"#;

impl Why3 {
    /// Prepares Why3. If it is not installed, prints that the test is skipped, or fails where tools are
    /// required.
    pub(crate) fn find() -> Option<Why3> {
        let installed = |tool: &str| Command::new(tool).arg("--version").output().is_ok();
        let missing = ["why3", "z3"].into_iter().find(|tool| !installed(tool));
        if let Some(tool) = missing {
            assert!(std::env::var_os("CI").is_none(), "{tool} is missing; see `make tools`");
            eprintln!("SKIPPED: {tool} is not installed");
            return None;
        }
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("provers.conf"), PROVERS).unwrap();
        let config = folder.path().join("why3.conf");
        let mut detect = Command::new("why3");
        let detected = detect.arg("--config").arg(config).args(["config", "detect"]).output();
        assert!(detected.unwrap().status.success());
        Some(Why3 { folder })
    }

    /// Writes a translated program.
    pub(crate) fn write(&self, name: &str, translated: &Translated) -> PathBuf {
        let path = self.folder.path().join(format!("{name}.mlw"));
        fs::write(&path, &translated.files.0[0].1).unwrap();
        path
    }

    fn prove(&self, options: &[&str], files: &[PathBuf]) -> Output {
        let mut command = Command::new("why3");
        command.arg("-C").arg(self.folder.path().join("why3.conf"));
        command.arg("--extra-config").arg(self.folder.path().join("provers.conf"));
        command.arg("prove").args(options).args(files).output().unwrap()
    }

    /// Fails if Why3 does not accept all of the files.
    pub(crate) fn accepts(&self, files: &[PathBuf]) {
        for chunk in files.chunks(20) {
            let output = self.prove(&["--type-only"], chunk);
            if !output.status.success() {
                let errors = String::from_utf8_lossy(&output.stderr);
                let end = errors.len().saturating_sub(2000);
                panic!(
                    "why3 rejects one of {chunk:?}: {}",
                    &errors[errors.floor_char_boundary(end)..]
                );
            }
        }
    }

    /// What Why3 prints of each goal of each file.
    pub(crate) fn goals(&self, files: &[PathBuf]) -> Vec<BTreeMap<String, String>> {
        let output = self.prove(&["-P", "Z3nombqi", "-t", "10"], files);
        assert!(matches!(output.status.code(), Some(0 | 2)), "{output:?}");
        let output = String::from_utf8(output.stdout).unwrap();
        let mut found: BTreeMap<&str, BTreeMap<String, String>> = BTreeMap::new();
        let (mut file, mut goal) = ("", String::new());
        for line in output.lines() {
            if let Some(name) = line.strip_prefix("File ") {
                // With the place, in quotes, if the goal is a single check.
                file = match name.strip_prefix('"').and_then(|name| name.split_once('"')) {
                    Some((name, _)) => name,
                    None => name.trim_end_matches(':'),
                };
            } else if let Some(name) = line.strip_prefix("Goal ") {
                name.trim_end_matches('.').clone_into(&mut goal);
            } else if let Some(result) = line.strip_prefix("Prover result is: ") {
                let answer = result.split(" (").next().unwrap_or_default();
                found.entry(file).or_default().insert(goal.clone(), answer.to_owned());
            }
        }
        files
            .iter()
            .map(|file| found.get(&*file.to_string_lossy()).cloned().unwrap_or_default())
            .collect()
    }
}

/// Whether each goal of a translated program was proved. A goal that Why3 does not mention is trivial.
pub(crate) fn verdicts(
    translated: &Translated,
    printed: &BTreeMap<String, String>,
) -> BTreeMap<String, bool> {
    let mut verdicts = BTreeMap::new();
    for expected in &translated.goals {
        let proved = printed.get(&expected.printed).is_none_or(|answer| answer == "Valid");
        *verdicts.entry(expected.goal.clone()).or_insert(true) &= proved;
    }
    for name in printed.keys() {
        assert!(translated.goals.iter().any(|goal| goal.printed == *name), "unexpected {name}");
    }
    verdicts
}
