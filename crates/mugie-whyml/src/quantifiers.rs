//! Quantifiers and their triggers.
//!
//! A quantifier over types is written once for each choice of types that matters
//! ([`crate::instances`]).

use std::collections::BTreeSet;
use std::rc::Rc;

use bpl_syntax::ast::{Annotation, Binder, Name, Quantifier, Trigger};

use crate::formula::Binders;
use crate::logic::Role;
use crate::names;
use crate::refusal::Result;
use crate::types::Ty;
use crate::world::{Need, Scope, Variable, World};

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
        if !tags.is_empty() {
            self.need(Need::Sort(Ty::tagged("")));
        }
        let mark = scope.bound.len();
        let variables = self.bound_variables(quantifier, scope)?;
        scope.bound.extend(variables);
        let done = self.bound_body(quantifier, scope, role, &tags, out);
        scope.bound.truncate(mark);
        done
    }

    /// Translates a quantifier whose variables are in scope.
    fn bound_body(
        &mut self,
        quantifier: &'a Quantifier,
        scope: &mut Scope,
        role: Role,
        tags: &[Rc<str>],
        out: &mut String,
    ) -> Result<()> {
        let (keyword, connective) = match quantifier.binder {
            Binder::Forall => ("forall", " -> "),
            _ => ("exists", " /\\ "),
        };
        let count: usize = quantifier.bound.iter().map(|group| group.names.len()).sum();
        let own = scope.bound[scope.bound.len() - count..].iter();
        let own: Vec<Variable> = own.map(|(_, variable)| variable.clone()).collect();
        let mut binders = Binders::default();
        binders.add_tags(tags);
        for variable in &own {
            binders.add(&*variable.now, self.sort(&variable.ty));
        }
        if binders.is_empty() {
            return self.expr(&quantifier.body, scope, role, out);
        }
        for part in ["(", keyword, " ", &*binders.list()] {
            out.push_str(part);
        }
        let triggers = self.triggers(quantifier, scope, tags, &own)?;
        if !triggers.is_empty() {
            for part in [" [", &*triggers.join(" | "), "]"] {
                out.push_str(part);
            }
        }
        out.push_str(". ");
        for variable in &own {
            if let Some(premise) = self.fits(&variable.now, &variable.ty) {
                out.push_str(&premise);
                out.push_str(connective);
            }
        }
        self.expr(&quantifier.body, scope, role, out)?;
        out.push(')');
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
        own: &[Variable],
    ) -> Result<Vec<String>> {
        let outer = self.broken;
        let mut all = Vec::new();
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
        self.broken = outer;
        Ok(all)
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
