//! What mugie is put together from: the only lists of languages, front doors, levels, translators
//! and executors.

use std::sync::OnceLock;

use mugie_core::{FrontDoor, Language, Languages, Level, Translator};
use mugie_exec::{Kind, LOCAL};
use mugie_experiment::sources::Source;

/// What mugie is put together from.
pub struct Parts {
    /// Seed languages. The first one is that of files that do not tell theirs.
    pub languages: &'static [&'static dyn Language],
    /// Front doors, by which other files become seeds.
    pub doors: &'static [&'static dyn FrontDoor],
    /// Levels, on which a run of a seed yields other seeds.
    pub levels: &'static [&'static dyn Level],
    /// Translators, for verifiers that read another language than the seed's.
    pub translators: &'static [&'static dyn Translator],
    /// Executors. The first one is the usual one.
    pub executors: &'static [&'static dyn Kind],
    /// Definitions of verifiers beside those that are shipped with mugie: name and text.
    pub verifiers: &'static [(&'static str, &'static str)],
}

impl Parts {
    /// What two parts both claim: identifiers, extensions, names of operators or of options. There
    /// should be nothing.
    pub fn clashes(&self) -> Vec<String> {
        let languages = self.languages.iter();
        let mut claims: Vec<String> = Vec::new();
        for language in languages {
            claims.push(format!("language {}", language.id()));
            claims.extend(language.extensions().iter().map(|it| format!("extension {it}")));
            claims.extend(language.options().iter().map(|it| format!("option --{}", it.name)));
            for about in language.operators() {
                let names = about.code.into_iter().chain([about.name]);
                claims.extend(names.map(|name| format!("operator {name}")));
            }
        }
        for door in self.doors {
            claims.extend(door.extensions().iter().map(|it| format!("extension {it}")));
        }
        claims.extend(self.levels.iter().map(|level| format!("level {}", level.id())));
        claims.extend(self.executors.iter().map(|kind| format!("executor {}", kind.id())));
        claims.sort_unstable();
        let twice = claims.windows(2).filter(|pair| pair[0] == pair[1]);
        twice.map(|pair| pair[0].clone()).collect()
    }
}

/// The parts of the program `mugie`.
pub static BUILT_IN: Parts = Parts {
    languages: &[mugie_boogie::BOOGIE],
    doors: &[],
    levels: &[],
    translators: &[],
    executors: &[LOCAL],
    verifiers: &[],
};

static PARTS: OnceLock<&'static Parts> = OnceLock::new();

/// Says which parts there are, once and before anything else.
pub(crate) fn set(parts: &'static Parts) {
    // A second call would be with the same ones.
    let _ = PARTS.set(parts);
}

/// The parts that there are.
pub(crate) fn parts() -> &'static Parts {
    PARTS.get().copied().unwrap_or(&BUILT_IN)
}

/// The languages that there are.
pub(crate) fn languages() -> Languages {
    Languages(parts().languages)
}

/// The language of a source: that of its files, or the first one where nothing tells.
pub(crate) fn language_of(source: &Source) -> &'static dyn Language {
    let first = parts().languages[0];
    source.language(languages(), first.id()).unwrap_or(first)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_two_parts_claim_the_same() {
        assert_eq!(BUILT_IN.clashes(), Vec::<String>::new());
        let twice = [mugie_boogie::BOOGIE, mugie_boogie::BOOGIE];
        let parts = Parts { languages: Box::leak(Box::new(twice)), ..BUILT_IN };
        assert!(parts.clashes().contains(&"extension bpl".to_owned()));
    }
}
