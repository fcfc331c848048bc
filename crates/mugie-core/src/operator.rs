//! The description of an operator, whatever its language. Only the language knows what it does.

/// The description of an operator.
#[derive(Debug, PartialEq, Eq)]
pub struct About {
    /// The paper's code: `S1`.
    pub code: Option<&'static str>,
    /// The name: `swap-declarations`.
    pub name: &'static str,
    /// The set it belongs to.
    pub set: Set,
    /// Its weight if the set is chosen without a weight.
    pub weight: u32,
    /// The doc comment behind the manual page: what the operator does, an example, when it applies,
    /// why it is sound. Every line may start with one blank.
    pub doc: &'static str,
}

impl About {
    /// The name in edit scripts and tables: the code if the operator has one.
    pub fn id(&self) -> &'static str {
        self.code.unwrap_or(self.name)
    }

    /// Whether the operator has this code or name, ignoring case.
    pub fn is_called(&self, name: &str) -> bool {
        self.name.eq_ignore_ascii_case(name)
            || self.code.is_some_and(|code| code.eq_ignore_ascii_case(name))
    }

    /// The first sentence of the manual page.
    pub fn summary(&self) -> String {
        let manual = self.manual();
        let first = manual.split("\n\n").next().unwrap_or_default();
        first.split_whitespace().collect::<Vec<_>>().join(" ")
    }

    /// The manual page in Markdown.
    pub fn manual(&self) -> String {
        // Every line of a doc comment starts with a blank.
        self.doc.lines().fold(String::new(), |manual, line| {
            manual + line.strip_prefix(' ').unwrap_or(line) + "\n"
        })
    }
}

/// A set of operators that are selected together.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Set {
    /// The paper's operators that preserve the meaning of a program.
    Paper,
    /// Operators that preserve meaning in logic but change how a solver works, such as the paper's G2: only on
    /// request.
    Apart,
    /// Operators that the paper does not have.
    Extended,
}

/// The number of the operator with this code or name, ignoring case.
pub fn number_of(operators: &[&About], name: &str) -> Option<usize> {
    operators.iter().position(|about| about.is_called(name))
}

/// The operator whose code or name is closest to a misspelt one.
pub fn similar(operators: &[&'static About], word: &str) -> Option<&'static str> {
    let word = word.to_ascii_lowercase();
    operators
        .iter()
        .flat_map(|about| about.code.into_iter().chain([about.name]))
        .map(|name| (distance(&word, &name.to_ascii_lowercase()), name))
        .filter(|&(distance, name)| distance <= name.len() / 3 + 1)
        .min_by_key(|&(distance, _)| distance)
        .map(|(_, name)| name)
}

/// The edit distance of two words: characters added, removed or replaced.
fn distance(from: &str, to: &str) -> usize {
    let mut row: Vec<usize> = (0..=to.len()).collect();
    for (i, a) in from.bytes().enumerate() {
        let mut diagonal = std::mem::replace(&mut row[0], i + 1);
        for (j, b) in to.bytes().enumerate() {
            let replaced = diagonal + usize::from(a != b);
            diagonal = row[j + 1];
            row[j + 1] = replaced.min(row[j] + 1).min(diagonal + 1);
        }
    }
    row[to.len()]
}
