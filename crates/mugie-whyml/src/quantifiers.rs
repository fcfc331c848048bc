//! Quantifiers and lambda expressions.
//!
//! A quantifier over types is written once for each choice of types that matters
//! ([`crate::instances`]). A lambda expression becomes a function of the variables in it, defined by
//! an axiom: maps have no other values in WhyML than those that functions return.

use std::collections::BTreeSet;
use std::rc::Rc;

use bpl_syntax::ast::{Annotation, Binder, Expr, ExprKind, Name, Quantifier, Trigger};
use bpl_syntax::visit::Visit;
use rustc_hash::FxHashMap;

use crate::logic::Role;
use crate::names;
use crate::refusal::{Result, refuse};
use crate::types::{MapTy, Ty};
use crate::world::{Lambda, Need, Scope, Variable, World};

impl<'a> World<'_, 'a> {
    /// Translates a quantifier or a lambda expression.
    pub(crate) fn quantifier(
        &mut self,
        quantifier: &'a Quantifier,
        scope: &mut Scope,
        role: Role,
        out: &mut String,
    ) -> Result<()> {
        if quantifier.binder == Binder::Lambda {
            return self.lambda(quantifier, scope, out);
        }
        if quantifier.type_params.is_empty() {
            return self.instance(quantifier, scope, role, out);
        }
        let choices = self.choices(quantifier, scope, role)?;
        let (symbol, neutral) = match quantifier.binder {
            Binder::Forall => (" /\\ ", "true"),
            _ => (" \\/ ", "false"),
        };
        if choices.is_empty() {
            out.push_str(neutral);
            return Ok(());
        }
        out.push('(');
        for (number, choice) in choices.into_iter().enumerate() {
            out.push_str(if number > 0 { symbol } else { "" });
            let mark = scope.types.len();
            scope.types.extend(choice);
            let done = self.instance(quantifier, scope, role, out);
            scope.types.truncate(mark);
            done?;
        }
        out.push(')');
        Ok(())
    }

    /// Translates a quantifier whose type variables are chosen. The tags of the chosen types that the
    /// quantifier introduces are quantified like its other variables.
    fn instance(
        &mut self,
        quantifier: &'a Quantifier,
        scope: &mut Scope,
        role: Role,
        out: &mut String,
    ) -> Result<()> {
        let own = &scope.types[scope.types.len() - quantifier.type_params.len()..];
        let mut tags: Vec<Rc<str>> = Vec::new();
        for tag in own.iter().flat_map(|(_, ty)| ty.tags()) {
            if !tags.contains(&tag) {
                tags.push(tag);
            }
        }
        let mut binders: Vec<String> = tags.iter().map(|tag| format!("{tag}: ty")).collect();
        if !tags.is_empty() {
            self.need(Need::Sort(Ty::tagged("")));
        }
        let mark = scope.bound.len();
        let mut premises = Vec::new();
        for (name, variable) in self.bound_variables(quantifier, scope)? {
            binders.push(format!("{}: {}", variable.now, self.sort(&variable.ty)));
            premises.extend(self.fits(&variable.now, &variable.ty));
            scope.bound.push((name, variable));
        }
        let done = self.instance_body(quantifier, scope, role, &tags, &binders, &premises, out);
        scope.bound.truncate(mark);
        self.broken = true;
        done
    }

    #[expect(clippy::too_many_arguments, reason = "the parts of one formula")]
    fn instance_body(
        &mut self,
        quantifier: &'a Quantifier,
        scope: &mut Scope,
        role: Role,
        tags: &[Rc<str>],
        binders: &[String],
        premises: &[String],
        out: &mut String,
    ) -> Result<()> {
        let forall = quantifier.binder == Binder::Forall;
        if !binders.is_empty() {
            let triggers = self.triggers(quantifier, scope, tags)?;
            out.push_str(if forall { "(forall " } else { "(exists " });
            out.push_str(&binders.join(", "));
            if !triggers.is_empty() {
                out.push_str(&format!(" [{}]", triggers.join(" | ")));
            }
            out.push_str(". ");
        }
        for premise in premises {
            out.push_str(premise);
            out.push_str(if forall { " -> " } else { " /\\ " });
        }
        self.expr(&quantifier.body, scope, role, out)?;
        if !binders.is_empty() {
            out.push(')');
        }
        Ok(())
    }

    /// The bound variables of a quantifier.
    pub(crate) fn bound_variables(
        &mut self,
        quantifier: &'a Quantifier,
        scope: &Scope,
    ) -> Result<Vec<(Name, Variable)>> {
        let prefix = scope.prefix('x');
        let mut bound = Vec::new();
        for group in &quantifier.bound {
            let ty = self.read_type(&group.ty, &scope.types)?;
            for ident in &group.names {
                let text = names::name(&prefix, &ident.name);
                bound.push((ident.name.clone(), Variable::fixed(ty.clone(), text)));
            }
        }
        Ok(bound)
    }

    /// The triggers that can be expressed. A trigger must mention all variables; a tag that it does not
    /// mention is added by the condition that a variable fits it.
    fn triggers(
        &mut self,
        quantifier: &'a Quantifier,
        scope: &mut Scope,
        tags: &[Rc<str>],
    ) -> Result<Vec<String>> {
        let mut all = Vec::new();
        let bound: usize = quantifier.bound.iter().map(|group| group.names.len()).sum();
        let own: Vec<Variable> =
            scope.bound[scope.bound.len() - bound..].iter().map(|(_, var)| var.clone()).collect();
        for trigger in positive_triggers(quantifier) {
            self.broken = false;
            let mut terms = Vec::new();
            for term in &trigger.terms {
                terms.push(self.text(term, scope, Role::Both)?);
            }
            let mut mentioned: BTreeSet<String> =
                terms.iter().flat_map(|term| words(term)).map(str::to_owned).collect();
            for tag in tags {
                if mentioned.contains(&**tag) {
                    continue;
                }
                let holder = own.iter().find(|variable| variable.ty.tags().contains(tag));
                if let Some(holder) = holder
                    && let Some(fits) = self.fits(&holder.now, &holder.ty)
                {
                    mentioned.extend(words(&fits).map(str::to_owned));
                    terms.push(fits);
                }
            }
            let complete = own.iter().all(|variable| mentioned.contains(&*variable.now))
                && tags.iter().all(|tag| mentioned.contains(&**tag));
            if self.broken || !complete {
                self.note("a trigger that WhyML cannot have was left out");
            } else {
                all.push(terms.join(", "));
            }
        }
        Ok(all)
    }

    /// Translates a lambda expression: a call of a function whose definition is among
    /// [`World::lambdas`]. Equal expressions give the same function.
    fn lambda(
        &mut self,
        quantifier: &'a Quantifier,
        scope: &mut Scope,
        out: &mut String,
    ) -> Result<()> {
        if self.anchors.is_some() {
            return self.lambda_anchors(quantifier, scope);
        }
        // The variables from outside become parameters.
        let mut outside = Outside { found: Vec::new(), old: scope.old };
        outside.visit_expr(&quantifier.body);
        let bound: BTreeSet<&Name> =
            quantifier.bound.iter().flat_map(|group| &group.names).map(|id| &id.name).collect();
        let mut frame = FxHashMap::default();
        let mut params = Vec::new();
        let mut args = Vec::new();
        let mut premises = Vec::new();
        for tag in scope.tags() {
            params.push(format!("{tag}: ty"));
            args.push(tag.to_string());
        }
        if !args.is_empty() {
            self.need(Need::Sort(Ty::tagged("")));
        }
        for OutsideVariable { name, now, before } in outside.found {
            let Some(variable) = scope.variable(name).filter(|_| !bound.contains(name)) else {
                continue;
            };
            let variable = variable.clone();
            let sort = self.sort(&variable.ty);
            let mut param = |world: &mut Self, prefix: &str, value: &str| -> Rc<str> {
                let name = names::name(prefix, name);
                params.push(format!("{name}: {sort}"));
                args.push(value.to_owned());
                premises.extend(world.fits(&name, &variable.ty));
                name.into()
            };
            let changes = variable.before != variable.now;
            let mut inner = Variable::fixed(variable.ty.clone(), "");
            if now || !changes {
                inner.now = param(self, "h_", &variable.now);
                inner.before = Rc::clone(&inner.now);
            }
            if before && changes {
                inner.before = param(self, "o_", &variable.before);
            }
            frame.insert(name.clone(), inner);
        }
        let mut inner = Scope {
            frame: Rc::new(frame),
            bound: Vec::new(),
            types: scope.types.clone(),
            level: 0,
            old: scope.old,
        };
        let ty = self.lambda_type(quantifier, &inner)?;
        let sort = self.sort(&ty);
        let axioms =
            self.lambda_axioms(quantifier, &ty, &params, &premises, &args_of(&params), &mut inner)?;
        let signature: Vec<String> = params.iter().map(|param| format!(" ({param})")).collect();
        let key = format!("{}: {sort}\n{}", signature.concat(), axioms.join("\n"));
        self.step(key.len())?;
        let name = match self.lambdas.get(&key) {
            Some(known) => known.name.clone(),
            None => {
                let name = format!("lambda_{:016x}", hash(&key));
                if self.lambdas.values().any(|other| other.name == name) {
                    return refuse("two lambda expressions with the same hash");
                }
                let declaration = format!("function {name}{} : {sort}", signature.concat());
                let axioms = axioms.iter().enumerate().map(|(number, axiom)| {
                    format!("axiom {name}_{number}: {}", axiom.replace('\u{0}', &name))
                });
                let axioms = axioms.collect();
                self.lambdas.insert(key, Lambda { name: name.clone(), declaration, axioms });
                name
            }
        };
        if args.is_empty() {
            out.push_str(&name);
        } else {
            out.push_str(&format!("({name} {})", args.join(" ")));
        }
        self.broken = false;
        Ok(())
    }

    /// The axioms of a lambda expression, one for each choice of its type parameters; the name of the
    /// function is a zero byte.
    fn lambda_axioms(
        &mut self,
        quantifier: &'a Quantifier,
        ty: &Ty,
        params: &[String],
        premises: &[String],
        args: &[String],
        scope: &mut Scope,
    ) -> Result<Vec<String>> {
        let mut axioms = Vec::new();
        let choices = if quantifier.type_params.is_empty() {
            vec![Vec::new()]
        } else {
            self.lambda_choices(quantifier, ty, scope)?
        };
        let value = if args.is_empty() {
            "\u{0}".to_owned()
        } else {
            format!("(\u{0} {})", args.join(" "))
        };
        for choice in choices {
            let mark = scope.types.len();
            let tags: BTreeSet<Rc<str>> = choice.iter().flat_map(|(_, ty)| ty.tags()).collect();
            scope.types.extend(choice);
            let mut binders = params.to_vec();
            binders.extend(tags.iter().map(|tag| format!("{tag}: ty")));
            let mut premises = premises.to_vec();
            let bound = self.bound_variables(quantifier, scope)?;
            let mut indices = Vec::new();
            let mut types = Vec::new();
            for (name, variable) in bound {
                binders.push(format!("{}: {}", variable.now, self.sort(&variable.ty)));
                premises.extend(self.fits(&variable.now, &variable.ty));
                indices.push(variable.now.to_string());
                types.push(variable.ty.clone());
                scope.bound.push((name, variable));
            }
            let element = self.type_of(&quantifier.body, &scope.types)?;
            let (select, element) = self.map_access("select", ty, &types, &element)?;
            let mut selected = vec![select, value.clone()];
            selected.append(&mut indices);
            let selected = format!("({})", selected.join(" "));
            let body = self.text(&quantifier.body, scope, Role::Both)?;
            scope.bound.clear();
            scope.types.truncate(mark);
            let shape = element.shape();
            let equal = self.same(&shape, &selected, &shape, &body);
            let premises: String =
                premises.iter().map(|premise| format!("{premise} -> ")).collect();
            axioms.push(if binders.is_empty() {
                equal
            } else {
                format!("forall {} [{selected}]. {premises}{equal}", binders.join(", "))
            });
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
            choices.push(self.named(choice, scope));
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

/// The triggers of a quantifier without `{:nopats e}`.
pub(crate) fn positive_triggers(quantifier: &Quantifier) -> impl Iterator<Item = &Trigger> {
    quantifier.annotations.iter().filter_map(|annotation| match annotation {
        Annotation::Trigger(trigger) if !trigger.negative => Some(trigger),
        _ => None,
    })
}

/// The words of a formula.
fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !(c.is_ascii_alphanumeric() || c == '_')).filter(|word| !word.is_empty())
}

/// The names of parameters.
fn args_of(params: &[String]) -> Vec<String> {
    let name = |param: &String| param.split(':').next().unwrap_or_default().to_owned();
    params.iter().map(name).collect()
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
