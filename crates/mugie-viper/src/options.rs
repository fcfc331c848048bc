//! Carbon's options: those that the user gives, and what they mean for Boogie.

use mugie_core::{DoorError, DoorRequest, VerifierNeeds};

use crate::tool::Tool;

/// Options that choose what mugie chooses itself.
const OURS: [&str; 2] = ["--print", "--proverLog"];

/// The options of one run.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Options {
    /// The user's arguments that are for Carbon alone.
    pub(crate) arguments: Vec<String>,
    /// The user's options for Boogie: Carbon takes a single `--boogieOpt`.
    pub(crate) boogie: Vec<String>,
    /// The Boogie that the user gives Carbon.
    pub(crate) boogie_path: Option<String>,
    /// The solver that the user gives Carbon.
    pub(crate) solver_path: Option<String>,
}

impl Options {
    /// The options that the user gives.
    pub(crate) fn of(request: &DoorRequest<'_>) -> Result<Options, DoorError> {
        let mut options = Options::default();
        let mut words = request.arguments.iter();
        while let Some(word) = words.next() {
            let (name, joined) = word
                .split_once('=')
                .map_or((word.as_str(), None), |(name, value)| (name, Some(value.to_owned())));
            let mut value = || joined.clone().or_else(|| words.next().cloned());
            match name {
                "--boogieOpt" => {
                    let value = value().unwrap_or_default();
                    options.boogie.extend(value.split_whitespace().map(str::to_owned));
                }
                "--boogieExe" => options.boogie_path = value(),
                "--z3Exe" => options.solver_path = value(),
                name if OURS.contains(&name) => {
                    return Err(DoorError {
                        reason: format!("mugie gives Carbon `{name}` itself"),
                        help: Some(format!("leave out `{name}`")),
                    });
                }
                _ => options.arguments.push(word.clone()),
            }
        }
        Ok(options)
    }

    /// What Boogie needs in addition to the profile to verify as Carbon does with these options.
    pub(crate) fn needs(&self, tool: &Tool) -> VerifierNeeds {
        VerifierNeeds {
            arguments: self.boogie.clone(),
            program: self.boogie_path.as_ref().map(|_| tool.boogie.clone()),
            solver: Some(format!("z3={}", tool.solver.display())),
            ..VerifierNeeds::default()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn options(words: &[&str]) -> Result<Options, DoorError> {
        let arguments: Vec<String> = words.iter().map(|&word| word.to_owned()).collect();
        Options::of(&DoorRequest {
            run: &|_, _| Err(String::new()),
            find: &|_| None,
            read: &|_| Err(String::new()),
            program: None,
            verifier: None,
            solver: None,
            arguments: &arguments,
        })
    }

    #[test]
    fn options_for_boogie_are_told_from_those_for_carbon() {
        let found = options(&[
            "--boogieOpt",
            "/rlimit:7 /prune:1",
            "--desugarPolymorphicMaps",
            "--z3Exe=/z3",
            "--boogieExe",
            "/boogie",
        ]);
        let found = found.unwrap();
        assert_eq!(found.boogie, ["/rlimit:7", "/prune:1"]);
        assert_eq!(found.arguments, ["--desugarPolymorphicMaps"]);
        assert_eq!(found.boogie_path.as_deref(), Some("/boogie"));
        assert_eq!(found.solver_path.as_deref(), Some("/z3"));
        assert!(options(&["--print", "x.bpl"]).is_err());
    }
}
