//! What has no meaning in WhyML, and where it stands.

use bpl_syntax::span::Span;

/// The reason why a program is not translated.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Refusal {
    /// The construct, as a noun phrase.
    pub(crate) what: String,
    /// Its place, if it is known.
    pub(crate) span: Option<Span>,
}

/// A part of the translation, or the reason why there is none.
pub(crate) type Result<T> = std::result::Result<T, Box<Refusal>>;

impl Refusal {
    /// Adds the place, unless a closer one is known.
    #[expect(clippy::unnecessary_box_returns, reason = "as in `Result`")]
    pub(crate) fn at(mut self: Box<Refusal>, span: Span) -> Box<Refusal> {
        self.span.get_or_insert(span);
        self
    }
}

/// Refuses a construct whose place the caller knows.
pub(crate) fn refuse<T>(what: impl Into<String>) -> Result<T> {
    Err(Box::new(Refusal { what: what.into(), span: None }))
}

/// Refuses a construct at a place.
pub(crate) fn refuse_at<T>(span: Span, what: impl Into<String>) -> Result<T> {
    Err(Box::new(Refusal { what: what.into(), span: Some(span) }))
}
