//! Lambda expressions.
//!
//! A lambda expression becomes a function of the variables in it that are bound outside, and an axiom
//! that says what is selected from its result. Equal expressions become the same function, so their
//! values are equal, as in Boogie.

use std::collections::BTreeSet;
use std::rc::Rc;

use bpl_syntax::ast::{Expr, ExprKind, Name, Quantifier, Trigger};
use bpl_syntax::visit::Visit;
use rustc_hash::FxHashMap;

use crate::formula::{Binders, apply, implied};
use crate::instances::named;
use crate::logic::Role;
use crate::names;
use crate::refusal::{Result, refuse};
use crate::types::{MapTy, Ty};
use crate::world::{Lambda, Need, Scope, Variable, World};

/// The variables from outside of a lambda expression: the parameters of its function.
#[derive(Default)]
struct Captured {
    params: Binders,
    /// Their values where the expression stands.
    values: Vec<String>,
    /// That they fit their tags.
    premises: Vec<String>,
    /// The same variables inside of the expression.
    frame: FxHashMap<Name, Variable>,
}

/// Stands for the name of the function until its definition is complete.
const UNNAMED: &str = "\u{0}";

impl<'a> World<'_, 'a> {
    /// Translates a lambda expression: a call of a function whose definition is among
    /// [`World::lambdas`].
    pub(crate) fn lambda(
        &mut self,
        quantifier: &'a Quantifier,
        scope: &mut Scope,
        out: &mut String,
    ) -> Result<()> {
        if self.anchors.is_some() {
            return self.lambda_anchors(quantifier, scope);
        }
        let broken = self.broken;
        let Captured { params, values, premises, frame } = self.captured(quantifier, scope);
        let mut inner = Scope {
            frame: Rc::new(frame),
            bound: Vec::new(),
            types: scope.types.clone(),
            level: 0,
            old: scope.old,
        };
        let ty = self.lambda_type(quantifier, &inner)?;
        let axioms = self.lambda_axioms(quantifier, &ty, &params, &premises, &mut inner)?;
        let signature = format!("{} : {}", params.params(), self.sort(&ty));
        let key = format!("{signature}\n{}", axioms.join("\n"));
        self.step(key.len())?;
        let known = self.lambdas.get(&key).map(|known| known.name.clone());
        let name = match known {
            Some(name) => name,
            None => self.add_lambda(key, &signature, &axioms)?,
        };
        out.push_str(&apply(&name, values.iter().map(String::as_str)));
        self.broken = broken;
        Ok(())
    }

    /// Declares the function of a lambda expression, and returns its name.
    fn add_lambda(&mut self, key: String, signature: &str, axioms: &[String]) -> Result<String> {
        let name = format!("lambda_{:016x}", hash(&key));
        if self.lambdas.values().any(|other| other.name == name) {
            return refuse("two lambda expressions with the same hash");
        }
        let declaration = format!("function {name}{signature}");
        let axioms = axioms.iter().enumerate().map(|(number, axiom)| {
            format!("axiom {name}_{number}: {}", axiom.replace(UNNAMED, &name))
        });
        let axioms = axioms.collect();
        self.lambdas.insert(key, Lambda { name: name.clone(), declaration, axioms });
        Ok(name)
    }

    /// Finds the variables and tags from outside of a lambda expression.
    fn captured(&mut self, quantifier: &'a Quantifier, scope: &Scope) -> Captured {
        let mut outside = Outside { found: Vec::new(), old: scope.old };
        outside.visit_expr(&quantifier.body);
        let bound: BTreeSet<&Name> =
            quantifier.bound.iter().flat_map(|group| &group.names).map(|id| &id.name).collect();
        let mut captured = Captured::default();
        let tags = scope.tags();
        if !tags.is_empty() {
            self.need(Need::Sort(Ty::tagged("")));
        }
        captured.params.add_tags(&tags);
        captured.values.extend(tags.iter().map(ToString::to_string));
        for OutsideVariable { name, now, before } in outside.found {
            let Some(variable) = scope.variable(name).filter(|_| !bound.contains(name)) else {
                continue;
            };
            let sort = self.sort(&variable.ty);
            let mut param = |prefix: &str, value: &str| -> Rc<str> {
                let name = names::name(prefix, name);
                captured.params.add(&name, &sort);
                captured.values.push(value.to_owned());
                captured.premises.extend(self.fits(&name, &variable.ty));
                name.into()
            };
            let changes = variable.before != variable.now;
            let mut inner = Variable::fixed(variable.ty.clone(), "");
            if now || !changes {
                inner.now = param("h_", &variable.now);
                inner.before = Rc::clone(&inner.now);
            }
            if before && changes {
                inner.before = param("o_", &variable.before);
            }
            captured.frame.insert(name.clone(), inner);
        }
        captured
    }

    /// The axioms of a lambda expression, one for each choice of its type parameters.
    fn lambda_axioms(
        &mut self,
        quantifier: &'a Quantifier,
        ty: &Ty,
        params: &Binders,
        premises: &[String],
        scope: &mut Scope,
    ) -> Result<Vec<String>> {
        let mut axioms = Vec::new();
        let choices = if quantifier.type_params.is_empty() {
            vec![Vec::new()]
        } else {
            self.lambda_choices(quantifier, ty, scope)?
        };
        let value = apply(UNNAMED, params.names());
        for choice in choices {
            let mark = scope.types.len();
            let tags: BTreeSet<Rc<str>> = choice.iter().flat_map(|(_, ty)| ty.tags()).collect();
            scope.types.extend(choice);
            let mut binders = params.clone();
            binders.add_tags(tags);
            let mut premises = premises.to_vec();
            let mut types = Vec::new();
            let variables = self.bound_variables(quantifier, scope)?;
            for (_, variable) in &variables {
                binders.add(&*variable.now, self.sort(&variable.ty));
                premises.extend(self.fits(&variable.now, &variable.ty));
                types.push(variable.ty.clone());
            }
            scope.bound.extend(variables);
            let element = self.type_of(&quantifier.body, &scope.types)?;
            let (select, element) = self.map_access("select", ty, &types, &element)?;
            let indices = scope.bound.iter().map(|(_, variable)| &*variable.now);
            let selected = apply(&select, std::iter::once(&*value).chain(indices));
            let body = self.text(&quantifier.body, scope, Role::Both)?;
            scope.bound.clear();
            scope.types.truncate(mark);
            let shape = element.shape();
            let equal = self.same(&shape, &selected, &shape, &body);
            axioms.push(binders.forall(&selected, &implied(&premises, &equal)));
        }
        Ok(axioms)
    }

    /// The type of a lambda expression.
    fn lambda_type(&mut self, quantifier: &'a Quantifier, scope: &Scope) -> Result<Ty> {
        // Its type parameters are read as those of the map type.
        let params = &quantifier.type_params;
        let mut types = scope.types.clone();
        let first = self.open;
        for (number, param) in (first..).zip(params) {
            types.push((param.name.clone(), Ty::Var(number)));
        }
        let inner = Scope { types, ..scope.clone() };
        let mut parts: Vec<Ty> = self
            .bound_variables(quantifier, &inner)?
            .into_iter()
            .map(|(_, variable)| variable.ty)
            .collect();
        parts.push(self.type_of(&quantifier.body, &inner.types)?);
        let count = u32::try_from(params.len()).unwrap_or(u32::MAX);
        if count > 0 {
            Ty::bind(&mut parts, first);
        }
        let range = parts.pop().unwrap_or(Ty::Int);
        Ok(Ty::Map(Rc::new(MapTy { params: count, domain: parts, range })))
    }

    /// The choices for the type parameters of a lambda expression: those at which its map is read.
    fn lambda_choices(
        &mut self,
        quantifier: &Quantifier,
        ty: &Ty,
        scope: &Scope,
    ) -> Result<Vec<Vec<(Name, Ty)>>> {
        let shape = ty.shape();
        let reads: Vec<Vec<Ty>> = self
            .known
            .iter()
            .filter_map(|need| match need {
                Need::Select(map, args) if *map == shape => Some(args.clone()),
                _ => None,
            })
            .collect();
        // The parameters of the map type are numbered by first occurrence, those of the expression as
        // they are declared.
        let order = self.lambda_order(quantifier, scope)?;
        let mut choices = Vec::new();
        for args in reads {
            let mut choice = Vec::new();
            for (param, place) in quantifier.type_params.iter().zip(&order) {
                let arg = args.get(*place).cloned().unwrap_or(Ty::Int);
                choice.push((param.name.clone(), arg));
            }
            choices.push(named(choice, scope));
        }
        Ok(choices)
    }

    /// The place of each type parameter of a lambda expression among those of its map type.
    fn lambda_order(&mut self, quantifier: &Quantifier, scope: &Scope) -> Result<Vec<usize>> {
        let mut types = scope.types.clone();
        for (number, param) in (0..).zip(&quantifier.type_params) {
            types.push((param.name.clone(), Ty::Var(self.open + number)));
        }
        let mut order: Vec<u32> = Vec::new();
        for group in &quantifier.bound {
            self.read_type(&group.ty, &types)?.each_var(&mut |number| {
                if !order.contains(&number) {
                    order.push(number);
                }
            });
        }
        let place = |number: u32| order.iter().position(|&other| other == number).unwrap_or(0);
        Ok((0..).zip(&quantifier.type_params).map(|(n, _)| place(self.open + n)).collect())
    }

    /// While triggers are matched, a lambda expression only shows what its body needs.
    fn lambda_anchors(&mut self, quantifier: &'a Quantifier, scope: &mut Scope) -> Result<()> {
        let (types, bound) = (scope.types.len(), scope.bound.len());
        let first = self.open;
        for (number, param) in (first..).zip(&quantifier.type_params) {
            scope.types.push((param.name.clone(), Ty::Var(number)));
            self.open += 1;
        }
        let variables = self.bound_variables(quantifier, scope)?;
        scope.bound.extend(variables);
        let done = self.text(&quantifier.body, scope, Role::Both);
        scope.types.truncate(types);
        scope.bound.truncate(bound);
        self.open = first;
        done.map(drop)
    }
}

