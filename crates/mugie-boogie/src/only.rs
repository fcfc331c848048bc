//! Chooses the procedures that Boogie verifies: all other bodies get `{:verify false}`.
//!
//! The text stays as it is otherwise, so that lines keep their numbers, and the attribute follows its
//! procedure wherever an operator moves it and whatever an operator calls it. An option such as
//! `/proc:` would have to be told the new names.

use bpl_syntax::ast::{Decl, Program};
use bpl_syntax::source::SourceMap;
use mugie_core::{ChosenGoals, SourceText};

use crate::program::verbose_name;

/// What is put before the name of a procedure. The last `:verify` of several decides, in both Boogies.
const ATTRIBUTE: &str = "{:verify false} ";

/// The program in which only the procedures that are chosen by one of their names are verified.
pub(crate) fn only(
    sources: &SourceMap,
    program: &Program,
    chooses: &dyn Fn(&[&str]) -> bool,
) -> ChosenGoals {
    let mut found = ChosenGoals::default();
    let mut places = Vec::new();
    for decl in &program.decls {
        let decl: &Decl = decl;
        let signature = match decl {
            Decl::Procedure(procedure) if procedure.body.is_some() => &procedure.signature,
            Decl::Implementation(implementation) => &implementation.signature,
            _ => continue,
        };
        let name = signature.name.name.as_str();
        let other = verbose_name(decl);
        let names: Vec<&str> = [Some(name), other.as_deref()].into_iter().flatten().collect();
        let list = if chooses(&names) {
            &mut found.chosen
        } else {
            places.push(signature.name.span.start);
            &mut found.others
        };
        list.push(other.unwrap_or_else(|| name.to_owned()));
    }
    let texts = sources.files().iter().map(|file| {
        let end = file.base as usize + file.text.len();
        let inside = |place: &&u32| **place >= file.base && (**place as usize) < end;
        let mut text = String::with_capacity(file.text.len() + places.len() * ATTRIBUTE.len());
        let mut copied = 0;
        for place in places.iter().filter(inside) {
            let at = (place - file.base) as usize;
            text.push_str(&file.text[copied..at]);
            text.push_str(ATTRIBUTE);
            copied = at;
        }
        text.push_str(&file.text[copied..]);
        SourceText { name: file.name.clone(), bytes: text.into_bytes() }
    });
    found.files = texts.collect();
    found
}

#[cfg(test)]
mod tests {
    use mugie_core::{Language as _, LanguageOptions};

    use super::*;
    use crate::language::Boogie;

    fn chosen(texts: &[&str], wanted: &str) -> ChosenGoals {
        let files = texts.iter().enumerate().map(|(number, text)| SourceText {
            name: format!("{number}.bpl"),
            bytes: text.as_bytes().to_vec(),
        });
        let chooses = |names: &[&str]| names.contains(&wanted);
        let found = Boogie.only(files.collect(), &LanguageOptions::default(), &chooses);
        found.expect("Boogie can").expect("the program is correct")
    }

    #[test]
    fn other_bodies_are_not_verified() {
        let first = "procedure {:a} p();\nimplementation {:verify true} p() { }";
        let second = "procedure {:verboseName \"M.q\"} q<T>(x: T) { }\nprocedure r() { }";
        let found = chosen(&[first, second], "M.q");
        let texts: Vec<&str> =
            found.files.iter().map(|file| str::from_utf8(&file.bytes).expect("UTF-8")).collect();
        assert_eq!(
            texts,
            [
                "procedure {:a} p();\nimplementation {:verify true} {:verify false} p() { }",
                "procedure {:verboseName \"M.q\"} q<T>(x: T) { }\nprocedure {:verify false} r() { }",
            ]
        );
        assert_eq!(found.chosen, ["M.q"]);
        assert_eq!(found.others, ["p", "r"]);
    }

    #[test]
    fn what_is_wrong_with_a_program_is_said() {
        let files = vec![SourceText { name: "a.bpl".to_owned(), bytes: b"procedure".to_vec() }];
        let found = Boogie.only(files, &LanguageOptions::default(), &|_| true);
        assert!(found.expect("Boogie can").is_err());
    }
}
