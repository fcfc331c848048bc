//! Dafny as a front door: from `.dfy` files, or a project, to the Boogie programs that Dafny verifies, and back.
//!
//! [`FrontDoor::open`] has Dafny print one Boogie program per module and collects what Boogie needs to verify
//! them as Dafny does; [`FrontDoor::own_run`] reports Dafny's own verdicts, resource counts and queries.
//! The two together show whether a test of the printed program is a test of the user's verifier.
//!
//! This crate must not know how mugie runs or compares anything: programs are run, found and files read through the
//! [`DoorRequest`]. The command lines of Dafny's versions are in `tool.rs`, nowhere else.

mod back;
mod guards;
mod implementations;
mod log;
mod options;
mod own;
mod places;
mod tool;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use mugie_core::{
    DoorError, DoorRequest, FrontDoor, Opened, OwnRun, SourceText, ToolRun, VerifierNeeds,
    bare_name, quoted_after,
};

use back::DafnyBack;
use options::Options;
use tool::Tool;

/// The front door for Dafny.
pub static DAFNY: &dyn FrontDoor = &Dafny;

/// The front door for Dafny.
#[derive(Debug)]
struct Dafny;

/// The name of Dafny's project files.
const PROJECT: &str = "dfyconfig.toml";

/// The stem of the files to which Dafny prints Boogie programs.
const PRINTED: &str = "mugie-printed";

impl FrontDoor for Dafny {
    fn id(&self) -> &'static str {
        "dafny"
    }

    fn title(&self) -> &'static str {
        "Dafny"
    }

    fn extensions(&self) -> &'static [&'static str] {
        &["dfy"]
    }

    fn file_names(&self) -> &'static [&'static str] {
        &[PROJECT]
    }

    fn included(&self, name: &str, text: &str) -> Vec<String> {
        if name != PROJECT {
            return quoted_after(text, "include");
        }
        // A project may name its files by patterns; what is outside of its folder is named by a path.
        let above = text.split('"').skip(1).step_by(2).filter(|path| path.starts_with(".."));
        let above = above.map(|path| match path.find(['*', '?', '[']) {
            Some(pattern) => path[..pattern].rsplit_once('/').map_or(path, |(folder, _)| folder),
            None => path,
        });
        std::iter::once(".").chain(above).map(str::to_owned).collect()
    }

    fn open(&self, files: &[PathBuf], request: &DoorRequest<'_>) -> Result<Vec<Opened>, DoorError> {
        let tool = Tool::find(request)?;
        let options = Options::of(files, request)?;
        let run = tool.run(request, &tool.print_arguments(&absolute(files)?, &options))?;
        let printed = printed(&run);
        if printed.is_empty() {
            return Err(tool.complaint(&run, "Dafny prints no Boogie program"));
        }
        let name = files.first().map(|file| mugie_core::path_name(file)).unwrap_or_default();
        let is_alone = printed.len() == 1;
        let needs = VerifierNeeds {
            profile: tool.profile(),
            program: tool.neighbour(request),
            ..options.needs(&tool, request)
        };
        let sources: Vec<PathBuf> = files.to_vec();
        let opened = printed.into_iter().map(|(module, text)| {
            let name = if is_alone { name.clone() } else { format!("{name}:{module}") };
            let stem = name.replace(['/', '\\', ':'], "_");
            Opened {
                tool: tool.title(),
                back: Arc::new(DafnyBack::new(&text, &sources)),
                name,
                language: "boogie",
                files: vec![SourceText { name: format!("{stem}.bpl"), bytes: text.into_bytes() }],
                verifier: needs.clone(),
            }
        });
        Ok(opened.collect())
    }

    fn own_run(
        &self,
        files: &[PathBuf],
        request: &DoorRequest<'_>,
    ) -> Result<Option<OwnRun>, DoorError> {
        let tool = Tool::find(request)?;
        let options = Options::of(files, request)?;
        let solver = options.solver(&tool, request);
        let arguments = tool.verify_arguments(&absolute(files)?, &options, solver.as_deref());
        let run = tool.run(request, &arguments)?;
        own::read(&tool, &run, files).map(Some)
    }
}

/// The printed programs of a run, by module; the nameless module is `_module`.
fn printed(run: &ToolRun) -> Vec<(String, String)> {
    let module = |name: &str| {
        let rest = bare_name(name).strip_prefix(PRINTED)?.strip_suffix(".bpl")?;
        Some(rest.strip_prefix('_').unwrap_or("_module").to_owned())
    };
    run.files
        .iter()
        .filter_map(|(name, text)| Some((module(name)?, guards::resolved(text))))
        .collect()
}

/// The files by absolute paths: Dafny runs in another folder.
fn absolute(files: &[PathBuf]) -> Result<Vec<String>, DoorError> {
    let text = |file: &PathBuf| {
        let path = std::path::absolute(file).ok();
        path.as_deref().and_then(Path::to_str).map(str::to_owned).ok_or_else(|| DoorError {
            reason: "Dafny cannot be given a file whose path is not valid text".to_owned(),
            help: Some("rename the file".to_owned()),
        })
    };
    files.iter().map(text).collect()
}
