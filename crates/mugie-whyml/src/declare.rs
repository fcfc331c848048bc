//! Declarations of what the text uses: sorts, functions, maps, and what is always true of them.
//!
//! Maps are opaque: a type, `select` and `store`, and the axioms of Boogie. So they are not
//! extensional. Two instances of a polymorphic map's `store` and `select` whose types differ do not meet;
//! if tags decide whether they differ, equality of the indices does.

use std::collections::BTreeSet;

use bpl_syntax::ast::{Decl, Name};

use crate::formula::{Binders, apply, implied};
use crate::logic::map_symbol;
use crate::names;
use crate::print::Page;
use crate::refusal::{Result, refuse};
use crate::source::is_inline;
use crate::types::{MapTy, Ty};
use crate::world::{Need, World};

/// Declarations by class.
#[derive(Debug, Default)]
pub(crate) struct Declarations {
    pub(crate) types: Page,
    pub(crate) functions: Page,
    /// What is true of maps, tags and datatypes.
    pub(crate) facts: Page,
}

impl World<'_, '_> {
    /// Declares everything that earlier rounds needed.
    pub(crate) fn declare(&mut self) -> Result<Declarations> {
        let mut all = Declarations::default();
        self.declare_sorts(&mut all.types)?;
        self.declare_datatypes(&mut all.types, &mut all.facts)?;
        let needs: Vec<Need> = self.known.iter().cloned().collect();
        for need in &needs {
            match need {
                Need::Variable(ty) => {
                    let (sort, code) = (self.sort(ty), names::of_type("", ty));
                    let line = format!("type vr_{code} = {{ mutable c_{code} : {sort} }}");
                    all.types.line(&line);
                }
                Need::Fits(ty) => {
                    let name = names::of_type("fits_", ty);
                    let sort = self.sort(ty);
                    let tags = " ty".repeat(ty.tags().len());
                    all.functions.line(&format!("predicate {name} {sort}{tags}"));
                    self.need(Need::Sort(Ty::tagged("")));
                }
                Need::Inject(from, to) => self.declare_injection(from, to, &mut all),
                Need::Tag(ty) => {
                    let name = names::of_type("tag_", ty);
                    let tags = " ty".repeat(ty.tags().len());
                    all.functions.line(&format!("function {name}{tags} : ty"));
                }
                Need::Same(a, b) => {
                    let name = names::instance("same", &[a.clone(), b.clone()]);
                    let (a, b) = (self.sort(a), self.sort(b));
                    all.functions.line(&format!("predicate {name} {a} {b}"));
                }
                Need::Order(ty) => self.declare_order(ty, &mut all),
                Need::Select(map, args) => self.declare_select(map, args, &mut all)?,
                Need::Store(map, args) => self.declare_store(map, args, &mut all)?,
                Need::Sort(_) | Need::Function(..) | Need::Procedure(..) => {}
            }
        }
        self.declare_symbols(&mut all)?;
        self.distinct_tags(&needs, &mut all.facts);
        for need in &needs {
            self.connect(need, &needs, &mut all.facts)?;
        }
        Ok(all)
    }

    fn declare_sorts(&mut self, page: &mut Page) -> Result<()> {
        let sorts: BTreeSet<Ty> = self
            .known
            .iter()
            .filter_map(|need| match need {
                Need::Sort(ty) => Some(ty.clone()),
                _ => None,
            })
            .collect();
        if sorts.contains(&Ty::tagged("")) {
            page.line("type ty");
            page.line("type dyn");
        }
        let mut declared: BTreeSet<Name> = BTreeSet::new();
        for decl in &self.source.program.decls {
            let Decl::Type(types) = &**decl else { continue };
            for def in types.defs.iter().filter(|def| def.synonym.is_none()) {
                let own = &def.name.name;
                if self.source.datatype(own).is_some() {
                    continue;
                }
                declared.insert(own.clone());
                if def.params.is_empty() {
                    page.line_from(def.name.span, &format!("type {}", names::name("t_", own)));
                }
                for ty in &sorts {
                    if matches!(ty, Ty::Constructed(name, args) if name == own && !args.is_empty())
                    {
                        let line = format!("type {}", names::of_type("", ty));
                        page.line_from(def.name.span, &line);
                    }
                }
            }
        }
        for ty in &sorts {
            match ty {
                Ty::Map(_) => page.line(&format!("type {}", names::of_type("", ty))),
                Ty::Constructed(name, _)
                    if !declared.contains(name) && self.source.datatype(name).is_none() =>
                {
                    return refuse(format!("the type `{name}` of a library"));
                }
                _ => {}
            }
        }
        Ok(())
    }

