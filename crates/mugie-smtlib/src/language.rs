//! SMT-LIB as a seed language.

use std::sync::Arc;

use mugie_core::reduce::Reducer;
use mugie_core::{
    About, Checked, Diagnostic, Excerpt, Language, LanguageOptions, LevelSeed, OptionAbout,
    Outcome, Procedure, Rejected, Seed, SourceText, UsualTest, Verdict, Words,
};
use smt_syntax::lex::line_ends;
use smt_syntax::{Command, NodeId, Script, SyntaxError, print};

use crate::answers::{ANSWERS, BUDGET, Budget, Expected};
use crate::base::Base;
use crate::level;
use crate::operators::ABOUTS;
use crate::prepare::{Prepared, Refused, prepare};
use crate::program::SmtProgram;
use crate::reduce::SmtReducer;
use crate::seed::SmtSeed;

/// SMT-LIB as a seed language.
pub const SMTLIB: &dyn Language = &SmtLib;

/// The language of the SMT-LIB standard, version 2, as Z3 and cvc5 read it.
#[derive(Debug)]
pub struct SmtLib;

const OPTIONS: &[OptionAbout] = &[
    OptionAbout {
        name: BUDGET,
        value_name: Some("NUMBER"),
        values: &[],
        default: None,
        help: "The solver's resource units for each check of an SMT-LIB query, or seconds: 1000000, 20s\n\n\
               By default, `mugie test` runs the query first and allows ten times its own work, at least a \
               million units; if the query runs into the time limit, two thirds of the work that it does until \
               then.",
    },
    OptionAbout {
        name: ANSWERS,
        value_name: Some("LIST"),
        values: &[],
        default: None,
        help: "The answers of an SMT-LIB query to expect: sat, unsat, unknown; separated by commas\n\nBy \
               default, `mugie test` takes those of a first run if one of them is sat or unsat, and \
               unsat otherwise.",
    },
];

/// The least budget, in resource units. Raising it lets failing mutants of easy queries run longer.
const LEAST_BUDGET: u64 = 1_000_000;

/// The budget as a multiple of the seed's own work. Raising it loses fewer successes, of which one in a
/// thousand takes more than eight times the seed's work, and lets failing mutants run longer.
const TIMES: u64 = 10;

/// The greatest budget: solvers count with 32 bits.
const MOST_BUDGET: u64 = 4_000_000_000;

/// The confidence of a test. Raising it takes more mutants of stable queries.
const CONFIDENCE: f64 = 0.95;

/// The mutants of a query that does not have the expected answer. Raising it finds more proofs that are
/// there, and takes longer on queries without.
const TRIES: usize = 8;

/// The mutants with the same work that park an operator. Raising it parks fewer operators that do change
/// something.
const PARK_AFTER: usize = 3;

/// The budget of a query by the seed's own work.
pub(crate) fn budget_for(work: u64) -> u64 {
    work.saturating_mul(TIMES).clamp(LEAST_BUDGET, MOST_BUDGET)
}

