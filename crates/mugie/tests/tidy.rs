//! What the documents promise about the files of the project.

#![expect(clippy::unwrap_used, reason = "a test may panic")]

use std::fs;
use std::path::{Path, PathBuf};

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
    let source = read("crates/mugie-campaign/src/campaign/store.rs");
    let page = read("book/src/store.md");
    let mut tables = 0;
    for table in source.split("\nCREATE TABLE ").skip(1) {
        let (name, rest) = table.split_once(" (\n").unwrap();
        let (columns, _) = rest.split_once("\n)").unwrap();
        let section = page.split("\n## ").find(|section| {
            section.lines().next().is_some_and(|head| head.contains(&format!("`{name}`")))
        });
        let section = section.unwrap_or_else(|| panic!("book/src/store.md lacks table {name}"));
        for column in columns.split([',', '\n']).filter_map(|part| part.split_whitespace().next()) {
            // Constraints are in capital letters, and repeat names of columns.
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