    fn declare_order(&mut self, ty: &Ty, all: &mut Declarations) {
        let (po, sort) = (names::of_type("po_", ty), self.sort(ty));
        all.functions.line(&format!("predicate {po} {sort} {sort}"));
        let facts = [
            ("reflexive", format!("x: {sort} [{po} x x]. {po} x x")),
            (
                "transitive",
                format!(
                    "x: {sort}, y: {sort}, z: {sort} [{po} x y, {po} y z]. {po} x y -> {po} y z -> {po} x z"
                ),
            ),
            (
                "antisymmetric",
                format!("x: {sort}, y: {sort} [{po} x y, {po} y x]. {po} x y -> {po} y x -> x = y"),
            ),
        ];
        for (name, fact) in facts {
            all.facts.line(&format!("axiom {po}_{name}: forall {fact}"));
        }
    }

    /// Declares constants and functions, in the order of the source.
    fn declare_symbols(&mut self, all: &mut Declarations) -> Result<()> {
        let source = self.source;
        for decl in &source.program.decls {
            match &**decl {
                Decl::Const(consts) => {
                    let ty = self.read_type(&consts.ty, &[])?;
                    let sort = self.sort(&ty);
                    for ident in &consts.names {
                        let name = names::name("k_", &ident.name);
                        all.functions.line_from(ident.span, &format!("constant {name} : {sort}"));
                    }
                }
                Decl::Function(function) => {
                    let own = &function.name.name;
                    let special = source.special(own).is_some();
                    if special || is_inline(function) {
                        continue;
                    }
                    if function.type_params.is_empty() {
                        self.needed.insert(Need::Function(own.clone(), Vec::new()));
                        self.declare_function(own, &[], all)
                    } else {
                        let first = Need::Function(own.clone(), Vec::new());
                        let instances: Vec<Vec<Ty>> = self
                            .known
                            .range(first..)
                            .map_while(|need| match need {
                                Need::Function(name, args) if name == own => Some(args.clone()),
                                _ => None,
                            })
                            .collect();
                        instances
                            .into_iter()
                            .try_for_each(|args| self.declare_function(own, &args, all))
                    }
                    .map_err(|refusal| refusal.at(function.name.span))?;
                }
                _ => {}
            }
        }
        Ok(())
    }

    fn declare_function(&mut self, own: &Name, args: &[Ty], all: &mut Declarations) -> Result<()> {
        let source = self.source;
        let Some(signature) = source.checked.env().function(own) else { return Ok(()) };
        let mut tags = Tags::new("a");
        let args: Vec<Ty> = args.iter().map(|arg| tags.name(arg)).collect();
        let shapes: Vec<Ty> = args.iter().map(Ty::shape).collect();
        let name = names::instance(&names::name("f_", own), &shapes);
        let polymorphic = !args.is_empty();
        let at = |ty: Ty| if polymorphic { ty.instantiate(&args) } else { ty };
        let mut params = Binders::default();
        params.add_tags(&tags.named);
        for (number, &param) in signature.params.iter().enumerate() {
            let ty = at(self.read_id(param, &[])?);
            params.add(format!("x{number}"), self.sort(&ty));
        }
        let result = at(self.read_id(signature.result, &[])?);
        self.declare_symbol(&name, &params, &result, all);
        Ok(())
    }

    /// Declares a function, and states that its result fits the tags of its type.
    fn declare_symbol(
        &mut self,
        name: &str,
        params: &Binders,
        result: &Ty,
        all: &mut Declarations,
    ) {
        let sort = self.sort(result);
        all.functions.line(&format!("function {name}{} : {sort}", params.params()));
        let term = apply(name, params.names());
        if let Some(fits) = self.fits(&term, result) {
            all.facts.line(&format!("axiom fits_{name}: {}", params.forall(&term, &fits)));
        }
    }

    fn declare_select(&mut self, map: &Ty, args: &[Ty], all: &mut Declarations) -> Result<()> {
        let access = Access::new(map, args, "t", "j")?;
        let mut params = Binders::default();
        params.add_tags(&access.tags);
        params.add("m", self.sort(map));
        for (index, ty) in &access.indices {
            params.add(index, self.sort(ty));
        }
        self.declare_symbol(&map_symbol("select", map, args), &params, &access.element, all);
        Ok(())
    }

