//! Stand-ins.
#![allow(missing_docs, dead_code)]
use bpl_syntax::ast::Program;
use bpl_syntax::diagnostic::Diagnostic;
#[derive(Debug)]
pub(crate) struct Checked;
pub(crate) fn check(_: &Program) -> Result<Checked, Vec<Diagnostic>> {
    Ok(Checked)
}
