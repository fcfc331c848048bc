//! The implementations in a program that Dafny printed: Boogie's names for them, and Dafny's.

use std::sync::LazyLock;

use regex::Regex;

/// An implementation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Implementation {
    /// Boogie's name: `Impl$$M.__default.Max`.
    pub(crate) name: String,
    /// Dafny's name: `M.Max (correctness)`. Dafny 2 and 3 have none.
    pub(crate) title: Option<String>,
    /// The lines of its text, from 1, the last one included.
    pub(crate) lines: (u32, u32),
}

impl Implementation {
    /// The name as Boogie prints it: Dafny's name, if there is one.
    pub(crate) fn printed_name(&self) -> &str {
        self.title.as_deref().unwrap_or(&self.name)
    }
}

impl Implementation {
    /// The name for people: Dafny's, or what Dafny 4 would call it.
    pub(crate) fn told_name(&self) -> String {
        let derived = || {
            let (check, path) = self.name.split_once("$$")?;
            let kind = match check {
                "Impl" => "correctness",
                "CheckWellformed" | "CheckWellFormed" => "well-formedness",
                _ => return None,
            };
            let parts = path.split('.').filter(|part| !matches!(*part, "_module" | "__default"));
            let parts: Vec<String> = parts.map(unmangled).collect();
            Some(format!("{} ({kind})", parts.join(".")))
        };
        self.title.clone().or_else(derived).unwrap_or_else(|| self.name.clone())
    }
}

/// A name as the user wrote it: Dafny writes `_` as `__`, `'` as `_k` and `?` as `_q`.
fn unmangled(name: &str) -> String {
    let mut plain = String::new();
    let mut rest = name.chars().peekable();
    while let Some(c) = rest.next() {
        let meant = match (c, rest.peek()) {
            ('_', Some('_')) => Some('_'),
            ('_', Some('k')) => Some('\''),
            ('_', Some('q')) => Some('?'),
            _ => None,
        };
        if meant.is_some() {
            rest.next();
        }
        plain.push(meant.unwrap_or(c));
    }
    plain
}

/// The first line of an implementation. Dafny prints one line, with all attributes before the name.
static HEAD: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(r#"^implementation (?:\{:[^{}"]*(?:"(?:[^"\\]|\\.)*"[^{}"]*)*\} )*([^ (<{]+)[(<]"#)
        .ok()
});

/// The attribute with Dafny's name.
static TITLE: LazyLock<Option<Regex>> =
    LazyLock::new(|| Regex::new(r#"\{:verboseName "((?:[^"\\]|\\.)*)"\}"#).ok());

/// The implementations of a printed program, in its order.
pub(crate) fn implementations(text: &str) -> Vec<Implementation> {
    let mut found: Vec<Implementation> = Vec::new();
    for (number, line) in (1..).zip(text.lines()) {
        // Dafny ends an implementation with a brace at the beginning of a line.
        if line == "}"
            && let Some(last) = found.last_mut()
            && last.lines.1 == u32::MAX
        {
            last.lines.1 = number;
        }
        if !line.starts_with("implementation ") {
            continue;
        }
        let Some(head) = HEAD.as_ref().and_then(|head| head.captures(line)) else { continue };
        let title = TITLE.as_ref().and_then(|title| title.captures(line));
        found.push(Implementation {
            name: head[1].to_owned(),
            title: title.map(|title| title[1].replace("\\\"", "\"")),
            lines: (number, u32::MAX),
        });
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_both_tools_are_found() {
        let text = "procedure {:verboseName \"M.P (correctness)\"} Impl$$M.P();\n\
                    implementation {:smt_option \"smt.arith.solver\", \"2\"} {:verboseName \"M.P (correctness)\"} \
                    Impl$$M.P(x#0: int)\n{\n  if (*)\n  {\n  }\n}\nimplementation Impl$$M.Q<T>(x: T)\n{\n}\n";
        let found = implementations(text);
        let rows: Vec<_> =
            found.iter().map(|it| (it.name.as_str(), it.printed_name(), it.lines)).collect();
        assert_eq!(
            rows,
            [("Impl$$M.P", "M.P (correctness)", (2, 7)), ("Impl$$M.Q", "Impl$$M.Q", (8, 10))]
        );
        let told: Vec<String> = found.iter().map(Implementation::told_name).collect();
        assert_eq!(told, ["M.P (correctness)", "M.Q (correctness)"]);
        let names = "implementation CheckWellformed$$_module.__default.is__small_q_k()\n\
                     implementation InterModuleCall$$M.P()\n";
        let told: Vec<String> =
            implementations(names).iter().map(Implementation::told_name).collect();
        assert_eq!(told, ["is_small?' (well-formedness)", "InterModuleCall$$M.P"]);
    }
}
