//! The shipped seeds: all verify, none is missing, and the generated ones are what `mugie seeds` makes.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::thread;

use bpl_syntax::ast::Decl;
use bpl_syntax::{Dialect, parse};

use crate::support::{has, root};

/// A shipped program.
struct Seed {
    /// The name of its folder: a letter for the group, `_`, and its own name.
    folder: String,
    path: PathBuf,
    text: String,
}

impl Seed {
    fn read(path: PathBuf) -> Seed {
        let folder = path.parent().unwrap().file_name().unwrap().to_str().unwrap().to_owned();
        let text = fs::read_to_string(&path).unwrap();
        Seed { folder, path, text }
    }

    /// Whether the program declares a type variable: `<` and `>` around one name are no comparison.
    fn is_polymorphic(&self) -> bool {
        let name = |text: &str| {
            let end = text.find(|symbol: char| !symbol.is_ascii_alphanumeric());
            end.is_some_and(|end| end > 0 && text[end..].starts_with('>'))
        };
        self.text.split('<').skip(1).any(name)
    }

    /// The number of procedures to verify.
    fn bodies(&self) -> usize {
        let parse = parse(&self.text, Dialect::Boogie2);
        assert!(parse.errors.is_empty(), "{}: {:?}", self.folder, parse.errors);
        let has_body = |decl: &Decl| match decl {
            Decl::Procedure(procedure) => procedure.body.is_some(),
            Decl::Implementation(_) => true,
            _ => false,
        };
        parse.program.decls.iter().filter(|decl| has_body(decl)).count()
    }
}

fn seeds() -> Vec<Seed> {
    let mut seeds = Vec::new();
    for entry in fs::read_dir(root().join("seeds")).unwrap() {
        let folder = entry.unwrap().path();
        let name = folder.file_name().unwrap().to_str().unwrap().to_owned();
        if let Some((group, own_name)) = name.split_once('_') {
            assert!(group.len() == 1, "{name}");
            assert_eq!(fs::read_dir(&folder).unwrap().count(), 1, "{name} has other files");
            seeds.push(Seed::read(folder.join(format!("{own_name}.bpl"))));
        }
    }
    seeds.sort_by(|one, other| one.folder.cmp(&other.folder));
    seeds
}

fn dafny_programs() -> Vec<PathBuf> {
    let files = fs::read_dir(root().join("seeds/dafny")).unwrap();
    files.map(|file| file.unwrap().path()).collect()
}

/// Verifies each program by itself, in one process.
fn verify(seeds: &[&Seed]) {
    let paths = seeds.iter().map(|seed| &seed.path);
    let options = ["/nologo", "/timeLimit:30", "/verifySeparately"];
    let output = Command::new("boogie").args(options).args(paths).output().unwrap();
    let output = String::from_utf8(output.stdout).unwrap();
    let answers: Vec<_> = output
        .lines()
        .filter_map(|line| line.strip_prefix("Boogie program verifier finished with "))
        .collect();
    assert_eq!(answers.len(), seeds.len(), "{output}");
    for (seed, answer) in seeds.iter().zip(answers) {
        assert_eq!(answer, format!("{} verified, 0 errors", seed.bodies()), "{}", seed.folder);
    }
}

#[test]
fn every_seed_verifies() {
    if !has("boogie") {
        return;
    }
    let seeds = seeds();
    // Boogie crashes on polymorphic and other programs in the same process.
    let (polymorphic, plain): (Vec<_>, Vec<_>) =
        seeds.iter().partition(|seed| seed.is_polymorphic());
    let (left, right) = plain.split_at(plain.len() / 2);
    thread::scope(|scope| {
        scope.spawn(|| verify(left));
        scope.spawn(|| verify(right));
    });
    verify(&polymorphic);
}

#[test]
fn every_group_is_as_large_as_promised() {
    let seeds = seeds();
    for (group, promised) in [("A", 10), ("E", 8), ("S", 9), ("X", 10)] {
        let found = seeds.iter().filter(|seed| seed.folder.starts_with(group)).count();
        assert!(found >= promised, "group {group} has {found} seeds");
    }
    assert!(dafny_programs().len() >= 8);
}

#[test]
fn every_seed_says_what_is_proved_and_is_in_the_table() {
    let table = fs::read_to_string(root().join("seeds/README.md")).unwrap();
    for seed in seeds() {
        assert!(seed.text.starts_with("// "), "{} has no header", seed.folder);
        assert!(seed.text.contains("// Proved: "), "{} does not say what is proved", seed.folder);
        assert!(table.contains(&format!("| `{}` |", seed.folder)), "{} is missing", seed.folder);
    }
    for path in dafny_programs() {
        let name = path.file_stem().unwrap().to_str().unwrap();
        assert!(table.contains(&format!("| `D_{name}` |")), "D_{name} is missing");
        assert!(fs::read_to_string(&path).unwrap().contains("proved"), "{name}");
    }
}

