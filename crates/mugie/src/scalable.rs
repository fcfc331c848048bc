//! Programs of any size, generated from fixed patterns. They verify by construction, and the same
//! kind and size always give the same text.
//!
//! The texts are in the printer's layout. No verifier is run here.

use std::fmt::Write as _;

use clap::ValueEnum;

/// The number of variables per declaration.
const GROUP: u32 = 5;

/// The patterns.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Pattern {
    /// A full decision tree as deep as the size; the text doubles with each level
    NestedConditionals,
    /// As many local variables as the size, each computed from the one before
    ManyVariables,
    /// As many parallel assignments as the size, one after the other
    LongAssignments,
}

impl Pattern {
    /// The largest allowed size: some hundred thousand lines for each kind.
    pub(crate) fn max_size(self) -> u32 {
        match self {
            Pattern::NestedConditionals => 16,
            Pattern::ManyVariables | Pattern::LongAssignments => 200_000,
        }
    }

    /// The name on the command line.
    pub(crate) fn name(self) -> String {
        let value = self.to_possible_value();
        value.map(|value| value.get_name().to_owned()).unwrap_or_default()
    }

    /// The program of this kind and size, at most [`Pattern::max_size`].
    pub(crate) fn program(self, size: u32) -> String {
        let mut text = format!(
            "// Made by `mugie seeds generate --kind {} --size {size}`.\n//\n",
            self.name()
        );
        match self {
            Pattern::NestedConditionals => nested_conditionals(&mut text, size),
            Pattern::ManyVariables => many_variables(&mut text, size),
            Pattern::LongAssignments => long_assignments(&mut text, size),
        }
        text
    }
}

/// A program that determines its argument by comparisons:
///
/// ```boogie
/// if (x < 1) {
///   r := 0;
/// } else {
///   r := 1;
/// }
/// ```
fn nested_conditionals(text: &mut String, depth: u32) {
    let end = 1_u64 << depth;
    let _ = write!(
        text,
        "// Proved: comparisons alone find out which of {end} numbers the argument is.\n\n\
         procedure Find(x: int) returns (r: int)\n  \
         requires 0 <= x;\n  \
         requires x < {end};\n  \
         ensures r == x;\n\
         {{\n"
    );
    decide(text, 0, end, 1);
    *text += "}\n";
}

/// The statements that determine which number from `low` to below `high` the argument is.
fn decide(text: &mut String, low: u64, high: u64, level: usize) {
    let indent = "  ".repeat(level);
    if high - low == 1 {
        let _ = writeln!(text, "{indent}r := {low};");
        return;
    }
    let middle = u64::midpoint(low, high);
    let _ = writeln!(text, "{indent}if (x < {middle}) {{");
    decide(text, low, middle, level + 1);
    let _ = writeln!(text, "{indent}}} else {{");
    decide(text, middle, high, level + 1);
    let _ = writeln!(text, "{indent}}}");
}

fn many_variables(text: &mut String, count: u32) {
    let _ = write!(
        text,
        "// Proved: the last variable is the sum of the numbers up to {count}.\n\n\
         procedure Sum(start: int) returns (sum: int)\n  \
         ensures sum == start + {};\n\
         {{\n",
        triangle(count)
    );
    for first in (1..=count).step_by(GROUP as usize) {
        let group = first..=count.min(first + GROUP - 1);
        let names: Vec<_> = group.map(|number| format!("v{number}")).collect();
        let _ = writeln!(text, "  var {}: int;", names.join(", "));
    }
    *text += "\n  v1 := start + 1;\n";
    for number in 2..=count {
        let _ = writeln!(text, "  v{number} := v{} + {number};", number - 1);
    }
    let _ = write!(text, "  sum := v{count};\n}}\n");
}

fn long_assignments(text: &mut String, count: u32) {
    let _ = write!(
        text,
        "// Proved: each assignment adds its number to the sum of both variables.\n\n\
         procedure Exchange(x: int, y: int) returns (a: int, b: int)\n  \
         ensures a + b == x + y + {};\n\
         {{\n  \
         a, b := x, y;\n",
        triangle(count)
    );
    for number in 1..=count {
        let _ = writeln!(text, "  a, b := b, a + {number};");
    }
    *text += "}\n";
}

/// The sum of the numbers up to `count`.
fn triangle(count: u32) -> u64 {
    let count = u64::from(count);
    count * (count + 1) / 2
}

#[cfg(test)]
mod tests {
    use bpl_syntax::{Dialect, parse, print};

    use super::*;

    const KINDS: &[Pattern] =
        &[Pattern::NestedConditionals, Pattern::ManyVariables, Pattern::LongAssignments];

    #[test]
    fn programs_are_well_formed_and_laid_out_as_the_printer_does() {
        for kind in KINDS {
            for size in [1, 2, 5, 6, 11] {
                let text = kind.program(size);
                let parse = parse(&text, Dialect::Boogie2);
                assert!(parse.errors.is_empty(), "{text}: {:?}", parse.errors);
                let (header, program) = text.split_once("\n\n").unwrap();
                assert!(header.lines().all(|line| line.starts_with("//")), "{text}");
                assert_eq!(print(&parse.program), program);
                bpl_check::check(&parse.program).unwrap();
            }
        }
    }

    #[test]
    fn the_size_is_what_the_kind_says() {
        let count = |kind: Pattern, size, what: &str| kind.program(size).matches(what).count();
        assert_eq!(count(Pattern::NestedConditionals, 5, "if ("), 31);
        assert_eq!(count(Pattern::NestedConditionals, 5, "r := "), 32);
        assert_eq!(count(Pattern::ManyVariables, 12, " v12:"), 1);
        assert_eq!(count(Pattern::ManyVariables, 12, "var "), 3);
        assert_eq!(count(Pattern::LongAssignments, 30, "a, b := b, a + "), 30);
    }
}
