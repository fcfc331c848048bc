//! How to find the places of failures, by a second run on the goals that were not proved.

use serde::Deserialize;

use crate::command::Piece;

/// The command line of a second run, which looks at the parts of the goals that were not proved.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LocateDefinition {
    /// Arguments added before the files.
    #[serde(default)]
    pub arguments: Vec<Piece>,
    /// Arguments added after the files.
    #[serde(default)]
    pub after: Vec<Piece>,
    /// Arguments added after those, for each goal that is to be looked at.
    #[serde(default)]
    pub each: Vec<Piece>,
}

impl LocateDefinition {
    /// All arguments.
    pub(super) fn pieces(&self) -> impl Iterator<Item = &Piece> {
        self.arguments.iter().chain(&self.after).chain(&self.each)
    }

    /// Checks what the types do not.
    pub(super) fn check(&self) -> Result<(), String> {
        if self.pieces().any(Piece::is_files) {
            return Err("the arguments in `[locate]` must not contain `{files}`".to_owned());
        }
        Ok(())
    }
}
