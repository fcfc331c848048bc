//! Ahead-of-time compiled images of programs for Mono.
//!
//! Mono compiles a program anew in every process, which is half of the time of a small run of
//! Boogie. An image of an assembly, made once by Mono itself, saves this time. Mono uses an image
//! only if it was made from exactly the assembly that it loads, so the program stays the same.
//!
//! This module knows how Mono is used. It must not know which verifier is which.

use std::env;
use std::ffi::OsString;
use std::fs;
use std::io::{self, Read as _};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use crate::claim;
use crate::input;
use crate::run::{CommandLine, Ending, Limits};
use crate::supervise::Supervisor;
use crate::verifier::field;

/// Name of the folder of images in a cache.
const FOLDER: &str = "images";

/// The variable with options for Mono.
const OPTIONS: &str = "MONO_ENV_OPTIONS";

/// Where Mono keeps its own assemblies.
const LIBRARIES: &str = "/usr/lib/mono/gac";

/// Assemblies of Mono that verifiers use and that come without an image. The last two are needed to
/// find out that there is nothing to configure.
const LIBRARY_NAMES: [&str; 6] = [
    "System.Core",
    "System",
    "System.Numerics",
    "System.Runtime.Caching",
    "System.Configuration",
    "System.Xml",
];

/// Bytes read of a script that starts a program; such scripts are short.
const MAX_SCRIPT: u64 = 4096;

/// Time limit for compiling one image.
const TIME: Duration = Duration::from_mins(2);

/// The images of a program that Mono runs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Images {
    mono: PathBuf,
    folder: PathBuf,
    assemblies: Vec<PathBuf>,
}

impl Images {
    /// The images of a program, in a folder of their own in a cache, or `None` if Mono does not run
    /// the program.
    pub fn new(program: &Path, cache: &Path) -> Option<Images> {
        let (mono, executable) = started_by(program)?;
        let mut assemblies = vec![executable.clone()];
        let beside = fs::read_dir(executable.parent()?).ok()?;
        let beside = beside.filter_map(Result::ok).map(|entry| entry.path());
        assemblies.extend(beside.filter(|path| path.extension().is_some_and(|it| it == "dll")));
        assemblies.extend(LIBRARY_NAMES.iter().filter_map(|name| library(name)));
        assemblies.sort();
        let folder = cache.join(FOLDER).join(key(&mono, &assemblies)?);
        // The path is passed to Mono in a string of options, so it must not contain separators.
        let is_plain =
            |text: &str| !text.contains(|c: char| c.is_whitespace() || ":'\"\\".contains(c));
        let is_usable = folder.is_absolute() && folder.to_str().is_some_and(is_plain);
        is_usable.then_some(Images { mono, folder, assemblies })
    }

    /// The variable that tells Mono where the images of some programs are, or `None` for no
    /// programs. It may be set before the images are made.
    pub fn environment(of: &[Images]) -> Option<(OsString, OsString)> {
        let mut options = env::var_os(OPTIONS).unwrap_or_default();
        for (place, images) in of.iter().enumerate() {
            options.push(if place == 0 { " --aot-path=" } else { ":" });
            options.push(&images.folder);
        }
        (!of.is_empty()).then_some((OPTIONS.into(), options))
    }

    /// The images that are missing.
    fn missing(&self) -> impl Iterator<Item = (&Path, PathBuf)> {
        let images = self.assemblies.iter().filter_map(|assembly| {
            let mut name = assembly.file_name()?.to_owned();
            name.push(".so");
            Some((assembly.as_path(), self.folder.join(name)))
        });
        images.filter(|(_, image)| !image.exists())
    }

    /// Whether all images exist.
    pub fn are_made(&self) -> bool {
        self.missing().next().is_none()
    }

    /// Makes the missing images one after the other, until the supervisor is cancelled. Returns the
    /// error of the first one that cannot be made.
    pub fn make(&self, supervisor: &Supervisor) -> io::Result<()> {
        // Private, because the content will be run.
        claim::create_private(&self.folder)?;
        let drafts = claim::Folder::new_in(&self.folder, claim::IMAGES, 0o700)?;
        let mut made = Ok(());
        for (assembly, image) in self.missing() {
            let draft = drafts.path().join(image.file_name().unwrap_or_default());
            let one = self.make_one(assembly, &draft, supervisor);
            made = made.and(one.and_then(|()| fs::rename(&draft, &image)));
        }
        made
    }

    /// Removes unfinished images that killed processes left in a cache.
    pub fn sweep(cache: &Path) {
        let Ok(folders) = fs::read_dir(cache.join(FOLDER)) else { return };
        for folder in folders.filter_map(Result::ok) {
            claim::sweep(&folder.path(), claim::IMAGES);
        }
    }

