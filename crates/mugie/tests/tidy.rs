//! Checks of what the documents promise about the files of the project.

#![expect(clippy::unwrap_used, reason = "a test may panic")]

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn read(path: &str) -> String {
    fs::read_to_string(root().join(path)).unwrap()
}

/// The texts between pairs of single backquotes, outside of code blocks.
fn code_spans(document: &str) -> Vec<&str> {
    let mut in_block = false;
    let lines = document.lines().filter(|line| {
        let fence = line.starts_with("```");
        in_block ^= fence;
        !fence && !in_block
    });
    lines.flat_map(|line| line.split('`').skip(1).step_by(2)).collect()
}

/// Tests are named by file and function; a macro may define the function.
#[test]
fn every_test_that_the_table_of_promises_names_exists() {
    let document = read("docs/boogie-3.md");
    let rows = document.lines().filter(|line| line.starts_with('|'));
    let mut tests = 0;
    for row in rows {
        for span in row.split('`').skip(1).step_by(2) {
            let Some((file, test)) = span.split_once("::") else { continue };
            let code = read(&format!("crates/mugie/tests/cli/{file}.rs"));
            let is_function = code.contains(&format!("#[test]\nfn {test}() {{"));
            assert!(is_function || code.contains(&format!("    {test}: \"")), "`{span}`");
            tests += 1;
        }
    }
    assert!(tests > 50, "{tests}");
}

fn rust_files(directory: &Path, files: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(directory).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() && !path.ends_with("target") {
            rust_files(&path, files);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            files.push(path);
        }
    }
}

#[test]
fn every_path_in_the_documents_exists() {
    const TOP: [&str; 9] = [
        "book",
        "conformance",
        "crates",
        "docs",
        "examples",
        "fixtures",
        "fuzz",
        "scripts",
        "seeds",
    ];
    for document in ["README.md", "ARCHITECTURE.md", "CONTRIBUTING.md"] {
        for span in code_spans(&read(document)) {
            let first = span.split('/').next().unwrap_or_default();
            let is_path = TOP.contains(&first) && !span.contains(char::is_whitespace);
            if is_path && !span.contains("VERB") {
                assert!(root().join(span).exists(), "{document} names `{span}`");
            }
        }
    }
}

#[test]
fn every_link_in_the_documents_leads_somewhere() {
    for document in ["README.md", "ARCHITECTURE.md", "CONTRIBUTING.md"] {
        for link in read(document).split("](").skip(1) {
            let target = link.split(')').next().unwrap_or_default();
            if !target.starts_with("http") {
                assert!(root().join(target).exists(), "{document} links to {target}");
            }
        }
    }
}

#[test]
fn every_module_says_what_it_is_for() {
    let mut files = Vec::new();
    for directory in ["crates", "fuzz/src", "fuzz/fuzz_targets"] {
        rust_files(&root().join(directory), &mut files);
    }
    assert!(files.len() > 10);
    for file in files {
        let text = fs::read_to_string(&file).unwrap();
        assert!(text.starts_with("//! "), "{} does not start with `//!`", file.display());
    }
}

/// Phrases that need the code to be understood, with what to write instead.
const RIDDLES: [(&str, &str); 3] = [
    ("so ma\u{6e}y ", "the number, or what it is a number of"),
    ("that wh\u{69}ch ", "the name of the thing"),
    ("those wh\u{69}ch ", "the name of the things"),
];

#[test]
fn comments_and_documents_speak_plainly() {
    let mut files = Vec::new();
    rust_files(&root().join("crates"), &mut files);
    files.extend(["README.md", "ARCHITECTURE.md", "CONTRIBUTING.md"].map(|name| root().join(name)));
    for folder in ["book/src", "docs/decisions"] {
        let pages = fs::read_dir(root().join(folder)).unwrap().map(|entry| entry.unwrap().path());
        files.extend(pages.filter(|path| path.extension().is_some_and(|it| it == "md")));
    }
    for file in files {
        let text = fs::read_to_string(&file).unwrap();
        for (riddle, instead) in RIDDLES {
            let line = text.lines().position(|line| line.contains(riddle));
            let place = line.map(|line| format!("{}:{}", file.display(), line + 1));
            assert_eq!(place, None, "`{}`: write {instead}", riddle.trim());
        }
    }
}