    fn declare_store(&mut self, map: &Ty, args: &[Ty], all: &mut Declarations) -> Result<()> {
        let access = Access::new(map, args, "s", "i")?;
        let name = map_symbol("store", map, args);
        let mut params = Binders::default();
        params.add_tags(&access.tags);
        params.add("m", self.sort(map));
        let mut premises = Vec::new();
        let last = [("v".to_owned(), access.element.clone())];
        for (index, ty) in access.indices.iter().chain(&last) {
            params.add(index, self.sort(ty));
            premises.extend(self.fits(index, ty));
        }
        self.declare_symbol(&name, &params, &access.map, all);

        // Selecting what was stored.
        let stored = apply(&name, params.names());
        let selected = access.select(map, args, &stored);
        let shape = access.element.shape();
        let equal = self.same(&shape, &selected, &shape, "v");
        let fact = params.forall("", &implied(&premises, &equal));
        all.facts.line(&format!("axiom {name}_same: {fact}"));
        self.need(Need::Select(map.clone(), args.to_vec()));

        // Selecting anything else.
        let selects: Vec<Vec<Ty>> = self
            .known
            .iter()
            .filter_map(|need| match need {
                Need::Select(other, args) if other == map => Some(args.clone()),
                _ => None,
            })
            .collect();
        for other in selects {
            let fact = self.other_element(map, &access, &other, &params, &stored)?;
            if let Some(fact) = fact {
                let mut axiom = format!("{name}_other");
                names::codes(&other, &mut axiom);
                all.facts.line(&format!("axiom {axiom}: {fact}"));
            }
        }
        Ok(())
    }

    /// What a store does to the elements that are selected with other type arguments, or the same ones;
    /// `None` if it replaces all of them.
    fn other_element(
        &mut self,
        map: &Ty,
        access: &Access,
        args: &[Ty],
        params: &Binders,
        stored: &str,
    ) -> Result<Option<String>> {
        let other = Access::new(map, args, "t", "j")?;
        let mut binders = params.clone();
        binders.add_tags(other.tags.iter().filter(|tag| !access.tags.contains(tag)));
        // That the indices are equal; `None` if they cannot be.
        let mut same = Some(Vec::new());
        for ((i, left), (j, right)) in access.indices.iter().zip(&other.indices) {
            binders.add(j, self.sort(right));
            let (left, right) = (left.shape(), right.shape());
            if left != right && !left.may_equal(&right) {
                same = None;
            }
            if let Some(same) = &mut same {
                same.push(self.same(&left, i, &right, j));
            }
        }
        let (after, before) = (other.select(map, args, stored), other.select(map, args, "m"));
        let shape = other.element.shape();
        let equal = self.same(&shape, &after, &shape, &before);
        Ok(match same {
            None => Some(binders.forall(&after, &equal)),
            // A map without indices has one element.
            Some(same) if same.is_empty() => None,
            Some(same) => {
                let fact = format!("({}) \\/ {equal}", same.join(" /\\ "));
                Some(binders.forall(&after, &fact))
            }
        })
    }
}

/// Names for tags.
#[derive(Debug)]
pub(crate) struct Tags {
    prefix: &'static str,
    pub(crate) named: Vec<String>,
}

impl Tags {
    pub(crate) fn new(prefix: &'static str) -> Tags {
        Tags { prefix, named: Vec::new() }
    }

    /// Gives the tags of a type their names.
    pub(crate) fn name(&mut self, ty: &Ty) -> Ty {
        ty.with_tags(&mut || {
            let name = format!("{}{}", self.prefix, self.named.len());
            self.named.push(name.clone());
            name
        })
    }
}

/// How an element of a map is accessed.
#[derive(Debug)]
pub(crate) struct Access {
    pub(crate) map: Ty,
    /// The arguments of its type parameters.
    pub(crate) args: Vec<Ty>,
    /// The tags of the map, then those of the arguments.
    tags: Vec<String>,
    /// The names and types of the indices.
    pub(crate) indices: Vec<(String, Ty)>,
    pub(crate) element: Ty,
}

impl Access {
    /// The access to a map with these names for the tags of the type arguments and for the indices.
    pub(crate) fn new(map: &Ty, args: &[Ty], prefix: &'static str, index: &str) -> Result<Access> {
        let (mut of_map, mut of_args) = (Tags::new("m"), Tags::new(prefix));
        let map = of_map.name(map);
        let args: Vec<Ty> = args.iter().map(|arg| of_args.name(arg)).collect();
        let mut tags = of_map.named;
        tags.extend(of_args.named);
        let Ty::Map(shape) = &map else { return refuse("a map of unknown type") };
        let MapTy { params, domain, range } = &**shape;
        let at = |ty: &Ty| if *params > 0 { ty.instantiate(&args) } else { ty.clone() };
        let indices =
            domain.iter().enumerate().map(|(n, ty)| (format!("{index}{n}"), at(ty))).collect();
        let element = at(range);
        Ok(Access { map, args, tags, indices, element })
    }

    /// The element of a value of the map; the types are shapes.
    fn select(&self, map: &Ty, args: &[Ty], value: &str) -> String {
        let tags = self.tags.iter().map(String::as_str);
        let indices = self.indices.iter().map(|(index, _)| index.as_str());
        apply(&map_symbol("select", map, args), tags.chain([value]).chain(indices))
    }
}
