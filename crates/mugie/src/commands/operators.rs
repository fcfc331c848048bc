//! `mugie operators`: the catalogue of mutation operators.

use std::fmt::Write as _;

use clap::Args;
use mugie_core::{About, Exit, Language, Set, similar};
use serde::Serialize;

use crate::messages::{Style, Trouble};
use crate::output::{self, Broken};
use crate::parts::languages;

/// List the operators, or explain one
///
/// An operator is a semantics-preserving transformation of a program. The operators of the paper
/// have a code and are in the set `paper`, except for G2, which is drawn only if asked for by name;
/// the others are in the set `extended`.
#[derive(Args, Debug)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Operators {
    /// Show the manual page of an operator, given by its code or name
    #[arg(long, value_name = "NAME")]
    explain: Option<String>,

    /// Print one JSON object per operator
    #[arg(long)]
    json: bool,
}

const EXAMPLES: &str = "\
Examples:
  mugie operators
  mugie operators --explain L6
  mugie operators --json | jq -r .name";

#[derive(Serialize)]
struct OperatorRow {
    language: &'static str,
    id: &'static str,
    code: Option<&'static str>,
    name: &'static str,
    set: &'static str,
    summary: String,
    manual: String,
}

impl Operators {
    /// Prints the catalogue, or the manual page of an operator.
    pub(crate) fn run(&self, _: &Style) -> Result<Exit, Broken> {
        let mut text = String::new();
        let languages = languages().0;
        let all = languages.iter().flat_map(|it| it.operators().iter().map(|about| (*it, *about)));
        let mut chosen: Vec<(&dyn Language, &'static About)> = all.collect();
        if let Some(name) = &self.explain {
            let abouts: Vec<&'static About> = chosen.iter().map(|(_, about)| *about).collect();
            chosen.retain(|(_, about)| about.is_called(name));
            if chosen.is_empty() {
                let trouble = Trouble::new(format!("unknown operator `{name}`"));
                let trouble = match similar(&abouts, name) {
                    Some(similar) => trouble.help(format!("did you mean `{similar}`?")),
                    None => trouble.help("`mugie operators` lists them"),
                };
                return Err(trouble.into());
            }
        }
        let mut last = None;
        for (language, about) in chosen {
            if self.json {
                let row = serde_json::to_string(&row(language, about))
                    .map_err(|error| Trouble::new(format!("cannot write JSON: {error}")))?;
                text += &row;
                text.push('\n');
            } else if self.explain.is_some() {
                text += &page(about);
            } else {
                // With only one language, its name is not printed.
                if languages.len() > 1 && last.replace(language.id()) != Some(language.id()) {
                    let _ = writeln!(text, "{}:", language.title());
                }
                let code = about.code.unwrap_or("");
                let _ = writeln!(text, "{code:2}  {:24}{}", about.name, about.summary());
            }
        }
        output::data(&text)?;
        Ok(Exit::Fine)
    }
}

fn row(language: &dyn Language, about: &'static About) -> OperatorRow {
    OperatorRow {
        language: language.id(),
        id: about.id(),
        code: about.code,
        name: about.name,
        set: set_name(about.set),
        summary: about.summary(),
        manual: about.manual(),
    }
}

fn set_name(set: Set) -> &'static str {
    match set {
        Set::Paper => "paper",
        Set::Apart => "none",
        Set::Extended => "extended",
    }
}

fn page(about: &About) -> String {
    let code = about.code.map(|code| format!("{code} ")).unwrap_or_default();
    let set = match about.set {
        Set::Apart => "in no set".to_owned(),
        set => format!("in the set `{}`", set_name(set)),
    };
    format!("# {code}{} ({set})\n\n{}", about.name, about.manual())
}
