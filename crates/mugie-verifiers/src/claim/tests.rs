//! Which leftovers are removed and, above all, which files are not.

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::io::Write as _;
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _, symlink};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use super::*;

fn names(folder: &Path) -> BTreeSet<OsString> {
    fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name()).collect()
}

/// Creates leftovers of each kind, as a killed process leaves them.
fn leave(parent: &Path) {
    for (name, is_folder) in [
        ("mugie-run-0123456789ab", true),
        (".mugie-abcdef.tmp", false),
        (".mugie-ABCDEF012345.tmp", true),
        ("drafts-123", true),
    ] {
        if is_folder {
            let _ = fs::create_dir_all(parent.join(name).join("in/side"));
            let _ = fs::write(parent.join(name).join("in/side/file"), "");
        } else {
            fs::write(parent.join(name), "").unwrap();
        }
    }
}

#[test]
fn what_is_made_is_there_until_it_is_dropped_or_placed() {
    let parent = tempfile::tempdir().unwrap();
    let folder = Folder::new_in(parent.path(), RUN, 0o700).unwrap();
    fs::write(folder.path().join("file"), "").unwrap();
    let mut draft = Draft::new_in(parent.path(), DRAFT, 0o600).unwrap();
    draft.file().write_all(b"text").unwrap();
    for kind in [RUN, DRAFT, IMAGES] {
        sweep(parent.path(), kind);
    }
    assert_eq!(names(parent.path()).len(), 2);
    let mode = |path: &Path| fs::metadata(path).unwrap().mode() & 0o777;
    assert_eq!(mode(folder.path()), 0o700);
    drop(folder);
    draft.place(&parent.path().join("placed")).unwrap();
    assert_eq!(names(parent.path()), ["placed".into()].into());
    assert_eq!(fs::read(parent.path().join("placed")).unwrap(), b"text");
    assert_eq!(mode(&parent.path().join("placed")), 0o600);
}

#[test]
fn a_folder_takes_the_place_of_another() {
    let replacements: [fn(Folder, &Path) -> io::Result<()>; 2] =
        [Folder::replace, |mut folder, target| folder.replace_in_steps(target)];
    for replace in replacements {
        let parent = tempfile::tempdir().unwrap();
        let target = parent.path().join("target");
        fs::create_dir(&target).unwrap();
        fs::write(target.join("old"), "").unwrap();
        let folder = Folder::new_in(parent.path(), DRAFT, 0o777).unwrap();
        fs::write(folder.path().join("new"), "").unwrap();
        replace(folder, &target).unwrap();
        assert_eq!(names(parent.path()), ["target".into()].into());
        assert_eq!(names(&target), ["new".into()].into());
    }
}

#[test]
fn what_is_nobodys_is_removed_by_its_kind() {
    let parent = tempfile::tempdir().unwrap();
    leave(parent.path());
    for (kind, left) in [(RUN, 3), (DRAFT, 1), (IMAGES, 0)] {
        sweep(parent.path(), kind);
        assert_eq!(names(parent.path()).len(), left, "{kind:?}");
    }
}

#[test]
fn what_is_called_otherwise_stays() {
    let parent = tempfile::tempdir().unwrap();
    let others = [
        "mugie-output",
        "mugie-run-notes",
        "mugie-run-0123456789ab.txt",
        "mugie-run-0123456789a_",
        ".mugie-tmp",
        ".mugie-.tmp",
        ".mugie-tap",
        ".mugie-my notes.tmp",
        "mugie-abcdef.tmp",
        "drafts",
        "drafts-",
        "drafts-of-mine",
    ];
    for name in others {
        fs::write(parent.path().join(name), "").unwrap();
    }
    for kind in [RUN, DRAFT, IMAGES] {
        sweep(parent.path(), kind);
    }
    assert_eq!(names(parent.path()).len(), others.len());
}

