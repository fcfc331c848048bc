//! Each explained difference can be reproduced.

use std::fs;
use std::path::Path;
use std::sync::Arc;

use mugie_core::number_of;
use mugie_soundness::boogie::{Submission, in_one_file};
use mugie_soundness::explained::{CAUSES, Difference, explain};
use mugie_soundness::{Boogie, Release, round};
use mugie_verifiers::supervise::{KEEPER, Keeper, Supervisor};

/// The maximum number of mutants to try per program; raising it makes the test slower.
const MOST: u64 = 30;

#[test]
fn explained_differences_are_there() {
    let supervisor = Arc::new(Supervisor::new(Keeper {
        program: env!("CARGO_BIN_EXE_mugie-soundness").into(),
        arguments: vec![KEEPER.into()],
        environment: Vec::new(),
    }));
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("explained");
    let mut paths: Vec<_> = fs::read_dir(&folder).unwrap().map(|e| e.unwrap().path()).collect();
    paths.sort_unstable();
    for cause in CAUSES {
        assert!(folder.join(cause.name).with_extension("bpl").exists(), "{}", cause.name);
    }
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
            let question = Submission {
                files: &program.texts(),
                class: program.sharing(),
                original: &original,
            };
            boogie.ask_alone(&question).unwrap().unwrap()
        };
        let before = said(&**program);
        let places = program.places(number).min(MOST);
        let found = (0..places).find_map(|place| {
            let place = program.place(number, place).unwrap();
            let applied = program.apply_at(number, place).unwrap();
            let after = said(&*applied.program);
            (!after.agrees_with(&before)).then_some((applied, after))
        });
        let Some((applied, after)) = found else {
            panic!("{}: no difference in {places} mutants by {operator}", path.display());
        };
        let difference = Difference {
            seed: &in_one_file(&program.texts()),
            mutant: &in_one_file(&applied.program.texts()),
            edits: &[applied.edit],
            before: &before,
            after: &after,
        };
        let name = path.file_stem().unwrap().to_str().unwrap();
        if CAUSES.iter().any(|cause| cause.name == name) {
            assert_eq!(explain(&difference).map(|cause| cause.name), Some(name));
        }
    }
}
