//! Programs and their mutants, asked about and compared.

use std::io;

use mugie_core::{FileText, GoalNames, Seed};

use crate::boogie::{Boogie, Said, Submission};
use crate::mutants::Mutants;

/// A program with its mutants.
#[derive(Debug)]
pub struct Family {
    /// What to call it.
    pub name: String,
    /// The program.
    pub seed: Box<dyn Seed>,
    /// Its mutants.
    pub mutants: Mutants,
}

/// A mutant of which something else is said than of its seed, also if both are alone.
#[derive(Clone, Debug)]
pub struct Differs {
    /// The number of its family.
    pub family: usize,
    /// The number of the mutant in it.
    pub mutant: usize,
    /// What is said of the seed.
    pub before: Said,
    /// What is said of the mutant.
    pub after: Said,
}

/// What came of comparing.
#[derive(Clone, Debug)]
pub struct Compared {
    /// What is said of the seeds.
    pub seeds: Vec<Said>,
    /// The mutants that differ.
    pub differences: Vec<Differs>,
    /// How many differ in a shared process only.
    pub shared_only: u64,
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

/// Asks about all programs and compares. `None` if it was interrupted.
pub fn compare(families: &[Family], boogie: &Boogie) -> io::Result<Option<Compared>> {
    let members = members(families);
    let rename = |member: &Member| {
        let names = member.names.clone();
        move |name: &str| names.in_seed(name).to_owned()
    };
    let originals: Vec<_> = members.iter().map(rename).collect();
    let questions: Vec<Submission<'_>> = members
        .iter()
        .zip(&originals)
        .map(|(member, original)| Submission {
            files: &member.files,
            class: member.class,
            original,
        })
        .collect();
    let Some(answers) = boogie.ask(&questions)? else { return Ok(None) };

    let mut compared = Compared { seeds: Vec::new(), differences: Vec::new(), shared_only: 0 };
    let mut seed = 0;
    for (index, member) in members.iter().enumerate() {
        let Some(mutant) = member.mutant else {
            // The seed stands in front of its mutants.
            seed = index;
            compared.seeds.push(answers[index].clone());
            continue;
        };
        if answers[index].agrees_with(&answers[seed]) {
            continue;
        }
        // Again, alone: what a process has seen before may matter.
        let Some(before) = boogie.ask_alone(&questions[seed])? else { return Ok(None) };
        let Some(after) = boogie.ask_alone(&questions[index])? else { return Ok(None) };
        if after.agrees_with(&before) {
            compared.shared_only += 1;
        } else {
            let family = member.family;
            compared.differences.push(Differs { family, mutant, before, after });
        }
    }
    Ok(Some(compared))
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
