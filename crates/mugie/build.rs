//! What the program carries with it: the shipped programs, and the commit that it was built from.
//!
//! The same source gives the same program: nothing here reads a clock. Without git the version is the
//! release alone, or what `MUGIE_BUILD` says, such as `8a7bf1b21 2026-11-16`.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs, io};

/// The folder with the shipped programs.
const SHIPPED: &str = "shipped";

fn main() -> io::Result<()> {
    let crate_folder = PathBuf::from(env::var_os("CARGO_MANIFEST_DIR").unwrap_or_default());
    let out = PathBuf::from(env::var_os("OUT_DIR").unwrap_or_default());
    println!("cargo::rerun-if-changed=build.rs");
    fs::write(out.join("shipped.rs"), shipped(&crate_folder.join(SHIPPED))?)?;
    let release = env::var("CARGO_PKG_VERSION").unwrap_or_default();
    let build = build(&crate_folder).map(|build| format!(" ({build})")).unwrap_or_default();
    println!("cargo::rustc-env=MUGIE_VERSION={release}{build}");
    Ok(())
}

/// The shipped programs as an expression of Rust: a list of paths and texts.
fn shipped(folder: &Path) -> io::Result<String> {
    let mut files = Vec::new();
    list(folder, &mut files)?;
    files.sort();
    let mut list = "&[\n".to_owned();
    for file in files {
        let path = file.strip_prefix(folder).unwrap_or(&file).display().to_string();
        let (path, file) = (path.replace('\\', "/"), file.display().to_string());
        let _ = writeln!(list, "    ({path:?}, include_str!({file:?})),");
    }
    Ok(list + "]\n")
}

fn list(folder: &Path, files: &mut Vec<PathBuf>) -> io::Result<()> {
    println!("cargo::rerun-if-changed={}", folder.display());
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            list(&path, files)?;
        } else {
            files.push(path);
        }
    }
    Ok(())
}

/// The commit and its date.
fn build(crate_folder: &Path) -> Option<String> {
    println!("cargo::rerun-if-env-changed=MUGIE_BUILD");
    if let Ok(build) = env::var("MUGIE_BUILD") {
        return Some(build).filter(|build| !build.is_empty());
    }
    // Cargo notes the commit, but not its date, in a package for a registry.
    if let Ok(note) = fs::read_to_string(crate_folder.join(".cargo_vcs_info.json")) {
        let (_, hash) = note.split_once("\"sha1\": \"")?;
        return hash.get(..9).map(ToOwned::to_owned);
    }
    // The source may be a copy that lies in somebody else's repository.
    let root = crate_folder.parent()?.parent()?;
    if !root.join(".git").exists() {
        return None;
    }
    let git = |arguments: &[&str]| {
        let output = Command::new("git").current_dir(root).args(arguments).output().ok()?;
        let text = String::from_utf8(output.stdout).ok()?;
        Some(text.trim().to_owned()).filter(|text| output.status.success() && !text.is_empty())
    };
    // Changes with every commit, checkout and merge.
    for name in ["HEAD", "logs/HEAD"] {
        let path = root.join(git(&["rev-parse", "--git-path", name])?);
        if path.exists() {
            println!("cargo::rerun-if-changed={}", path.display());
        }
    }
    git(&["log", "-1", "--abbrev=9", "--format=%h %cs"])
}
