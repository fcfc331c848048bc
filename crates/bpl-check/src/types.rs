//! Interned types: each type exists once, and equal types have equal ids.
//!
//! A type is closed, or it mentions variables of three kinds: *parameters*, the type variables in
//! scope where a declaration is checked; *bound* variables, those of an enclosing map type or
//! signature; and *unknowns*, which inference determines. The table knows neither the names in
//! scope nor the rules of the language.

use std::fmt;
use std::sync::Arc;

use bpl_syntax::ast::{Ident, Name};
use rustc_hash::FxHashMap;

/// The id of a type. Two ids of one [`Types`] are equal exactly if the types are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct TypeId(u32);

/// The shape of a type.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum TypeKind {
    /// The type of an expression with an error; it fits everywhere.
    Error,
    /// `int`
    Int,
    /// `real`
    Real,
    /// `bool`
    Bool,
    /// `rmode`
    RoundingMode,
    /// `string` (Boogie 3)
    Str,
    /// `regex` (Boogie 3)
    Regex,
    /// `bv32`
    BitVector(u32),
    /// `float24e8`
    Float {
        /// The bits of the significand.
        significand: u32,
        /// The bits of the exponent.
        exponent: u32,
    },
    /// `C t u`, an applied type constructor or datatype; never a synonym
    Constructed(Name, Arc<[TypeId]>),
    /// `<a>[t, u]v`, which binds its type parameters if it has any
    Map(Arc<MapShape>),
    /// A type variable that the surrounding declaration or quantifier introduces.
    Param(Name),
    /// A variable of an enclosing binder: a polymorphic map type or a signature.
    Bound {
        /// The number of binders in between.
        depth: u32,
        /// The index among the binder's variables.
        index: u32,
    },
    /// A type that inference has yet to determine.
    Unknown(u32),
    /// A constant in place of a bound variable, while two polymorphic map types are compared.
    Skolem(u32),
}

/// `<a>[t, u]v`
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct MapShape {
    /// The number of type parameters, which are numbered by first occurrence.
    pub params: u32,
    /// The types of the indices.
    pub domain: Arc<[TypeId]>,
    /// The type of the elements.
    pub range: TypeId,
}

impl TypeId {
    /// [`TypeKind::Error`]
    pub const ERROR: TypeId = TypeId(0);
    /// `int`
    pub const INT: TypeId = TypeId(1);
    /// `real`
    pub const REAL: TypeId = TypeId(2);
    /// `bool`
    pub const BOOL: TypeId = TypeId(3);
    /// `rmode`
    pub const ROUNDING_MODE: TypeId = TypeId(4);
    /// `string`
    pub const STR: TypeId = TypeId(5);
    /// `regex`
    pub const REGEX: TypeId = TypeId(6);
}

const BASIC: [TypeKind; 7] = [
    TypeKind::Error,
    TypeKind::Int,
    TypeKind::Real,
    TypeKind::Bool,
    TypeKind::RoundingMode,
    TypeKind::Str,
    TypeKind::Regex,
];

/// The kinds of variables in a type, so that traversals can skip types without them.
#[derive(Clone, Copy, Debug, Default)]
#[expect(clippy::struct_excessive_bools, reason = "a set, and spelled out")]
struct Mentions {
    /// The number of enclosing binders that its bound variables reach; 0 if the type is closed.
    reach: u32,
    unknown: bool,
    skolem: bool,
    param: bool,
    error: bool,
}

/// The table of types.
#[derive(Clone, Debug)]
pub struct Types {
    kinds: Vec<TypeKind>,
    mentions: Vec<Mentions>,
    ids: FxHashMap<TypeKind, TypeId>,
}

impl Default for Types {
    fn default() -> Types {
        let mut types =
            Types { kinds: Vec::new(), mentions: Vec::new(), ids: FxHashMap::default() };
        for kind in BASIC {
            let mentions = Mentions { error: kind == TypeKind::Error, ..Mentions::default() };
            types.push(0, kind, mentions);
        }
        types
    }
}

impl Types {
    /// The shape of a type in this table.
    pub fn kind(&self, id: TypeId) -> &TypeKind {
        self.kinds.get(id.0 as usize).unwrap_or(&TypeKind::Error)
    }

