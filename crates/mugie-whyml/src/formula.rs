//! Pieces of text that make up declarations and formulas. This module knows only WhyML.

use std::fmt;

/// Names with their sorts: the parameters of a function, or the variables of a quantifier.
#[derive(Clone, Debug, Default)]
pub(crate) struct Binders(Vec<(String, String)>);

impl Binders {
    /// Adds a name.
    pub(crate) fn add(&mut self, name: impl Into<String>, sort: impl Into<String>) {
        self.0.push((name.into(), sort.into()));
    }

    /// Adds the names of tags.
    pub(crate) fn add_tags<T: fmt::Display>(&mut self, tags: impl IntoIterator<Item = T>) {
        for tag in tags {
            self.add(tag.to_string(), "ty");
        }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The names.
    pub(crate) fn names(&self) -> impl Iterator<Item = &str> {
        self.0.iter().map(|(name, _)| name.as_str())
    }

    /// ` (x: t) (y: u)`
    pub(crate) fn params(&self) -> String {
        let params: Vec<String> =
            self.0.iter().map(|(name, sort)| format!(" ({name}: {sort})")).collect();
        params.concat()
    }

    /// `x: t, y: u`
    pub(crate) fn list(&self) -> String {
        let list: Vec<String> =
            self.0.iter().map(|(name, sort)| format!("{name}: {sort}")).collect();
        list.join(", ")
    }

    /// Binds the names in a formula, with a trigger unless it is empty.
    pub(crate) fn forall(&self, trigger: &str, formula: &str) -> String {
        match (self.is_empty(), trigger) {
            (true, _) => formula.to_owned(),
            (false, "") => format!("forall {}. {formula}", self.list()),
            (false, trigger) => format!("forall {} [{trigger}]. {formula}", self.list()),
        }
    }
}

/// A function applied to arguments.
pub(crate) fn apply<'t>(function: &str, args: impl IntoIterator<Item = &'t str>) -> String {
    let mut text = format!("({function}");
    let bare = text.len();
    for arg in args {
        text.push(' ');
        text.push_str(arg);
    }
    if text.len() == bare && !function.contains(' ') {
        return function.to_owned();
    }
    text.push(')');
    text
}

/// `premise -> premise -> formula`
pub(crate) fn implied(premises: &[String], formula: &str) -> String {
    let mut text = String::new();
    for premise in premises {
        text.push_str(premise);
        text.push_str(" -> ");
    }
    text.push_str(formula);
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_constant_stands_without_parentheses() {
        assert_eq!(apply("c", []), "c");
        assert_eq!(apply("f", ["x", "(g y)"]), "(f x (g y))");
        assert_eq!(apply("f t", []), "(f t)");
    }

    #[test]
    fn a_formula_without_variables_has_no_quantifier() {
        let mut binders = Binders::default();
        assert_eq!(binders.forall("c", "p"), "p");
        binders.add("x", "int");
        binders.add_tags(["t"]);
        assert_eq!(binders.forall("", "p"), "forall x: int, t: ty. p");
        assert_eq!(binders.forall("f x", "p"), "forall x: int, t: ty [f x]. p");
        assert_eq!(implied(&["p".to_owned(), "q".to_owned()], "r"), "p -> q -> r");
    }
}
