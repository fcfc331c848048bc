//! Types of Boogie without names: closed, or open in a way that the translation can handle.
//!
//! WhyML's logic has no type quantifiers, so everything polymorphic is translated once for each type
//! that matters ([`crate::instances`]), and once for *tagged* values: values of a type that is known
//! only by a tag, a term of sort `ty`. A type that mentions tagged values has a *shape*, the type
//! without its tags. Sorts and instances belong to shapes, and tags are passed as arguments.
//!
//! This module knows types only, not the program that uses them.

use std::rc::Rc;

use bpl_check::{Checked, NamedTypeKind, TypeId, TypeKind};
use bpl_syntax::ast::{MapType, Name, Type, TypeKind as AstKind};

use crate::refusal::{Result, refuse};

/// A type.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum Ty {
    /// `int`
    Int,
    /// `real`
    Real,
    /// `bool`
    Bool,
    /// Values whose type is known only by a tag, a variable in WhyML. In a shape it is empty.
    Tagged(Rc<str>),
    /// A type constructor with its arguments, or a datatype.
    Constructed(Name, Rc<[Ty]>),
    /// A map.
    Map(Rc<MapTy>),
    /// A variable of an enclosing polymorphic map type or of a signature.
    Bound {
        /// The number of binders in between.
        depth: u32,
        /// The index among the binder's variables.
        index: u32,
    },
    /// A variable to be found by matching.
    Var(u32),
}

/// `<a>[t, u]v`
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct MapTy {
    /// The number of type parameters, which are numbered by first occurrence.
    pub(crate) params: u32,
    /// The types of the indices.
    pub(crate) domain: Vec<Ty>,
    /// The type of the elements.
    pub(crate) range: Ty,
}

/// The largest number of nodes of a type. Synonyms can stand for types of exponential size.
const MAX_SIZE: u32 = 10_000;

/// The largest height of a type, so that it can be traversed by plain recursion.
const MAX_HEIGHT: u32 = 60;

/// The meaning of the type variables in scope.
pub(crate) type TypeScope = [(Name, Ty)];

impl Ty {
    /// The type of values that only this tag tells.
    pub(crate) fn tagged(tag: impl Into<Rc<str>>) -> Ty {
        Ty::Tagged(tag.into())
    }

    /// Rebuilds the type, with leaves replaced.
    fn map_leaves(&self, level: u32, leaf: &mut dyn FnMut(&Ty, u32) -> Ty) -> Ty {
        match self {
            Ty::Constructed(name, args) if !args.is_empty() => {
                let args = args.iter().map(|arg| arg.map_leaves(level, leaf)).collect();
                Ty::Constructed(name.clone(), args)
            }
            Ty::Map(map) => {
                let inner = level + u32::from(map.params > 0);
                let domain = map.domain.iter().map(|ty| ty.map_leaves(inner, leaf)).collect();
                let range = map.range.map_leaves(inner, leaf);
                Ty::Map(Rc::new(MapTy { params: map.params, domain, range }))
            }
            other => leaf(other, level),
        }
    }

    /// Calls `each` with the leaves in order.
    fn each_leaf(&self, each: &mut dyn FnMut(&Ty)) {
        match self {
            Ty::Constructed(_, args) if !args.is_empty() => {
                args.iter().for_each(|arg| arg.each_leaf(each));
            }
            Ty::Map(map) => {
                map.domain.iter().for_each(|ty| ty.each_leaf(each));
                map.range.each_leaf(each);
            }
            other => each(other),
        }
    }

    /// The type without its tags.
    pub(crate) fn shape(&self) -> Ty {
        if self.tags().is_empty() {
            return self.clone();
        }
        self.map_leaves(0, &mut |leaf, _| match leaf {
            Ty::Tagged(_) => Ty::tagged(""),
            other => other.clone(),
        })
    }

    /// The tags, in order.
    pub(crate) fn tags(&self) -> Vec<Rc<str>> {
        let mut tags = Vec::new();
        self.each_leaf(&mut |leaf| {
            if let Ty::Tagged(tag) = leaf {
                tags.push(Rc::clone(tag));
            }
        });
        tags
    }

    /// The type with this shape whose tags are called `name(0)`, `name(1)`, ….
    pub(crate) fn with_tags(&self, name: &mut dyn FnMut() -> String) -> Ty {
        self.map_leaves(0, &mut |leaf, _| match leaf {
            Ty::Tagged(_) => Ty::tagged(name()),
            other => other.clone(),
        })
    }

