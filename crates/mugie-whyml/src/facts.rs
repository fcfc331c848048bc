//! Facts: axioms and definitions of functions in the order of the source, after what is known of
//! `unique` constants. The order is all that a solver sees of the order of declarations.

use std::collections::BTreeMap;
use std::rc::Rc;

use bpl_syntax::ast::{AxiomDecl, ConstDecl, Decl, FunctionDecl, Name};
use rustc_hash::FxHashMap;

use crate::formula::{Binders, apply, implied};
use crate::instances::named;
use crate::logic::Role;
use crate::names;
use crate::print::Page;
use crate::refusal::Result;
use crate::source::is_inline;
use crate::types::Ty;
use crate::world::{Need, Scope, Variable, World};

impl<'a> World<'_, 'a> {
    /// Translates all facts.
    pub(crate) fn facts(&mut self) -> Result<Page> {
        let mut page = Page::default();
        self.unique(&mut page)?;
        let source = self.source;
        let program: &'a bpl_syntax::ast::Program = source.program;
        let mut number = 0;
        for decl in &program.decls {
            match &**decl {
                Decl::Axiom(axiom) => self.axiom(axiom, &mut number, &mut page)?,
                Decl::Const(consts) => {
                    self.order(
                        consts,
                        program.decls.iter().map(|decl| &**decl),
                        &mut number,
                        &mut page,
                    )?;
                    for axiom in consts.uses.iter().flatten() {
                        self.axiom(axiom, &mut number, &mut page)?;
                    }
                }
                Decl::Function(function) => {
                    let definition = self.definition(function, &mut number, &mut page);
                    definition.map_err(|refusal| refusal.at(function.name.span))?;
                    for axiom in function.uses.iter().flatten() {
                        self.axiom(axiom, &mut number, &mut page)?;
                    }
                }
                _ => {}
            }
        }
        Ok(page)
    }

    fn axiom(&mut self, axiom: &'a AxiomDecl, number: &mut u32, page: &mut Page) -> Result<()> {
        let text = self.text(&axiom.expr, &mut Scope::default(), Role::Used)?;
        *number += 1;
        page.line_from(axiom.span, &format!("axiom a{number}: {text}"));
        Ok(())
    }

    /// `unique` constants of a type have different numbers.
    fn unique(&mut self, page: &mut Page) -> Result<()> {
        let mut groups: BTreeMap<Ty, Vec<Name>> = BTreeMap::new();
        let source = self.source;
        for decl in &source.program.decls {
            let Decl::Const(consts) = &**decl else { continue };
            if consts.unique {
                let ty = self.read_type(&consts.ty, &[])?;
                let names = consts.names.iter().map(|ident| ident.name.clone());
                groups.entry(ty).or_default().extend(names);
            }
        }
        for (ty, constants) in groups {
            if constants.len() < 2 {
                continue;
            }
            let (uid, sort) = (names::of_type("uid_", &ty), self.sort(&ty));
            page.line(&format!("function {uid} {sort} : int"));
            for (number, constant) in constants.iter().enumerate() {
                let name = names::name("k_", constant);
                page.line(&format!("axiom {uid}_{number}: {uid} {name} = {number}"));
            }
        }
        Ok(())
    }

    /// The place of constants in the partial order.
    fn order<'d>(
        &mut self,
        consts: &ConstDecl,
        decls: impl Iterator<Item = &'d Decl>,
        number: &mut u32,
        page: &mut Page,
    ) -> Result<()> {
        let Some(order) = &consts.order else { return Ok(()) };
        let ty = self.read_type(&consts.ty, &[])?;
        let (po, sort) = (names::of_type("po_", &ty), self.sort(&ty));
        self.need(Need::Order(ty.shape()));
        let mut children: BTreeMap<&Name, Vec<&Name>> = BTreeMap::new();
        if order.complete {
            for decl in decls {
                let Decl::Const(other) = decl else { continue };
                for parent in other.order.iter().flat_map(|order| &order.parents) {
                    let own = other.names.iter().map(|ident| &ident.name);
                    children.entry(&parent.name.name).or_default().extend(own);
                }
            }
        }
        let mut add = |fact: String| {
            *number += 1;
            page.line_from(consts.span, &format!("axiom a{number}: {fact}"));
        };
        for ident in &consts.names {
            let own = names::name("k_", &ident.name);
            let mut above = vec![format!("{own} = w")];
            for parent in &order.parents {
                let parent = names::name("k_", &parent.name.name);
                add(format!("{po} {own} {parent}"));
                above.push(format!("{po} {parent} w"));
            }
            add(format!(
                "forall w: {sort} [{po} {own} w]. {po} {own} w -> ({})",
                above.join(" \\/ ")
            ));
            if order.complete {
                let mut below = vec![format!("{own} = w")];
                for child in children.get(&ident.name).into_iter().flatten() {
                    below.push(format!("{po} w {}", names::name("k_", child)));
                }
                add(format!(
                    "forall w: {sort} [{po} w {own}]. {po} w {own} -> ({})",
                    below.join(" \\/ ")
                ));
            }
        }
        if order.parents.iter().any(|parent| parent.unique) {
            self.note(
                "that `unique` children in the order `<:` have nothing in common was left out",
            );
        }
        Ok(())
    }

    /// The definition of a function, for each of its instances.
    fn definition(
        &mut self,
        function: &'a FunctionDecl,
        number: &mut u32,
        page: &mut Page,
    ) -> Result<()> {
        let Some(body) = &function.body else { return Ok(()) };
        if is_inline(function) {
            return Ok(());
        }
        let own = &function.name.name;
        let first = Need::Function(own.clone(), Vec::new());
        let instances: Vec<Vec<Ty>> = if function.type_params.is_empty() {
            vec![Vec::new()]
        } else {
            let all = self.known.range(first..).map_while(|need| match need {
                Need::Function(name, args) if name == own => Some(args.clone()),
                _ => None,
            });
            all.collect()
        };
        for args in instances {
            let choice = function.type_params.iter().map(|param| param.name.clone()).zip(args);
            let types = named(choice.collect(), &Scope::default());
            let tags = Scope { types: types.clone(), ..Scope::default() }.tags();
            let mut binders = Binders::default();
            binders.add_tags(tags);
            let shapes: Vec<Ty> = types.iter().map(|(_, ty)| ty.shape()).collect();
            let name = names::instance(&names::name("f_", own), &shapes);
            let mut premises = Vec::new();
            let mut frame = FxHashMap::default();
            for (place, param) in function.params.iter().enumerate() {
                let ty = self.read_type(&param.ty, &types)?;
                let text = match &param.name {
                    Some(ident) => names::name("x_", &ident.name),
                    None => format!("u{place}"),
                };
                binders.add(&text, self.sort(&ty));
                premises.extend(self.fits(&text, &ty));
                if let Some(ident) = &param.name {
                    frame.insert(ident.name.clone(), Variable::fixed(ty, text));
                }
            }
            let result = self.read_type(&function.result.ty, &types)?.shape();
            let mut scope = Scope { frame: Rc::new(frame), types, ..Scope::default() };
            let value = self.text(body, &mut scope, Role::Both)?;
            let term = apply(&name, binders.names());
            let equal = self.same(&result, &term, &result, &value);
            *number += 1;
            let fact = binders.forall(&term, &implied(&premises, &equal));
            let line = format!("axiom a{number}: {fact}");
            page.line_from(function.span, &line);
        }
        Ok(())
    }
}