impl Language for SmtLib {
    fn id(&self) -> &'static str {
        "smtlib"
    }

    fn title(&self) -> &'static str {
        "SMT-LIB"
    }

    fn extensions(&self) -> &'static [&'static str] {
        &["smt2"]
    }

    fn usual_verifier(&self) -> &'static str {
        "z3"
    }

    fn is_query(&self) -> bool {
        true
    }

    fn words(&self) -> &'static Words {
        &Words { program: "SMT-LIB query", unit: "command", goal: "check" }
    }

    fn operators(&self) -> &'static [&'static About] {
        &ABOUTS
    }

    fn swap_operator(&self) -> Option<&'static About> {
        ABOUTS.first().copied()
    }

    fn options(&self) -> &'static [OptionAbout] {
        OPTIONS
    }

    fn check(&self, files: Vec<SourceText>, options: &LanguageOptions) -> Checked {
        let title = self.title().to_owned();
        match self.read(files, options) {
            Ok(_) => Checked { title, ..Checked::default() },
            Err(rejected) => Checked { title, errors: rejected.errors, ..Checked::default() },
        }
    }

    fn print(
        &self,
        files: Vec<SourceText>,
        _: &LanguageOptions,
    ) -> Result<String, Vec<Diagnostic>> {
        let (_, script) = parsed(files)?;
        Ok(String::from_utf8_lossy(&print::script(&script)).into_owned())
    }

    fn read(
        &self,
        files: Vec<SourceText>,
        options: &LanguageOptions,
    ) -> Result<Box<dyn Seed>, Rejected> {
        let (name, script) = parsed(files).map_err(|errors| Rejected { errors })?;
        let reject = |error: Diagnostic| Rejected { errors: vec![error] };
        let expected = expected(options).map_err(|error| reject(*error))?;
        let Prepared { original, printed, commands, .. } =
            prepare(&script, &expected).map_err(|it| reject(refused(&name, &script, it)))?;
        let text = text_of(script.source());
        let places = Lines::of(text);
        let line = |command: &Command| places.at(script.node(command.node).start as usize).0;
        let author = script.commands();
        let lines = commands.iter().map(|it| it.map(|it| line(&author[it]))).collect();
        let checks = author.iter().filter(|it| it.kind.is_check()).map(line).collect();
        let code = text.lines().map(str::trim_start);
        let code_lines = code.filter(|line| !line.is_empty() && !line.starts_with(';')).count();
        // A large query is not in memory twice.
        drop(script);
        let printed = parse(&name, printed).map_err(|errors| Rejected { errors })?;
        let ids = (0..).take(printed.commands().len()).collect();
        Ok(Box::new(SmtSeed {
            original: String::from_utf8(original)
                .unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned()),
            program: Arc::new(SmtProgram::new(Base::new(printed, ids))),
            options: options.clone(),
            name,
            lines,
            checks,
            code_lines,
        }))
    }

    fn split(&self, files: Vec<SourceText>) -> Option<Result<Vec<LevelSeed>, Rejected>> {
        let parts = parsed(files).map(|(name, script)| {
            let places = Lines::of(text_of(script.source()));
            let line = |node: NodeId| places.at(script.node(node).start as usize).0;
            level::split(&script, &name, line)
        });
        Some(parts.map_err(|errors| Rejected { errors }))
    }

    fn comment(&self) -> &'static str {
        ";"
    }

    fn reducer(&self) -> Option<&'static dyn Reducer> {
        Some(&SmtReducer)
    }

    /// A run of a solver takes a fraction of one of a verifier, and a query has more parts than a program.
    fn search_budget(&self) -> usize {
        2000
    }

    /// The answers of the first verdict that has an answer, and the budget that suffices for all.
    fn options_by_run(&self, verdicts: &[Verdict], options: &LanguageOptions) -> LanguageOptions {
        let mut found = options.clone();
        let answers = verdicts.iter().map(answers);
        let sure =
            answers.into_iter().find(|it| it.iter().any(|it| matches!(*it, "sat" | "unsat")));
        if let (Some(answers), None) = (sure, found.get(ANSWERS))
            && answers.iter().any(|it| *it != "unsat")
        {
            found.set(ANSWERS, answers.join(","));
        }
        if found.get(BUDGET).is_some() {
            return found;
        }
        // A check that ran into the time limit takes all that it is given. It must spend that within the time limit
        // even when the machine is slower: a run that time ends is no evidence.
        let work = |check: &Procedure| {
            let is_cut = check.outcome == Outcome::TimedOut;
            check
                .resources
                .map(|work| if is_cut { work / 3 * 2 } else { work.saturating_mul(TIMES) })
        };
        let checks = verdicts.iter().flat_map(|verdict| &verdict.procedures);
        if let Some(work) = checks.filter_map(work).max() {
            found.set(BUDGET, work.clamp(LEAST_BUDGET, MOST_BUDGET).to_string());
        }
        found
    }

    fn first_run(&self, options: &LanguageOptions, seconds: f64) -> Option<LanguageOptions> {
        let mut options = options.clone();
        if options.get(BUDGET).is_none() {
            options.set(BUDGET, format!("{seconds}s"));
        }
        Some(options)
    }

    fn usual_test(&self) -> UsualTest {
        UsualTest {
            confidence: Some(CONFIDENCE),
            tries: TRIES,
            park_after: Some(PARK_AFTER),
            ..UsualTest::default()
        }
    }
}

/// The answers to the checks of a query.
fn answers(verdict: &Verdict) -> Vec<&str> {
    let answer = |check: &'_ Procedure| match check.outcome {
        Outcome::Verified => "unsat",
        _ => match check.failures.first().map(|it| it.message.as_str()) {
            Some(message) if message.ends_with("answers unsat") => "unsat",
            Some(message) if message.ends_with("answers sat") => "sat",
            _ => "unknown",
        },
    };
    verdict.procedures.iter().map(answer).collect()
}

