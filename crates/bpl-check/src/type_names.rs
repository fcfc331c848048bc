//! Converts types from syntax to ids: the namespace of types, and type variables.
//!
//! This module knows the declared types and the type variables in scope, but no values.

use bpl_syntax::Dialect;
use bpl_syntax::ast::{Ident, MapType, Name, Type, TypeKind as AstTypeKind};
use bpl_syntax::diagnostic::{Diagnostic, ErrorClass};
use bpl_syntax::span::Span;
use rustc_hash::FxHashMap;

use crate::suggest::nearest;
use crate::types::{TypeId, TypeKind, deep};
use crate::unify::Solver;

/// A declared type.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct NamedType {
    /// The index of its declaration; `None` if it comes from a library.
    pub decl: Option<usize>,
    /// The span of its name.
    pub span: Span,
    /// The number of type parameters.
    pub arity: u32,
    /// The kind of type.
    pub kind: NamedTypeKind,
}

/// The kinds of declared types.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum NamedTypeKind {
    /// `type C a;`
    Constructor,
    /// `datatype D<a> { … }`, or `type {:datatype} D;` in Boogie 2
    Datatype,
    /// `type S a = …;`, with the parameters bound in the type
    Synonym(TypeId),
}

/// All declared types by name.
pub(crate) type TypeNames = FxHashMap<Name, NamedType>;

/// The type variables in scope, innermost last.
#[derive(Debug, Default)]
pub(crate) struct TypeVars {
    stack: Vec<(Name, Meaning)>,
    /// The number of binders around the type that is being read.
    depth: u32,
}

#[derive(Clone, Copy, Debug)]
enum Meaning {
    /// Stands for itself: the body of its declaration is being checked.
    Param,
    /// A variable of the binder at this level, counted from the outside.
    Bound { level: u32, index: u32 },
}

impl TypeVars {
    pub(crate) fn len(&self) -> usize {
        self.stack.len()
    }

    pub(crate) fn truncate(&mut self, len: usize) {
        self.stack.truncate(len);
    }
}

/// Reads types; see [`TypeReader::read`].
pub(crate) struct TypeReader<'r, 'b> {
    pub(crate) dialect: Dialect,
    pub(crate) names: &'r TypeNames,
    pub(crate) solver: &'r mut Solver<'b>,
    pub(crate) vars: &'r mut TypeVars,
    /// The errors, which the caller reports or drops.
    pub(crate) errors: Vec<Diagnostic>,
}

impl TypeReader<'_, '_> {
    fn error(&mut self, span: Span, message: String) -> TypeId {
        self.errors.push(Diagnostic::new(ErrorClass::Resolution, span, message));
        TypeId::ERROR
    }

    /// Brings type variables into scope as parameters.
    pub(crate) fn declare_params(&mut self, params: &[Ident]) {
        for param in params {
            self.declare(param, Meaning::Param);
        }
    }

    /// Brings type variables into scope as the variables of a binder around the next type.
    pub(crate) fn open_binder(&mut self, params: &[Ident]) {
        let level = self.vars.depth;
        self.vars.depth += 1;
        for (index, param) in (0..).zip(params) {
            self.declare(param, Meaning::Bound { level, index });
        }
    }

    /// Ends the scope opened by [`TypeReader::open_binder`].
    pub(crate) fn close_binder(&mut self, vars_before: usize) {
        self.vars.depth -= 1;
        self.vars.truncate(vars_before);
    }

    fn declare(&mut self, param: &Ident, meaning: Meaning) {
        let name = &param.name;
        if is_bitvector_name(name) {
            self.error(param.span, format!("`{name}` is the name of a bitvector type"));
        } else if let Some(named) = self.names.get(name) {
            let other = named.span;
            let message = format!("type variable `{name}` has the name of a type");
            let error = Diagnostic::new(ErrorClass::Resolution, param.span, message)
                .related(other, "the type");
            self.errors.push(error);
        } else if self.vars.stack.iter().any(|(other, _)| other == name) {
            self.error(param.span, format!("type variable `{name}` is declared more than once"));
        }
        self.vars.stack.push((name.clone(), meaning));
    }

    /// Converts a type, expanding synonyms.
    pub(crate) fn read(&mut self, ty: &Type) -> TypeId {
        match &ty.kind {
            AstTypeKind::Int => TypeId::INT,
            AstTypeKind::Real => TypeId::REAL,
            AstTypeKind::Bool => TypeId::BOOL,
            AstTypeKind::Named { name, args } => deep(|| self.read_named(ty.span, name, args)),
            AstTypeKind::Map(map) => deep(|| self.read_map(map)),
        }
    }