    /// Whether a variable to be found by matching occurs in the type.
    pub(crate) fn is_open(&self) -> bool {
        let mut open = false;
        self.each_leaf(&mut |leaf| open |= matches!(leaf, Ty::Var(_)));
        open
    }

    /// Calls `each` with the variables to be found by matching, in order.
    pub(crate) fn each_var(&self, each: &mut dyn FnMut(u32)) {
        self.each_leaf(&mut |leaf| {
            if let Ty::Var(number) = leaf {
                each(*number);
            }
        });
    }

    /// Turns variables from `first` on into those of a binder around the types, which are the parts of
    /// a map type: numbered by first occurrence, as the checker does.
    pub(crate) fn bind(parts: &mut [Ty], first: u32) {
        let mut order: Vec<u32> = Vec::new();
        let mut rebuild = |leaf: &Ty, level: u32| match *leaf {
            Ty::Var(number) if number >= first => {
                let place = order.iter().position(|&other| other == number).unwrap_or_else(|| {
                    order.push(number);
                    order.len() - 1
                });
                Ty::Bound { depth: level, index: u32::try_from(place).unwrap_or(u32::MAX) }
            }
            _ => leaf.clone(),
        };
        for part in parts {
            *part = part.map_leaves(0, &mut rebuild);
        }
    }

    /// The number of nodes.
    pub(crate) fn size(&self) -> usize {
        match self {
            Ty::Constructed(_, args) => 1 + args.iter().map(Ty::size).sum::<usize>(),
            Ty::Map(map) => 1 + map.domain.iter().map(Ty::size).sum::<usize>() + map.range.size(),
            _ => 1,
        }
    }

    /// The height of the tree.
    pub(crate) fn height(&self) -> u32 {
        match self {
            Ty::Constructed(_, args) => 1 + args.iter().map(Ty::height).max().unwrap_or(0),
            Ty::Map(map) => {
                let domain = map.domain.iter().map(Ty::height).max().unwrap_or(0);
                1 + domain.max(map.range.height())
            }
            _ => 1,
        }
    }

    /// Replaces the variables of a binder around the type.
    pub(crate) fn instantiate(&self, args: &[Ty]) -> Ty {
        self.map_leaves(0, &mut |leaf, level| match *leaf {
            Ty::Bound { depth, index } if depth == level => {
                args.get(index as usize).map_or(Ty::Int, |arg| arg.shifted(level))
            }
            Ty::Bound { depth, index } if depth > level => Ty::Bound { depth: depth - 1, index },
            _ => leaf.clone(),
        })
    }

    /// The type as seen from `by` more binders inside.
    fn shifted(&self, by: u32) -> Ty {
        if by == 0 {
            return self.clone();
        }
        self.map_leaves(0, &mut |leaf, level| match *leaf {
            Ty::Bound { depth, index } if depth >= level => Ty::Bound { depth: depth + by, index },
            _ => leaf.clone(),
        })
    }

    /// Finds out which types the variables of the binder around `self` stand for in `actual`. What
    /// does not fit is ignored: the checker has accepted the program.
    pub(crate) fn solve_bound(&self, actual: &Ty, level: u32, found: &mut [Option<Ty>]) {
        match (self, actual) {
            (&Ty::Bound { depth, index }, _) if depth == level => {
                if let Some(place @ None) = found.get_mut(index as usize) {
                    *place = Some(actual.clone());
                }
            }
            (Ty::Constructed(_, args), Ty::Constructed(_, others)) => {
                for (arg, other) in args.iter().zip(others.iter()) {
                    arg.solve_bound(other, level, found);
                }
            }
            (Ty::Map(map), Ty::Map(other)) => {
                let level = level + u32::from(map.params > 0);
                for (arg, other) in map.domain.iter().zip(&other.domain) {
                    arg.solve_bound(other, level, found);
                }
                map.range.solve_bound(&other.range, level, found);
            }
            _ => {}
        }
    }

    /// Matches a pattern with a shape, and adds what its variables stand for.
    pub(crate) fn match_shape(&self, shape: &Ty, found: &mut Vec<(u32, Ty)>) -> bool {
        match (self, shape) {
            (Ty::Var(number), _) => {
                let known = found.iter().find(|(other, _)| other == number);
                let fits = known.is_none_or(|(_, known)| known == shape);
                if known.is_none() {
                    found.push((*number, shape.clone()));
                }
                fits
            }
            (Ty::Tagged(_), Ty::Tagged(_)) => true,
            (Ty::Constructed(name, args), Ty::Constructed(other, others)) => {
                name == other
                    && args.len() == others.len()
                    && args.iter().zip(others.iter()).all(|(a, b)| a.match_shape(b, found))
            }
            (Ty::Map(map), Ty::Map(other)) => {
                map.params == other.params
                    && map.domain.len() == other.domain.len()
                    && map.domain.iter().zip(&other.domain).all(|(a, b)| a.match_shape(b, found))
                    && map.range.match_shape(&other.range, found)
            }
            _ => self == shape,
        }
    }

