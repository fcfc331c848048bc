//! A front door to the toy language, a level below it, and two translators for it.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use mugie_core::{
    Artifact, Back, DoorError, DoorRequest, ExpectedGoal, Files, FrontDoor, Level, LevelSeed,
    Location, NotExpressible, Opened, SourceText, Translated, Translator, Verdict, VerifierNeeds,
};

use crate::language::Sum;

/// The file format of another tool, which writes a sum as `NAME is A and B, that is C`.
#[derive(Debug)]
pub(crate) struct Dictated;

/// Reports names in capitals.
#[derive(Debug)]
struct Capitals;

impl Back for Capitals {
    /// The tool behind this front door does not know sums without a name.
    fn check(&self, verdict: &Verdict) -> Result<(), String> {
        match verdict.procedures.iter().find(|sum| sum.name == "nobody") {
            Some(_) => Err("`nobody` is unknown to it".to_owned()),
            None => Ok(()),
        }
    }

    fn goal(&self, name: &str) -> String {
        name.to_uppercase()
    }
}

impl FrontDoor for Dictated {
    fn id(&self) -> &'static str {
        "dictated"
    }

    fn title(&self) -> &'static str {
        "dictation"
    }

    fn extensions(&self) -> &'static [&'static str] {
        &["dictated"]
    }

    fn open(&self, files: &[PathBuf], request: &DoorRequest<'_>) -> Result<Vec<Opened>, DoorError> {
        let broken = |reason: String| DoorError { reason, help: None };
        let file = files.first().ok_or_else(|| broken("no file".to_owned()))?;
        let path = std::path::absolute(file).unwrap_or_else(|_| file.clone());
        let arguments = ["-e", r"s/ is \(.*\) and \(.*\), that is /: \1 + \2 = /"];
        let mut arguments: Vec<String> = arguments.map(str::to_owned).to_vec();
        arguments.push(path.display().to_string());
        let text = (request.run)(Path::new("/bin/sed"), &arguments).map_err(broken)?.stdout;
        let name = file.display().to_string();
        let made = SourceText { name: format!("{name}.toy"), bytes: text.into_bytes() };
        Ok(vec![Opened {
            tool: "dictation 1".to_owned(),
            name,
            language: "toy",
            files: vec![made],
            verifier: VerifierNeeds {
                arguments: vec!["--dictated".to_owned()],
                ..VerifierNeeds::default()
            },
            back: Arc::new(Capitals),
        }])
    }
}

/// The level of single sums.
#[derive(Debug)]
pub(crate) struct Single;

impl Level for Single {
    fn id(&self) -> &'static str {
        "single"
    }

    fn from(&self) -> &'static str {
        "toy"
    }

    fn to(&self) -> &'static str {
        "toy"
    }

    fn verifier(&self) -> &'static str {
        "toy"
    }

    fn seeds(&self, left: &[Artifact]) -> Vec<LevelSeed> {
        let lines = left.iter().flat_map(|artifact| artifact.text.lines());
        let seeds = lines.filter_map(|line| {
            let name = Sum::parse(line)?.name;
            let file = SourceText { name: format!("{name}.toy"), bytes: line.into() };
            Some(LevelSeed { goal: Some(name), line: None, file })
        });
        seeds.collect()
    }
}

/// Translates sums to the lines of a table: `name,1,2,3`.
#[derive(Debug)]
pub(crate) struct ToTable;

impl Translator for ToTable {
    fn from(&self) -> &'static str {
        "toy"
    }

    fn to(&self) -> &'static str {
        "table"
    }

    fn version(&self) -> &'static str {
        "1"
    }

    fn translate(&self, Files(files): &Files) -> Result<Translated, NotExpressible> {
        let mut translated = Translated::default();
        for (number, (name, text)) in files.iter().enumerate() {
            let mut table = String::new();
            for (line, content) in (1..).zip(text.lines()) {
                let at = Location { file: name.clone(), line, column: 1 };
                let Some(Sum { name, numbers: [a, b, c] }) = Sum::parse(content) else { continue };
                if name == "unspeakable" {
                    let (language, what) = ("table", format!("`{name}`"));
                    return Err(NotExpressible { language, what, place: Some(at) });
                }
                let row = u32::try_from(table.lines().count()).unwrap_or(u32::MAX) + 1;
                translated.lines.add(number, row, at);
                let _ = writeln!(table, "{name},{a},{b},{c}");
            }
            translated.files.0.push((format!("{name}.table"), table));
        }
        Ok(translated)
    }
}

/// Translates sums to goals of Why3.
#[derive(Debug)]
pub(crate) struct ToWhyml;

impl Translator for ToWhyml {
    fn from(&self) -> &'static str {
        "toy"
    }

    fn to(&self) -> &'static str {
        "whyml"
    }

    fn version(&self) -> &'static str {
        "1"
    }

    /// The goals are in the order of their names, so that programs that differ in the order of lines are the same to Why3.
    /// The sum `unspeakable` cannot be translated, `picky` only with its smaller summand first, and `garbled` is translated to something that Why3 rejects.
    fn translate(&self, Files(files): &Files) -> Result<Translated, NotExpressible> {
        let mut translated = Translated::default();
        let mut text = "module M\nuse int.Int\n".to_owned();
        let lines = files.iter().flat_map(|(name, text)| {
            (1..).zip(text.lines()).filter_map(move |(line, content)| {
                let at = Location { file: name.clone(), line, column: 1 };
                Some((Sum::parse(content)?, at))
            })
        });
        let mut lines: Vec<_> = lines.collect();
        lines.sort_by(|(one, _), (other, _)| one.name.cmp(&other.name));
        for (line, (Sum { name, numbers: [a, b, c] }, at)) in (3..).zip(lines) {
            if name == "unspeakable" || (name == "picky" && a > b) {
                let (language, what) = ("WhyML", format!("`{name}`"));
                return Err(NotExpressible { language, what, place: Some(at) });
            }
            let printed = format!("sum_{name}");
            let equals = if name == "garbled" { "=/=" } else { "=" };
            // Why3 simplifies what does not depend on a variable.
            let _ = writeln!(text, "goal {printed}: forall x. x + {a} + {b} {equals} x + {c}");
            translated.lines.add(0, line, at);
            translated.goals.push(ExpectedGoal { printed, goal: name });
        }
        text.push_str("end\n");
        translated.files.0.push(("sums.mlw".to_owned(), text));
        Ok(translated)
    }
}