#[test]
fn every_folder_is_on_the_map_once() {
    let map = read("ARCHITECTURE.md");
    let rows: Vec<_> = map.lines().filter_map(|line| line.strip_prefix("| `")).collect();
    let paths: Vec<_> = rows.iter().filter_map(|row| row.split('`').next()).collect();
    for (number, path) in paths.iter().enumerate() {
        assert!(!paths[..number].contains(path), "ARCHITECTURE.md has {path} twice");
    }
    for entry in fs::read_dir(root()).unwrap() {
        let entry = entry.unwrap();
        let name = entry.file_name().into_string().unwrap();
        if entry.path().is_dir() && !name.starts_with('.') && name != "target" {
            let is_there = paths.iter().any(|path| path.split('/').next() == Some(&name));
            assert!(is_there, "ARCHITECTURE.md does not name {name}");
        }
    }
}

#[test]
fn every_column_of_the_store_is_in_the_book() {
    let source = read("crates/mugie-campaign/src/store.rs");
    let page = read("book/src/store.md");
    let mut tables = 0;
    // Tables that a migration also creates have their columns in constants of their own.
    let own = ["SEED", "MUTANT"].map(|name| {
        let (_, rest) = source.split_once(&format!("const {name}: &str = \"(\n")).unwrap();
        (name.to_lowercase(), rest)
    });
    let others = source.split("\nCREATE TABLE ").skip(1).map(|table| {
        let (name, rest) = table.split_once(" (\n").unwrap();
        (name.to_owned(), rest)
    });
    for (name, rest) in others.chain(own) {
        let (columns, _) = rest.split_once("\n)").unwrap();
        let section = page.split("\n## ").find(|section| {
            section.lines().next().is_some_and(|head| head.contains(&format!("`{name}`")))
        });
        let section = section.unwrap_or_else(|| panic!("book/src/store.md lacks table {name}"));
        for column in columns.split([',', '\n']).filter_map(|part| part.split_whitespace().next()) {
            // Constraints are in capital letters and only repeat the names of columns.
            if column.chars().all(|letter| letter.is_ascii_lowercase() || letter == '_') {
                let is_there = section.contains(&format!("`{column}`"));
                assert!(is_there, "book/src/store.md lacks column {name}.{column}");
            }
        }
        tables += 1;
    }
    assert!(tables >= 8);
}

#[test]
fn every_crate_is_on_the_map() {
    let map = read("ARCHITECTURE.md");
    for entry in fs::read_dir(root().join("crates")).unwrap() {
        let name = entry.unwrap().file_name().into_string().unwrap();
        assert!(map.contains(&format!("`crates/{name}")), "ARCHITECTURE.md does not name {name}");
    }
}

#[test]
fn the_book_has_the_one_table_of_answers() {
    let page = read("book/src/reading-a-result.md");
    let rows: Vec<String> = page
        .lines()
        .filter(|line| line.starts_with("| ") && line.contains(" | `"))
        .filter_map(|line| line.rsplit_once(" | ").map(|(start, _)| start.to_owned()))
        .collect();
    let mut expected: Vec<String> = mugie_core::Answer::ALL
        .iter()
        .map(|answer| {
            let name = serde_json::to_value(answer).unwrap();
            format!("| {} | `{}`", answer.exit().code(), name.as_str().unwrap())
        })
        .collect();
    expected.sort_by_key(|row| row.chars().nth(2));
    assert_eq!(rows, expected);
}

/// The crates between the core and the binary, the core included.
const MIDDLE: [&str; 8] = [
    "mugie-core",
    "mugie-verifiers",
    "mugie-stats",
    "mugie-exec",
    "mugie-experiment",
    "mugie-results",
    "mugie-campaign",
    "mugie-report",
];

/// The crates that depend on a particular language.
const LANGUAGES: [&str; 3] = ["bpl-syntax", "bpl-check", "mugie-boogie"];

/// The names of all crates that a crate is built from, itself included.
fn built_from(name: &str) -> BTreeSet<String> {
    let mut cargo = Command::new(env!("CARGO"));
    cargo.args(["tree", "--offline", "-e", "normal", "--prefix", "none", "-p", name]);
    let output = cargo.current_dir(root()).output().unwrap();
    assert!(output.status.success(), "{output:?}");
    let text = String::from_utf8(output.stdout).unwrap();
    let names: BTreeSet<String> =
        text.lines().filter_map(|line| line.split(' ').next()).map(str::to_owned).collect();
    assert!(names.contains(name), "{text}");
    names
}