    /// Formats a type in Boogie syntax.
    pub fn display(&self, id: TypeId) -> impl fmt::Display {
        let mut writer =
            Writer { kind: &|id| self.kind(id), params: Vec::new(), binders: Vec::new() };
        writer.collect_params(id);
        let mut text = String::new();
        writer.write(id, false, &mut text);
        text
    }

    fn push(&mut self, offset: usize, kind: TypeKind, mentions: Mentions) -> TypeId {
        // There are fewer than 2³² types: each comes from a byte of a source below 4 GiB.
        let id = TypeId(u32::try_from(offset + self.kinds.len()).unwrap_or(0));
        self.kinds.push(kind.clone());
        self.mentions.push(mentions);
        self.ids.insert(kind, id);
        id
    }
}

/// A table that extends one that others read at the same time.
#[derive(Debug)]
pub(crate) struct Layer<'b> {
    base: &'b Types,
    own: Types,
}

impl<'b> Layer<'b> {
    pub(crate) fn new(base: &'b Types) -> Layer<'b> {
        let own = Types { kinds: Vec::new(), mentions: Vec::new(), ids: FxHashMap::default() };
        Layer { base, own }
    }

    /// The new types only, to be passed to [`Types::extend`].
    pub(crate) fn into_added(self) -> Added {
        Added(self.own)
    }

    pub(crate) fn kind(&self, id: TypeId) -> &TypeKind {
        let index = id.0 as usize;
        match index.checked_sub(self.base.kinds.len()) {
            None => &self.base.kinds[index],
            Some(own) => self.own.kinds.get(own).unwrap_or(&TypeKind::Error),
        }
    }

    fn mentions(&self, id: TypeId) -> Mentions {
        let index = id.0 as usize;
        match index.checked_sub(self.base.kinds.len()) {
            None => self.base.mentions[index],
            Some(own) => self.own.mentions.get(own).copied().unwrap_or_default(),
        }
    }

    pub(crate) fn mentions_unknown(&self, id: TypeId) -> bool {
        self.mentions(id).unknown
    }

    pub(crate) fn mentions_skolem(&self, id: TypeId) -> bool {
        self.mentions(id).skolem
    }

    pub(crate) fn mentions_param(&self, id: TypeId) -> bool {
        self.mentions(id).param
    }

    pub(crate) fn mentions_error(&self, id: TypeId) -> bool {
        self.mentions(id).error
    }

    pub(crate) fn intern(&mut self, kind: TypeKind) -> TypeId {
        if let Some(&id) = self.base.ids.get(&kind).or_else(|| self.own.ids.get(&kind)) {
            return id;
        }
        let mentions = self.mentions_of(&kind);
        self.own.push(self.base.kinds.len(), kind, mentions)
    }

    fn mentions_of(&self, kind: &TypeKind) -> Mentions {
        let mut all = Mentions::default();
        let mut add = |part: Mentions| {
            all.reach = all.reach.max(part.reach);
            all.unknown |= part.unknown;
            all.skolem |= part.skolem;
            all.param |= part.param;
            all.error |= part.error;
        };
        match kind {
            TypeKind::Constructed(_, args) => {
                args.iter().for_each(|&arg| add(self.mentions(arg)));
            }
            TypeKind::Map(map) => {
                map.domain.iter().for_each(|&index| add(self.mentions(index)));
                add(self.mentions(map.range));
                if map.params > 0 {
                    all.reach = all.reach.saturating_sub(1);
                }
            }
            TypeKind::Bound { depth, .. } => all.reach = depth + 1,
            TypeKind::Unknown(_) => all.unknown = true,
            TypeKind::Skolem(_) => all.skolem = true,
            TypeKind::Param(_) => all.param = true,
            TypeKind::Error => all.error = true,
            _ => {}
        }
        all
    }

    pub(crate) fn map(&mut self, params: u32, domain: Arc<[TypeId]>, range: TypeId) -> TypeId {
        self.intern(TypeKind::Map(Arc::new(MapShape { params, domain, range })))
    }

    /// Rebuilds a type from mapped components; `enter` is told about each binder on the way.
    pub(crate) fn rebuild(
        &mut self,
        id: TypeId,
        part: &mut dyn FnMut(&mut Self, TypeId, bool) -> TypeId,
    ) -> TypeId {
        match self.kind(id).clone() {
            TypeKind::Constructed(name, args) => {
                let args = args.iter().map(|&arg| part(self, arg, false)).collect();
                self.intern(TypeKind::Constructed(name, args))
            }
            TypeKind::Map(map) => {
                let binder = map.params > 0;
                let domain = map.domain.iter().map(|&index| part(self, index, binder)).collect();
                let range = part(self, map.range, binder);
                self.map(map.params, domain, range)
            }
            _ => id,
        }
    }

    /// Replaces the variables of a binder in its body by `args`.
    pub(crate) fn instantiate(&mut self, id: TypeId, args: &[TypeId]) -> TypeId {
        self.instantiate_at(id, 0, args)
    }

    fn instantiate_at(&mut self, id: TypeId, level: u32, args: &[TypeId]) -> TypeId {
        if self.mentions(id).reach <= level {
            return id;
        }
        deep(|| match *self.kind(id) {
            TypeKind::Bound { depth, index } if depth == level => {
                let arg = args.get(index as usize).copied().unwrap_or(TypeId::ERROR);
                self.shift(arg, level, 0)
            }
            TypeKind::Bound { depth, index } => {
                self.intern(TypeKind::Bound { depth: depth - 1, index })
            }
            _ => self.rebuild(id, &mut |layer, part, binder| {
                layer.instantiate_at(part, level + u32::from(binder), args)
            }),
        })
    }

    /// The type as seen from `by` more binders inside.
    fn shift(&mut self, id: TypeId, by: u32, cutoff: u32) -> TypeId {
        if by == 0 || self.mentions(id).reach <= cutoff {
            return id;
        }
        deep(|| match *self.kind(id) {
            TypeKind::Bound { depth, index } => {
                let depth = if depth >= cutoff { depth + by } else { depth };
                self.intern(TypeKind::Bound { depth, index })
            }
            _ => self.rebuild(id, &mut |layer, part, binder| {
                layer.shift(part, by, cutoff + u32::from(binder))
            }),
        })
    }

    /// The variables of the enclosing binder that the types mention, in order of first occurrence.
    pub(crate) fn bound_order(&self, types: &[TypeId]) -> Vec<u32> {
        let mut order = Vec::new();
        for &id in types {
            self.bound_order_at(id, 0, &mut order);
        }
        order
    }

    fn bound_order_at(&self, id: TypeId, level: u32, order: &mut Vec<u32>) {
        if self.mentions(id).reach <= level {
            return;
        }
        deep(|| match self.kind(id) {
            TypeKind::Bound { depth, index } if *depth == level && !order.contains(index) => {
                order.push(*index);
            }
            TypeKind::Constructed(_, args) => {
                args.iter().for_each(|&arg| self.bound_order_at(arg, level, order));
            }
            TypeKind::Map(map) => {
                let level = level + u32::from(map.params > 0);
                map.domain.iter().for_each(|&index| self.bound_order_at(index, level, order));
                self.bound_order_at(map.range, level, order);
            }
            _ => {}
        });
    }

    /// Renumbers the variables of the enclosing binder by first occurrence, so that binders that
    /// differ only in the order of their parameters become equal.
    pub(crate) fn normalize_binder(&mut self, types: &mut [TypeId]) {
        let order = self.bound_order(types);
        if order.iter().enumerate().all(|(new, &old)| new == old as usize) {
            return;
        }
        let mut images = Vec::new();
        for (new, &old) in (0..).zip(&order) {
            let old = old as usize;
            if images.len() <= old {
                images.resize(old + 1, TypeId::ERROR);
            }
            images[old] = self.intern(TypeKind::Bound { depth: 0, index: new });
        }
        for id in types {
            *id = self.rename_bound(*id, 0, &images);
        }
    }

    fn rename_bound(&mut self, id: TypeId, level: u32, images: &[TypeId]) -> TypeId {
        if self.mentions(id).reach <= level {
            return id;
        }
        deep(|| match *self.kind(id) {
            TypeKind::Bound { depth, index } if depth == level => {
                self.shift(images[index as usize], level, 0)
            }
            TypeKind::Bound { .. } => id,
            _ => self.rebuild(id, &mut |layer, part, binder| {
                layer.rename_bound(part, level + u32::from(binder), images)
            }),
        })
    }

    /// Turns type parameters into variables of a binder around the type.
    pub(crate) fn bind_params(&mut self, id: TypeId, params: &[Ident]) -> TypeId {
        self.bind_params_at(id, 0, params)
    }

    fn bind_params_at(&mut self, id: TypeId, level: u32, params: &[Ident]) -> TypeId {
        if !self.mentions(id).param {
            return id;
        }
        deep(|| match self.kind(id) {
            TypeKind::Param(name) => {
                match (0..).zip(params).find(|(_, param)| param.name == *name) {
                    Some((index, _)) => self.intern(TypeKind::Bound { depth: level, index }),
                    None => id,
                }
            }
            _ => self.rebuild(id, &mut |layer, part, binder| {
                layer.bind_params_at(part, level + u32::from(binder), params)
            }),
        })
    }

    pub(crate) fn display(&self, id: TypeId) -> String {
        let mut writer =
            Writer { kind: &|id| self.kind(id), params: Vec::new(), binders: Vec::new() };
        writer.collect_params(id);
        let mut text = String::new();
        writer.write(id, false, &mut text);
        text
    }
}

/// The types of a [`Layer`] without its base.
#[derive(Debug)]
pub(crate) struct Added(Types);

impl Types {
    /// Adds the types of a layer over this table to the table itself; ids stay the same.
    pub(crate) fn extend(&mut self, added: Added) {
        for (kind, mentions) in added.0.kinds.into_iter().zip(added.0.mentions) {
            self.push(0, kind, mentions);
        }
    }
}

/// Runs a recursive step with enough stack for a tree of any depth.
pub(crate) fn deep<R>(step: impl FnOnce() -> R) -> R {
    stacker::maybe_grow(64 * 1024, 4 * 1024 * 1024, step)
}

/// Writes types in Boogie syntax.
struct Writer<'w, 't> {
    kind: &'w dyn Fn(TypeId) -> &'t TypeKind,
    /// The names of type parameters, which bound variables must avoid.
    params: Vec<&'t Name>,
    /// The number of variables of each enclosing binder.
    binders: Vec<u32>,
}

impl Writer<'_, '_> {
    fn collect_params(&mut self, id: TypeId) {
        deep(|| match (self.kind)(id) {
            TypeKind::Param(name) => self.params.push(name),
            TypeKind::Constructed(_, args) => {
                args.iter().for_each(|&arg| self.collect_params(arg));
            }
            TypeKind::Map(map) => {
                map.domain.iter().for_each(|&index| self.collect_params(index));
                self.collect_params(map.range);
            }
            _ => {}
        });
    }