    fn read_named(&mut self, span: Span, name: &Name, args: &[Type]) -> TypeId {
        if let Some(builtin) = builtin(self.dialect, name) {
            return match builtin {
                Some(_) if !args.is_empty() => {
                    self.error(span, format!("type `{name}` takes no arguments"))
                }
                Some(kind) => self.solver.types.intern(kind),
                None => self.error(span, format!("the size in `{name}` is too large")),
            };
        }
        let args_read: Vec<_> = args.iter().map(|arg| self.read(arg)).collect();
        let variable = self.vars.stack.iter().rev().find(|(other, _)| other == name);
        if let Some(&(_, meaning)) = variable {
            return if args.is_empty() {
                let kind = match meaning {
                    Meaning::Param => TypeKind::Param(name.clone()),
                    Meaning::Bound { level, index } => {
                        TypeKind::Bound { depth: self.vars.depth - level - 1, index }
                    }
                };
                self.solver.types.intern(kind)
            } else {
                self.error(span, format!("type variable `{name}` takes no arguments"))
            };
        }
        let Some(named) = self.names.get(name) else {
            let mut error =
                Diagnostic::new(ErrorClass::Resolution, span, format!("undeclared type `{name}`"));
            let known = self.names.keys().map(Name::as_str);
            let variables = self.vars.stack.iter().map(|(name, _)| name.as_str());
            if let Some(near) = nearest(name, known.chain(variables)) {
                error = error.help(format!("did you mean `{near}`?"));
            }
            self.errors.push(error);
            return TypeId::ERROR;
        };
        if named.arity as usize != args.len() {
            let message =
                format!("type `{name}` takes {}, not {}", count(named.arity as usize), args.len());
            let error = Diagnostic::new(ErrorClass::Resolution, span, message)
                .related(named.span, "declared here");
            self.errors.push(error);
            return TypeId::ERROR;
        }
        match named.kind {
            NamedTypeKind::Synonym(body) => self.solver.types.instantiate(body, &args_read),
            NamedTypeKind::Constructor | NamedTypeKind::Datatype => {
                let kind = TypeKind::Constructed(name.clone(), args_read.into());
                self.solver.types.intern(kind)
            }
        }
    }

    fn read_map(&mut self, map: &MapType) -> TypeId {
        let vars_before = self.vars.len();
        let binder = !map.type_params.is_empty();
        if binder {
            self.open_binder(&map.type_params);
        }
        let mut parts: Vec<_> = map.domain.iter().map(|index| self.read(index)).collect();
        parts.push(self.read(&map.range));
        if binder {
            self.close_binder(vars_before);
            self.check_occurrence(&map.type_params, &parts, "map type");
            self.solver.types.normalize_binder(&mut parts);
        }
        let range = parts.pop().unwrap_or(TypeId::ERROR);
        let params = u32::try_from(map.type_params.len()).unwrap_or(u32::MAX);
        self.solver.types.map(params, parts.into(), range)
    }

    /// Checks that each parameter of a binder occurs in the types it binds: otherwise it could not
    /// be inferred.
    pub(crate) fn check_occurrence(&mut self, params: &[Ident], parts: &[TypeId], what: &str) {
        if parts.iter().any(|&part| self.solver.types.mentions_error(part)) {
            return;
        }
        let used = self.solver.types.bound_order(parts);
        for (index, param) in (0..).zip(params) {
            let name = &param.name;
            let doubled = params.iter().filter(|other| other.name == *name).count() > 1;
            if !used.contains(&index) && !doubled {
                self.error(
                    param.span,
                    format!("type variable `{name}` does not occur in the types of the {what}"),
                );
            }
        }
    }
}

/// `no arguments`, `1 argument`, `2 arguments`
pub(crate) fn count(arguments: usize) -> String {
    match arguments {
        0 => "no arguments".to_owned(),
        1 => "1 argument".to_owned(),
        n => format!("{n} arguments"),
    }
}

/// `1 value`, `2 values`
pub(crate) fn plural(count: usize, noun: &str) -> String {
    let ending = if count == 1 { "" } else { "s" };
    format!("{count} {noun}{ending}")
}

/// Whether a name is `bv` followed by digits, which cannot be declared.
pub(crate) fn is_bitvector_name(name: &str) -> bool {
    name.strip_prefix("bv").is_some_and(is_digits)
}

fn is_digits(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}

/// The built-in type with this name. `Some(None)` is a built-in type with a size that no verifier
/// can handle.
#[expect(clippy::option_option, reason = "not such a name, or one without a meaning")]
pub(crate) fn builtin(dialect: Dialect, name: &str) -> Option<Option<TypeKind>> {
    if let Some(width) = name.strip_prefix("bv").filter(|text| is_digits(text)) {
        return Some(parse_size(width).map(TypeKind::BitVector));
    }
    if let Some((significand, exponent)) =
        name.strip_prefix("float").and_then(|s| s.split_once('e'))
        && is_digits(significand)
        && is_digits(exponent)
    {
        return Some(float(significand, exponent));
    }
    match (name, dialect) {
        ("rmode", _) => Some(Some(TypeKind::RoundingMode)),
        ("string", Dialect::Boogie3) => Some(Some(TypeKind::Str)),
        ("regex", Dialect::Boogie3) => Some(Some(TypeKind::Regex)),
        _ => None,
    }
}

/// `float24e8` from the digits of its sizes.
pub(crate) fn float(significand: &str, exponent: &str) -> Option<TypeKind> {
    let (significand, exponent) = (parse_size(significand)?, parse_size(exponent)?);
    Some(TypeKind::Float { significand, exponent })
}

/// Parses a size that fits Boogie's own integers.
pub(crate) fn parse_size(digits: &str) -> Option<u32> {
    digits.parse::<i32>().ok().and_then(|size| u32::try_from(size).ok())
}
