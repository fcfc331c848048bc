//! Renders Markdown to HTML with mdBook; its warnings are returned, not printed.

use std::fmt;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

use mdbook_driver::MDBook;
use mdbook_driver::config::Config;
use tracing::field::{Field, Visit};
use tracing::span::{Attributes, Id, Record};
use tracing::{Event, Level, Metadata, Subscriber};

/// Builds a book into a folder. Returns the warnings.
pub(crate) fn build(book: &Path, folder: &Path) -> anyhow::Result<Vec<String>> {
    let mut config = Config::from_disk(book.join("book.toml"))?;
    folder.clone_into(&mut config.build.build_dir);
    let warnings = Warnings::default();
    tracing::subscriber::with_default(warnings.clone(), || {
        MDBook::load_with_config(book, config)?.build()
    })?;
    let mut list = warnings.0.lock().unwrap_or_else(PoisonError::into_inner);
    Ok(std::mem::take(&mut list))
}

/// Collects mdBook's warnings.
#[derive(Clone, Debug, Default)]
struct Warnings(Arc<Mutex<Vec<String>>>);

impl Subscriber for Warnings {
    fn enabled(&self, metadata: &Metadata<'_>) -> bool {
        *metadata.level() <= Level::WARN
    }

    fn event(&self, event: &Event<'_>) {
        let mut words = Words(String::new());
        event.record(&mut words);
        self.0.lock().unwrap_or_else(PoisonError::into_inner).push(words.0);
    }

    // Spans are not needed.
    fn new_span(&self, _: &Attributes<'_>) -> Id {
        Id::from_u64(1)
    }
    fn record(&self, _: &Id, _: &Record<'_>) {}
    fn record_follows_from(&self, _: &Id, _: &Id) {}
    fn enter(&self, _: &Id) {}
    fn exit(&self, _: &Id) {}
}

/// The message of an event.
struct Words(String);

impl Visit for Words {
    fn record_debug(&mut self, field: &Field, value: &dyn fmt::Debug) {
        if field.name() == "message" {
            self.0 = format!("{value:?}");
        }
    }
}
