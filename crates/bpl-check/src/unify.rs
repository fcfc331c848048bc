//! Type inference: unknowns, their solutions, and unification.
//!
//! This module knows types only, neither names nor the rules of the language.

use std::sync::Arc;

use bpl_syntax::ast::Name;
use rustc_hash::FxHashMap;

use crate::types::{Layer, MapShape, TypeId, TypeKind, Types, deep};

/// A table of types, and the current solutions of the unknowns.
#[derive(Debug)]
pub(crate) struct Solver<'b> {
    pub(crate) types: Layer<'b>,
    /// The solution of each unknown.
    solutions: Vec<Option<TypeId>>,
    /// Uses of unknowns as maps: the unknown, the types of the indices and of the element. One
    /// unknown can stand for a polymorphic map and be used at several types.
    demands: Vec<(u32, Arc<[TypeId]>, TypeId)>,
    /// The solved unknowns, in the order of their solution.
    trail: Vec<u32>,
    /// While an equality is checked, the types that type parameters must have for it to make sense.
    params: Option<FxHashMap<Name, TypeId>>,
    skolems: u32,
}

impl<'b> Solver<'b> {
    pub(crate) fn new(base: &'b Types) -> Solver<'b> {
        Solver {
            types: Layer::new(base),
            solutions: Vec::new(),
            demands: Vec::new(),
            trail: Vec::new(),
            params: None,
            skolems: 0,
        }
    }

    /// Forgets all unknowns. Their numbers are reused, which keeps the table of types small.
    pub(crate) fn reset(&mut self) {
        self.solutions.clear();
        self.demands.clear();
        self.trail.clear();
        self.skolems = 0;
    }

    /// Whether there is nothing to forget.
    pub(crate) fn is_idle(&self) -> bool {
        self.solutions.is_empty()
    }

    pub(crate) fn unknown(&mut self) -> TypeId {
        let number = u32::try_from(self.solutions.len()).unwrap_or(u32::MAX);
        self.solutions.push(None);
        self.types.intern(TypeKind::Unknown(number))
    }

    pub(crate) fn unknowns(&mut self, count: u32) -> Vec<TypeId> {
        (0..count).map(|_| self.unknown()).collect()
    }

    /// The type itself, or the solution of the unknown as far as known.
    pub(crate) fn resolve(&self, mut id: TypeId) -> TypeId {
        loop {
            let next = match self.types.kind(id) {
                TypeKind::Unknown(number) => {
                    self.solutions.get(*number as usize).copied().flatten()
                }
                TypeKind::Param(name) => {
                    self.params.as_ref().and_then(|params| params.get(name)).copied()
                }
                _ => None,
            };
            match next {
                Some(next) => id = next,
                None => return id,
            }
        }
    }

    /// The type with all solved unknowns replaced.
    pub(crate) fn resolve_fully(&mut self, id: TypeId) -> TypeId {
        let id = self.resolve(id);
        if !self.types.mentions_unknown(id) || matches!(self.types.kind(id), TypeKind::Unknown(_)) {
            return id;
        }
        deep(|| {
            // In two steps, since the components cannot be resolved while the table is borrowed.
            match self.types.kind(id).clone() {
                TypeKind::Constructed(name, args) => {
                    let args = args.iter().map(|&arg| self.resolve_fully(arg)).collect();
                    self.types.intern(TypeKind::Constructed(name, args))
                }
                TypeKind::Map(map) => {
                    let domain = map.domain.iter().map(|&part| self.resolve_fully(part)).collect();
                    let range = self.resolve_fully(map.range);
                    self.types.map(map.params, domain, range)
                }
                _ => id,
            }
        })
    }

    /// Formats a type in Boogie syntax, with `_` for unknowns.
    pub(crate) fn display(&mut self, id: TypeId) -> String {
        let id = self.resolve_fully(id);
        self.types.display(id)
    }

    /// Makes two types equal by solving unknowns; returns `false` if that is impossible.
    ///
    /// As in Boogie, unknowns that were solved before a failure stay solved.
    pub(crate) fn unify(&mut self, a: TypeId, b: TypeId) -> bool {
        if a == b {
            return true;
        }
        let (a, b) = (self.resolve(a), self.resolve(b));
        if a == b {
            return true;
        }
        deep(|| self.unify_resolved(a, b))
    }

    fn unify_resolved(&mut self, a: TypeId, b: TypeId) -> bool {
        match (self.types.kind(a), self.types.kind(b)) {
            (TypeKind::Error, _) | (_, TypeKind::Error) => true,
            (&TypeKind::Unknown(number), _) => self.solve(number, b),
            (_, &TypeKind::Unknown(number)) => self.solve(number, a),
            (TypeKind::Param(name), _) if self.params.is_some() => {
                let name = name.clone();
                self.solve_param(name, b)
            }
            (_, TypeKind::Param(name)) if self.params.is_some() => {
                let name = name.clone();
                self.solve_param(name, a)
            }
            (TypeKind::Constructed(left, args), TypeKind::Constructed(right, others)) => {
                if left != right || args.len() != others.len() {
                    return false;
                }
                let (args, others) = (Arc::clone(args), Arc::clone(others));
                args.iter().zip(others.iter()).all(|(&arg, &other)| self.unify(arg, other))
            }
            (TypeKind::Map(left), TypeKind::Map(right)) => {
                if left.params != right.params || left.domain.len() != right.domain.len() {
                    return false;
                }
                let (left, right) = (Arc::clone(left), Arc::clone(right));
                if left.params == 0 {
                    return left
                        .domain
                        .iter()
                        .zip(right.domain.iter())
                        .all(|(&l, &r)| self.unify(l, r))
                        && self.unify(left.range, right.range);
                }
                // Replace the bound variables on both sides by the same constants. These must not
                // escape into solutions: `<b>[b]t` never equals `<c>[c]c`, whatever `t` is.
                let mark = self.trail.len();
                let skolems: Vec<_> = (0..left.params).map(|_| self.skolem()).collect();
                let parts = |map: &MapShape| {
                    map.domain.iter().copied().chain([map.range]).collect::<Vec<_>>()
                };
                let pairs: Vec<_> = parts(&left).into_iter().zip(parts(&right)).collect();
                pairs.into_iter().all(|(l, r)| {
                    let l = self.types.instantiate(l, &skolems);
                    let r = self.types.instantiate(r, &skolems);
                    self.unify(l, r)
                }) && !self.skolems_escaped(mark)
            }
            _ => false,
        }
    }

    fn skolem(&mut self) -> TypeId {
        self.skolems += 1;
        self.types.intern(TypeKind::Skolem(self.skolems))
    }

    fn skolems_escaped(&mut self, mark: usize) -> bool {
        let mut solutions: Vec<_> = self.trail[mark..]
            .iter()
            .filter_map(|&number| self.solutions[number as usize])
            .collect();
        if let Some(params) = &self.params {
            #[expect(clippy::iter_over_hash_type, reason = "any of them will do")]
            for &solution in params.values() {
                solutions.push(solution);
            }
        }
        solutions.into_iter().any(|solution| {
            let solution = self.resolve_fully(solution);
            self.types.mentions_skolem(solution)
        })
    }

    fn solve(&mut self, number: u32, solution: TypeId) -> bool {
        if self.occurs(&TypeKind::Unknown(number), solution) {
            return false;
        }
        self.solutions[number as usize] = Some(solution);
        self.trail.push(number);
        self.demands.is_empty() || self.meet_demands(number, solution)
    }

    /// Records that an unknown is used as a map.
    pub(crate) fn demand_map(&mut self, unknown: u32, domain: Arc<[TypeId]>, range: TypeId) {
        self.demands.push((unknown, domain, range));
    }

    /// Checks that the solution of an unknown supports all uses of the unknown as a map.
    fn meet_demands(&mut self, number: u32, solution: TypeId) -> bool {
        let (due, rest) =
            std::mem::take(&mut self.demands).into_iter().partition(|demand| demand.0 == number);
        self.demands = rest;
        let due: Vec<(u32, Arc<[TypeId]>, TypeId)> = due;
        if due.is_empty() {
            return true;
        }
        match self.types.kind(solution) {
            TypeKind::Error => true,
            &TypeKind::Unknown(other) => {
                self.demands
                    .extend(due.into_iter().map(|(_, domain, range)| (other, domain, range)));
                true
            }
            TypeKind::Map(map) => {
                let map = Arc::clone(map);
                due.into_iter().all(|(_, domain, range)| {
                    if domain.len() != map.domain.len() {
                        return false;
                    }
                    let unknowns = self.unknowns(map.params);
                    let pairs = map.domain.iter().zip(domain.iter());
                    pairs.chain([(&map.range, &range)]).all(|(&formal, &actual)| {
                        let formal = match map.params {
                            0 => formal,
                            _ => self.types.instantiate(formal, &unknowns),
                        };
                        self.unify(formal, actual)
                    })
                })
            }
            _ => false,
        }
    }

    fn solve_param(&mut self, name: Name, solution: TypeId) -> bool {
        let param = TypeKind::Param(name);
        if self.occurs(&param, solution) {
            return false;
        }
        if let (TypeKind::Param(name), Some(params)) = (param, &mut self.params) {
            params.insert(name, solution);
        }
        true
    }

    fn occurs(&self, variable: &TypeKind, id: TypeId) -> bool {
        let id = self.resolve(id);
        let kind = self.types.kind(id);
        if kind == variable {
            return true;
        }
        if !self.types.mentions_unknown(id) && !self.types.mentions_param(id) {
            return false;
        }
        deep(|| match kind {
            TypeKind::Constructed(_, args) => args.iter().any(|&arg| self.occurs(variable, arg)),
            TypeKind::Map(map) => {
                map.domain.iter().any(|&index| self.occurs(variable, index))
                    || self.occurs(variable, map.range)
            }
            _ => false,
        })
    }

    /// Whether values of the two types can be equal. Type parameters count as open here, since
    /// `(forall<a> x: a :: x == 5)` makes sense for some `a`.
    pub(crate) fn comparable(&mut self, a: TypeId, b: TypeId) -> bool {
        if self.resolve(a) == self.resolve(b) {
            return true;
        }
        self.params = Some(FxHashMap::default());
        let comparable = self.unify(a, b);
        self.params = None;
        comparable
    }

    /// Whether a type parameter occurs in the type.
    pub(crate) fn mentions(&self, param: &Name, id: TypeId) -> bool {
        self.occurs(&TypeKind::Param(param.clone()), id)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_unknown_takes_the_type_of_its_partner() {
        let base = Types::default();
        let mut solver = Solver::new(&base);
        let unknown = solver.unknown();
        assert!(solver.unify(unknown, TypeId::INT));
        assert_eq!(solver.resolve(unknown), TypeId::INT);
        assert!(!solver.unify(unknown, TypeId::BOOL));
    }

    #[test]
    fn no_type_contains_itself() {
        let base = Types::default();
        let mut solver = Solver::new(&base);
        let unknown = solver.unknown();
        let map = solver.types.map(0, [unknown].into(), TypeId::INT);
        assert!(!solver.unify(unknown, map));
    }

    #[test]
    fn bound_variables_do_not_escape() {
        let base = Types::default();
        let mut solver = Solver::new(&base);
        let bound = solver.types.intern(TypeKind::Bound { depth: 0, index: 0 });
        let same = solver.types.map(1, [bound].into(), bound);
        let unknown = solver.unknown();
        let open = solver.types.map(1, [bound].into(), unknown);
        assert!(!solver.unify(same, open));
    }

    #[test]
    fn parameters_are_open_only_when_compared() {
        let base = Types::default();
        let mut solver = Solver::new(&base);
        let param = solver.types.intern(TypeKind::Param("a".into()));
        assert!(!solver.unify(param, TypeId::INT));
        assert!(solver.comparable(param, TypeId::INT));
        assert!(!solver.unify(param, TypeId::INT));
    }
}
