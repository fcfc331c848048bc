//! Which operators are drawn, and with which weight.

use crate::operator::{About, Set, similar};
use crate::rng::MutantRng;

/// The weight of each operator of a language; the probability of drawing an operator is proportional to
/// its weight.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Weights(Vec<u32>);

/// What is wrong with a selection of operators.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum WeightsError {
    /// No operator or set has this name.
    #[error("there is no operator or set `{name}`{}", suggestion(*.similar))]
    Unknown {
        /// The unknown name.
        name: String,
        /// An operator with a similar name.
        similar: Option<&'static str>,
    },
    /// The text after the `=` is not a number.
    #[error("`{0}` is not a weight: write a whole number, as in `L5=3`")]
    NotANumber(String),
    /// All weights are zero.
    #[error("no operator is chosen")]
    Empty,
    /// An operator that changes how a solver works is chosen together with others.
    #[error(
        "`{0}` changes how the solver works, so its mutants are not counted with those of others: choose it alone"
    )]
    Mixed(&'static str),
}

fn suggestion(similar: Option<&'static str>) -> String {
    similar.map(|name| format!("; did you mean `{name}`?")).unwrap_or_default()
}

impl Weights {
    /// Every operator of these sets with its usual weight.
    pub fn of_sets(operators: &[&About], sets: &[Set]) -> Weights {
        let weight = |about: &About| if sets.contains(&about.set) { about.weight } else { 0 };
        Weights(operators.iter().map(|about| weight(about)).collect())
    }

    /// Parses a selection: names of sets (`paper`, `extended`, `all` for both) and of operators (`S1`,
    /// `swap-clauses`), separated by commas, each with an optional weight: `paper,L5=3`. Later items
    /// override earlier ones. In a language without the paper's operators, `paper`, the default, means
    /// all operators that preserve meaning.
    pub fn parse(text: &str, operators: &[&'static About]) -> Result<Weights, WeightsError> {
        let mut weights = vec![0; operators.len()];
        for item in text.split(',').map(str::trim).filter(|item| !item.is_empty()) {
            let (name, weight) = match item.split_once('=') {
                None => (item, None),
                Some((name, weight)) => {
                    let weight = weight.trim();
                    let number = weight.parse();
                    let number = number.map_err(|_| WeightsError::NotANumber(weight.to_owned()))?;
                    (name.trim(), Some(number))
                }
            };
            let sets: &[Set] = match name.to_ascii_lowercase().as_str() {
                // The paper's operators are for Boogie; most languages have none of them.
                "paper" if operators.iter().all(|about| about.set != Set::Paper) => {
                    &[Set::Extended]
                }
                "paper" => &[Set::Paper],
                "extended" => &[Set::Extended],
                "all" => &[Set::Paper, Set::Extended],
                _ => &[],
            };
            let mut found = false;
            for (about, slot) in operators.iter().zip(&mut weights) {
                if about.is_called(name) {
                    *slot = weight.unwrap_or(1);
                    found = true;
                } else if sets.contains(&about.set) {
                    *slot = weight.unwrap_or(about.weight);
                    found = true;
                }
            }
            if !found {
                let similar = similar(operators, name);
                return Err(WeightsError::Unknown { name: name.to_owned(), similar });
            }
        }
        if weights.iter().all(|&weight| weight == 0) {
            return Err(WeightsError::Empty);
        }
        let chosen = || operators.iter().zip(&weights).filter(|(_, weight)| **weight > 0);
        // The paper has its own operator of this kind among its others.
        let is_apart = |about: &About| about.set == Set::Apart && about.code.is_none();
        if let Some((about, _)) = chosen().find(|(about, _)| is_apart(about))
            && chosen().any(|(other, _)| !is_apart(other))
        {
            return Err(WeightsError::Mixed(about.name));
        }
        Ok(Weights(weights))
    }

    /// The operators that can be drawn, by their number in the language.
    pub fn active(&self) -> impl Iterator<Item = usize> {
        self.0.iter().enumerate().filter(|&(_, &weight)| weight > 0).map(|(number, _)| number)
    }

    /// Leaves out all operators but the paper's, unless none of these is chosen.
    pub(crate) fn keep_papers(&mut self, operators: &[&About]) {
        let is_papers = |about: &About| about.set == Set::Paper;
        let mut chosen = operators.iter().zip(&self.0).filter(|(_, weight)| **weight > 0);
        if chosen.any(|(about, _)| is_papers(about)) {
            for (about, weight) in operators.iter().zip(&mut self.0) {
                *weight = if is_papers(about) { *weight } else { 0 };
            }
        }
    }

    /// The weight of an operator.
    pub fn weight(&self, operator: usize) -> u32 {
        self.0[operator]
    }

    /// Draws an operator.
    pub(crate) fn draw(&self, rng: &mut MutantRng) -> usize {
        let total = self.0.iter().map(|&weight| u64::from(weight)).sum();
        let mut drawn = rng.below(total);
        for (number, &weight) in self.0.iter().enumerate() {
            if drawn < u64::from(weight) {
                return number;
            }
            drawn -= u64::from(weight);
        }
        0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const fn about(code: Option<&'static str>, name: &'static str, set: Set) -> About {
        About { code, name, set, weight: 1, doc: "" }
    }

    static OPERATORS: &[&About] = &[
        &about(Some("S1"), "swap-declarations", Set::Paper),
        &about(Some("L5"), "swap-clauses", Set::Paper),
        &about(Some("G2"), "remove-trigger", Set::Apart),
        &about(None, "rename-local", Set::Extended),
    ];

    static SCOPES: &[&About] =
        &[&about(None, "flatten", Set::Apart), &about(None, "commute", Set::Extended)];

    fn active(text: &str) -> Vec<&'static str> {
        let weights = Weights::parse(text, OPERATORS).unwrap();
        weights.active().map(|number| OPERATORS[number].id()).collect()
    }

    #[test]
    fn a_choice_names_sets_and_operators() {
        assert_eq!(active("paper"), ["S1", "L5"]);
        assert_eq!(active("all"), ["S1", "L5", "rename-local"]);
        // What changes how a solver works is chosen alone.
        assert!(Weights::parse("flatten", SCOPES).is_ok());
        let mixed = Weights::parse("paper,flatten", SCOPES);
        assert_eq!(mixed, Err(WeightsError::Mixed("flatten")));
        // A language without the paper's operators.
        let weights = Weights::parse("paper", &OPERATORS[2..]).unwrap();
        assert_eq!(weights.active().collect::<Vec<_>>(), [1]);
        assert_eq!(active("L5, swap-declarations=3"), ["S1", "L5"]);
        assert_eq!(active("paper,s1=0"), ["L5"]);
        assert!(active("paper,G2").contains(&"G2"));
        assert_eq!(Weights::parse("S1=3", OPERATORS).unwrap().weight(0), 3);
    }

    #[test]
    fn a_bad_choice_says_what_is_wrong() {
        let message = |text| Weights::parse(text, OPERATORS).unwrap_err().to_string();
        assert_eq!(message("S9"), "there is no operator or set `S9`; did you mean `S1`?");
        assert_eq!(
            message("swap-clause"),
            "there is no operator or set `swap-clause`; did you mean `swap-clauses`?"
        );
        assert_eq!(message("S1=x"), "`x` is not a weight: write a whole number, as in `L5=3`");
        assert_eq!(message("S1=0"), "no operator is chosen");
    }
}