#[test]
fn no_crate_between_the_core_and_the_binary_is_built_from_a_language() {
    for name in MIDDLE {
        let crates = built_from(name);
        for language in LANGUAGES {
            assert!(!crates.contains(language), "{name} is built from {language}");
        }
    }
    // The names above are real crates, all of them in the binary.
    let binary = built_from("mugie");
    assert!(LANGUAGES.iter().chain(&MIDDLE).all(|name| binary.contains(*name)), "{binary:?}");
}

#[test]
fn results_and_reports_are_built_without_a_database() {
    for name in ["mugie-core", "mugie-verifiers", "mugie-stats", "mugie-results", "mugie-report"] {
        let crates = built_from(name);
        for database in ["rusqlite", "libsqlite3-sys"] {
            assert!(!crates.contains(database), "{name} is built from {database}");
        }
    }
    assert!(built_from("mugie-campaign").contains("rusqlite"));
}

#[test]
fn the_core_is_built_from_no_other_crate_of_the_project() {
    let crates = built_from("mugie-core");
    let own: Vec<&String> = crates.iter().filter(|name| name.starts_with("mugie")).collect();
    assert_eq!(own, ["mugie-core"]);
}

/// The files of a crate that are compiled only for its tests: test modules in separate files.
fn test_files(files: &[PathBuf]) -> BTreeSet<PathBuf> {
    let mut found = BTreeSet::new();
    for file in files {
        let text = fs::read_to_string(file).unwrap();
        let lines: Vec<&str> = text.lines().collect();
        for pair in lines.windows(2) {
            let is_test = pair[0].starts_with("#[cfg(test)]") || pair[0].contains("cfg(any(test");
            let name = pair[1].strip_suffix(';').and_then(|line| line.split("mod ").nth(1));
            if let Some(name) = name.filter(|_| is_test) {
                found.insert(file.with_file_name(format!("{name}.rs")));
                found.insert(file.with_extension("").join(format!("{name}.rs")));
            }
        }
    }
    found
}

/// The lines of a file that are neither comments nor in its test module, which comes last.
fn code_lines(text: &str) -> impl Iterator<Item = &str> {
    let end = text.find("\n#[cfg(test)]\nmod ").or_else(|| text.find("\n#[cfg(test)]\npub"));
    let code = &text[..end.unwrap_or(text.len())];
    code.lines().filter(|line| !line.trim_start().starts_with("//"))
}

#[test]
fn no_crate_between_the_core_and_the_binary_names_a_language() {
    // The exceptions: the file, and a part of the line.
    let allowed = [
        // Stores from before there was a choice of languages are read as Boogie.
        ("mugie-campaign/src/migrate.rs", "const LANGUAGE"),
        // The default verifier of a tool in a plan, also used in the template for new plans.
        ("mugie-campaign/src/plan.rs", "boogie"),
        // What to do about a file of another language.
        ("mugie-experiment/src/foreign.rs", "Boogie"),
        // The commented-out examples in the template.
        ("mugie-campaign/src/plan.rs", ".bpl\\\""),
    ];
    let mut used: BTreeSet<(&str, &str)> = BTreeSet::new();
    for name in MIDDLE.into_iter().filter(|name| *name != "mugie-verifiers") {
        let mut files = Vec::new();
        rust_files(&root().join("crates").join(name).join("src"), &mut files);
        let of_tests = test_files(&files);
        for file in files.iter().filter(|file| !of_tests.contains(*file)) {
            let text = fs::read_to_string(file).unwrap();
            for line in code_lines(&text) {
                let line = line.trim();
                let low = line.to_lowercase();
                if !low.contains("boogie") && !low.contains("bpl") {
                    continue;
                }
                let is_allowed =
                    |(place, words): &&(&str, &str)| file.ends_with(place) && line.contains(words);
                let exception = allowed.iter().find(is_allowed);
                assert!(exception.is_some(), "{}: {line}", file.display());
                used.extend(exception);
            }
        }
    }
    assert_eq!(used.len(), allowed.len(), "{used:?}: what nobody needs must not be allowed");
}

#[test]
fn nothing_but_the_command_line_knows_commands() {
    for entry in fs::read_dir(root().join("crates/mugie/src")).unwrap() {
        let path = entry.unwrap().path();
        let is_helper = path.extension().is_some_and(|extension| extension == "rs")
            && !path.ends_with("cli.rs");
        if is_helper {
            let text = fs::read_to_string(&path).unwrap();
            assert!(!text.contains("crate::commands"), "{} imports a command", path.display());
        }
    }
    let test = read("crates/mugie/src/commands/test.rs");
    assert!(test.lines().count() < 350, "{} lines", test.lines().count());
}

