//! S2: splits a procedure with a body into a declaration and an implementation.

use bpl_syntax::Dialect;
use bpl_syntax::ast::{Decl, Implementation, List, Procedure, Signature, VarGroup};

use crate::facts::Facts;
use crate::offers::{Change, Offers};
use mugie_core::About;

use crate::operator::{AtMany, Operator, operator};
use crate::patch::Patch;

operator! {
    /// Splits a procedure definition into declaration and implementation.
    ///
    /// ```boogie before
    /// procedure {:inline 1} p(x: int where x > 0) returns (y: int)
    ///   ensures y > x;
    /// {
    ///   y := x + 1;
    /// }
    /// ```
    /// ```boogie after
    /// procedure {:inline 1} p(x: int where x > 0) returns (y: int);
    ///   ensures y > x;
    ///
    /// implementation {:inline 1} p(x: int) returns (y: int)
    /// {
    ///   y := x + 1;
    /// }
    /// ```
    ///
    /// ## Applies when
    /// the procedure has a body and is not a CIVL procedure.
    ///
    /// ## Sound because
    /// a procedure with a body abbreviates exactly these two declarations: the attributes belong to
    /// both, `where` clauses only to the declaration. The implementation is placed directly after
    /// the declaration, so that it is still the first if there are others.
    SplitProcedure = "S2" / "split-procedure" in Paper
}

impl Operator for SplitProcedure {
    fn about(&self) -> &'static About {
        &Self::ABOUT
    }

    fn at_many(&self) -> Option<AtMany> {
        Some(AtMany::Places("split off the implementations"))
    }

    fn in_decl<'d>(&self, decl: &'d Decl, facts: &'d Facts, offers: &mut Offers<Patch<'d>>) {
        let Decl::Procedure(procedure @ Procedure { body: Some(body), .. }) = decl else { return };
        if facts.is_civl(decl) {
            return;
        }
        offers.one(|| {
            let implementation = Implementation {
                span: procedure.span,
                attrs: procedure.attrs.clone(),
                signature: implementation_signature(&procedure.signature, facts.dialect),
                body: body.clone(),
            };
            let declaration = Procedure {
                span: procedure.span,
                kind: procedure.kind,
                attrs: procedure.attrs.clone(),
                signature: procedure.signature.clone(),
                specs: procedure.specs.clone(),
                body: None,
            };
            let split = vec![Decl::Procedure(declaration), Decl::Implementation(implementation)];
            Change::new("split off the implementation", Patch::others(split))
        });
    }
}

/// The signature in the form that an implementation may have: without `where` clauses, and in
/// Boogie 2 without attributes.
fn implementation_signature(signature: &Signature, dialect: Dialect) -> Signature {
    let groups = |groups: &[VarGroup]| {
        groups
            .iter()
            .map(|group| VarGroup {
                span: group.span,
                attrs: match dialect {
                    Dialect::Boogie2 => List::new(),
                    Dialect::Boogie3 => group.attrs.clone(),
                },
                names: group.names.clone(),
                ty: group.ty.clone(),
                where_clause: None,
            })
            .collect()
    };
    Signature {
        name: signature.name.clone(),
        type_params: signature.type_params.clone(),
        params: groups(&signature.params),
        returns: groups(&signature.returns),
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{check, results};
    use super::*;

    #[test]
    fn attributes_of_parameters_stay_with_the_declaration_in_boogie_2() {
        check(
            &SplitProcedure,
            "procedure p<T>({:a} x: T) returns (y: bool) { }",
            &["procedure p<T>({:a} x: T) returns (y: bool); \
               implementation p<T>(x: T) returns (y: bool) { }"],
        );
    }

    #[test]
    fn nothing_is_split_without_a_body_or_under_civl() {
        assert!(results(&SplitProcedure, "procedure p();").is_empty());
        assert!(results(&SplitProcedure, "procedure {:yields} p() { yield; }").is_empty());
        assert!(results(&SplitProcedure, "yield procedure p() { }").is_empty());
    }
}
