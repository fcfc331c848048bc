//! Builds the book: `cargo run -p mugie-book` writes it to `target/book`, and fails on every warning
//! and every dead link. `make update` writes the generated pages.
//!
//! This is a separate program, so that building mugie does not require mdBook. It knows the
//! operators and nothing else of mugie; the tests of mugie check that the commands in the book work.

mod generated;
mod links;
mod render;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

fn main() -> anyhow::Result<ExitCode> {
    let root = root();
    let mut complaints = outdated(&root)?;
    let folder = root.join("target/book");
    complaints.extend(render::build(&root.join("book"), &folder)?);
    complaints.extend(links::dead(&folder)?);
    for complaint in &complaints {
        tell(complaint);
    }
    if complaints.is_empty() {
        tell(&format!("the book is in {}", folder.join("index.html").display()));
    }
    Ok(if complaints.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// The root of the project.
fn root() -> PathBuf {
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).parent();
    crates.and_then(Path::parent).unwrap_or(Path::new(".")).to_owned()
}

/// The generated pages that are out of date, or whose operator no longer exists.
fn outdated(root: &Path) -> anyhow::Result<Vec<String>> {
    let mut complaints = Vec::new();
    let pages = generated::pages(root)?;
    for (path, text) in &pages {
        if fs::read_to_string(root.join(path)).ok().as_ref() != Some(text) {
            complaints.push(format!("{} is out of date: run `make update`", path.display()));
        }
    }
    for path in generated::present(root)? {
        if !pages.iter().any(|(page, _)| *page == path) {
            complaints.push(format!("{} belongs to no operator: remove it", path.display()));
        }
    }
    Ok(complaints)
}

#[expect(clippy::print_stderr, reason = "the one place that talks")]
fn tell(words: &str) {
    eprintln!("{words}");
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_from_the_code_are_as_recorded() {
        if std::env::var("UPDATE").as_deref() == Ok("1") {
            for (path, text) in generated::pages(&root()).unwrap() {
                fs::write(root().join(path), text).unwrap();
            }
        }
        assert_eq!(outdated(&root()).unwrap(), [""; 0]);
    }

    #[test]
    fn book_builds_without_warnings_and_has_no_dead_links() {
        let folder = root().join("target/book");
        assert_eq!(render::build(&root().join("book"), &folder).unwrap(), [""; 0]);
        assert_eq!(links::dead(&folder).unwrap(), [""; 0]);
    }

    #[test]
    fn every_page_is_a_chapter() {
        let summary = fs::read_to_string(root().join("book/src/SUMMARY.md")).unwrap();
        let source = root().join("book/src");
        for folder in [source.clone(), source.join("operators")] {
            for entry in fs::read_dir(folder).unwrap() {
                let path = entry.unwrap().path();
                let page = path.strip_prefix(&source).unwrap().to_str().unwrap().to_owned();
                let is_page = path.extension().is_some_and(|extension| extension == "md");
                if is_page && page != "SUMMARY.md" {
                    assert!(summary.contains(&format!("({page})")), "SUMMARY.md lacks {page}");
                }
            }
        }
    }
}