    /// The name of a bound variable: the `index`-th of `a`, `b`, …, `z`, `a1`, … that is not in
    /// use.
    fn variable(&self, index: u32) -> String {
        (0..)
            .map(|number: u32| {
                let letter = char::from(b'a' + u8::try_from(number % 26).unwrap_or(0));
                match number / 26 {
                    0 => letter.to_string(),
                    round => format!("{letter}{round}"),
                }
            })
            .filter(|name| !self.params.iter().any(|param| *param == name))
            .nth(index as usize)
            .unwrap_or_default()
    }

    /// Writes a type so that it parses back; `atom` puts parentheses around applications.
    fn write(&mut self, id: TypeId, atom: bool, out: &mut String) {
        use fmt::Write as _;
        // Writing to a string cannot fail.
        let _ = match (self.kind)(id) {
            TypeKind::Error => write!(out, "?"),
            TypeKind::Int => write!(out, "int"),
            TypeKind::Real => write!(out, "real"),
            TypeKind::Bool => write!(out, "bool"),
            TypeKind::RoundingMode => write!(out, "rmode"),
            TypeKind::Str => write!(out, "string"),
            TypeKind::Regex => write!(out, "regex"),
            TypeKind::BitVector(width) => write!(out, "bv{width}"),
            TypeKind::Float { significand, exponent } => {
                write!(out, "float{significand}e{exponent}")
            }
            TypeKind::Param(name) => write!(out, "{name}"),
            TypeKind::Unknown(_) | TypeKind::Skolem(_) => write!(out, "_"),
            TypeKind::Bound { depth, index } => {
                let first = self.binders.iter().rev().skip(*depth as usize + 1).sum::<u32>();
                write!(out, "{}", self.variable(first + index))
            }
            TypeKind::Constructed(name, args) => {
                let parens = atom && !args.is_empty();
                out.push_str(if parens { "(" } else { "" });
                out.push_str(name);
                for &arg in args.iter() {
                    out.push(' ');
                    deep(|| self.write(arg, true, out));
                }
                out.push_str(if parens { ")" } else { "" });
                Ok(())
            }
            TypeKind::Map(map) => {
                deep(|| self.write_map(map, atom, out));
                Ok(())
            }
        };
    }

