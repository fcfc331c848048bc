//! The solver's work on mutants as a multiple of its work on the seed, over all seeds of a test.

use mugie_results::result::{Effort, SeedReport};

use crate::words::{capped, goal, plain};

/// How many times the seed's work counts as much, in the summary.
const MUCH: f64 = 2.0;

/// The work on a procedure of a seed.
pub(crate) struct Strain<'r> {
    pub(crate) seed: &'r SeedReport,
    pub(crate) effort: &'r Effort,
    /// The work on the mutant with the most, as a multiple of that on the seed.
    pub(crate) times: f64,
}

/// The work on all procedures of the seeds, those that grew most first.
pub(crate) fn strains<'r>(seeds: impl Iterator<Item = &'r SeedReport>) -> Vec<Strain<'r>> {
    let mut all: Vec<Strain<'_>> = seeds.flat_map(of_seed).collect();
    all.sort_by(|a, b| b.times.total_cmp(&a.times));
    all
}

/// The work on all procedures of a seed, in their order.
pub(crate) fn of_seed(seed: &SeedReport) -> impl Iterator<Item = Strain<'_>> {
    seed.effort.iter().map(move |effort| Strain { seed, effort, times: effort.times() })
}

/// The lines of a summary about the work: the procedures that need much more for some mutant, or the one that
/// needs most.
pub(crate) fn lines<'r>(seeds: impl Iterator<Item = &'r SeedReport>) -> Vec<String> {
    let strains = strains(seeds);
    let Some(first) = strains.first() else { return Vec::new() };
    if first.times <= MUCH {
        let words = subject(first);
        return vec![format!("at most {:.2} times that of the original ({words})", first.times)];
    }
    let much = strains.iter().filter(|strain| strain.times > MUCH);
    let line = |strain: &Strain<'_>| {
        let place = strain.effort.most_in.as_ref().map(|name| format!(", in {}", plain(name)));
        let (words, times) = (subject(strain), strain.times);
        format!("{words}: up to {times:.1} times that of the original{}", place.unwrap_or_default())
    };
    capped(much.map(line))
}

/// The program and its procedure.
fn subject(strain: &Strain<'_>) -> String {
    let name = plain(&strain.seed.name);
    match strain.effort.procedure.as_str() {
        "" => name,
        procedure => format!("{name}, {} {}", goal(strain.seed), plain(procedure)),
    }
}