#[test]
fn links_are_not_followed() {
    let parent = tempfile::tempdir().unwrap();
    let victim = tempfile::tempdir().unwrap();
    fs::write(victim.path().join("file"), "").unwrap();
    // A link with the name of a leftover, and a link inside of a leftover.
    let link = parent.path().join("mugie-run-0123456789ab");
    symlink(victim.path(), &link).unwrap();
    let folder = parent.path().join("mugie-run-ba9876543210");
    fs::create_dir(&folder).unwrap();
    symlink(victim.path(), folder.join("link")).unwrap();
    symlink(victim.path().join("file"), parent.path().join(".mugie-abcdef.tmp")).unwrap();
    sweep(parent.path(), RUN);
    sweep(parent.path(), DRAFT);
    assert!(!folder.exists() && victim.path().join("file").exists());
    // A link is never one of mugie's own leftovers, so it stays.
    assert_eq!(names(parent.path()).len(), 2);
}

#[test]
fn a_pipe_of_such_a_name_is_not_waited_for() {
    let parent = tempfile::tempdir().unwrap();
    let pipe = parent.path().join(".mugie-abcdef.tmp");
    nix::unistd::mkfifo(&pipe, nix::sys::stat::Mode::S_IRWXU).unwrap();
    sweep(parent.path(), DRAFT);
    assert!(pipe.exists());
}

#[test]
fn what_belongs_to_another_user_stays() {
    let parent = tempfile::tempdir().unwrap();
    leave(parent.path());
    for name in names(parent.path()) {
        if std::os::unix::fs::chown(parent.path().join(name), Some(65534), None).is_err() {
            eprintln!("SKIPPED: only root can give files away");
            return;
        }
    }
    for kind in [RUN, DRAFT, IMAGES] {
        sweep(parent.path(), kind);
    }
    assert_eq!(names(parent.path()).len(), 4);
}

#[test]
fn folders_that_were_closed_are_removed() {
    let parent = tempfile::tempdir().unwrap();
    let folder = Folder::new_in(parent.path(), RUN, 0o700).unwrap();
    let inside = folder.path().join("0");
    fs::create_dir(&inside).unwrap();
    fs::write(inside.join("file"), "").unwrap();
    fs::set_permissions(&inside, fs::Permissions::from_mode(0o000)).unwrap();
    drop(folder);
    assert_eq!(names(parent.path()).len(), 0);
}

#[test]
fn those_who_make_and_those_who_sweep_do_not_disturb_each_other() {
    let parent = tempfile::tempdir().unwrap();
    let is_over = AtomicBool::new(false);
    let start = Instant::now();
    thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                while !is_over.load(Ordering::Relaxed) && start.elapsed() < Duration::from_mins(1) {
                    leave(parent.path());
                    sweep(parent.path(), RUN);
                    sweep(parent.path(), DRAFT);
                }
            });
        }
        let makers: Vec<_> = (0..2)
            .map(|_| {
                scope.spawn(|| {
                    for number in 0..100_u32 {
                        let folder = Folder::new_in(parent.path(), RUN, 0o700).unwrap();
                        let mut draft = Draft::new_in(parent.path(), DRAFT, 0o600).unwrap();
                        draft.file().write_all(b"text").unwrap();
                        fs::write(folder.path().join("file"), number.to_string()).unwrap();
                        thread::yield_now();
                        let text = fs::read_to_string(folder.path().join("file")).unwrap();
                        assert_eq!(text, number.to_string());
                        let target = parent.path().join(format!("{:?}", thread::current().id()));
                        draft.place(&target).unwrap();
                        assert_eq!(fs::read(&target).unwrap(), b"text");
                    }
                })
            })
            .collect();
        let made: Vec<_> = makers.into_iter().map(thread::ScopedJoinHandle::join).collect();
        is_over.store(true, Ordering::Relaxed);
        assert!(made.iter().all(Result::is_ok));
    });
    sweep(parent.path(), RUN);
    sweep(parent.path(), DRAFT);
    // Two placed files, and one leftover of a kind that is not swept here.
    assert_eq!(names(parent.path()).len(), 3);
}
