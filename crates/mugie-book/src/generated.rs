//! The pages generated from the code: the manual of each operator, the list of operators and their number, and the
//! profiles of Boogie.

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::Context as _;
use mugie_boogie::BOOGIE;
use mugie_core::{About, Set};
use mugie_verifiers::{Environment, Registry};

/// The folder of the operators' pages.
const FOLDER: &str = "book/src/operators";

/// Pages in the folder that are not the manual of an operator.
const OTHERS: [&str; 2] = ["README.md", "applicability.md"];

/// The markers around the list of operators.
const BEGIN: &str = "<!-- The list is made by `make update`. -->\n";
const END: &str = "<!-- The list ends here. -->\n";

/// The page that compares mugie with other tools, and the text before the number of operators.
const COMPARISON: &str = "book/src/comparison.md";
const NUMBER: &str = "\n| kinds of changes | ";

/// The page about other tools, and the markers around the table of profiles.
const TOOLS: &str = "book/src/tools.md";
const PROFILES_BEGIN: &str = "<!-- profiles: from verifiers/boogie.toml -->\n";
const PROFILES_END: &str = "<!-- end of profiles -->\n";

/// The generated pages, with their paths relative to the project's root.
pub(crate) fn pages(root: &Path) -> anyhow::Result<Vec<(PathBuf, String)>> {
    let path = Path::new(FOLDER).join("README.md");
    let text = fs::read_to_string(root.join(&path)).context("the page about operators")?;
    let (before, rest) =
        text.split_once(BEGIN).context("the list of operators has no beginning")?;
    let (_, after) = rest.split_once(END).context("the list of operators has no end")?;
    let list = format!("{before}{BEGIN}{}{END}{after}", list());
    let comparison = fs::read_to_string(root.join(COMPARISON)).context(COMPARISON)?;
    let comparison =
        with_number(&comparison).context("the comparison has no row `kinds of changes`")?;
    let manuals = BOOGIE.operators().iter();
    let manuals = manuals.map(|about| (Path::new(FOLDER).join(file(about)), manual(about)));
    let tools = fs::read_to_string(root.join(TOOLS)).context(TOOLS)?;
    let tools = with_profiles(&tools)?.context("the page about tools has no place for profiles")?;
    let others =
        [(path, list), (PathBuf::from(COMPARISON), comparison), (PathBuf::from(TOOLS), tools)];
    Ok(others.into_iter().chain(manuals).collect())
}

/// The comparison with the current number of operators.
fn with_number(comparison: &str) -> Option<String> {
    let (before, rest) = comparison.split_once(NUMBER)?;
    let (_, after) = rest.split_once(" |")?;
    Some(format!("{before}{NUMBER}{} |{after}", BOOGIE.operators().len()))
}

/// The page about tools with the profiles of Boogie's definition.
fn with_profiles(page: &str) -> anyhow::Result<Option<String>> {
    let Some((before, rest)) = page.split_once(PROFILES_BEGIN) else { return Ok(None) };
    let Some((_, after)) = rest.split_once(PROFILES_END) else { return Ok(None) };
    let registry = Registry::load_in(Environment::default())?;
    let definition = registry.get("boogie").context("there is no definition of Boogie")?;
    let mut table =
        "| profile | tool | Boogie | how to get the program | source |\n|---|---|---|---|---|\n"
            .to_owned();
    for (name, profile) in &definition.profiles {
        let tool = profile.tool.as_deref().unwrap_or_default();
        let emits = profile.emits.as_deref().unwrap_or_default();
        let is_any = profile.versions.is_everything();
        let versions = if is_any { "any".to_owned() } else { profile.versions.to_string() };
        writeln!(table, "| `{name}` | {tool} | {versions} | `{emits}` | {} |", profile.source)?;
    }
    Ok(Some(format!("{before}{PROFILES_BEGIN}\n{table}\n{PROFILES_END}{after}")))
}

/// The existing manuals of operators, with their paths relative to the project's root.
pub(crate) fn present(root: &Path) -> anyhow::Result<Vec<PathBuf>> {
    let mut present = Vec::new();
    for entry in fs::read_dir(root.join(FOLDER))? {
        let name = entry?.file_name();
        if !OTHERS.iter().any(|other| name == *other) {
            present.push(Path::new(FOLDER).join(name));
        }
    }
    Ok(present)
}

fn file(about: &About) -> String {
    format!("{}.md", about.name)
}

fn list() -> String {
    let mut list = "\n| code | name | what it does |\n|---|---|---|\n".to_owned();
    for about in BOOGIE.operators() {
        let (code, summary) = (about.code.unwrap_or_default(), about.summary());
        let summary = summary.replace('|', r"\|");
        let _ = writeln!(list, "| {code} | [{}]({}) | {summary} |", about.name, file(about));
    }
    list + "\n"
}

fn manual(about: &About) -> String {
    let code = about.code.map(|code| format!("{code}: ")).unwrap_or_default();
    let set = match about.set {
        Set::Paper => "in the set `paper`",
        Set::Apart => "in no set: drawn only if asked for by name",
        Set::Extended => "in the set `extended`",
    };
    // In a doc comment, a word after the block's language marks the two halves of an example.
    let manual = about
        .manual()
        .replace("```boogie before\n", "Before:\n\n```boogie\n")
        .replace("```boogie after\n", "\nAfter:\n\n```boogie\n");
    format!("# {code}{}\n\n*{set}*\n\n{manual}", about.name)
}
