//! Identifiers: those that a declaration mentions, and how to rename one.

use bpl_syntax::ast::{
    Attr, AttrParam, Decl, Expr, ExprKind, Literal, LiteralKind, Name, Signature,
};
use bpl_syntax::visit::{Namespace, Occurrence, Visit, VisitMut};

use rustc_hash::FxHashSet;

use crate::facts::{declared_names, has_attr};

/// The identifiers in a declaration.
#[derive(Debug)]
pub(crate) struct Mentions {
    /// The names declared at the top level. An implementation declares none.
    pub(crate) declared: Box<[Name]>,
    /// Every identifier of any namespace, and every word of a string; sorted.
    pub(crate) words: Box<[Name]>,
    /// The declared names that occur a second time in the declaration.
    repeated: Box<[Name]>,
    /// The names bound in an inner scope, except labels, and the words of strings; sorted.
    pub(crate) reserved: Box<[Name]>,
}

impl Mentions {
    /// Collects the identifiers in a declaration.
    pub(crate) fn new(decl: &Decl) -> Mentions {
        let mut gather = Gather::default();
        gather.visit_decl(decl);
        gather.words.extend(selectors(decl));
        let Gather { mut words, mut reserved } = gather;
        let declared: Box<[Name]> = match decl {
            Decl::Implementation(_) => Box::default(),
            _ => declared_names(decl).into_iter().cloned().collect(),
        };
        words.sort_unstable();
        reserved.sort_unstable();
        let repeated = declared.iter().filter(|name| count(&words, name) > 1).cloned().collect();
        // The declared names are also among the names bound inside, once each: drop them.
        let mut own: Vec<&Name> =
            declared.iter().filter(|name| count(&reserved, name) == 1).collect();
        own.sort_unstable();
        words.dedup();
        reserved.dedup();
        reserved.retain(|name| own.binary_search(&name).is_err());
        Mentions { declared, words: words.into(), repeated, reserved: reserved.into() }
    }

    /// Whether a name that is declared here occurs a second time in the declaration.
    pub(crate) fn is_repeated(&self, name: &Name) -> bool {
        self.repeated.contains(name)
    }

    /// Whether an identifier occurs in the declaration, in any namespace.
    pub(crate) fn contains(&self, name: &str) -> bool {
        self.words.binary_search_by(|word| word.as_str().cmp(name)).is_ok()
    }
}

/// The functions that a datatype's constructors introduce: selectors and testers.
fn selectors(decl: &Decl) -> Vec<Name> {
    let of = |constructor: &Name, fields: &mut dyn Iterator<Item = &Name>| {
        let parts = fields.map(Name::as_str).chain(["is"]);
        parts.map(|part| Name::from(format!("{part}#{constructor}"))).collect::<Vec<_>>()
    };
    match decl {
        Decl::Function(function) if has_attr(&function.attrs, "constructor") => {
            let fields = function.params.iter().filter_map(|param| param.name.as_ref());
            of(&function.name.name, &mut fields.map(|ident| &ident.name))
        }
        Decl::Datatype(datatype) => datatype
            .constructors
            .iter()
            .flat_map(|constructor| {
                let fields = constructor.fields.iter().flat_map(|group| &group.names);
                of(&constructor.name.name, &mut fields.map(|ident| &ident.name))
            })
            .collect(),
        _ => Vec::new(),
    }
}

/// The number of occurrences of a name in a sorted list.
fn count(sorted: &[Name], name: &Name) -> usize {
    let start = sorted.partition_point(|other| other < name);
    sorted[start..].iter().take_while(|other| *other == name).count()
}

#[derive(Default)]
struct Gather {
    words: Vec<Name>,
    reserved: Vec<Name>,
}

impl Gather {
    fn text(&mut self, text: &str) {
        let words = words_of(text);
        self.words.extend(words.iter().cloned());
        self.reserved.extend(words);
    }
}

/// The words of a string, which may be names, both with and without the characters that only Boogie
/// treats as letters.
fn words_of(text: &str) -> Vec<Name> {
    let is_letter = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let wide = text.split(|c: char| !is_letter(c) && !"'~#$^.?`".contains(c));
    let narrow = text.split(|c: char| !is_letter(c));
    wide.chain(narrow).filter(|word| !word.is_empty()).map(Name::from).collect()
}

impl<'d> Visit<'d> for Gather {
    fn visit_name(&mut self, name: &'d Name, namespace: Namespace, occurrence: Occurrence) {
        self.words.push(name.clone());
        if occurrence == Occurrence::Binding && namespace != Namespace::Label {
            self.reserved.push(name.clone());
        }
    }

    fn visit_attr(&mut self, attr: &'d Attr) {
        for param in &attr.params {
            if let AttrParam::Str(text) = param {
                self.text(text);
            }
        }
        self.walk_attr(attr);
    }

    fn visit_expr(&mut self, expr: &'d Expr) {
        if let ExprKind::Literal(Literal { kind: LiteralKind::Str, text }) = &expr.kind {
            self.text(text);
        }
        self.walk_expr(expr);
    }
}

/// The variables mentioned in the visited code.
#[derive(Default)]
pub(crate) struct Variables<'d>(pub(crate) FxHashSet<&'d Name>);

