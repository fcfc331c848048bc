//! Files of languages that mugie does not read, and what can be done about them today.
//!
//! Must not know the languages that mugie reads: a file whose language was given is none of these.

use std::path::Path;

use crate::sources::Unreadable;

/// A language, the extensions of its files, and what to do about a file.
struct Foreign {
    name: &'static str,
    extensions: &'static [&'static str],
    help: &'static str,
}

const FOREIGN: &[Foreign] = &[
    Foreign {
        name: "WhyML",
        extensions: &["mlw", "why"],
        help: "have Why3 write its queries, and test these: `why3 prove -P z3 -o queries FILE`, `mugie test queries`",
    },
    Foreign {
        name: "Rust",
        extensions: &["rs"],
        help: "have Verus write its queries, and test these: `verus FILE --log smt`, `mugie test .verus-log`",
    },
    Foreign {
        name: "F*",
        extensions: &["fst", "fsti"],
        help: "have F* write its queries, and test these: `fstar.exe --log_queries FILE`, `mugie test queries-MODULE.smt2 \
               --split`",
    },
    Foreign {
        name: "Move",
        extensions: &["move"],
        help: "have the Move Prover keep its Boogie program, and test that with `--profile move`",
    },
    Foreign { name: "C", extensions: &["c", "h"], help: OTHERS },
    Foreign { name: "C++", extensions: &["cc", "cpp", "cxx", "hpp"], help: OTHERS },
    Foreign { name: "C#", extensions: &["cs"], help: OTHERS },
    Foreign { name: "Java", extensions: &["java"], help: OTHERS },
    Foreign { name: "Eiffel", extensions: &["e"], help: OTHERS },
    Foreign { name: "Ada", extensions: &["adb", "ads"], help: OTHERS },
    Foreign { name: "Go", extensions: &["go"], help: OTHERS },
    Foreign { name: "Python", extensions: &["py"], help: OTHERS },
    Foreign { name: "Scala", extensions: &["scala"], help: OTHERS },
    Foreign { name: "Lean", extensions: &["lean"], help: OTHERS },
    Foreign { name: "Rocq", extensions: &["v"], help: OTHERS },
    Foreign { name: "Isabelle", extensions: &["thy"], help: OTHERS },
    Foreign { name: "TLA+", extensions: &["tla"], help: OTHERS },
    Foreign { name: "Solidity", extensions: &["sol"], help: OTHERS },
];

const OTHERS: &str = "have its verifier keep what it gives to Boogie, Viper or an SMT solver, and test the `.bpl`, `.vpr` or \
                      `.smt2` files";

/// What to say of a file that is of a foreign language by its extension.
pub fn refuse(path: &Path) -> Option<Unreadable> {
    let extension = path.extension()?.to_str()?;
    let found = FOREIGN.iter().find(|it| it.extensions.contains(&extension))?;
    let file = path.display().to_string();
    let reason =
        format!("{file}: it is a {} file by its name, which mugie does not read yet", found.name);
    let help = format!("{}; if it is another language, name it with `--language`", found.help);
    Some(Unreadable { file, reason, help: Some(help) })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_of_another_language_is_told_what_to_do() {
        let words = refuse(Path::new("a/list.mlw")).unwrap();
        assert!(words.reason.starts_with("a/list.mlw: it is a WhyML file"), "{words:?}");
        assert!(words.help.unwrap().contains("why3 prove -P z3"));
        for own in ["a.bpl", "a.dfy", "a.smt2", "a", "-", "a.txt"] {
            assert_eq!(refuse(Path::new(own)), None, "{own}");
        }
    }

    #[test]
    fn no_extension_is_claimed_twice() {
        let mut all: Vec<&str> = FOREIGN.iter().flat_map(|it| it.extensions).copied().collect();
        let number = all.len();
        all.sort_unstable();
        all.dedup();
        assert_eq!(all.len(), number);
    }
}