    /// Whether a value of one shape can be a value of the other one, tagged values being of any type.
    pub(crate) fn may_equal(&self, other: &Ty) -> bool {
        match (self, other) {
            (Ty::Tagged(_) | Ty::Var(_), _) | (_, Ty::Tagged(_) | Ty::Var(_)) => true,
            (Ty::Constructed(name, args), Ty::Constructed(other, others)) => {
                name == other && args.iter().zip(others.iter()).all(|(a, b)| a.may_equal(b))
            }
            (Ty::Map(map), Ty::Map(other)) => {
                map.params == other.params
                    && map.domain.len() == other.domain.len()
                    && map.domain.iter().zip(&other.domain).all(|(a, b)| a.may_equal(b))
                    && map.range.may_equal(&other.range)
            }
            _ => self == other,
        }
    }

    /// Whether every value of this shape is one of the other shape, whatever the tags.
    pub(crate) fn is_instance_of(&self, general: &Ty) -> bool {
        match (self, general) {
            (_, Ty::Tagged(_)) => true,
            (Ty::Constructed(name, args), Ty::Constructed(other, others)) => {
                name == other && args.iter().zip(others.iter()).all(|(a, b)| a.is_instance_of(b))
            }
            (Ty::Map(map), Ty::Map(other)) => {
                map.params == other.params
                    && map.domain.len() == other.domain.len()
                    && map.domain.iter().zip(&other.domain).all(|(a, b)| a.is_instance_of(b))
                    && map.range.is_instance_of(&other.range)
            }
            _ => self == general,
        }
    }
}

/// What the tags of a general type stand for in an instance of it, in order.
pub(crate) fn at_tags<'t>(general: &Ty, instance: &'t Ty, found: &mut Vec<&'t Ty>) {
    match (general, instance) {
        (Ty::Tagged(_), _) => found.push(instance),
        (Ty::Constructed(_, args), Ty::Constructed(_, others)) => {
            args.iter().zip(others.iter()).for_each(|(a, b)| at_tags(a, b, found));
        }
        (Ty::Map(map), Ty::Map(other)) => {
            map.domain.iter().zip(&other.domain).for_each(|(a, b)| at_tags(a, b, found));
            at_tags(&map.range, &other.range, found);
        }
        _ => {}
    }
}

/// Reads types, expanding synonyms.
pub(crate) struct TypeReader<'c> {
    checked: &'c Checked,
    /// The number of nodes that the current type may still have.
    left: u32,
    /// Whether a type variable was met.
    pub(crate) saw_variable: bool,
}