    fn write_map(&mut self, map: &MapShape, atom: bool, out: &mut String) {
        out.push_str(if atom { "(" } else { "" });
        if map.params > 0 {
            let first = self.binders.iter().sum::<u32>();
            let names: Vec<_> =
                (first..first + map.params).map(|index| self.variable(index)).collect();
            out.push('<');
            out.push_str(&names.join(", "));
            out.push('>');
            self.binders.push(map.params);
        }
        out.push('[');
        for (i, &index) in map.domain.iter().enumerate() {
            out.push_str(if i > 0 { ", " } else { "" });
            self.write(index, false, out);
        }
        out.push(']');
        self.write(map.range, false, out);
        if map.params > 0 {
            self.binders.pop();
        }
        out.push_str(if atom { ")" } else { "" });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bound(layer: &mut Layer<'_>, depth: u32, index: u32) -> TypeId {
        layer.intern(TypeKind::Bound { depth, index })
    }

    #[test]
    fn equal_types_have_equal_ids() {
        let base = Types::default();
        let mut layer = Layer::new(&base);
        let a = layer.map(0, [TypeId::INT].into(), TypeId::BOOL);
        let b = layer.map(0, [TypeId::INT].into(), TypeId::BOOL);
        assert_eq!(a, b);
        assert_eq!(layer.intern(TypeKind::Int), TypeId::INT);
        assert_eq!(layer.display(a), "[int]bool");
    }

    #[test]
    fn instantiation_reaches_through_inner_binders() {
        let base = Types::default();
        let mut layer = Layer::new(&base);
        let (inner, outer) = (bound(&mut layer, 0, 0), bound(&mut layer, 1, 0));
        let map = layer.map(1, [inner].into(), outer);
        let instance = layer.instantiate(map, &[TypeId::REAL]);
        assert_eq!(layer.display(instance), "<a>[a]real");
    }

    #[test]
    fn an_argument_keeps_its_binder_when_it_moves_under_another() {
        // `type S t = <b>[b]t;` used as `<a>[a](S a)`.
        let base = Types::default();
        let mut layer = Layer::new(&base);
        let (inner, outer) = (bound(&mut layer, 0, 0), bound(&mut layer, 1, 0));
        let body = layer.map(1, [inner].into(), outer);
        let element = layer.instantiate(body, &[inner]);
        let map = layer.map(1, [inner].into(), element);
        assert_eq!(layer.display(map), "<a>[a]<b>[b]a");
    }

    #[test]
    fn the_order_of_type_parameters_is_no_difference() {
        let base = Types::default();
        let mut layer = Layer::new(&base);
        let (a, b) = (bound(&mut layer, 0, 0), bound(&mut layer, 0, 1));
        let mut swapped = [b, a];
        layer.normalize_binder(&mut swapped);
        assert_eq!(swapped, [a, b]);
    }

    #[test]
    fn an_application_as_an_argument_stands_in_parentheses() {
        let base = Types::default();
        let mut layer = Layer::new(&base);
        let inner = layer.intern(TypeKind::Constructed("D".into(), [TypeId::INT].into()));
        let outer = layer.intern(TypeKind::Constructed("C".into(), [inner, TypeId::INT].into()));
        assert_eq!(layer.display(outer), "C (D int) int");
    }
}
