//! The top-level declarations of a program, and the scope inside a declaration.

use super::Generator;
use super::names::{self, NameSpace};
use super::types::{Bindings, PolymorphicMap, Ty};
use crate::ast::Name;

/// A variable of any kind.
#[derive(Clone, Debug)]
pub(super) struct Variable {
    pub(super) name: Name,
    pub(super) ty: Ty,
}

/// `type S a = …`
#[derive(Debug)]
pub(super) struct Synonym {
    pub(super) name: Name,
    pub(super) params: Vec<Name>,
    pub(super) ty: Ty,
}

/// A datatype (Boogie 3).
#[derive(Clone, Debug)]
pub(super) struct Datatype {
    pub(super) name: Name,
    pub(super) params: Vec<Name>,
    pub(super) constructors: Vec<DatatypeConstructor>,
}

/// A constructor of a [`Datatype`].
#[derive(Clone, Debug)]
pub(super) struct DatatypeConstructor {
    pub(super) name: Name,
    pub(super) fields: Vec<Variable>,
}

/// The signature of a function.
#[derive(Clone, Debug)]
pub(super) struct Function {
    pub(super) name: Name,
    pub(super) type_params: Vec<Name>,
    /// The parameters, either all named or all unnamed.
    pub(super) params: Vec<(Option<Name>, Ty)>,
    pub(super) result: Ty,
}

/// The signature of a procedure.
#[derive(Clone, Debug)]
pub(super) struct ProcedureSignature {
    pub(super) name: Name,
    pub(super) type_params: Vec<Name>,
    pub(super) params: Vec<Group>,
    pub(super) returns: Vec<Group>,
    /// The indices of the global variables that it may modify.
    pub(super) modifies: Vec<usize>,
}

/// Variables declared together.
#[derive(Clone, Debug)]
pub(super) struct Group {
    pub(super) names: Vec<Name>,
    pub(super) ty: Ty,
}

impl Group {
    /// The variables of the group, one by one.
    pub(super) fn variables(&self) -> impl Iterator<Item = Variable> {
        self.names.iter().map(|name| Variable { name: name.clone(), ty: self.ty.clone() })
    }
}

/// All top-level declarations. They are complete before the first expression is generated, except
/// for those made on demand.
#[derive(Debug, Default)]
pub(super) struct World {
    /// The namespaces of the language.
    pub(super) type_names: NameSpace,
    pub(super) function_names: NameSpace,
    pub(super) variable_names: NameSpace,
    /// Uninterpreted types and their arities.
    pub(super) constructors: Vec<(Name, usize)>,
    pub(super) synonyms: Vec<Synonym>,
    pub(super) datatypes: Vec<Datatype>,
    pub(super) polymorphic_maps: Vec<PolymorphicMap>,
    pub(super) constants: Vec<Variable>,
    pub(super) globals: Vec<Variable>,
    pub(super) functions: Vec<Function>,
    pub(super) procedures: Vec<ProcedureSignature>,
    /// The constants made because a value of their type was needed.
    pub(super) witnesses: Vec<Variable>,
    /// The functions made because a trigger was needed, with the type of their argument; `None` for
    /// the one that takes any type.
    pub(super) observers: Vec<(Name, Option<Ty>)>,
}

/// The scope inside a declaration.
#[derive(Debug, Default)]
pub(super) struct Scope {
    /// Parameters, locals and bound variables. They shadow globals and constants of the same name.
    pub(super) locals: Vec<Variable>,
    pub(super) type_params: Vec<Name>,
    /// Whether global variables may be read.
    pub(super) globals: bool,
    /// Whether `old` is allowed.
    pub(super) two_state: bool,
    /// The variables that may be assigned.
    pub(super) writable: Vec<Variable>,
}

impl Generator<'_> {
    /// Whether a local variable with this name is in scope.
    pub(super) fn is_local(&self, name: &str) -> bool {
        self.scope.locals.iter().any(|local| local.name == name)
    }

    /// All variables that an expression can mention here.
    pub(super) fn visible(&self) -> impl Iterator<Item = &Variable> {
        let globals = self.scope.globals.then_some(&self.world.globals);
        let outer = globals.into_iter().flatten().chain(&self.world.constants);
        self.scope
            .locals
            .iter()
            .rev()
            .chain(outer.filter(|variable| !self.is_local(&variable.name)))
    }

    /// Whether an expression of this type certainly exists here.
    pub(super) fn has_values(&self, ty: &Ty) -> bool {
        ty.is_closed()
            || matches!(ty, Ty::Map(domain, range) if !domain.is_empty() && self.has_values(range))
            || self.visible().any(|variable| variable.ty == *ty)
    }

    /// A type with values, often that of a variable in scope.
    pub(super) fn inhabited_ty(&mut self) -> Ty {
        if self.choices.chance(50) {
            let count = self.visible().count();
            let index = self.choices.below(count);
            if let Some(variable) = self.visible().nth(index) {
                return variable.ty.clone();
            }
        }
        let ty = self.ty(1);
        if self.has_values(&ty) { ty } else { Ty::Int }
    }

    /// The constant of this closed type, which is used if there is no other value.
    pub(super) fn witness(&mut self, ty: &Ty) -> Name {
        if let Some(witness) = self.world.witnesses.iter().find(|witness| witness.ty == *ty) {
            return witness.name.clone();
        }
        let name = self.world.variable_names.numbered("k");
        self.world.witnesses.push(Variable { name: name.clone(), ty: ty.clone() });
        name
    }

    /// A function that takes one argument of this type.
    pub(super) fn observer(&mut self, ty: &Ty) -> Name {
        let key = ty.is_closed().then_some(ty);
        let made = &self.world.observers;
        if let Some((name, _)) = made.iter().find(|(_, param)| param.as_ref() == key) {
            return name.clone();
        }
        let name = self.world.function_names.numbered("seen");
        self.world.observers.push((name.clone(), key.cloned()));
        name
    }

    /// Declares a new local variable.
    pub(super) fn declare_local(&mut self, ty: Ty) -> Name {
        let locals = &self.scope.locals;
        let name =
            names::fresh(&mut self.choices, |name| locals.iter().any(|local| local.name == name));
        self.scope.locals.push(Variable { name: name.clone(), ty });
        name
    }

    /// Declares a new type variable.
    pub(super) fn declare_type_param(&mut self) -> Name {
        let params = &self.scope.type_params;
        let name = names::numbered("T", |name| params.iter().any(|param| param == name));
        self.scope.type_params.push(name.clone());
        name
    }

    /// Chooses types for the type variables that have none yet.
    pub(super) fn complete(&mut self, params: &[Name], bindings: &mut Bindings) {
        for param in params {
            if !bindings.iter().any(|(bound, _)| bound == param) {
                let ty = self.inhabited_ty();
                bindings.push((param.clone(), ty));
            }
        }
    }
}
