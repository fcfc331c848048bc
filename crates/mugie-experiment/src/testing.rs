//! Helpers for the tests of several modules.

use mugie_boogie::BOOGIE;
use mugie_core::{LanguageOptions, SourceText};

use crate::seed::OpenSeed;

/// A Boogie program as a seed.
pub(crate) fn seed(name: &str, text: &str) -> OpenSeed {
    let file = SourceText { name: name.to_owned(), bytes: text.into() };
    let seed = BOOGIE.read(vec![file], &LanguageOptions::default());
    OpenSeed::new(name.to_owned(), seed.unwrap_or_else(|rejected| panic!("{rejected}")))
}
