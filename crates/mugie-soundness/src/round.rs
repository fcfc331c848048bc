//! A round: some random programs, their mutants, and what a Boogie says of them.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::io;
use std::ops::Range;
use std::time::Instant;

use mugie_boogie::BOOGIE;
use mugie_core::{Edit, FileText, GoalNames, Options, Seed, SourceText};
use serde::{Deserialize, Serialize};

use crate::boogie::{Boogie, Question, Release, Said, in_one_file};
use crate::explained::{Difference, explain};
use crate::mutants::{Made, Mutants, mutants};
use crate::program::{Generated, generate};

/// How many programs a round has.
const SEEDS: u64 = 10;

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

/// A random program with its mutants.
struct Family {
    number: u64,
    generated: Generated,
    seed: Box<dyn Seed>,
    mutants: Mutants,
}

/// A program of a family: its seed, or a mutant.
struct Member {
    family: usize,
    /// The number of the mutant; none for the seed.
    mutant: Option<usize>,
    files: Vec<FileText>,
    class: u64,
    names: GoalNames,
}

/// Reads a random program as mugie reads seeds.
pub fn read(text: &str, release: Release) -> Result<Box<dyn Seed>, String> {
    let mut options = Options::default();
    options.set("dialect", release.dialect().to_owned());
    let source = SourceText { name: "seed.bpl".to_owned(), bytes: text.as_bytes().to_vec() };
    BOOGIE.read(vec![source], &options).map_err(|rejected| format!("{:?}", rejected.errors))
}

/// The numbers of the programs of a round.
pub fn programs(round: u64) -> Range<u64> {
    round * SEEDS..(round + 1) * SEEDS
}

/// Does a round with the programs of some numbers. `None` if it was interrupted.
pub fn run(programs: Range<u64>, boogie: &Boogie) -> io::Result<Option<Round>> {
    let started = Instant::now();
    let mut round = Round::default();
    let families = families(programs, boogie.release, &mut round);
    let members = members(&families);
    let rename = |member: &Member| {
        let names = member.names.clone();
        move |name: &str| names.in_seed(name).to_owned()
    };
    let originals: Vec<_> = members.iter().map(rename).collect();
    let questions: Vec<Question<'_>> = members
        .iter()
        .zip(&originals)
        .map(|(member, original)| Question { files: &member.files, class: member.class, original })
        .collect();
    let Some(answers) = boogie.ask(&questions)? else { return Ok(None) };

    let mut seeds: BTreeMap<usize, usize> = BTreeMap::new();
    for (index, member) in members.iter().enumerate() {
        if member.mutant.is_none() {
            seeds.insert(member.family, index);
        }
    }
    for (family, index) in &seeds {
        let said = &answers[*index];
        let (goals, verified) = said.counts();
        round.counts.goals += goals;
        round.counts.verified_goals += verified;
        if said.trouble.is_some() {
            round.counts.refused_seeds += 1;
            let family = &families[*family];
            round.findings.push(Finding {
                name: format!("refused-{}", family.number),
                files: vec![
                    ("seed.bpl".to_owned(), family.generated.text.clone()),
                    ("seed.out".to_owned(), said.output.clone()),
                ],
            });
        }
    }
    for (index, member) in members.iter().enumerate() {
        let Some(mutant) = member.mutant else { continue };
        let family = &families[member.family];
        let seed = seeds[&member.family];
        let made = &family.mutants.made[mutant];
        round.counts.count(family, made);
        if answers[index].agrees_with(&answers[seed]) {
            continue;
        }
        // Again, alone: what a process has seen before may matter.
        let Some(before) = boogie.ask_alone(&questions[seed])? else { return Ok(None) };
        let Some(after) = boogie.ask_alone(&questions[index])? else { return Ok(None) };
        if after.agrees_with(&before) {
            round.counts.shared_only += 1;
            continue;
        }
        let seed_text = in_one_file(&members[seed].files);
        let text = in_one_file(&member.files);
        let difference = Difference {
            seed: &seed_text,
            mutant: &text,
            edits: &made.edits,
            before: &before,
            after: &after,
        };
        if let Some(cause) = explain(&difference) {
            *round.counts.explained.entry(cause.name.to_owned()).or_default() += 1;
        } else {
            round.counts.unexplained += 1;
            let name = format!("difference-{}-{mutant}", family.number);
            round.findings.push(finding(name, &difference, member));
        }
    }
    round.seconds = started.elapsed().as_secs_f64();
    Ok(Some(round))
}

/// The programs of a round.
fn families(programs: Range<u64>, release: Release, round: &mut Round) -> Vec<Family> {
    let mut families = Vec::new();
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
                families.push(Family { number, generated, seed, mutants });
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
    families
}

fn members(families: &[Family]) -> Vec<Member> {
    let mut members = Vec::new();
    for (index, family) in families.iter().enumerate() {
        let seed = family.seed.program();
        let programs = family.mutants.made.iter().map(|made| &made.program);
        for (place, program) in std::iter::once(seed).chain(programs).enumerate() {
            members.push(Member {
                family: index,
                mutant: place.checked_sub(1),
                files: program.texts(),
                class: program.sharing().0,
                names: program.goal_names(&**seed),
            });
        }
    }
    members
}

impl Counts {
    fn count(&mut self, family: &Family, made: &Made) {
        match made.edits.as_slice() {
            [edit] => *self.singles.entry(edit.operator.clone()).or_default() += 1,
            edits => {
                self.chains += 1;
                for edit in edits {
                    *self.in_chains.entry(edit.operator.clone()).or_default() += 1;
                }
            }
        }
        for construct in &family.generated.constructs {
            *self.construct_mutants.entry((*construct).to_owned()).or_default() += 1;
        }
    }

    /// Adds the counts of another round.
    pub fn add(&mut self, other: &Counts) {
        self.seeds += other.seeds;
        self.refused_seeds += other.refused_seeds;
        self.goals += other.goals;
        self.verified_goals += other.verified_goals;
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
fn words(edits: &[Edit]) -> String {
    edits.iter().fold(String::new(), |mut text, edit| {
        let _ = writeln!(text, "{}: {}", edit.operator, edit.words);
        text
    })
}

fn finding(name: String, difference: &Difference<'_>, member: &Member) -> Finding {
    let told = |said: &Said| format!("{:?}\n{:?}\n{}", said.trouble, said.outcomes, said.output);
    let mut files = vec![
        ("seed.bpl".to_owned(), difference.seed.to_owned()),
        ("edits.txt".to_owned(), words(difference.edits)),
        ("seed.out".to_owned(), told(difference.before)),
        ("mutant.out".to_owned(), told(difference.after)),
    ];
    for (number, file) in member.files.iter().enumerate() {
        files.push((format!("mutant-{number}.bpl"), file.text.clone()));
    }
    Finding { name, files }
}
