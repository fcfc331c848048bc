//! A control group for a run, where this process may create one below its own: then the system
//! itself refuses processes beyond the limit of the run.
//!
//! This is rarely possible: as root, with cgroups version 1 or at the root of version 2. This
//! process never leaves or changes its own group, and never puts a run beside it, because that
//! would free the run from limits that others have set. Without a group, the keeper counts
//! processes.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::thread::sleep;
use std::time::Duration;

/// Prefix of the names of groups; the process id of the keeper follows.
const NAME: &str = "mugie-run-";

/// Number of attempts to remove a group, and the pause between them: reaped processes may still be
/// in it for a moment.
const TRIES: u32 = 20;
const PAUSE: Duration = Duration::from_millis(1);

/// The control group of a run. Dropping it removes the group, which must be empty by then.
#[derive(Debug)]
pub(super) struct Group {
    path: PathBuf,
}

/// Where this process may create groups.
#[derive(Debug)]
pub(super) struct Place(PathBuf);

impl Place {
    /// Finds the place, and removes groups whose keepers are gone.
    pub(super) fn find() -> Option<Place> {
        let place = place()?;
        remove_old(&place);
        Some(Place(place))
    }
}

impl Group {
    /// Creates a group for at most `most` processes and threads, watched by the keeper with this
    /// process id.
    pub(super) fn make(Place(place): &Place, keeper: i32, most: u32) -> Option<Group> {
        let path = place.join(format!("{NAME}{keeper}"));
        // The one of the keeper's last run, if it could not be removed in time.
        let _ = fs::remove_dir(&path);
        fs::create_dir(&path).ok()?;
        let group = Group { path };
        group.write("pids.max", &most.to_string()).is_ok().then_some(group)
    }

    /// The group that a keeper has created, if there is one.
    pub(super) fn of(keeper: i32) -> Option<Group> {
        let path = place()?.join(format!("{NAME}{keeper}"));
        path.is_dir().then_some(Group { path })
    }

    /// The file through which a process enters the group, by writing `0` to it.
    pub(super) fn entrance(&self) -> io::Result<File> {
        OpenOptions::new().write(true).open(self.path.join("cgroup.procs"))
    }

    /// Whether the system refused a process because the group was full.
    pub(super) fn was_full(&self) -> bool {
        let events = fs::read_to_string(self.path.join("pids.events")).unwrap_or_default();
        let refused = events.lines().find_map(|line| line.strip_prefix("max "));
        refused.is_some_and(|number| number.trim() != "0")
    }

    /// Forbids new processes, and kills all existing ones if the system can do that at once.
    pub(super) fn close(&self) {
        // Errors do not matter: the caller kills all processes that it finds in any case.
        let _ = self.write("pids.max", "0");
        let _ = self.write("cgroup.kill", "1");
    }

    fn write(&self, name: &str, text: &str) -> io::Result<()> {
        OpenOptions::new().write(true).open(self.path.join(name))?.write_all(text.as_bytes())
    }
}

impl Drop for Group {
    fn drop(&mut self) {
        for _ in 0..TRIES {
            if fs::remove_dir(&self.path).is_ok() {
                return;
            }
            sleep(PAUSE);
        }
        // The next run removes it.
    }
}

/// Removes groups whose keepers were killed. The system refuses to remove a group that is not
/// empty.
fn remove_old(place: &Path) {
    for entry in fs::read_dir(place).into_iter().flatten().flatten() {
        let name = entry.file_name();
        let Some(keeper) = name.to_str().and_then(|name| name.strip_prefix(NAME)) else { continue };
        // The group of an existing keeper may be about to be entered.
        if !Path::new("/proc").join(keeper).exists() {
            let _ = fs::remove_dir(entry.path());
        }
    }
}

/// The directory of this process's own group in the hierarchy that counts processes.
fn place() -> Option<PathBuf> {
    let groups = fs::read_to_string("/proc/self/cgroup").ok()?;
    let mounts = fs::read_to_string("/proc/self/mountinfo").ok()?;
    find_place(&groups, &mounts)
}