    fn make_one(&self, assembly: &Path, draft: &Path, supervisor: &Supervisor) -> io::Result<()> {
        let mut option = OsString::from("--aot=outfile=");
        option.push(draft);
        // With low priority, so that verifier runs go first.
        let words: [&std::ffi::OsStr; 5] =
            ["-n".as_ref(), "19".as_ref(), self.mono.as_ref(), &option, assembly.as_ref()];
        let command = CommandLine {
            program: PathBuf::from("/usr/bin/nice"),
            arguments: words.map(OsString::from).into(),
            directory: draft.parent().unwrap_or(&self.folder).to_owned(),
            environment: Vec::new(),
        };
        let run = supervisor.run(&command, &Limits { time: TIME, ..Limits::default() });
        let is_there = fs::metadata(draft).is_ok_and(|file| file.len() > 0);
        if run.ending == Ending::Exited(0) && is_there {
            return Ok(());
        }
        let last =
            run.stdout.text.lines().chain(run.stderr.text.lines()).last().unwrap_or_default();
        Err(io::Error::other(format!("Mono cannot compile {}: {last}", assembly.display())))
    }
}

/// If a program is a script that runs an assembly with Mono: the paths of Mono and of the assembly.
fn started_by(program: &Path) -> Option<(PathBuf, PathBuf)> {
    let mut text = String::new();
    input::open(program).ok()?.take(MAX_SCRIPT).read_to_string(&mut text).ok()?;
    if !text.starts_with("#!") {
        return None;
    }
    let words: Vec<&str> =
        text.split_whitespace().map(|word| word.trim_matches(['"', '\''])).collect();
    let (mono, executable) = words.windows(2).find_map(|pair| {
        let [mono, executable] = pair else { return None };
        let name = Path::new(mono).file_name()?.to_str()?;
        (matches!(name, "mono" | "cli")
            && Path::new(executable).extension().is_some_and(|it| it == "exe"))
        .then_some((*mono, *executable))
    })?;
    let (mono, executable) = (PathBuf::from(mono), PathBuf::from(executable));
    (mono.is_absolute() && mono.exists() && executable.is_file()).then_some((mono, executable))
}

/// The path of one of Mono's own assemblies.
fn library(name: &str) -> Option<PathBuf> {
    let versions = fs::read_dir(Path::new(LIBRARIES).join(name)).ok()?.filter_map(Result::ok);
    let version = versions.map(|entry| entry.path()).find(|path| {
        path.file_name().is_some_and(|name| name.to_string_lossy().starts_with("4.0"))
    })?;
    Some(version.join(format!("{name}.dll"))).filter(|path| path.is_file())
}

/// A name for the images of these assemblies made by this Mono on this kind of processor.
fn key(mono: &Path, assemblies: &[PathBuf]) -> Option<String> {
    let mut hasher = blake3::Hasher::new_derive_key("mugie 1 images");
    for path in [mono].into_iter().chain(assemblies.iter().map(PathBuf::as_path)) {
        let metadata = fs::metadata(path).ok()?;
        let modified = metadata.modified().ok()?.duration_since(SystemTime::UNIX_EPOCH).ok()?;
        field(&mut hasher, path.as_os_str().as_encoded_bytes());
        field(&mut hasher, &metadata.len().to_le_bytes());
        field(&mut hasher, &modified.as_nanos().to_le_bytes());
    }
    let processor = fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let flags = processor.lines().find(|line| line.starts_with("flags"));
    field(&mut hasher, flags.unwrap_or_default().as_bytes());
    let mut name = hasher.finalize().to_hex().to_string();
    name.truncate(16);
    Some(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_scripts_that_start_mono_have_images() {
        let folder = tempfile::tempdir().unwrap();
        let (script, assembly) = (folder.path().join("boogie"), folder.path().join("Boogie.exe"));
        let mono = folder.path().join("mono");
        for file in [&assembly, &mono, &folder.path().join("Core.dll")] {
            fs::write(file, "").unwrap();
        }
        let (started, runs) = (assembly.display(), mono.display());
        for (text, is_mono) in [
            (format!("#!/bin/sh\nexec {runs} \"{started}\" /x \"$@\"\n"), true),
            (format!("exec {runs} {started}"), false),
            (format!("#!/bin/sh\nexec {runs} /none/Boogie.exe\n"), false),
            (format!("#!/bin/sh\nexec python {started}\n"), false),
            ("\u{7f}ELF".to_owned(), false),
        ] {
            fs::write(&script, &text).unwrap();
            let images = Images::new(&script, folder.path());
            assert_eq!(images.is_some(), is_mono, "{text}");
            let Some(images) = images else { continue };
            assert!(!images.are_made());
            let (name, value) = Images::environment(&[images]).unwrap();
            assert_eq!(name, OPTIONS);
            assert!(value.to_str().unwrap().contains(folder.path().to_str().unwrap()));
            assert_eq!(Images::new(&script, &folder.path().join("with space")), None);
        }
        assert_eq!(Images::environment(&[]), None);
    }

    #[test]
    fn another_assembly_has_other_images() {
        let folder = tempfile::tempdir().unwrap();
        let [one, two] = ["one", "two"].map(|name| folder.path().join(name));
        fs::write(&one, "1").unwrap();
        fs::write(&two, "2").unwrap();
        let before = key(&one, std::slice::from_ref(&two));
        assert_eq!(before, key(&one, std::slice::from_ref(&two)));
        fs::write(&two, "longer").unwrap();
        assert_ne!(before, key(&one, &[two]));
    }
}
