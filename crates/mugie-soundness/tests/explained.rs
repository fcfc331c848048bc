//! Each explained difference is really there.

use std::fs;
use std::path::Path;
use std::sync::Arc;

use mugie_core::number_of;
use mugie_soundness::boogie::Question;
use mugie_soundness::{Boogie, Release, round};
use mugie_verifiers::supervise::{KEEPER, Keeper, Supervisor};

/// Mutants that are tried of a program, at most.
const MOST: u64 = 30;

#[test]
fn explained_differences_are_there() {
    let supervisor = Arc::new(Supervisor::new(Keeper {
        program: env!("CARGO_BIN_EXE_mugie-soundness").into(),
        arguments: vec![KEEPER.into()],
        environment: Vec::new(),
    }));
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("explained");
    let mut paths: Vec<_> = fs::read_dir(folder).unwrap().map(|e| e.unwrap().path()).collect();
    paths.sort_unstable();
    assert!(!paths.is_empty());
    for path in paths {
        let text = fs::read_to_string(&path).unwrap();
        let operator = text.lines().next().unwrap().strip_prefix("// operator: ").unwrap();
        let is_three = text.lines().nth(1) == Some("// release: 3");
        let release = if is_three { Release::Three } else { Release::Two };
        let Some(boogie) = Boogie::find(release, &supervisor) else {
            eprintln!("SKIPPED: {}: there is no {} here", path.display(), release.name());
            continue;
        };
        let seed = round::read(&text, release).unwrap();
        let program = seed.program();
        let number = number_of(program.operators(), operator).unwrap();
        let said = |program: &dyn mugie_core::Program| {
            let names = program.goal_names(&**seed.program());
            let original = |name: &str| names.in_seed(name).to_owned();
            let question = Question { files: &program.texts(), class: 0, original: &original };
            boogie.ask_alone(&question).unwrap().unwrap()
        };
        let before = said(&**program);
        let places = program.places(number).min(MOST);
        let differs = (0..places).any(|place| {
            let place = program.place(number, place).unwrap();
            let mutant = program.apply_at(number, place).unwrap().program;
            !said(&*mutant).agrees_with(&before)
        });
        assert!(differs, "{}: no difference in {places} mutants by {operator}", path.display());
    }
}
