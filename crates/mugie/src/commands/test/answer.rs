//! The answer of a test: printed, and kept if asked to.

use mugie_core::Exit;
use mugie_experiment::seed_test::SeedArtifacts;
use mugie_results::result::TestReport;

use super::arguments::FormatName;
use super::{Test, keep, page};
use crate::calibration::Calibrations;
use crate::messages::{Style, Trouble, shown};
use crate::output::{self, Broken};
use crate::session::Session;

impl Test {
    pub(super) fn format(&self) -> FormatName {
        if self.json { FormatName::Json } else { self.format }
    }

    /// Reports mutants that were left out, and keeps them if asked to.
    fn report_defects(
        &self,
        style: &Style,
        report: &TestReport,
        kept: &[SeedArtifacts],
    ) -> Result<(), Trouble> {
        let mut defects = self.defects.collect();
        for (seed, kept) in report.all_seeds().zip(kept) {
            for (index, found) in seed.dropped.iter().enumerate() {
                match (&kept.seed, kept.dropped.get(index)) {
                    (Some(open), Some(dropped)) => {
                        defects.add(open, None, &found.mutant, dropped)?;
                    }
                    _ => defects.note(found.mutant.clone(), found.reason.clone()),
                }
            }
        }
        defects.tell(style);
        Ok(())
    }

    /// The answer of a level.
    pub(super) fn text(&self, session: &Session<'_>, report: &TestReport) -> String {
        let colors = session.style.colors_data();
        match self.format() {
            FormatName::Text if report.seeds.len() > 1 => {
                format!("\n{}", mugie_report::summary(report, colors))
            }
            format => mugie_report::render(report, format.into(), colors),
        }
    }

    /// Prints the answer, and keeps the results if asked to.
    pub(super) fn answer(
        &self,
        session: &Session<'_>,
        Tested { report, kept }: Tested,
        calibrations: &Calibrations,
    ) -> Result<Exit, Broken> {
        session.interrupts.is_ending();
        let text = match self.format() {
            FormatName::Text if report.below.is_some() => {
                mugie_report::levels(&report, session.style.colors_data())
            }
            _ => self.text(session, &report),
        };
        let text = match self.format() {
            FormatName::Text => text + &mugie_report::known(&report, session.style.colors_data()),
            _ => text,
        };
        // If one of printing and keeping fails, still do the other.
        let printed = output::data(&text);
        if let Some(file) = &self.report {
            page::write(file, &report)?;
        }
        if let Some(out) = &self.out {
            keep::keep(out, self.force, &report, &kept, calibrations)?;
            output::talk(&format!("kept in {}\n", shown(out)));
        } else if let Some(place) = keep::keep_contradictions(&report, &kept)? {
            let words = format!("the solver contradicts itself: kept in {}", shown(&place));
            output::talk(&session.style.warning(&words));
        }
        self.report_defects(session.style, &report, &kept)?;
        heard(printed)?;
        Ok(mugie_report::exit(&report))
    }
}

/// The result of a test and what else to keep of it.
pub(super) struct Tested {
    pub(super) report: TestReport,
    /// For each seed, with those of the level below at the end.
    pub(super) kept: Vec<SeedArtifacts>,
}

impl Tested {
    /// The results of a level and of the one below, if both were tested.
    pub(super) fn joined(tested: Vec<Tested>) -> Tested {
        let mut tested = tested.into_iter();
        // At least one level is tested.
        let Tested { mut report, mut kept } = tested.next().expect("there is a level");
        if let Some(below) = tested.next() {
            kept.extend(below.kept);
            report.below = Some(Box::new(below.report));
        }
        Tested { report, kept }
    }
}

/// Treats a closed pipe, as in `mugie test FILE | head`, as success: it does not change the result.
pub(super) fn heard(written: Result<(), Broken>) -> Result<(), Broken> {
    match written {
        Err(Broken::Pipe) => Ok(()),
        other => other,
    }
}