#[test]
fn make_update_writes_all_that_tests_compare_with() {
    let script = read("scripts/update");
    let (_, names) = script.split_once("\ntests=(").unwrap();
    let names: Vec<&str> = names.split(')').next().unwrap().split(' ').collect();
    let mut files = Vec::new();
    rust_files(&root().join("crates"), &mut files);
    let mut found = 0;
    for file in files.iter().filter(|file| !file.ends_with("tidy.rs")) {
        let text = fs::read_to_string(file).unwrap();
        let reads = text.contains("env::var(\"UPDATE\").as_deref() == Ok(\"1\")");
        let compares = text.contains("assert_snapshot!(") && text.contains("the_manual");
        if !reads && !compares {
            assert!(!text.contains("\"UPDATE_"), "{}: there is one UPDATE", file.display());
            continue;
        }
        found += 1;
        let tests = text.lines().filter_map(|line| line.trim_start().strip_prefix("fn "));
        let runs = tests.filter(|test| names.iter().any(|name| test.contains(name))).count();
        assert!(runs > 0, "{}: scripts/update runs no test of it", file.display());
        let parts: Vec<_> = file.iter().filter_map(|part| part.to_str()).collect();
        if let Some(at) = parts.iter().rposition(|part| *part == "tests") {
            let target = format!(" --test {} ", parts[at + 1].trim_end_matches(".rs"));
            assert!(script.contains(&target), "scripts/update lacks{target}");
        }
    }
    assert!(found >= 7, "{found}");
}

/// The crates that open no files, start no processes, read no clock and print nothing.
const PURE: [&str; 12] = [
    "bpl-syntax",
    "bpl-check",
    "smt-syntax",
    "mugie-core",
    "mugie-boogie",
    "mugie-smtlib",
    "mugie-dafny",
    "mugie-viper",
    "mugie-whyml",
    "mugie-results",
    "mugie-stats",
    "mugie-report",
];

#[test]
fn pure_crates_have_the_lints_of_pure_crates() {
    let lints = read("clippy.pure.toml");
    for line in read("clippy.toml").lines() {
        assert!(lints.contains(line), "clippy.pure.toml lacks {line}");
    }
    for name in PURE {
        assert_eq!(read(&format!("crates/{name}/clippy.toml")), lints, "crates/{name}/clippy.toml");
    }
    let document = read("ARCHITECTURE.md");
    let (_, names) = document.split_once("**Libraries are pure.**").unwrap();
    let names: Vec<&str> = code_spans(names).into_iter().take(PURE.len()).collect();
    assert_eq!(names, PURE, "ARCHITECTURE.md has another list");
}

/// The packages that are needed to build and test the workspace on this machine.
fn packages() -> Vec<serde_json::Value> {
    let run = |arguments: &[&str]| {
        let output =
            Command::new(env!("CARGO")).args(arguments).current_dir(root()).output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).unwrap()
    };
    // Without a platform, cargo would need the packages of all platforms.
    let version = run(&["--version", "--verbose"]);
    let host = version.lines().find_map(|line| line.strip_prefix("host: ")).unwrap();
    let arguments = ["metadata", "--format-version=1", "--locked", "--offline"];
    let metadata = run(&[&arguments[..], &["--filter-platform", host]].concat());
    let metadata: serde_json::Value = serde_json::from_str(&metadata).unwrap();
    metadata["packages"].as_array().unwrap().clone()
}

/// The strings in an array of `deny.toml`: its items, or their values under a key.
fn denied(section: &str, list: &str, key: Option<&str>) -> Vec<String> {
    let file: toml::Table = toml::from_str(&read("deny.toml")).unwrap();
    let items = file[section][list].as_array().unwrap();
    let text = |item: &toml::Value| key.map_or(item, |key| &item[key]).as_str().unwrap().to_owned();
    items.iter().map(text).collect()
}

