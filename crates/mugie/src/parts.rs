//! The parts of mugie: the only lists of languages, front doors, levels, translators and executors.

use std::sync::OnceLock;

use mugie_core::{FrontDoor, Language, Languages, Level, Translator};
use mugie_exec::{ExecutorKind, LOCAL};
use mugie_experiment::sources::Source;

/// The parts of mugie.
pub struct Parts {
    /// Seed languages. The first one is the default, for files whose language is not known.
    pub languages: &'static [&'static dyn Language],
    /// Front doors, which turn other files into seeds.
    pub doors: &'static [&'static dyn FrontDoor],
    /// Levels, which turn the output of a run of a seed into other seeds.
    pub levels: &'static [&'static dyn Level],
    /// Translators, for verifiers that read another language than that of the seed.
    pub translators: &'static [&'static dyn Translator],
    /// Executors. The first one is the default.
    pub executors: &'static [&'static dyn ExecutorKind],
    /// Definitions of verifiers in addition to those shipped with mugie: name and text.
    pub verifiers: &'static [(&'static str, &'static str)],
}

impl Parts {
    /// Identifiers, extensions, names of operators or names of options that two parts share. Must
    /// be empty.
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
    languages: &[mugie_boogie::BOOGIE, mugie_smtlib::SMTLIB],
    doors: &[mugie_dafny::DAFNY, mugie_viper::VIPER],
    levels: &[mugie_smtlib::QUERIES],
    translators: &[mugie_whyml::WHYML],
    executors: &[LOCAL],
    verifiers: &[],
};

static PARTS: OnceLock<&'static Parts> = OnceLock::new();

/// Sets the parts. Must be called once, before anything else.
pub(crate) fn set(parts: &'static Parts) {
    // A second call would have the same argument.
    let _ = PARTS.set(parts);
}

/// The parts set at the start.
pub(crate) fn parts() -> &'static Parts {
    PARTS.get().copied().unwrap_or(&BUILT_IN)
}

/// All languages.
pub(crate) fn languages() -> Languages {
    Languages(parts().languages)
}

/// The language of a source: that of its files, or the first language if that is not known.
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
