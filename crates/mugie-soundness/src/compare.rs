//! Verifies programs and their mutants, and compares the answers.

use std::io;

use mugie_core::{FileText, GoalNames, Instances, Seed, Sharing};

use crate::boogie::{Boogie, Said, Submission};
use crate::mutants::Mutants;

/// A program with its mutants.
#[derive(Debug)]
pub struct Family {
    /// The program's name.
    pub name: String,
    /// The program.
    pub seed: Box<dyn Seed>,
    /// The program's mutants.
    pub mutants: Mutants,
}

/// A mutant with another answer than its seed, even if both have processes of their own.
#[derive(Clone, Debug)]
pub struct Differs {
    /// The index of the family.
    pub family: usize,
    /// The index of the mutant in the family.
    pub mutant: usize,
    /// The answer for the seed.
    pub before: Said,
    /// The answer for the mutant.
    pub after: Said,
}

/// The result of a comparison.
#[derive(Clone, Debug)]
pub struct Compared {
    /// The answers for the seeds.
    pub seeds: Vec<Said>,
    /// The mutants that differ.
    pub differences: Vec<Differs>,
    /// The number of mutants that differ only in a shared process.
    pub shared_only: u64,
}

/// A program of a family: the seed or a mutant.
struct Member {
    family: usize,
    /// The index of the mutant; `None` for the seed.
    mutant: Option<usize>,
    files: Vec<FileText>,
    class: Sharing,
    names: GoalNames,
    instances: Instances,
}

/// Verifies all programs and compares the answers. `None` if interrupted.
pub fn compare(families: &[Family], boogie: &Boogie) -> io::Result<Option<Compared>> {
    let members = members(families);
    let rename = |member: &Member| {
        let (names, instances) = (member.names.clone(), member.instances.clone());
        move |name: &str| names.in_seed(instances.goal(name)).to_owned()
    };
    let originals: Vec<_> = members.iter().map(rename).collect();
    let questions: Vec<Submission<'_>> = members
        .iter()
        .zip(&originals)
        .map(|(member, original)| Submission {
            files: &member.files,
            class: member.class.clone(),
            original,
        })
        .collect();
    let Some(answers) = boogie.ask(&questions)? else { return Ok(None) };

    let mut compared = Compared { seeds: Vec::new(), differences: Vec::new(), shared_only: 0 };
    let mut seed = 0;
    for (index, member) in members.iter().enumerate() {
        let Some(mutant) = member.mutant else {
            // The seed precedes its mutants.
            seed = index;
            compared.seeds.push(answers[index].clone());
            continue;
        };
        if answers[index].agrees_with(&answers[seed]) {
            continue;
        }
        // Repeat alone: earlier programs in the process may matter.
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
                class: program.sharing(),
                names: program.goal_names(&**seed),
                instances: program.instances(),
            });
        }
    }
    members
}
