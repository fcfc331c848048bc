//! Traces the declarations of a mutant back to its seed, with their original names.
//!
//! Declarations have permanent ids, so nothing here compares programs or reads their text.

use mugie_core::GoalNames;

use crate::mentions::before_renaming;
use crate::subject::Subject;

impl Subject {
    /// The index in the seed of this declaration, or of the one it was split off from; `None` if an
    /// operator added it.
    pub fn seed_index(&self, index: usize) -> Option<usize> {
        self.nodes[index].id.seed_number()
    }

    /// Whether an operator split this declaration off another one.
    pub fn is_split_off(&self, index: usize) -> bool {
        self.nodes[index].id.is_split_off()
    }

    /// The indices of the seed's declarations, in the order in which a verifier reads them now.
    /// Declarations that operators split off, added or removed are not included.
    pub fn seed_order(&self) -> Vec<usize> {
        let nodes = self.parts().into_iter().flat_map(|(_, nodes)| nodes);
        nodes.filter_map(|node| node.id.own_number()).collect()
    }

    /// Maps the procedures of this program to their names in the seed.
    pub fn procedure_names(&self, seed: &Subject) -> GoalNames {
        let mut renamed: Vec<(Box<str>, Box<str>)> = Vec::new();
        for (index, node) in self.nodes.iter().enumerate() {
            let Some(name) = node.procedure() else { continue };
            let seed_index = self.seed_index(index);
            let Some(original) = seed_index.and_then(|i| seed.nodes.get(i)?.procedure()) else {
                continue;
            };
            if name != original {
                renamed.push((name.into(), original.into()));
            }
        }
        GoalNames::new(renamed)
    }
}

/// A name without the suffix that a renaming adds. If two names of a seed differ only in that
/// suffix, one could be mistaken for the other, so use this only for guesses.
pub fn original_name(name: &str) -> &str {
    before_renaming(name).unwrap_or(name)
}

#[cfg(test)]
mod tests {
    use crate::operators::find;
    use crate::operators::testing::{all, subject};
    use crate::subject::Subject;

    const SOURCE: &str = "var g: int; procedure {:a} p(x: int) requires x > 0; { assert x > 0; }
                          procedure q`(); implementation q`() { call p(1); }";

    /// The results of an operator at all of its places.
    fn after(operator: &str, subject: &Subject) -> Vec<Subject> {
        let applied = all(find(operator).unwrap(), subject);
        applied.into_iter().map(|applied| applied.subject).collect()
    }

    #[test]
    fn procedures_are_known_by_their_names_in_the_seed() {
        let seed = subject(SOURCE);
        let names: Vec<_> = after("rename-global", &seed)
            .iter()
            .map(|renamed| after("S2", renamed)[0].procedure_names(&seed))
            .collect();
        assert_eq!(names.len(), 3);
        for (names, renamed) in names.iter().zip(["g", "p", "q`"]) {
            for name in ["p", "q`"] {
                assert_eq!(names.in_seed(name), name);
                let is_name = renamed == name;
                assert_eq!(names.in_seed(&format!("{name}_r1")) == name, is_name, "{name}");
            }
        }
    }

    #[test]
    fn the_order_is_that_of_the_verifier_without_what_is_new() {
        let seed = subject(SOURCE);
        assert_eq!(seed.seed_order(), [0, 1, 2, 3]);
        let split = &after("S2", &seed)[0];
        assert_eq!(split.seed_order(), [0, 1, 2, 3]);
        assert_eq!(split.seed_index(2), Some(1));
        assert!(split.is_split_off(2));
        let added = &after("add-unused", split)[0];
        assert_eq!(added.seed_order(), [0, 1, 2, 3]);
        assert_eq!(added.seed_index(0), None);
        let orders: Vec<_> = after("move-to-file", &seed).iter().map(Subject::seed_order).collect();
        assert!(orders.contains(&vec![1, 0, 2, 3]));
        assert!(orders.contains(&vec![0, 2, 3, 1]));
    }

    #[test]
    fn a_line_of_a_file_belongs_to_a_declaration() {
        let seed = subject(
            "const a: int; const b: int; axiom a == b;
             procedure p() { assert a == b; } procedure q();",
        );
        let mut programs = vec![seed.clone()];
        programs.extend(after("move-to-file", &seed));
        for program in &programs {
            for (file, text) in program.files().iter().enumerate() {
                let mut found = Vec::new();
                for (number, line) in (1..).zip(text.text.lines()) {
                    let place = program.locate(file, number);
                    assert_eq!(place.is_none(), line.is_empty(), "{}", text.text);
                    let Some((index, in_decl)) = place else { continue };
                    let own = program.text(index).lines().nth(in_decl as usize - 1);
                    assert_eq!(own, Some(line));
                    found.push(index);
                }
                found.dedup();
                let first = if text.part == 0 { 0 } else { program.main_len() };
                assert_eq!(found, (first..first + found.len()).collect::<Vec<_>>());
            }
            for (file, line) in [(0, 0), (0, 99), (0, u32::MAX), (2, 1)] {
                assert_eq!(program.locate(file, line), None);
            }
        }
    }
}