/// A hash that is the same on every machine (FNV-1a).
fn hash(text: &str) -> u64 {
    let step = |hash: u64, byte: &u8| (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3);
    text.as_bytes().iter().fold(0xcbf2_9ce4_8422_2325, step)
}

/// The variables in an expression, in order of first occurrence, and in which states.
#[derive(Default)]
struct Outside<'a> {
    found: Vec<OutsideVariable<'a>>,
    old: bool,
}

struct OutsideVariable<'a> {
    name: &'a Name,
    now: bool,
    before: bool,
}

impl<'a> Visit<'a> for Outside<'a> {
    fn visit_expr(&mut self, expr: &'a Expr) {
        match &expr.kind {
            ExprKind::Var(name) => {
                let place = self.found.iter().position(|found| found.name == name);
                let place = place.unwrap_or_else(|| {
                    self.found.push(OutsideVariable { name, now: false, before: false });
                    self.found.len() - 1
                });
                let found = &mut self.found[place];
                found.now |= !self.old;
                found.before |= self.old;
            }
            ExprKind::Old(inner) => {
                let outer = std::mem::replace(&mut self.old, true);
                self.visit_expr(inner);
                self.old = outer;
            }
            _ => self.walk_expr(expr),
        }
    }

    fn visit_trigger(&mut self, _: &'a Trigger) {}
}
