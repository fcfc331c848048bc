//! How a verifier writes its questions to a solver: which names in them are only its own.
//!
//! A style is data; a definition picks one by its name. It must not know how names are replaced.

use serde::{Deserialize, Deserializer, de};

/// How a verifier writes its questions to a solver.
#[derive(Debug, PartialEq, Eq)]
pub struct Style {
    /// The name in definitions.
    pub name: &'static str,
    /// The keyword of the `set-info` that names the goal.
    pub(crate) goal: Option<&'static str>,
    /// The attribute that names a quantifier by its place in the program: `|file.line:column|`.
    pub(crate) place: Option<&'static str>,
    /// The attribute that numbers the quantifiers of a process: `|7|`.
    pub(crate) number: Option<&'static str>,
}

/// As Boogie writes them, and tools that leave it to Boogie.
static BOOGIE: Style = Style {
    name: "boogie",
    goal: Some(":boogie-vc-id"),
    place: Some(":qid"),
    number: Some(":skolemid"),
};

/// Nothing is known of them: every word counts.
static PLAIN: Style = Style { name: "plain", goal: None, place: None, number: None };

/// All styles; the first one counts where a definition names none.
pub static STYLES: [&Style; 2] = [&BOOGIE, &PLAIN];

impl Style {
    /// The style of a name.
    pub fn find(name: &str) -> Option<&'static Style> {
        STYLES.into_iter().find(|style| style.name == name)
    }

    /// The style where a definition names none.
    pub fn usual() -> &'static Style {
        STYLES[0]
    }

    /// Whether a keyword of `set-info` names the goal.
    pub(crate) fn is_goal(&self, keyword: &[u8]) -> bool {
        is(self.goal, keyword)
    }

    /// Whether the value of an attribute depends on where a program's text stands.
    pub(crate) fn is_label(&self, attribute: &[u8]) -> bool {
        is(self.place, attribute) || is(self.number, attribute)
    }
}

/// Whether a token is a keyword, if there is one.
pub(crate) fn is(keyword: Option<&str>, token: &[u8]) -> bool {
    keyword.is_some_and(|keyword| keyword.as_bytes() == token)
}

/// Reads the name of a style.
pub(crate) fn named_style<'de, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<&'static Style, D::Error> {
    let name = String::deserialize(deserializer)?;
    Style::find(&name).ok_or_else(|| {
        let known: Vec<_> = STYLES.iter().map(|style| format!("`{}`", style.name)).collect();
        de::Error::custom(format!(
            "no style of questions is called `{name}`; there are {}",
            known.join(", ")
        ))
    })
}
