//! A round: some random programs, their mutants, and Boogie's answers.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::io;
use std::ops::Range;
use std::time::Instant;

use mugie_boogie::BOOGIE;
use mugie_core::{Edit, FileText, LanguageOptions, Seed, SourceText};
use serde::{Deserialize, Serialize};

use crate::boogie::{Boogie, Release, Said, Submission, in_one_file};
use crate::compare::{Family, compare};
use crate::explained::{Difference, explain};
use crate::mutants::{Made, mutants};
use crate::program::{Generated, generate};

/// The default number of programs in a round.
pub const PROGRAMS: u64 = 10;

/// The counts of a round.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Counts {
    /// Random programs.
    pub seeds: u64,
    /// Random programs that mugie or Boogie rejects: a bug in the generator.
    pub refused_seeds: u64,
    /// Implementations in the random programs.
    pub goals: u64,
    /// Implementations that verify.
    pub verified_goals: u64,
    /// Implementations that verify only because their end is unreachable.
    #[serde(default)]
    pub vacuous_goals: u64,
    /// Mutants with a single edit at one place, by operator.
    pub singles: BTreeMap<String, u64>,
    /// Mutants with a single edit at many places, by operator.
    #[serde(default)]
    pub strong: BTreeMap<String, u64>,
    /// Mutants with several edits.
    pub chains: u64,
    /// Edits in chains, by operator.
    pub in_chains: BTreeMap<String, u64>,
    /// Programs, by construct.
    pub constructs: BTreeMap<String, u64>,
    /// Mutants, by construct of their seeds.
    pub construct_mutants: BTreeMap<String, u64>,
    /// Mutants that failed mugie's own check.
    pub dropped: u64,
    /// Differences that a known defect of Boogie explains, by cause.
    pub explained: BTreeMap<String, u64>,
    /// Differences that occurred only in a shared process.
    pub shared_only: u64,
    /// Differences without an explanation.
    pub unexplained: u64,
}

/// A finding to keep for people.
#[derive(Clone, Debug)]
pub struct Finding {
    /// The name of the finding's folder.
    pub name: String,
    /// The files in the folder: name and text.
    pub files: Vec<(String, String)>,
}

/// A round and its findings.
#[derive(Clone, Debug, Default)]
pub struct Round {
    /// The counts.
    pub counts: Counts,
    /// Unexplained differences, ill-formed mutants and rejected seeds.
    pub findings: Vec<Finding>,
    /// Wall-clock time in seconds.
    pub seconds: f64,
}

/// Reads a random program as mugie reads seeds.
pub fn read(text: &str, release: Release) -> Result<Box<dyn Seed>, String> {
    let mut options = LanguageOptions::default();
    options.set("dialect", release.dialect().to_owned());
    let source = SourceText { name: "seed.bpl".to_owned(), bytes: text.as_bytes().to_vec() };
    BOOGIE.read(vec![source], &options).map_err(|rejected| format!("{:?}", rejected.errors))
}

/// Runs a round with the programs of the given numbers. `None` if interrupted.
pub fn run(programs: Range<u64>, boogie: &Boogie) -> io::Result<Option<Round>> {
    let started = Instant::now();
    let mut round = Round::default();
    let (families, texts) = families(programs, boogie.release, &mut round);
    let Some(compared) = compare(&families, boogie)? else { return Ok(None) };
    for (said, (family, generated)) in compared.seeds.iter().zip(families.iter().zip(&texts)) {
        let (goals, verified) = said.counts();
        round.counts.goals += goals;
        round.counts.verified_goals += verified;
        for made in &family.mutants.made {
            round.counts.count(generated, made);
        }
        if said.trouble.is_some() {
            round.counts.refused_seeds += 1;
            round.findings.push(Finding {
                name: format!("refused-{}", family.name),
                files: vec![
                    ("seed.bpl".to_owned(), generated.text.clone()),
                    ("seed.out".to_owned(), said.output.clone()),
                ],
            });
        }
    }
    round.counts.shared_only = compared.shared_only;
    let Some(vacuous) = vacuous(&families, &texts, boogie)? else { return Ok(None) };
    round.counts.vacuous_goals = vacuous;
    for differs in &compared.differences {
        let family = &families[differs.family];
        let made = &family.mutants.made[differs.mutant];
        let (seed, mutant) = (family.seed.program().texts(), made.program.texts());
        let difference = Difference {
            seed: &in_one_file(&seed),
            mutant: &in_one_file(&mutant),
            edits: &made.edits,
            before: &differs.before,
            after: &differs.after,
        };
        if let Some(cause) = explain(&difference) {
            *round.counts.explained.entry(cause.name.to_owned()).or_default() += 1;
        } else {
            round.counts.unexplained += 1;
            let name = format!("difference-{}-{}", family.name, differs.mutant);
            round.findings.push(finding(name, &difference, &mutant));
        }
    }
    round.seconds = started.elapsed().as_secs_f64();
    Ok(Some(round))
}

