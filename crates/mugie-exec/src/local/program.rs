//! Programs as the verifier reads them: as they are, or translated into its language, with the way back.
//!
//! Two programs may have the same translation. Then the verifier cannot tell them apart, and one run is enough: its
//! result is remembered as the verifier gave it, and each program gets it with its own names and places.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

use mugie_core::{Files, Outcome, Translated, Verdict};
use mugie_verifiers::{Run, Usage, Verifier};

use super::Local;
use crate::{Request, Settled};

/// A request with its program as the verifier reads it.
pub(super) struct Program<'r> {
    pub(super) request: &'r Request,
    /// The program, or the verdict if it cannot be expressed in the language of the verifier.
    pub(super) input: Result<Input<'r>, Verdict>,
}

/// A program as a verifier reads it.
pub(super) struct Input<'r> {
    files: Cow<'r, Files>,
    translation: Option<Translation>,
}

/// The way back from a translated program.
struct Translation {
    translated: Translated,
    /// A hash of the text.
    text: String,
}

/// The result of a run on a translated program, in the words of the verifier.
#[derive(Clone)]
pub(super) struct Raw {
    pub(super) verdict: Verdict,
    pub(super) run: Run,
    pub(super) output: String,
}

/// The results of runs on translated programs, by hash of the text. Only what is evidence and does not depend on the
/// machine is remembered.
#[derive(Default)]
pub(super) struct Remembered(Mutex<BTreeMap<String, Raw>>);

impl Remembered {
    fn get(&self, text: &str) -> Option<Raw> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).get(text).cloned()
    }

    fn put(&self, text: &str, raw: Raw) {
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        known.entry(text.to_owned()).or_insert(raw);
    }
}

impl Input<'_> {
    /// The files.
    pub(super) fn files(&self) -> &Files {
        &self.files
    }

    /// A hash of the text, if it is a translation.
    pub(super) fn text(&self) -> Option<&str> {
        self.translation.as_ref().map(|translation| translation.text.as_str())
    }

    /// The goal that the name of a file spells so.
    pub(super) fn goal(&self, verifier: &Verifier, spelled: &str) -> String {
        let translation = self.translation.as_ref();
        let mut goals = translation.into_iter().flat_map(|it| &it.translated.goals);
        let found = goals.find(|goal| verifier.spelled(&goal.printed) == spelled);
        found.map_or_else(|| spelled.to_owned(), |goal| goal.goal.clone())
    }

    /// The verdict of a run on this program, about the program as it was before it was translated.
    pub(super) fn original(&self, verifier: &Verifier, run: &Run, verdict: Verdict) -> Verdict {
        let Some(Translation { translated, .. }) = &self.translation else { return verdict };
        let mut verdict = match translated.goals.as_slice() {
            [] => verdict,
            goals => verifier.of_goals(verdict, run, goals),
        };
        if verdict.outcome == Outcome::Rejected {
            let said = verdict.reason.take().unwrap_or_default();
            let reason = format!(
                "{} rejects what mugie translated the program to, which is a defect of mugie: {said}",
                verifier.title
            );
            return Verdict::of_program(Outcome::ToolError, reason);
        }
        map_back(&mut verdict, translated);
        verdict
    }
}

impl Local {
    /// The program of a request as the verifier reads it.
    pub(super) fn program<'r>(&self, request: &'r Request) -> Program<'r> {
        Program { request, input: self.input(&request.language, &request.files) }
    }

    /// A program in the language of the verifier.
    pub(super) fn input<'r>(&self, language: &str, files: &'r Files) -> Result<Input<'r>, Verdict> {
        let input = self.verifier.input();
        if language == input {
            return Ok(Input { files: Cow::Borrowed(files), translation: None });
        }
        let fits =
            |it: &&&'static dyn mugie_core::Translator| it.from() == language && it.to() == input;
        let Some(translator) = self.translators.iter().find(fits) else {
            let reason = format!(
                "{} reads programs of {input}, and this is one of {language}, for which there is no \
                 translation",
                self.verifier.title
            );
            return Err(Verdict::of_program(Outcome::NotExpressible, reason));
        };
        match translator.translate(files) {
            Ok(mut translated) => {
                translated.files = translated.files.named_alike();
                let mut hasher = blake3::Hasher::new();
                for part in translated.files.0.iter().flat_map(|(name, text)| [name, text]) {
                    hasher.update(&(part.len() as u64).to_le_bytes()).update(part.as_bytes());
                }
                let text = hasher.finalize().to_hex().to_string();
                let files = Cow::Owned(translated.files.clone());
                Ok(Input { files, translation: Some(Translation { translated, text }) })
            }
            Err(error) => {
                let place = error.place.as_ref();
                let place = place.map(|at| format!(" ({}:{}:{})", at.file, at.line, at.column));
                let reason = format!("{error}{}", place.unwrap_or_default());
                Err(Verdict::of_program(Outcome::NotExpressible, reason))
            }
        }
    }

    /// The result for a program whose text the verifier knows already, or that it has no text of.
    pub(super) fn known(&self, program: &Program<'_>) -> Option<Settled> {
        let input = match &program.input {
            Ok(input) => input,
            Err(verdict) => {
                return Some(Settled::of_run(verdict.clone(), String::new(), Vec::new()));
            }
        };
        let text = input.text().filter(|_| self.remembers(program.request))?;
        let Raw { verdict, run, output } = self.remembered.get(text)?;
        let verdict = input.original(&self.verifier, &run, verdict);
        let text = Some(text.to_owned());
        Some(Settled { text, fast: true, ..Settled::of_run(verdict, output, Vec::new()) })
    }

    /// Remembers the result of a run, if others may have it.
    pub(super) fn remember(&self, program: &Program<'_>, raw: &Raw) {
        let Ok(input) = &program.input else { return };
        let is_sure = raw.verdict.outcome.is_evidence()
            && raw.verdict.outcome != Outcome::Rejected
            && !raw.verdict.depends_on_machine();
        if let Some(text) = input.text()
            && is_sure
            && self.remembers(program.request)
        {
            self.remembered.put(text, raw.clone());
        }
    }

    /// Whether a request may have the result of another one with the same text.
    fn remembers(&self, request: &Request) -> bool {
        !self.plain && request.is_usual()
    }
}

impl Raw {
    /// The result of a run without what depends on when it was made.
    pub(super) fn new(verdict: Verdict, run: &Run, output: String) -> Raw {
        let run = Run {
            usage: Usage::default(),
            stdout: mugie_verifiers::Captured::default(),
            stderr: mugie_verifiers::Captured::default(),
            ..run.clone()
        };
        Raw { verdict, run, output }
    }
}

/// Maps the places in a verdict on translated files back to the original files.
fn map_back(verdict: &mut Verdict, translated: &Translated) {
    let failures = verdict.procedures.iter_mut().flat_map(|procedure| &mut procedure.failures);
    let places = failures
        .flat_map(|failure| [&mut failure.location, &mut failure.related])
        .chain(verdict.messages.iter_mut().map(|message| &mut message.location));
    for place in places {
        let origin = place.as_ref().and_then(|location| {
            // In a shared process, a number may be before the name.
            let name = mugie_core::bare_name(&location.file);
            let is_it = |(file, _): &(String, String)| {
                name == file || name.strip_suffix(file).is_some_and(|number| number.ends_with('-'))
            };
            let file = translated.files.0.iter().position(is_it)?;
            translated.lines.origin(file, location.line).cloned()
        });
        *place = origin;
    }
}