/// Parses a licence expression such as `(MIT OR Apache-2.0) AND ISC`. Returns whether the allowed
/// licences satisfy it.
fn suffices(words: &mut &[&str], allowed: &[String]) -> bool {
    let mut any = false;
    loop {
        let mut all = true;
        loop {
            let (word, rest) = words.split_first().unwrap();
            *words = rest;
            if *word == "(" {
                all &= suffices(words, allowed);
                *words = &words[1..];
            } else if let ["WITH", exception, rest @ ..] = words {
                all &= allowed.contains(&format!("{word} WITH {exception}"));
                *words = rest;
            } else {
                all &= allowed.iter().any(|name| name == word);
            }
            let Some(rest) = words.strip_prefix(&["AND"]) else { break };
            *words = rest;
        }
        any |= all;
        let Some(rest) = words.strip_prefix(&["OR"]) else { return any };
        *words = rest;
    }
}

fn is_licensed(expression: &str, allowed: &[String]) -> bool {
    let spaced = expression.replace('(', " ( ").replace(')', " ) ").replace('/', " OR ");
    let words: Vec<&str> = spaced.split_whitespace().collect();
    suffices(&mut &words[..], allowed)
}

#[test]
fn licences_are_read() {
    let allowed = ["MIT", "ISC", "Apache-2.0 WITH LLVM-exception"].map(str::to_owned);
    for right in ["MIT", "GPL-3.0 OR MIT", "GPL-3.0/MIT", "(GPL-3.0 OR MIT) AND ISC"] {
        assert!(is_licensed(right, &allowed), "{right}");
    }
    assert!(is_licensed("Apache-2.0 WITH LLVM-exception OR X", &allowed));
    for wrong in ["GPL-3.0", "MIT AND GPL-3.0", "Apache-2.0", "(GPL-3.0 OR X) AND MIT"] {
        assert!(!is_licensed(wrong, &allowed), "{wrong}");
    }
}

#[test]
fn every_package_has_a_licence_that_is_allowed() {
    let allowed = denied("licenses", "allow", None);
    let mut exceptions = denied("licenses", "exceptions", Some("crate"));
    let shipped = built_from("mugie");
    for package in packages() {
        let name = package["name"].as_str().unwrap();
        let licence = package["license"].as_str().unwrap_or_default();
        if !licence.is_empty() && is_licensed(licence, &allowed) {
            continue;
        }
        let exception = exceptions.iter().position(|exception| exception == name);
        let exception = exception.unwrap_or_else(|| panic!("{name}: {licence} is not allowed"));
        exceptions.remove(exception);
        assert!(!shipped.contains(name), "{name}: {licence} gets into the binary");
    }
    assert_eq!(exceptions, [""; 0], "deny.toml has exceptions that nobody needs");
}

#[test]
fn every_package_is_there_in_one_version_or_has_an_excuse() {
    let packages = packages();
    let skipped = denied("bans", "skip", Some("crate"));
    let mut used = BTreeSet::new();
    let mut seen = BTreeSet::new();
    for package in &packages {
        let (name, version) =
            (package["name"].as_str().unwrap(), package["version"].as_str().unwrap());
        let is_excused = |skip: &&String| {
            let (of, versions) = skip.split_once(':').unwrap();
            of == name && version.strip_prefix(versions).is_some_and(|rest| rest.starts_with('.'))
        };
        match skipped.iter().find(is_excused) {
            Some(skip) => _ = used.insert(skip.as_str()),
            None => assert!(seen.insert(name), "{name} {version} is there in another version, too"),
        }
    }
    let useless: Vec<_> = skipped.iter().filter(|skip| !used.contains(skip.as_str())).collect();
    assert!(useless.is_empty(), "deny.toml skips {useless:?}, which nobody needs");
}

#[test]
fn every_package_comes_from_a_registry_or_this_workspace() {
    for package in packages() {
        let name = package["name"].as_str().unwrap();
        let source = package["source"].as_str();
        assert!(source.is_none_or(|source| source.starts_with("registry+")), "{name}: {source:?}");
        for dependency in package["dependencies"].as_array().unwrap() {
            let is_own = source.is_none() && dependency["path"].is_null();
            assert!(!is_own || dependency["req"] != "*", "{name} takes any {}", dependency["name"]);
        }
    }
}

#[test]
fn the_oldest_compiler_that_is_promised_is_the_one_that_tests_are_built_with() {
    let manifest: toml::Table = toml::from_str(&read("Cargo.toml")).unwrap();
    let promised = manifest["workspace"]["package"]["rust-version"].as_str().unwrap();
    let toolchain: toml::Table = toml::from_str(&read("rust-toolchain.toml")).unwrap();
    let used = toolchain["toolchain"]["channel"].as_str().unwrap();
    assert!(used == promised || used.starts_with(&format!("{promised}.")), "{promised}, {used}");
}
