//! The page of `mugie test --report`: the result as one HTML file.

use std::fs::{self, OpenOptions};
use std::io;
use std::path::Path;

use mugie_core::{About, Set};
use mugie_report::html;
use mugie_results::TestReport;

use crate::messages::{Trouble, shown};
use crate::output;
use crate::parts::languages;

/// Fails now rather than after the test if the page has no place. Nothing is changed.
pub(super) fn check(file: &Path) -> Result<(), Trouble> {
    let unwritable = |error: &io::Error| {
        Trouble::new(format!("{}: cannot write the file: {error}", shown(file)))
    };
    match fs::metadata(file) {
        Ok(found) if found.is_dir() => {
            Err(Trouble::new(format!("{}: is a directory", shown(file)))
                .help("name a file, such as `report.html` in it"))
        }
        Ok(found) if found.is_file() => match OpenOptions::new().write(true).open(file) {
            Ok(_) => Ok(()),
            Err(error) => Err(unwritable(&error).help("choose a place that you may write to")),
        },
        // A pipe or a device is not opened twice.
        Ok(_) => Ok(()),
        Err(_) => {
            let folder = file.parent().filter(|folder| !folder.as_os_str().is_empty());
            match fs::metadata(folder.unwrap_or(Path::new("."))) {
                Ok(found) if found.is_dir() => Ok(()),
                Ok(_) => Err(Trouble::new(format!(
                    "{}: cannot write the file: its folder is not a directory",
                    shown(file)
                ))),
                Err(error) => Err(unwritable(&error).help("create the directory first")),
            }
        }
    }
}

/// Writes the page.
pub(super) fn write(file: &Path, report: &TestReport) -> Result<(), Trouble> {
    let apart: Vec<&str> =
        languages().operators().filter(|about| about.set == Set::Apart).map(About::id).collect();
    output::replace(file, &html::test_report(report, &apart))?;
    output::talk(&format!("report in {}\n", shown(file)));
    Ok(())
}
