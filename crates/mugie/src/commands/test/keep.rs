//! The folder of `mugie test --out`: failing mutants, the verifier's output for them, and
//! `result.json`.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use mugie_core::tame;
use mugie_experiment::seed_test::{FlipArtifacts, SeedArtifacts};
use mugie_report::Format;
use mugie_results::TestReport;

use crate::calibration::{Calibrations, KeptQuery};
use crate::folder::Folder;
use crate::messages::Trouble;
use crate::mutants::RESULT;

/// Writes the folder.
pub(super) fn keep(
    out: &Path,
    force: bool,
    report: &TestReport,
    kept: &[SeedArtifacts],
    calibrations: &Calibrations,
) -> Result<(), Trouble> {
    let folder = Folder::start(out, RESULT, force)?;
    let mut measurements = String::new();
    let mut taken = Vec::new();
    for (seed, kept) in report.all_seeds().zip(kept) {
        for measurement in &kept.measurements {
            let line = serde_json::to_string(measurement).map_err(|e| no_json(&e))?;
            let _ = writeln!(measurements, "{line}");
        }
        if seed.flips.is_empty() {
            continue;
        }
        let name = folder_name(&seed.name, &mut taken);
        let text = mugie_report::in_full(report, seed, false);
        folder.write(&format!("{name}/report.txt"), &text)?;
        let extension = kept.seed.as_ref().map_or("txt", |seed| seed.extension());
        folder.write(&format!("{name}/seed.{extension}"), &kept.printed)?;
        for (flip, FlipArtifacts { program, output, .. }) in seed.flips.iter().zip(&kept.flips) {
            for (file, text) in flip.files.iter().zip(program.texts()) {
                folder.write(&format!("{name}/{file}"), &text.text)?;
            }
            folder.write(&format!("{name}/{}.out", flip.mutant), output)?;
        }
    }
    // Both queries of what the tool that made a seed and the verifier disagree about.
    let queries = calibrations.values().flat_map(|calibrated| &calibrated.queries);
    for KeptQuery { name, tool, verifier } in queries {
        folder.write(&format!("disagreements/{name}.tool.smt2"), tool)?;
        folder.write(&format!("disagreements/{name}.verifier.smt2"), verifier)?;
    }
    folder.write("measurements.jsonl", &measurements)?;
    folder.finish(&mugie_report::render(report, Format::Json, false))
}

/// The folder for contradictions that were not to be kept elsewhere.
const CONTRADICTIONS: &str = "mugie-contradictions";

/// Keeps the mutants on which a solver contradicts itself, with their seeds, in the current folder: where
/// they are, if there are any.
pub(super) fn keep_contradictions(
    report: &TestReport,
    kept: &[SeedArtifacts],
) -> Result<Option<PathBuf>, Trouble> {
    if report.all_seeds().all(|seed| seed.contradictions.is_empty()) {
        return Ok(None);
    }
    let numbered = (2..).map(|number| PathBuf::from(format!("{CONTRADICTIONS}-{number}")));
    let mut names = std::iter::once(PathBuf::from(CONTRADICTIONS)).chain(numbered);
    let Some(place) = names.find(|name| !name.exists()) else { return Ok(None) };
    let folder = Folder::start(&place, RESULT, false)?;
    let mut taken = Vec::new();
    for (seed, kept) in report.all_seeds().zip(kept) {
        if seed.contradictions.is_empty() {
            continue;
        }
        let name = folder_name(&seed.name, &mut taken);
        let extension = kept.seed.as_ref().map_or("txt", |seed| seed.extension());
        folder.write(&format!("{name}/seed.{extension}"), &kept.printed)?;
        for (flip, FlipArtifacts { program, output, .. }) in seed.flips.iter().zip(&kept.flips) {
            if !seed.contradictions.contains(&flip.mutant) {
                continue;
            }
            for (file, text) in flip.files.iter().zip(program.texts()) {
                folder.write(&format!("{name}/{file}"), &text.text)?;
            }
            folder.write(&format!("{name}/{}.out", flip.mutant), output)?;
        }
    }
    folder.finish(&mugie_report::render(report, Format::Json, false))?;
    Ok(Some(place))
}

fn no_json(error: &serde_json::Error) -> Trouble {
    Trouble::new(format!("cannot write JSON: {error}"))
}

/// A folder name for a seed, different from those already taken.
fn folder_name(seed: &str, taken: &mut Vec<String>) -> String {
    let stem = Path::new(seed).file_stem().map(|stem| tame(&stem.to_string_lossy()));
    let stem = stem.filter(|stem| stem != "<stdin>").unwrap_or_else(|| "stdin".to_owned());
    let mut name = stem.clone();
    for number in 2.. {
        if !taken.contains(&name) {
            break;
        }
        name = format!("{stem}-{number}");
    }
    taken.push(name.clone());
    name
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folders_of_seeds_with_the_same_name_differ() {
        let mut taken = Vec::new();
        let names = ["a/x.bpl", "b/x.bpl", "<stdin>"].map(|seed| folder_name(seed, &mut taken));
        assert_eq!(names, ["x", "x-2", "stdin"]);
    }
}
