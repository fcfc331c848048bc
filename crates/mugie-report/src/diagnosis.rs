//! A diagnosis for people: the responsible layer, and a table of the variations that were tried.

use std::fmt::Write as _;

use mugie_results::diagnosis::{Diagnosis, Unavailable};

use crate::words::escaped;

/// The text of a diagnosis. `title` is the verifier's.
pub fn diagnosis(title: &str, found: &Diagnosis) -> String {
    let mut text = format!("{}\n\n", escaped(&found.sentence));
    let _ = writeln!(text, "  {}", escaped(title));
    let length = |words: &str| words.chars().count();
    let variations: Vec<String> = found.tried.iter().map(|tried| escaped(&tried.words)).collect();
    let lengths = variations.iter().map(|words| length(words));
    let width = lengths.fold(length("variation"), usize::max);
    let outcomes = found.tried.iter().map(|tried| length(tried.seed.words()));
    let middle = outcomes.fold(length("original"), usize::max);
    let _ = writeln!(text, "  {:width$}  {:middle$}  mutant", "variation", "original");
    for (tried, words) in found.tried.iter().zip(&variations) {
        let (seed, mutant) = (tried.seed.words(), tried.mutant.words());
        let _ = writeln!(text, "  {words:width$}  {seed:middle$}  {mutant}");
    }
    for Unavailable { words, reason } in &found.unavailable {
        let (words, reason) = (escaped(words), escaped(reason));
        let _ = writeln!(text, "  {words:width$}  not tried: {reason}");
    }
    text + &crate::advice::text(found.layer)
}

#[cfg(test)]
mod tests {
    use mugie_core::Outcome;
    use mugie_results::diagnosis::{Layer, Tried, VariedPart};

    use super::*;

    #[test]
    fn what_was_tried_is_a_table() {
        let tried = |change, words: &str, seed, mutant| Tried {
            change,
            words: words.to_owned(),
            seed,
            mutant,
        };
        let found = Diagnosis {
            layer: Layer::AxiomOrder,
            sentence: "The order of axioms in the verification condition.".to_owned(),
            difference: None,
            tried: vec![
                tried(VariedPart::Nothing, "as it was found", Outcome::Verified, Outcome::Failed),
                tried(VariedPart::NoInference, "é", Outcome::OutOfResource, Outcome::TimedOut),
            ],
            unavailable: vec![Unavailable {
                words: "with cvc5".to_owned(),
                reason: "it is not there".to_owned(),
            }],
        };
        insta::assert_snapshot!(diagnosis("Boogie 2.4.1 with Z3 4.8.12", &found), @r"
        The order of axioms in the verification condition.

          Boogie 2.4.1 with Z3 4.8.12
          variation        original         mutant
          as it was found  verified         failed
          é                out of resource  timed out
          with cvc5        not tried: it is not there

        What helps
          - give axioms without triggers a trigger: the term that should make the solver use them
          - or assert the instance of the axiom in the procedure, where it is needed
          More: book/src/advice/axiom-order.md
        ");
    }
}
