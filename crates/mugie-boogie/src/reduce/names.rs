//! The names that each declaration declares and needs, collected without resolving them.
//!
//! They only guide the search: a wrong guess costs one candidate, since the checker has the last
//! word on every program.

use std::sync::Arc;

use bpl_syntax::ast::{Body, Decl, Name, Trigger};
use bpl_syntax::visit::{Namespace, Occurrence, Visit};
use rustc_hash::FxHashSet;

/// The names in a declaration.
#[derive(Debug, Default)]
pub(super) struct Names {
    /// The names declared at the top level. An implementation declares none.
    pub(super) declared: Vec<Name>,
    /// The names used outside a procedure's body, including local names.
    pub(super) face: FxHashSet<Name>,
    /// The names used in the body of a procedure.
    pub(super) body: FxHashSet<Name>,
    /// The procedure that is declared or implemented.
    pub(super) procedure: Option<Name>,
    /// The functions in each trigger.
    pub(super) triggers: Vec<FxHashSet<Name>>,
}

impl Names {
    /// Collects the names in a declaration.
    pub(super) fn new(decl: &Decl) -> Names {
        let mut gather = Gather::default();
        gather.visit_decl(decl);
        let procedure = match decl {
            Decl::Procedure(procedure) => Some(&procedure.signature.name.name),
            Decl::Implementation(implementation) => Some(&implementation.signature.name.name),
            Decl::Action(action) => Some(&action.signature.name.name),
            Decl::Invariant(invariant) => Some(&invariant.signature.name.name),
            _ => None,
        };
        Names {
            declared: declared(decl),
            face: gather.face,
            body: gather.body,
            procedure: procedure.cloned(),
            triggers: gather.triggers,
        }
    }

    /// Whether the declaration uses a name with this property.
    pub(super) fn uses_any(&self, holds: impl Fn(&Name) -> bool) -> bool {
        self.face.iter().chain(&self.body).any(holds)
    }
}

/// The names that a declaration declares at the top level.
pub(super) fn declared(decl: &Decl) -> Vec<Name> {
    match decl {
        Decl::Type(types) => types.defs.iter().map(|def| def.name.name.clone()).collect(),
        Decl::Const(consts) => consts.names.iter().map(|ident| ident.name.clone()).collect(),
        Decl::Function(function) => vec![function.name.name.clone()],
        Decl::Var(vars) => {
            let idents = vars.groups.iter().flat_map(|group| &group.names);
            idents.map(|ident| ident.name.clone()).collect()
        }
        Decl::Datatype(datatype) => {
            let constructors = datatype.constructors.iter().map(|c| c.name.name.clone());
            std::iter::once(datatype.name.name.clone()).chain(constructors).collect()
        }
        Decl::Procedure(procedure) => vec![procedure.signature.name.name.clone()],
        Decl::Action(action) => vec![action.signature.name.name.clone()],
        Decl::Invariant(invariant) => vec![invariant.signature.name.name.clone()],
        Decl::Axiom(_) | Decl::Implementation(_) => Vec::new(),
    }
}

#[derive(Default)]
struct Gather {
    face: FxHashSet<Name>,
    body: FxHashSet<Name>,
    is_in_body: bool,
    triggers: Vec<FxHashSet<Name>>,
    is_in_trigger: bool,
}

impl<'d> Visit<'d> for Gather {
    fn visit_body(&mut self, body: &'d Body) {
        let outside = std::mem::replace(&mut self.is_in_body, true);
        self.walk_body(body);
        self.is_in_body = outside;
    }

    fn visit_trigger(&mut self, trigger: &'d Trigger) {
        self.triggers.push(FxHashSet::default());
        self.is_in_trigger = true;
        self.walk_trigger(trigger);
        self.is_in_trigger = false;
    }

    fn visit_name(&mut self, name: &'d Name, namespace: Namespace, occurrence: Occurrence) {
        if occurrence == Occurrence::Use && namespace != Namespace::Label {
            let set = if self.is_in_body { &mut self.body } else { &mut self.face };
            set.insert(name.clone());
            if self.is_in_trigger
                && namespace == Namespace::Function
                && let Some(trigger) = self.triggers.last_mut()
            {
                trigger.insert(name.clone());
            }
        }
    }
}

/// Removes the declarations that depend, directly or indirectly, on one that is already gone.
/// Protected declarations stay; the checker then decides whether the program is still well-formed.
pub(super) fn drop_dependents(
    before: &[Arc<Names>],
    after: &mut [Option<Arc<Names>>],
    is_protected: impl Fn(usize) -> bool,
) {
    let mut declared = FxHashSet::default();
    loop {
        declared.clear();
        declared.extend(after.iter().flatten().flat_map(|names| &names.declared).cloned());
        let missing: FxHashSet<&Name> = before
            .iter()
            .flat_map(|names| &names.declared)
            .filter(|name| !declared.contains(*name))
            .collect();
        let mut is_stable = true;
        for (index, slot) in after.iter_mut().enumerate() {
            let cannot_stand = |names: &Arc<Names>| names.uses_any(|name| missing.contains(name));
            if slot.as_ref().is_some_and(cannot_stand) && !is_protected(index) {
                *slot = None;
                is_stable = false;
            }
        }
        if is_stable {
            return;
        }
    }
}
