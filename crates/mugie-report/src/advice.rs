//! What people do against brittleness, by the layer that is to blame: a short form for the terminal. Each layer has a
//! page of the book as well.

use mugie_results::diagnosis::Layer;

/// The address of the pages.
const BOOK: &str = "book/src/advice";

/// The page of a layer, in the project's book.
pub fn page(layer: Layer) -> String {
    format!("{BOOK}/{}.md", layer.id())
}

/// The advice in a few lines, each a thing to try, the likeliest to help first.
pub fn advice(layer: Layer) -> &'static [&'static str] {
    match layer {
        Layer::TypeChecking => &[
            "read the verifier's message on the rejected program; spell out what is inferred, such as type arguments",
            "if the rejected program follows the language's manual, report the pair to the verifier's authors",
        ],
        Layer::Inference => &[
            "try both programs without inference (such as `--arg /noinfer`): if both verify, leave it off",
            "write the invariant that inference finds in only one: the page says how to see it",
        ],
        Layer::Time => &[
            "make the proof smaller: split the procedure, or state steps in between with `assert`",
            "limit work instead of time with --rlimit; `mugie test --max-effort 3` warns before time runs out",
        ],
        Layer::SolverChoices => &[
            "find the assertion that depends on the random seed, and assert the instance that it needs right before",
            "`mugie test --luck 20` measures whether that helps; a fixed random seed only hides it",
        ],
        Layer::AxiomOrder => &[
            "give axioms without triggers a trigger: the term that should make the solver use them",
            "or assert the instance of the axiom in the procedure, where it is needed",
        ],
        Layer::DeclarationOrder => &[
            "assert the first instances that the proof needs, so that it starts from terms of the procedure",
            "give triggers to quantifiers that have none; remove declarations that no proof uses",
        ],
        Layer::QuantifierNames => &[
            "give quantifiers names of their own, such as `{:qid \"name\"}`, and triggers",
            "report it to the solver's authors: `mugie query FILE PROCEDURE` prints the two problems",
        ],
        Layer::ProblemShape => &[
            "split the clause or assertion into its conjuncts, or state the step in between with `assert`",
            "make a formula that occurs in several places a function, so that all have the same term",
        ],
        Layer::AxiomChoice => &[
            "have the verifier keep all axioms (such as `--arg /prune:0`): if both verify, pruning decides",
            "put the axiom into the `uses` clause of its function, and mention the function where it is needed",
        ],
        Layer::SameProblem => &[
            "run the test again: if the answer is nondeterministic, look for a limit of time on a busy machine",
            "report it to the solver's authors: it answers the same question differently",
        ],
        Layer::Solver => &[
            "test the queries themselves, if the verifier lets them be seen: `mugie test FILE --level query`",
            "try another solver with --also: if it agrees on both, it is a matter of the solver's search",
        ],
        Layer::NotReproduced => &[
            "give the verifier, options and limits of the run that failed: a directory of `mugie minimise` has them",
            "count how often it fails with `mugie test FILE --luck 20`",
        ],
    }
}

/// The lines for people, after a diagnosis.
pub(crate) fn text(layer: Layer) -> String {
    let lines: Vec<String> = advice(layer).iter().map(|line| format!("  - {line}\n")).collect();
    format!("\nWhat helps\n{}  More: {}\n", lines.concat(), page(layer))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    /// The text of a file of the book.
    #[expect(clippy::disallowed_methods, reason = "the test looks at the pages")]
    fn book(path: &str) -> String {
        let root = concat!(env!("CARGO_MANIFEST_DIR"), "/../../");
        std::fs::read_to_string(format!("{root}{path}"))
            .unwrap_or_else(|error| panic!("{path}: {error}"))
    }

    #[test]
    fn every_layer_has_its_page() {
        let summary = book("book/src/SUMMARY.md");
        let list = book("book/src/advice/README.md");
        let layers = book("book/src/causes.md");
        let mut said = BTreeSet::new();
        for layer in Layer::ALL {
            let text = book(&page(layer));
            let id = layer.id();
            assert!(text.starts_with(&format!("# {id}\n")), "{id}");
            let advice: Vec<&str> = text.lines().filter(|line| line.starts_with("- **")).collect();
            assert!(advice.len() >= 3, "{id}: {advice:?}");
            assert!(
                summary.contains(&format!("(advice/{id}.md)")),
                "{id} is not in the table of contents"
            );
            assert!(list.contains(&format!("[`{id}`]({id}.md)")), "{id} is not in the list");
            assert!(
                layers.contains(&format!("(advice/{id}.md)")),
                "causes.md does not lead to {id}"
            );
            assert!(super::advice(layer).iter().all(|line| said.insert(*line)), "{id}: said twice");
        }
    }
}