/// The number of implementations that verify even with a false assertion at their end.
fn vacuous(families: &[Family], texts: &[Generated], boogie: &Boogie) -> io::Result<Option<u64>> {
    let files: Vec<[FileText; 1]> =
        texts.iter().map(|text| [FileText { part: 0, text: text.probe.clone() }]).collect();
    let original = |name: &str| name.to_owned();
    let questions: Vec<Submission<'_>> = files
        .iter()
        .zip(families)
        .map(|(files, family)| {
            let class = family.seed.program().sharing();
            Submission { files, class, original: &original }
        })
        .collect();
    let said = boogie.ask(&questions)?;
    Ok(said.map(|said| said.iter().map(|said| said.counts().1).sum()))
}

/// The programs of a round, with their mutants.
fn families(
    programs: Range<u64>,
    release: Release,
    round: &mut Round,
) -> (Vec<Family>, Vec<Generated>) {
    let mut families = Vec::new();
    let mut texts = Vec::new();
    for number in programs {
        let generated = generate(number, release);
        round.counts.seeds += 1;
        match read(&generated.text, release) {
            Ok(seed) => {
                for construct in &generated.constructs {
                    *round.counts.constructs.entry((*construct).to_owned()).or_default() += 1;
                }
                let mutants = mutants(&*seed, number, release);
                round.counts.dropped += mutants.dropped.len() as u64;
                for (index, dropped) in mutants.dropped.iter().enumerate() {
                    round.findings.push(Finding {
                        name: format!("dropped-{number}-{index}"),
                        files: vec![
                            ("seed.bpl".to_owned(), generated.text.clone()),
                            ("edits.txt".to_owned(), words(&dropped.edits)),
                            ("reason.txt".to_owned(), dropped.reason.clone()),
                        ],
                    });
                }
                families.push(Family { name: number.to_string(), seed, mutants });
                texts.push(generated);
            }
            Err(reason) => {
                round.counts.refused_seeds += 1;
                round.findings.push(Finding {
                    name: format!("refused-{number}"),
                    files: vec![
                        ("seed.bpl".to_owned(), generated.text),
                        ("reason.txt".to_owned(), reason),
                    ],
                });
            }
        }
    }
    (families, texts)
}

impl Counts {
    fn count(&mut self, generated: &Generated, made: &Made) {
        match made.edits.as_slice() {
            [edit] if edit.strength.is_one() => {
                *self.singles.entry(edit.operator.clone()).or_default() += 1;
            }
            [edit] => *self.strong.entry(edit.operator.clone()).or_default() += 1,
            edits => {
                self.chains += 1;
                for edit in edits {
                    *self.in_chains.entry(edit.operator.clone()).or_default() += 1;
                }
            }
        }
        for construct in &generated.constructs {
            *self.construct_mutants.entry((*construct).to_owned()).or_default() += 1;
        }
    }

    /// Adds the counts of another round.
    pub fn add(&mut self, other: &Counts) {
        self.seeds += other.seeds;
        self.refused_seeds += other.refused_seeds;
        self.goals += other.goals;
        self.verified_goals += other.verified_goals;
        self.vacuous_goals += other.vacuous_goals;
        self.chains += other.chains;
        self.dropped += other.dropped;
        self.shared_only += other.shared_only;
        self.unexplained += other.unexplained;
        let pairs = [
            (&mut self.singles, &other.singles),
            (&mut self.strong, &other.strong),
            (&mut self.in_chains, &other.in_chains),
            (&mut self.constructs, &other.constructs),
            (&mut self.construct_mutants, &other.construct_mutants),
            (&mut self.explained, &other.explained),
        ];
        for (sums, others) in pairs {
            for (name, count) in others {
                *sums.entry(name.clone()).or_default() += count;
            }
        }
    }

    /// The number of mutants.
    pub fn mutants(&self) -> u64 {
        self.singles.values().chain(self.strong.values()).sum::<u64>() + self.chains
    }

    /// Whether everything is right or explained.
    pub fn is_clean(&self) -> bool {
        self.unexplained == 0 && self.dropped == 0 && self.refused_seeds == 0
    }
}

/// The edits, one per line.
pub fn words(edits: &[Edit]) -> String {
    edits.iter().fold(String::new(), |mut text, edit| {
        let _ = writeln!(text, "{}: {}", edit.operator, edit.words);
        text
    })
}

fn finding(name: String, difference: &Difference<'_>, mutant: &[FileText]) -> Finding {
    let told = |said: &Said| format!("{:?}\n{:?}\n{}", said.trouble, said.outcomes, said.output);
    let mut files = vec![
        ("seed.bpl".to_owned(), difference.seed.to_owned()),
        ("edits.txt".to_owned(), words(difference.edits)),
        ("seed.out".to_owned(), told(difference.before)),
        ("mutant.out".to_owned(), told(difference.after)),
    ];
    for (number, file) in mutant.iter().enumerate() {
        files.push((format!("mutant-{number}.bpl"), file.text.clone()));
    }
    Finding { name, files }
}