impl<'d> Variables<'d> {
    /// Adds the variables in the attributes of parameters.
    pub(crate) fn groups(&mut self, signature: &'d Signature) {
        for group in signature.params.iter().chain(&signature.returns) {
            self.attrs(&group.attrs);
        }
    }

    /// Adds the variables in attributes.
    pub(crate) fn attrs(&mut self, attrs: &'d [Attr]) {
        for attr in attrs {
            self.visit_attr(attr);
        }
    }
}

impl<'d> Visit<'d> for Variables<'d> {
    fn visit_name(&mut self, name: &'d Name, namespace: Namespace, _: Occurrence) {
        if namespace == Namespace::Variable {
            self.0.insert(name);
        }
    }
}

/// The words of all strings in a declaration.
pub(crate) fn words_of_strings(decl: &Decl) -> FxHashSet<Name> {
    struct Strings(FxHashSet<Name>);
    impl<'d> Visit<'d> for Strings {
        fn visit_attr(&mut self, attr: &'d Attr) {
            for param in &attr.params {
                if let AttrParam::Str(text) = param {
                    self.0.extend(words_of(text));
                }
            }
            self.walk_attr(attr);
        }
    }
    let mut strings = Strings(FxHashSet::default());
    strings.visit_decl(decl);
    strings.0
}

/// Replaces a name by another everywhere in the visited tree.
#[derive(Debug)]
pub(crate) struct Rename<'n> {
    /// The old name.
    pub(crate) from: &'n Name,
    /// The new name.
    pub(crate) to: Name,
    /// The namespaces in which the name is replaced.
    pub(crate) among: &'static [Namespace],
    /// Whether the old name occurred.
    pub(crate) found: bool,
}

impl VisitMut for Rename<'_> {
    fn visit_name(&mut self, name: &mut Name, namespace: Namespace, _: Occurrence) {
        if name == self.from && self.among.contains(&namespace) {
            *name = self.to.clone();
            self.found = true;
        }
    }
}

/// The new name that a renaming chooses: the first free one.
pub(crate) fn new_name(old: &str, is_free: impl Fn(&str) -> bool) -> String {
    first_free(&format!("{old}_r"), is_free)
}

/// The first of `stem1`, `stem2`, … that is free. There is one, because a program has finitely many names.
pub(crate) fn first_free(stem: &str, is_free: impl Fn(&str) -> bool) -> String {
    let mut number = 1_u64;
    loop {
        let name = format!("{stem}{number}");
        if is_free(&name) {
            return name;
        }
        number += 1;
    }
}

/// Whether a name looks like the result of a renaming. Such names are not renamed again, which
/// would only make them longer.
pub(crate) fn is_renamed(name: &str) -> bool {
    before_renaming(name).is_some()
}

/// The name before the renaming, if it looks like the result of one.
pub(crate) fn before_renaming(name: &str) -> Option<&str> {
    let stem = name.trim_end_matches(|c: char| c.is_ascii_digit());
    if stem.len() < name.len() { stem.strip_suffix("_r") } else { None }
}

/// Whether attributes contain expressions that could name a variable.
pub(crate) fn may_name_variables(attrs: &[Attr]) -> bool {
    attrs.iter().flat_map(|attr| &attr.params).any(|param| match param {
        AttrParam::Str(_) => false,
        AttrParam::Expr(expr) => !matches!(expr.kind, ExprKind::Literal(_)),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::operators::testing::subject;

    fn mentions(source: &str) -> Mentions {
        Mentions::new(&subject(source).decl(0))
    }

    #[test]
    fn a_name_of_its_own_is_not_bound_inside() {
        let f = mentions("function f(x: int): bool { g(x, c) }");
        assert_eq!(*f.declared, ["f"]);
        assert_eq!(*f.words, ["c", "f", "g", "x"]);
        assert_eq!(*f.reserved, ["x"]);
        assert_eq!(*mentions("function f(f: int): bool;").reserved, ["f"]);
        assert!(mentions("const a, b: int;").reserved.is_empty());
    }

    #[test]
    fn selectors_and_testers_are_mentioned_by_their_constructor() {
        let old = mentions("function {:constructor} C(x: int, y: int): D; type {:datatype} D;");
        assert_eq!(*old.words, ["C", "D", "is#C", "x", "x#C", "y", "y#C"]);
        let new = mentions("datatype D { C(x: int), E() }");
        assert_eq!(*new.words, ["C", "D", "E", "is#C", "is#E", "x", "x#C"]);
        assert!(old.reserved.iter().all(|name| !name.contains('#')));
    }

    #[test]
    fn words_of_strings_are_names() {
        let p = mentions(r#"procedure {:a "x.y, z"} p();"#);
        assert_eq!(*p.reserved, ["x", "x.y", "y", "z"]);
    }

    #[test]
    fn renamed_names_are_recognised() {
        for name in ["x_r1", "_r12"] {
            assert!(is_renamed(name), "{name}");
        }
        for name in ["x", "x_r", "r1", "x_r1a"] {
            assert!(!is_renamed(name), "{name}");
        }
    }
}
