//! The generator's own types, without synonyms.

use super::Generator;
use super::world::{Datatype, Synonym};
use crate::ast::{Ident, List, MapType, Name, Type, TypeKind};
use crate::dialect::Dialect;
use crate::span::Span;

/// A type.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Ty {
    Int,
    Real,
    Bool,
    BitVector(u32),
    /// `float24e8`, the only size used here.
    Float,
    RoundingMode,
    /// `string` (Boogie 3).
    Str,
    Variable(Name),
    /// A constructor or a datatype, and its arguments.
    Named(Name, Vec<Ty>),
    Map(Vec<Ty>, Box<Ty>),
    Polymorphic(PolymorphicMap),
}

/// A polymorphic map. Neither form mentions a type variable other than its own, so substitution
/// need not look inside.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct PolymorphicMap {
    /// The type variable, used for no other purpose.
    pub(super) param: Name,
    /// `C` in `<a>[C a]a`; without it, the type is `<a>[a]int`.
    pub(super) constructor: Option<Name>,
}

impl PolymorphicMap {
    /// The types of index and element for one choice of the type variable.
    pub(super) fn instance(&self, arg: Ty) -> (Ty, Ty) {
        match &self.constructor {
            Some(constructor) => (Ty::Named(constructor.clone(), vec![arg.clone()]), arg),
            None => (arg, Ty::Int),
        }
    }
}

/// The types that type variables stand for.
pub(super) type Bindings = Vec<(Name, Ty)>;

impl Ty {
    /// Whether the type mentions no type variables.
    pub(super) fn is_closed(&self) -> bool {
        match self {
            Ty::Variable(_) => false,
            Ty::Named(_, args) => args.iter().all(Ty::is_closed),
            Ty::Map(domain, range) => domain.iter().all(Ty::is_closed) && range.is_closed(),
            _ => true,
        }
    }

    /// Whether the type mentions this type variable.
    pub(super) fn mentions(&self, param: &str) -> bool {
        match self {
            Ty::Variable(name) => name == param,
            Ty::Named(_, args) => args.iter().any(|arg| arg.mentions(param)),
            Ty::Map(domain, range) => {
                domain.iter().any(|ty| ty.mentions(param)) || range.mentions(param)
            }
            _ => false,
        }
    }

    /// The type with its variables replaced.
    pub(super) fn substitute(&self, bindings: &Bindings) -> Ty {
        let all = |types: &[Ty]| types.iter().map(|ty| ty.substitute(bindings)).collect();
        match self {
            Ty::Variable(name) => bindings
                .iter()
                .find_map(|(bound, ty)| (bound == name).then(|| ty.clone()))
                .unwrap_or_else(|| self.clone()),
            Ty::Named(name, args) => Ty::Named(name.clone(), all(args)),
            Ty::Map(domain, range) => Ty::Map(all(domain), Box::new(range.substitute(bindings))),
            _ => self.clone(),
        }
    }

    /// Whether this type equals `target` for some choice of the type variables `params`. The choice
    /// is added to `bindings`.
    pub(super) fn matches(&self, params: &[Name], target: &Ty, bindings: &mut Bindings) -> bool {
        let mut all = |types: &[Ty], targets: &[Ty]| {
            types.len() == targets.len()
                && types
                    .iter()
                    .zip(targets)
                    .all(|(ty, target)| ty.matches(params, target, bindings))
        };
        match (self, target) {
            (Ty::Named(name, args), Ty::Named(target, targets)) => {
                name == target && all(args, targets)
            }
            (Ty::Map(domain, range), Ty::Map(target_domain, target_range)) => {
                all(domain, target_domain) && range.matches(params, target_range, bindings)
            }
            (Ty::Variable(name), _) if params.contains(name) => {
                if let Some((_, ty)) = bindings.iter().find(|(bound, _)| bound == name) {
                    return ty == target;
                }
                bindings.push((name.clone(), target.clone()));
                true
            }
            _ => self == target,
        }
    }
}

fn named(name: impl Into<Name>, args: Vec<Type>) -> TypeKind {
    TypeKind::Named { name: name.into(), args: args.into() }
}

