//! Names in WhyML: injective, and never a keyword.
//!
//! Every name starts with a prefix for what it names, so the name spaces of Boogie stay apart, and
//! no name is a keyword of WhyML or a word of SMT-LIB. This module knows neither programs nor scopes.

use crate::types::Ty;

/// Appends a Boogie identifier, escaped. Two identifiers never give the same text, and the text never
/// has an underscore that is followed by a digit or nothing, so digits can mark structure.
pub(crate) fn escape(name: &str, out: &mut String) {
    for c in name.chars() {
        let escaped = match c {
            '_' => '_',
            '$' => 'd',
            '#' => 'h',
            '.' => 'o',
            '\'' => 'q',
            '^' => 'c',
            '?' => 'w',
            '~' => 't',
            '`' => 'b',
            other => {
                out.push(other);
                continue;
            }
        };
        out.push('_');
        out.push(escaped);
    }
}

/// A prefix, and an escaped Boogie identifier.
pub(crate) fn name(prefix: &str, name: &str) -> String {
    let mut out = String::with_capacity(prefix.len() + name.len() + 4);
    out.push_str(prefix);
    escape(name, &mut out);
    out
}

/// Appends the name of a type, which is the name of its sort in WhyML. Two types have the same name
/// exactly if they have the same shape.
pub(crate) fn code(ty: &Ty, out: &mut String) {
    match ty {
        Ty::Int => out.push_str("int"),
        Ty::Real => out.push_str("real"),
        Ty::Bool => out.push_str("bool"),
        Ty::Tagged(_) => out.push_str("dyn"),
        Ty::Var(number) => {
            out.push('v');
            out.push_str(&number.to_string());
        }
        Ty::Bound { depth, index } => {
            out.push('b');
            out.push_str(&depth.to_string());
            out.push_str("_3");
            out.push_str(&index.to_string());
        }
        Ty::Constructed(name, args) => {
            out.push_str("t_");
            escape(name, out);
            codes(args, out);
        }
        Ty::Map(map) => {
            out.push('m');
            if map.params > 0 {
                out.push_str(&map.params.to_string());
            }
            codes(&map.domain, out);
            out.push_str("_2");
            code(&map.range, out);
        }
    }
}

/// Appends the names of type arguments: `_0` opens one, `_1` closes it.
pub(crate) fn codes(types: &[Ty], out: &mut String) {
    for ty in types {
        out.push_str("_0");
        code(ty, out);
        out.push_str("_1");
    }
}

/// The name of an instance of something polymorphic: a name and type arguments.
pub(crate) fn instance(base: &str, args: &[Ty]) -> String {
    let mut out = base.to_owned();
    codes(args, &mut out);
    out
}

/// The name of something that belongs to a type.
pub(crate) fn of_type(prefix: &str, ty: &Ty) -> String {
    let mut out = prefix.to_owned();
    code(ty, &mut out);
    out
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn different_identifiers_get_different_names() {
        let alphabet = ["_", "$", "#", ".", "'", "^", "?", "~", "`", "a", "d", "0", "1"];
        let mut seen = BTreeSet::new();
        let mut words = vec![String::new()];
        for _ in 0..3 {
            words = words
                .iter()
                .flat_map(|word| alphabet.iter().map(move |letter| format!("{word}{letter}")))
                .collect();
            for word in &words {
                assert!(seen.insert(name("f_", word)), "{word}");
            }
        }
    }

    #[test]
    fn an_escaped_name_has_no_mark_of_structure() {
        for word in ["x_1", "_0", "a__1", "_", "$0", "a.b'c"] {
            let text = name("", word);
            // Underscores come in pairs with the letter after them.
            let mut chars = text.chars();
            while let Some(c) = chars.next() {
                if c == '_' {
                    assert!(chars.next().is_some_and(|next| !next.is_ascii_digit()), "{text}");
                }
            }
        }
    }
}