impl<'c> TypeReader<'c> {
    pub(crate) fn new(checked: &'c Checked) -> TypeReader<'c> {
        TypeReader { checked, left: 0, saw_variable: false }
    }

    /// Converts a type of the checker.
    pub(crate) fn read_id(&mut self, id: TypeId, scope: &TypeScope) -> Result<Ty> {
        self.left = MAX_SIZE;
        self.id(id, scope, 0)
    }

    /// Converts a type from syntax.
    pub(crate) fn read(&mut self, ty: &Type, scope: &TypeScope) -> Result<Ty> {
        self.left = MAX_SIZE;
        let read = self.ast(ty, scope, &mut Vec::new(), 0);
        read.map_err(|refusal| refusal.at(ty.span))
    }

    fn step(&mut self, height: u32) -> Result<()> {
        self.left = self.left.saturating_sub(1);
        if self.left == 0 || height > MAX_HEIGHT {
            return refuse("a type of this size");
        }
        Ok(())
    }

    fn id(&mut self, id: TypeId, scope: &TypeScope, height: u32) -> Result<Ty> {
        self.step(height)?;
        let checked = self.checked;
        Ok(match checked.types().kind(id) {
            TypeKind::Int => Ty::Int,
            TypeKind::Real => Ty::Real,
            TypeKind::Bool => Ty::Bool,
            TypeKind::Constructed(name, args) => {
                let args: Result<Rc<[Ty]>> =
                    args.iter().map(|&arg| self.id(arg, scope, height + 1)).collect();
                Ty::Constructed(name.clone(), args?)
            }
            TypeKind::Map(map) => {
                let domain: Result<Vec<Ty>> =
                    map.domain.iter().map(|&ty| self.id(ty, scope, height + 1)).collect();
                let range = self.id(map.range, scope, height + 1)?;
                Ty::Map(Rc::new(MapTy { params: map.params, domain: domain?, range }))
            }
            TypeKind::Param(name) => {
                self.saw_variable = true;
                let found = scope.iter().rev().find(|(other, _)| other == name);
                found.map_or(Ty::Int, |(_, ty)| ty.clone())
            }
            &TypeKind::Bound { depth, index } => Ty::Bound { depth, index },
            // Boogie takes `int` for a type argument that nothing determines.
            TypeKind::Unknown(_) => Ty::Int,
            _ => {
                let what = format!("the type `{}`", self.checked.types().display(id));
                return refuse(what);
            }
        })
    }

    fn ast(
        &mut self,
        ty: &Type,
        scope: &TypeScope,
        binders: &mut Vec<Vec<Name>>,
        height: u32,
    ) -> Result<Ty> {
        self.step(height)?;
        match &ty.kind {
            AstKind::Int => Ok(Ty::Int),
            AstKind::Real => Ok(Ty::Real),
            AstKind::Bool => Ok(Ty::Bool),
            AstKind::Named { name, args } => {
                let bound = binders.iter().rev().enumerate().find_map(|(depth, names)| {
                    let index = names.iter().position(|other| other == name)?;
                    Some((depth, index))
                });
                if let Some((depth, index)) = bound {
                    let number = |n: usize| u32::try_from(n).unwrap_or(u32::MAX);
                    return Ok(Ty::Bound { depth: number(depth), index: number(index) });
                }
                if let Some((_, found)) = scope.iter().rev().find(|(other, _)| other == name) {
                    return Ok(found.clone());
                }
                let read: Result<Vec<Ty>> =
                    args.iter().map(|arg| self.ast(arg, scope, binders, height + 1)).collect();
                let read = read?;
                match self.checked.env().named_type(name).map(|named| &named.kind) {
                    Some(NamedTypeKind::Synonym(body)) => {
                        let body = self.id(*body, scope, height)?;
                        let ty = body.instantiate(&read);
                        if ty.size() > MAX_SIZE as usize || ty.height() > MAX_HEIGHT {
                            return refuse("a type of this size");
                        }
                        Ok(ty)
                    }
                    Some(_) => Ok(Ty::Constructed(name.clone(), read.into())),
                    None => refuse(format!("the type `{name}`")),
                }
            }
            AstKind::Map(map) => self.ast_map(map, scope, binders, height),
        }
    }

    fn ast_map(
        &mut self,
        map: &MapType,
        scope: &TypeScope,
        binders: &mut Vec<Vec<Name>>,
        height: u32,
    ) -> Result<Ty> {
        let poly = !map.type_params.is_empty();
        if poly {
            binders.push(map.type_params.iter().map(|param| param.name.clone()).collect());
        }
        let domain: Result<Vec<Ty>> =
            map.domain.iter().map(|ty| self.ast(ty, scope, binders, height + 1)).collect();
        let range = self.ast(&map.range, scope, binders, height + 1);
        if poly {
            binders.pop();
        }
        let (mut parts, range) = (domain?, range?);
        parts.push(range);
        if poly {
            renumber(&mut parts);
        }
        let range = parts.pop().unwrap_or(Ty::Int);
        let params = u32::try_from(map.type_params.len()).unwrap_or(u32::MAX);
        Ok(Ty::Map(Rc::new(MapTy { params, domain: parts, range })))
    }
}

/// Renumbers the variables of the binder around some types by first occurrence, as the checker does.
fn renumber(parts: &mut [Ty]) {
    let mut order: Vec<u32> = Vec::new();
    let mut rebuild = |leaf: &Ty, level: u32| match *leaf {
        Ty::Bound { depth, index } if depth == level => {
            let place = order.iter().position(|&other| other == index).unwrap_or_else(|| {
                order.push(index);
                order.len() - 1
            });
            Ty::Bound { depth, index: u32::try_from(place).unwrap_or(u32::MAX) }
        }
        _ => leaf.clone(),
    };
    for part in parts {
        *part = part.map_leaves(0, &mut rebuild);
    }
}