/// The name and the tree of the file, which must be the only one and text.
fn parsed(files: Vec<SourceText>) -> Result<(String, Script), Vec<Diagnostic>> {
    let wrong = |message: String, help: &str| {
        vec![Diagnostic {
            kind: "file",
            message,
            help: Some(help.to_owned()),
            place: None,
            related: Vec::new(),
        }]
    };
    let mut files = files.into_iter();
    let Some(SourceText { name, bytes }) = files.next() else {
        return Err(wrong("there is no file".to_owned(), "name one"));
    };
    if files.next().is_some() {
        return Err(wrong("a query is one file".to_owned(), "test the files one by one"));
    }
    match String::from_utf8(bytes) {
        Ok(text) => {
            let script = parse(&name, text.into_bytes())?;
            Ok((name, script))
        }
        Err(error) => {
            let valid = error.utf8_error().valid_up_to();
            let line = line_ends(&error.as_bytes()[..valid]) + 1;
            let message = format!("{name}: line {line} is not UTF-8");
            Err(wrong(message, "convert the file, for example with `iconv -f latin1 -t utf-8`"))
        }
    }
}

fn parse(name: &str, text: Vec<u8>) -> Result<Script, Vec<Diagnostic>> {
    let source: Arc<[u8]> = text.into();
    let script = Script::parse(Arc::clone(&source));
    script.map_err(|error| vec![broken(name, text_of(&source), &error)])
}

/// The text of a query that was read, which is UTF-8.
fn text_of(source: &[u8]) -> &str {
    std::str::from_utf8(source).unwrap_or_default()
}

pub(crate) fn expected(options: &LanguageOptions) -> Result<Expected, Box<Diagnostic>> {
    let wrong = |message: String, help: &str| {
        Box::new(Diagnostic {
            kind: "option",
            message,
            help: Some(help.to_owned()),
            place: None,
            related: Vec::new(),
        })
    };
    let answers = options.get(ANSWERS).unwrap_or_default().split(',').map(str::trim);
    let answers: Vec<String> = answers.filter(|it| !it.is_empty()).map(str::to_owned).collect();
    if let Some(odd) = answers.iter().find(|it| !matches!(it.as_str(), "sat" | "unsat" | "unknown"))
    {
        return Err(wrong(format!("`{odd}` is no answer"), "write sat, unsat or unknown"));
    }
    let budget = options.get(BUDGET).map(|text| {
        let wrong = || {
            let message =
                format!("`{text}` is no budget: a number below 4,294,967,296, or seconds");
            wrong(message, "write --units 1000000, or --units 20s")
        };
        Budget::parse(text).ok_or_else(wrong)
    });
    Ok(Expected { answers, budget: budget.transpose()? })
}

/// Lines and offsets fit: a script has at most [`MAX_BYTES`](smt_syntax::MAX_BYTES).
fn number(it: usize) -> u32 {
    u32::try_from(it).unwrap_or(u32::MAX)
}

fn broken(file: &str, text: &str, error: &SyntaxError) -> Diagnostic {
    let line = text.lines().nth(error.line.saturating_sub(1)).unwrap_or_default();
    let place = Excerpt::new(file, (number(error.line), number(error.column)), line, 1);
    let message = error.kind.to_string();
    Diagnostic { kind: "syntax", message, help: None, place: Some(place), related: Vec::new() }
}

fn refused(file: &str, script: &Script, it: Refused) -> Diagnostic {
    let text = text_of(script.source());
    let place = it.command.and_then(|command| script.commands().get(command)).map(|command| {
        let node = script.node(command.node);
        let (line, column) = Lines::of(text).at(node.start as usize);
        let shown = text.lines().nth(line as usize - 1).unwrap_or_default();
        Excerpt::new(file, (line, column), shown, (node.end - node.start) as usize)
    });
    let kind = "query";
    Diagnostic { kind, message: it.reason, help: Some(it.help), place, related: Vec::new() }
}

/// Where lines start.
struct Lines<'t> {
    text: &'t str,
    starts: Vec<u32>,
}

impl<'t> Lines<'t> {
    fn of(text: &'t str) -> Lines<'t> {
        let ends = text.bytes().enumerate().filter(|(_, byte)| *byte == b'\n');
        let starts = [0].into_iter().chain(ends.map(|(at, _)| number(at + 1))).collect();
        Lines { text, starts }
    }

    /// The line and column of an offset, from 1.
    fn at(&self, offset: usize) -> (u32, u32) {
        let line = self.starts.partition_point(|start| *start as usize <= offset);
        let start = self.starts.get(line.saturating_sub(1)).copied().unwrap_or_default();
        let before = self.text.get(start as usize..offset);
        let column = before.map_or(0, |before| before.chars().count()) + 1;
        (number(line), number(column))
    }
}