/// Parses lines `NUMBER:CONTROLLERS:PATH` of `groups`, and lines `... ROOT PLACE ... - KIND SOURCE
/// OPTIONS` of `mounts`.
fn find_place(groups: &str, mounts: &str) -> Option<PathBuf> {
    let groups = groups.lines().filter_map(|line| {
        let (_, rest) = line.split_once(':')?;
        rest.split_once(':')
    });
    let has_pids = |controllers: &str| controllers.split(',').any(|it| it == "pids");
    // Groups of version 1 name their controllers. A system that counts processes in version 1 does
    // not do so in version 2.
    let (first, second): (Vec<_>, Vec<_>) =
        groups.partition(|(controllers, _)| !controllers.is_empty());
    let first = first.into_iter().find(|(controllers, _)| has_pids(controllers));
    let (controllers, own) = first.or_else(|| second.into_iter().next())?;
    mounts.lines().find_map(|line| {
        let (front, back) = line.split_once(" - ")?;
        let mut back = back.split(' ');
        let (kind, options) = (back.next()?, back.nth(1)?);
        let is_it = if controllers.is_empty() {
            kind == "cgroup2"
        } else {
            kind == "cgroup" && has_pids(options)
        };
        let mut front = front.split(' ').skip(3);
        let (root, place) = (front.next()?, front.next()?);
        // Special characters are written as octal numbers after a backslash.
        let is_plain = !place.contains('\\');
        let below = Path::new(own).strip_prefix(root).ok()?;
        (is_it && is_plain).then(|| Path::new(place).join(below))
    })
}

#[cfg(test)]
mod tests {
    use std::process::{Command, Stdio};
    use std::time::Instant;

    use super::*;

    #[test]
    fn the_place_is_found_in_both_versions() {
        let mounts = "24 30 0:22 / /proc rw,nosuid - proc proc rw\n\
                      33 24 0:28 / /sys/fs/cgroup/cpu rw - cgroup cgroup rw,cpu\n\
                      34 24 0:29 / /sys/fs/cgroup/pids rw - cgroup cgroup rw,pids\n\
                      35 24 0:30 / /sys/fs/cgroup/unified rw shared:9 - cgroup2 cgroup2 rw\n";
        let place = |groups: &str, mounts: &str| {
            find_place(groups, mounts).map(|place| place.display().to_string())
        };
        let first = "9:name=systemd:/\n8:pids:/a/b\n1:cpu:/\n0::/c\n";
        assert_eq!(place(first, mounts).unwrap(), "/sys/fs/cgroup/pids/a/b");
        let second = "0::/user.slice/a.scope\n";
        assert_eq!(place(second, mounts).unwrap(), "/sys/fs/cgroup/unified/user.slice/a.scope");
        // A container sees only a part of the hierarchy.
        let part = "35 24 0:30 /docker/x /sys/fs/cgroup rw - cgroup2 cgroup2 rw\n";
        assert_eq!(place("0::/docker/x/y\n", part).unwrap(), "/sys/fs/cgroup/y");
        assert_eq!(place("0::/elsewhere\n", part), None);
        assert_eq!(place("", mounts), None);
        assert_eq!(place(second, ""), None);
        assert_eq!(place("nonsense", "nonsense"), None);
    }

    /// Starts at most six processes, each of which ends after two seconds.
    #[test]
    fn a_group_has_no_more_processes_than_it_may() {
        let number = i32::try_from(std::process::id()).unwrap();
        let group = Place::find().and_then(|place| Group::make(&place, number, 3));
        let Some(group) = group else {
            eprintln!("SKIPPED: no control group can be made here");
            return;
        };
        assert!(!group.was_full());
        let script = format!(
            "echo 0 > {}/cgroup.procs; for n in 1 2 3 4 5; do sleep 2 & done; wait",
            group.path.display()
        );
        let status =
            Command::new("sh").args(["-c", &script]).stderr(Stdio::null()).status().unwrap();
        assert!(!status.success());
        assert!(group.was_full());
        group.close();
        let path = group.path.clone();
        let is_busy = || {
            let inside = fs::read_to_string(path.join("cgroup.procs"));
            inside.is_ok_and(|processes| !processes.is_empty())
        };
        let begin = Instant::now();
        while is_busy() && begin.elapsed() < Duration::from_secs(30) {
            sleep(Duration::from_millis(10));
        }
        drop(group);
        assert!(!path.exists());
    }
}
