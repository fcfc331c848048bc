//! How a verifier writes its queries: which names in them mean something only to the verifier.
//!
//! A style is data; a definition selects one by name. It must not know how names are replaced.

use serde::{Deserialize, Deserializer, de};

/// The way in which a verifier writes its queries.
#[derive(Debug, PartialEq, Eq)]
pub struct Style {
    /// The name in definitions.
    pub name: &'static str,
    /// The keyword of the `set-info` that names the goal.
    pub(crate) goal: Option<&'static str>,
    /// What stands between the name of a goal and the number of one of its parts: `p_split0`.
    pub(crate) part: Option<&'static str>,
    /// The attribute that names a quantifier by its place in the program: `|file.line:column|`.
    pub(crate) place: Option<&'static str>,
    /// The attribute that numbers the quantifiers of a process: `|7|`.
    pub(crate) number: Option<&'static str>,
    /// Options that matter to queries only, and that are set anew before a query.
    pub(crate) limits: &'static [&'static str],
}

/// The style of Boogie, and of tools that run Boogie.
static BOOGIE: Style = Style {
    name: "boogie",
    goal: Some(":boogie-vc-id"),
    part: Some("_split"),
    place: Some(":qid"),
    number: Some(":skolemid"),
    limits: &["timeout", "rlimit"],
};

/// The style of a verifier about which nothing is known: every word counts.
static PLAIN: Style =
    Style { name: "plain", goal: None, part: None, place: None, number: None, limits: &[] };

/// All styles. The first is the default.
pub static STYLES: [&Style; 2] = [&BOOGIE, &PLAIN];

impl Style {
    /// The style with the given name.
    pub fn find(name: &str) -> Option<&'static Style> {
        STYLES.into_iter().find(|style| style.name == name)
    }

    /// The style of a definition that does not name one.
    pub fn usual() -> &'static Style {
        STYLES[0]
    }

    /// Whether `keyword` is the `set-info` keyword that names the goal.
    pub(crate) fn is_goal(&self, keyword: &[u8]) -> bool {
        is(self.goal, keyword)
    }

    /// The name of the goal, from the name of one of its parts.
    pub(crate) fn whole<'n>(&self, name: &'n str) -> Option<&'n str> {
        let (whole, number) = name.rsplit_once(self.part?)?;
        let is_number = !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit());
        is_number.then_some(whole)
    }

    /// Whether an option matters to queries only, and is set anew before a query.
    pub(crate) fn is_limit(&self, keyword: &[u8]) -> bool {
        let name = keyword.strip_prefix(b":").unwrap_or(keyword);
        self.limits.iter().any(|limit| name.eq_ignore_ascii_case(limit.as_bytes()))
    }

    /// Whether the value of an attribute depends on where the text of a program stands.
    pub(crate) fn is_label(&self, attribute: &[u8]) -> bool {
        is(self.place, attribute) || is(self.number, attribute)
    }
}

/// Whether `token` is the keyword. False if there is no keyword.
pub(crate) fn is(keyword: Option<&str>, token: &[u8]) -> bool {
    keyword.is_some_and(|keyword| keyword.as_bytes() == token)
}

/// Deserialises the name of a style.
pub(crate) fn named_style<'de, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<&'static Style, D::Error> {
    let name = String::deserialize(deserializer)?;
    Style::find(&name).ok_or_else(|| {
        let known: Vec<_> = STYLES.iter().map(|style| format!("`{}`", style.name)).collect();
        de::Error::custom(format!(
            "unknown style of queries `{name}`, expected one of {}",
            known.join(", ")
        ))
    })
}
