//! Viper as a front door: from a `.vpr` file to the Boogie program that Viper's Carbon verifies, and back.
//!
//! [`FrontDoor::open`] has Carbon print the Boogie program; [`FrontDoor::own_run`] has Carbon verify the file, and reports its
//! errors, and the verdicts, resource counts and queries of the Boogie that it ran. The two together show whether a test of
//! the printed program is a test of the user's verifier.
//!
//! This crate must not know how mugie runs or compares anything: programs are run, found and files read through the
//! [`DoorRequest`]. The command lines of Carbon are in `tool.rs`, nowhere else.

mod back;
mod details;
mod names;
mod options;
mod own;
mod places;
mod printed;
mod tool;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use mugie_core::{
    DoorError, DoorRequest, FrontDoor, Opened, OwnRun, SourceText, VerifierNeeds, quoted_after,
};

use back::CarbonBack;
use names::FileNames;
use options::Options;
use tool::{PRINTED, Tool};

/// The front door for Viper.
pub static VIPER: &dyn FrontDoor = &Viper;

/// The front door for Viper.
#[derive(Debug)]
struct Viper;

impl FrontDoor for Viper {
    fn id(&self) -> &'static str {
        "viper"
    }

    fn title(&self) -> &'static str {
        "Carbon"
    }

    fn extensions(&self) -> &'static [&'static str] {
        &["vpr"]
    }

    fn included(&self, name: &str, text: &str) -> Vec<String> {
        let _ = name;
        quoted_after(text, "import")
    }

    fn open(&self, files: &[PathBuf], request: &DoorRequest<'_>) -> Result<Vec<Opened>, DoorError> {
        let options = Options::of(request)?;
        let tool = Tool::find(request, &options)?;
        let mut opened = Vec::new();
        for file in files {
            let run = tool.run(request, &tool.print_arguments(&absolute(file)?, &options))?;
            let Some(text) = run.files.get(PRINTED) else {
                return Err(tool.complaint(&run, "Carbon prints no Boogie program"));
            };
            let text = printed::without_circumstances(text);
            let name = mugie_core::path_name(file);
            let stem = name.replace(['/', '\\', ':'], "_");
            opened.push(Opened {
                tool: tool::title(&run),
                back: Arc::new(CarbonBack::new(&text, &FileNames::of(file, request))),
                name,
                language: "boogie",
                files: vec![SourceText { name: format!("{stem}.bpl"), bytes: text.into_bytes() }],
                verifier: VerifierNeeds { profile: Some("carbon"), ..options.needs(&tool) },
            });
        }
        Ok(opened)
    }

    fn own_run(
        &self,
        files: &[PathBuf],
        request: &DoorRequest<'_>,
    ) -> Result<Option<OwnRun>, DoorError> {
        let options = Options::of(request)?;
        let tool = Tool::find(request, &options)?;
        let mut all = OwnRun::default();
        for file in files {
            let run = tool.run(request, &tool.verify_arguments(&absolute(file)?, &options))?;
            let OwnRun { tool, goals, errors } =
                own::read(&tool, &run, &FileNames::of(file, request))?;
            all.tool = tool;
            all.goals.extend(goals);
            all.errors.extend(errors);
        }
        Ok(Some(all))
    }
}

/// A file by its absolute path: Carbon runs in another folder.
fn absolute(file: &Path) -> Result<String, DoorError> {
    let path = std::path::absolute(file).ok();
    path.as_deref().and_then(Path::to_str).map(str::to_owned).ok_or_else(|| DoorError {
        reason: "Carbon cannot be given a file whose path is not valid text".to_owned(),
        help: Some("rename the file".to_owned()),
    })
}