fn mugie(args: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_mugie"));
    command.args(args);
    command
}

#[test]
fn scalable_seeds_are_recorded_as_their_header_says() {
    for seed in seeds().iter().filter(|seed| seed.folder.starts_with("S_")) {
        let (_, made_by) = seed.text.split_once('`').unwrap();
        let (line, _) = made_by.split_once('`').unwrap();
        let args: Vec<_> = line.split(' ').skip(1).collect();
        let output = mugie(&args).output().unwrap();
        assert!(output.status.success(), "{line}");
        if std::env::var("UPDATE").as_deref() == Ok("1") {
            fs::write(&seed.path, output.stdout).unwrap();
            continue;
        }
        assert_eq!(String::from_utf8(output.stdout).unwrap(), seed.text, "{line}: `make update`");
    }
}

#[test]
fn the_largest_scalable_programs_are_accepted() {
    let sizes = [
        ("nested-conditionals", "16"),
        ("many-variables", "200000"),
        ("long-assignments", "200000"),
    ];
    for (kind, size) in sizes {
        let mut generate = mugie(&["seeds", "generate", "--kind", kind, "--size", size]);
        let mut generate = generate.stdout(Stdio::piped()).spawn().unwrap();
        let text = generate.stdout.take().unwrap();
        let output = mugie(&["check", "-"]).stdin(text).output().unwrap();
        assert!(generate.wait().unwrap().success());
        assert!(output.status.success(), "{kind}: {}", String::from_utf8_lossy(&output.stderr));
    }
}

#[test]
fn sizes_out_of_range_are_refused() {
    for (kind, size) in [("nested-conditionals", "17"), ("many-variables", "0")] {
        let output =
            mugie(&["seeds", "generate", "--kind", kind, "--size", size]).output().unwrap();
        assert_eq!(output.status.code(), Some(2), "{kind} {size}");
        assert!(String::from_utf8(output.stderr).unwrap().contains("--size"));
    }
}

#[test]
fn a_generated_seed_goes_to_a_file() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("seed.bpl");
    let args = ["seeds", "generate", "--kind", "many-variables", "--size", "3", "--out"];
    let output = mugie(&args).arg(&path).output().unwrap();
    assert!(output.status.success() && output.stdout.is_empty());
    assert!(fs::read_to_string(&path).unwrap().contains("var v1, v2, v3: int;"));
}

#[test]
fn shipped_programs_are_inside_of_the_binary() {
    let folder = tempfile::tempdir().unwrap();
    let export = |args: &[&str]| {
        mugie(&["seeds", "export", "--out", "copy"])
            .args(args)
            .current_dir(folder.path())
            .output()
            .unwrap()
    };
    let output = export(&[]);
    assert!(output.status.success() && output.stdout == b"copy\n", "{output:?}");
    let copy = folder.path().join("copy");
    let same = |path: &Path| {
        let name = path.strip_prefix(root()).unwrap();
        assert_eq!(fs::read(path).unwrap(), fs::read(copy.join(name)).unwrap(), "{name:?}");
    };
    let seeds = seeds();
    for path in seeds.iter().map(|seed| &seed.path).chain(&dafny_programs()) {
        same(path);
    }
    for name in ["brittle.bpl", "clauses.bpl", "max.bpl", "bank.bpl", "tree.bpl"] {
        same(&root().join("examples").join(name));
    }
    let list = String::from_utf8(mugie(&["seeds", "list"]).output().unwrap().stdout).unwrap();
    assert_eq!(list.lines().count(), seeds.len() + 5);
    for line in list.lines() {
        let (path, about) = line.split_once(' ').unwrap();
        assert!(copy.join(path).exists() && !about.trim().is_empty(), "{line}");
    }
    let again = export(&[]);
    assert_eq!(again.status.code(), Some(2));
    assert!(String::from_utf8(again.stderr).unwrap().contains("--force"));
    assert!(export(&["--force"]).status.success());
}

#[test]
fn what_dafny_prints_is_accepted_and_verifies() {
    if !has("boogie") || !has("dafny") {
        return;
    }
    let script = Command::new(root().join("scripts/dafny-seeds")).output().unwrap();
    assert!(script.status.success(), "{}", String::from_utf8_lossy(&script.stderr));
    let printed: Vec<_> = String::from_utf8(script.stdout)
        .unwrap()
        .lines()
        .map(|path| Seed::read(root().join(path)))
        .collect();
    assert_eq!(printed.len(), dafny_programs().len());
    let paths = printed.iter().map(|seed| &seed.path);
    let output = mugie(&["check"]).args(paths).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    assert!(printed.iter().all(Seed::is_polymorphic));
    verify(&printed.iter().collect::<Vec<_>>());
}
