//! S3: moves a declaration to a second file.

use crate::offers::{Change, Offers};
use mugie_core::About;

use crate::operator::{Operator, operator};
use crate::subject::{Rearrangement, Subject};

operator! {
    /// Moves any declaration into a separate file.
    ///
    /// ```boogie before
    /// const a: int;
    /// axiom a > 0;
    /// ```
    /// ```boogie after
    /// axiom a > 0;
    /// // the second file
    /// const a: int;
    /// ```
    ///
    /// The verifier is given both files. Their order is part of the edit, and both orders are
    /// drawn. Applied again, the operator moves a further declaration to the end of the second
    /// file.
    ///
    /// It is not applied at many places at once: beyond the second file itself, that is a shuffle of
    /// declarations.
    ///
    /// ## Applies when
    /// another declaration remains in the main file, and the declaration does not share a name with
    /// another one in such a way that only the first takes effect (see `swap-declarations`).
    ///
    /// ## Sound because
    /// Boogie reads several files as one program, and the order of declarations has no meaning.
    /// Sections under `#if FILE_n` do not matter: they are resolved when the seed is read, and
    /// mutants are written without them.
    MoveToFile = "S3" / "move-to-file" in Paper
}

impl Operator for MoveToFile {
    fn about(&self) -> &'static About {
        &Self::ABOUT
    }

    fn in_program(&self, subject: &Subject, offers: &mut Offers<Rearrangement>) {
        let movable: Vec<usize> =
            (0..subject.main_len()).filter(|&index| subject.can_move(index)).collect();
        offers.many(2 * movable.len() as u64, |number| {
            let index = movable[usize::try_from(number / 2).unwrap_or(0)];
            let second_first = number % 2 == 1;
            let rearrangement = Rearrangement::ToSecondFile { index, second_first };
            Change::new(subject.words(&rearrangement), rearrangement)
        });
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{all, results, subject, words};
    use super::*;

    #[test]
    fn both_orders_of_the_files_are_offered() {
        let files = results(&MoveToFile, "const a: int; const b: int;");
        let [main_first, second_first] = [
            "const b: int;\n// the second file\nconst a: int;\n",
            "const a: int;\n// the second file\nconst b: int;\n",
        ];
        assert_eq!(files, [main_first, second_first, second_first, main_first]);
        let seed = subject("const a: int; const b: int;");
        let parts: Vec<_> = all(&MoveToFile, &seed)[1].subject.files();
        assert_eq!(parts.iter().map(|file| file.part).collect::<Vec<_>>(), [1, 0]);
    }

    #[test]
    fn further_declarations_follow_until_one_is_left() {
        let seed = subject("const a: int; const b: int; const c: int;");
        let once = &all(&MoveToFile, &seed)[0].subject;
        let twice = &all(&MoveToFile, once)[0].subject;
        let files: Vec<_> = twice.files().into_iter().map(|file| file.text).collect();
        assert_eq!(files, ["const c: int;\n", "const a: int;\nconst b: int;\n"]);
        assert!(all(&MoveToFile, twice).is_empty());
    }

    #[test]
    fn words_say_the_order() {
        let words = words(&MoveToFile, "const a: int; axiom true;");
        assert_eq!(words[0], "move const `a` to a second file, given last");
        assert_eq!(words[3], "move axiom #1 to a second file, given first");
    }
}