impl Generator<'_> {
    /// Any type that is allowed here.
    pub(super) fn ty(&mut self, depth: u32) -> Ty {
        match self.choices.below(if depth == 0 { 4 } else { 8 }) {
            1 if !self.world.constructors.is_empty() => {
                let index = self.choices.below(self.world.constructors.len());
                let (name, arity) = self.world.constructors[index].clone();
                Ty::Named(name, self.type_args(arity, depth))
            }
            2 if !self.scope.type_params.is_empty() => {
                let index = self.choices.below(self.scope.type_params.len());
                Ty::Variable(self.scope.type_params[index].clone())
            }
            3 if !self.world.datatypes.is_empty() => {
                let index = self.choices.below(self.world.datatypes.len());
                let Datatype { name, params, .. } = &self.world.datatypes[index];
                let (name, arity) = (name.clone(), params.len());
                Ty::Named(name, self.type_args(arity, depth))
            }
            4 | 5 => {
                let arity = [1, 1, 2, 0][self.choices.below(4)];
                let domain = (0..arity).map(|_| self.ty(depth - 1)).collect();
                Ty::Map(domain, Box::new(self.ty(depth - 1)))
            }
            6 if !self.world.polymorphic_maps.is_empty() => {
                let index = self.choices.below(self.world.polymorphic_maps.len());
                Ty::Polymorphic(self.world.polymorphic_maps[index].clone())
            }
            _ => self.simple_ty(),
        }
    }

    fn type_args(&mut self, count: usize, depth: u32) -> Vec<Ty> {
        let mut arg = || if depth == 0 { self.simple_ty() } else { self.ty(depth - 1) };
        (0..count).map(|_| arg()).collect()
    }

    /// A built-in type.
    fn simple_ty(&mut self) -> Ty {
        const SIMPLE: [Ty; 9] = [
            Ty::Int,
            Ty::Bool,
            Ty::Real,
            Ty::BitVector(8),
            Ty::BitVector(1),
            Ty::BitVector(0),
            Ty::Float,
            Ty::RoundingMode,
            Ty::Str,
        ];
        let count = SIMPLE.len() - usize::from(self.dialect == Dialect::Boogie2);
        SIMPLE[self.choices.below(count)].clone()
    }

    /// A type that has values in every scope.
    pub(super) fn closed_ty(&mut self, depth: u32) -> Ty {
        let params = std::mem::take(&mut self.scope.type_params);
        let ty = self.ty(depth);
        self.scope.type_params = params;
        ty
    }

    /// One spelling of the type, with or without synonyms.
    pub(super) fn spell(&mut self, ty: &Ty) -> Type {
        let kind = match self.synonym_of(ty) {
            Some((name, args)) => {
                let args = args.iter().map(|arg| self.spell(arg)).collect();
                named(name, args)
            }
            None => self.spell_plainly(ty),
        };
        Type { span: Span::default(), kind }
    }

    fn spell_plainly(&mut self, ty: &Ty) -> TypeKind {
        match ty {
            Ty::Int => TypeKind::Int,
            Ty::Real => TypeKind::Real,
            Ty::Bool => TypeKind::Bool,
            Ty::BitVector(width) => named(format!("bv{width}"), Vec::new()),
            Ty::Float => named("float24e8", Vec::new()),
            Ty::RoundingMode => named("rmode", Vec::new()),
            Ty::Str => named("string", Vec::new()),
            Ty::Variable(name) => named(name.clone(), Vec::new()),
            Ty::Named(name, args) => {
                let args = args.iter().map(|arg| self.spell(arg)).collect();
                named(name.clone(), args)
            }
            Ty::Map(domain, range) => {
                let domain = domain.iter().map(|ty| self.spell(ty)).collect();
                let range = self.spell(range);
                TypeKind::Map(Box::new(MapType { type_params: List::new(), domain, range }))
            }
            Ty::Polymorphic(map) => {
                let (index, element) = map.instance(Ty::Variable(map.param.clone()));
                let domain = vec![self.spell(&index)];
                let range = self.spell(&element);
                let type_params = vec![Ident::new(map.param.clone())];
                TypeKind::Map(Box::new(MapType {
                    type_params: type_params.into(),
                    domain: domain.into(),
                    range,
                }))
            }
        }
    }

    /// A synonym that can stand for the type, and its arguments.
    fn synonym_of(&mut self, ty: &Ty) -> Option<(Name, Vec<Ty>)> {
        if self.world.synonyms.is_empty() || !self.choices.chance(40) {
            return None;
        }
        let start = self.choices.below(self.world.synonyms.len());
        let (before, after) = self.world.synonyms.split_at(start);
        after.iter().chain(before).find_map(|Synonym { name, params, ty: meaning }| {
            let mut bindings = Bindings::new();
            if !meaning.matches(params, ty, &mut bindings) {
                return None;
            }
            // A parameter that does not occur in the definition can be anything.
            let arg = |param: &Name| {
                let bound = bindings.iter().find(|(bound, _)| bound == param);
                bound.map_or(Ty::Int, |(_, ty)| ty.clone())
            };
            Some((name.clone(), params.iter().map(arg).collect()))
        })
    }
}
