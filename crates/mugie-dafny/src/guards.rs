//! Guards that are constant, as Dafny means them.
//!
//! Dafny gives Boogie `if (true)` as a tree in which the negated guard is the constant `false`, so Boogie drops the other
//! branch. Boogie does not simplify the guard of a program that it reads, and keeps that branch. `if (*)` with `assume
//! false` at the beginning of the other branch is the same program, and what Boogie makes of it is what Dafny gets. So is
//! `while (!false)` for `while (true)`: Boogie does resolve the double negation behind the loop. Otherwise it would infer
//! less of such loops, which all loops of Dafny are.

use std::fmt::Write as _;

/// The guards as Dafny prints them, and the one for a loop that Boogie simplifies.
const CONSTANT: &str = "if (true)";
const ENDLESS: &str = "while (true)";
const SIMPLIFIED: &str = "while (!false)";

/// The printed program with such guards resolved.
pub(crate) fn resolved(text: &str) -> String {
    let mut made = String::with_capacity(text.len());
    let mut lines = text.split_inclusive('\n').peekable();
    let mut open: Vec<&str> = Vec::new();
    while let Some(line) = lines.next() {
        let content = line.trim_end();
        let indent = &content[..content.len() - content.trim_start().len()];
        if content.trim_start() == CONSTANT {
            let _ = writeln!(made, "{indent}if (*)");
            open.push(indent);
            continue;
        }
        if content.trim_start() == ENDLESS {
            let _ = writeln!(made, "{indent}{SIMPLIFIED}");
            continue;
        }
        made += line;
        // Dafny aligns the braces of a statement with its keyword.
        if content.trim_start() != "}" || open.last() != Some(&indent) {
            continue;
        }
        open.pop();
        let is_else = |next: &&str| next.trim_end() == format!("{indent}else");
        if let Some(keyword) = lines.next_if(is_else) {
            made += keyword;
            made += lines.next().unwrap_or_default();
            let _ = writeln!(made, "{indent}    assume false;");
        } else {
            let _ =
                writeln!(made, "{indent}else\n{indent}{{\n{indent}    assume false;\n{indent}}}");
        }
    }
    made
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_other_branch_of_a_constant_guard_is_dead() {
        let text = "{\n    if (true)\n    {\n        if (x)\n        {\n        }\n    }\n    else\n    {\n        a := b;\n    }\n    if (true)\n    {\n    }\n}\n";
        let made = "{\n    if (*)\n    {\n        if (x)\n        {\n        }\n    }\n    else\n    {\n        assume false;\n        a := b;\n    }\n    if (*)\n    {\n    }\n    else\n    {\n        assume false;\n    }\n}\n";
        assert_eq!(resolved(text), made);
        assert_eq!(resolved("if (x)\n{\n}\n"), "if (x)\n{\n}\n");
        assert_eq!(resolved("  while (true)\n"), "  while (!false)\n");
    }
}
