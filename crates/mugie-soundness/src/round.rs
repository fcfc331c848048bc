//! A round: some random programs, their mutants, and what a Boogie says of them.

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

/// How many programs a round has, unless it is told otherwise.
pub const PROGRAMS: u64 = 10;

/// What came of a round.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Counts {
    /// Random programs.
    pub seeds: u64,
    /// Those that mugie or Boogie refuses: the generator is at fault.
    pub refused_seeds: u64,
    /// Implementations of the random programs, and how many of them verify.
    pub goals: u64,
    /// See [`Counts::goals`].
    pub verified_goals: u64,
    /// Those that verify because nothing reaches their end.
    #[serde(default)]
    pub vacuous_goals: u64,
    /// Mutants by one edit, by operator.
    pub singles: BTreeMap<String, u64>,
    /// Mutants by several edits.
    pub chains: u64,
    /// Edits in chains, by operator.
    pub in_chains: BTreeMap<String, u64>,
    /// Programs by what they are made of.
    pub constructs: BTreeMap<String, u64>,
    /// Mutants by what their seeds are made of.
    pub construct_mutants: BTreeMap<String, u64>,
    /// Mutants that mugie itself found wrong.
    pub dropped: u64,
    /// Differences whose cause is Boogie's, by cause.
    pub explained: BTreeMap<String, u64>,
    /// Differences that only a shared process showed.
    pub shared_only: u64,
    /// Other differences.
    pub unexplained: u64,
}

/// Something that is to be kept for people.
#[derive(Clone, Debug)]
pub struct Finding {
    /// A name for a folder.
    pub name: String,
    /// The files in it: name and text.
    pub files: Vec<(String, String)>,
}

/// A round and all that is to be kept of it.
#[derive(Clone, Debug, Default)]
pub struct Round {
    /// The counts.
    pub counts: Counts,
    /// Differences without explanation, mutants that are wrong, seeds that are refused.
    pub findings: Vec<Finding>,
    /// Seconds on the clock.
    pub seconds: f64,
}

/// Reads a random program as mugie reads seeds.
pub fn read(text: &str, release: Release) -> Result<Box<dyn Seed>, String> {
    let mut options = LanguageOptions::default();
    options.set("dialect", release.dialect().to_owned());
    let source = SourceText { name: "seed.bpl".to_owned(), bytes: text.as_bytes().to_vec() };
    BOOGIE.read(vec![source], &options).map_err(|rejected| format!("{:?}", rejected.errors))
}

/// Does a round with the programs of some numbers. `None` if it was interrupted.
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

/// How many implementations verify also if something false is asserted at their end.
fn vacuous(families: &[Family], texts: &[Generated], boogie: &Boogie) -> io::Result<Option<u64>> {
    let files: Vec<[FileText; 1]> =
        texts.iter().map(|text| [FileText { part: 0, text: text.probe.clone() }]).collect();
    let original = |name: &str| name.to_owned();
    let questions: Vec<Submission<'_>> = files
        .iter()
        .zip(families)
        .map(|(files, family)| {
            let class = family.seed.program().sharing().0;
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
            [edit] => *self.singles.entry(edit.operator.clone()).or_default() += 1,
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

    /// All mutants.
    pub fn mutants(&self) -> u64 {
        self.singles.values().sum::<u64>() + self.chains
    }

    /// Whether something is wrong that nothing explains.
    pub fn is_clean(&self) -> bool {
        self.unexplained == 0 && self.dropped == 0 && self.refused_seeds == 0
    }
}

/// The edits, a line each.
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
