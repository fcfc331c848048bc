//! The names of files: Carbon mentions a file without its folder, also one that the user's file imports.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use mugie_core::{DoorRequest, path_name};

/// The number of files that a program may import, as far as names are concerned.
const MAX_IMPORTS: usize = 100;

/// The files of a program: the name without the folder, and the path in the words of the user.
#[derive(Clone, Debug, Default)]
pub(crate) struct FileNames(BTreeMap<String, String>);

impl FileNames {
    /// The names of a file and of all that it imports. Of two files with the same name, the first one counts.
    pub(crate) fn of(file: &Path, request: &DoorRequest<'_>) -> FileNames {
        let mut names = BTreeMap::new();
        let mut queue: Vec<PathBuf> = vec![file.to_owned()];
        let mut next = 0;
        while let Some(path) = queue.get(next).cloned() {
            next += 1;
            let Some(bare) = path.file_name().and_then(|name| name.to_str()) else { continue };
            names.entry(bare.to_owned()).or_insert_with(|| path_name(&path));
            let text = (request.read)(&path).unwrap_or_default();
            let folder = path.parent().unwrap_or(Path::new(""));
            for import in text.lines().filter_map(imported).map(|import| folder.join(import)) {
                if queue.len() < MAX_IMPORTS && !queue.contains(&import) {
                    queue.push(import);
                }
            }
        }
        FileNames(names)
    }

    /// The names without folders.
    pub(crate) fn bare(&self) -> impl Iterator<Item = &str> {
        self.0.keys().map(String::as_str)
    }

    /// The user's name of a file that Carbon mentions.
    pub(crate) fn in_user_words(&self, bare: &str) -> String {
        self.0.get(bare).map_or(bare, String::as_str).to_owned()
    }
}

impl<const N: usize> From<[(String, String); N]> for FileNames {
    fn from(names: [(String, String); N]) -> FileNames {
        FileNames(names.into())
    }
}

/// The file that a line imports: `import "lib/list.vpr"`. Files of Viper's own are in `<...>`.
fn imported(line: &str) -> Option<&str> {
    let rest = line.trim_start().strip_prefix("import")?.trim_start();
    rest.strip_prefix('"')?.split_once('"').map(|(path, _)| path)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn imports_are_followed() {
        let read = |path: &Path| match path.to_str() {
            Some("d/x.vpr") => {
                Ok("import \"lib/y.vpr\"\n  import <decreases/int.vpr>\n".to_owned())
            }
            Some("d/lib/y.vpr") => Ok("import \"y.vpr\"\nimport \"z.vpr\"\n".to_owned()),
            _ => Err("there is none".to_owned()),
        };
        let request = DoorRequest {
            run: &|_, _| Err(String::new()),
            find: &|_| None,
            read: &read,
            program: None,
            verifier: None,
            solver: None,
            arguments: &[],
        };
        let names = FileNames::of(Path::new("d/x.vpr"), &request);
        assert_eq!(names.in_user_words("z.vpr"), "d/lib/z.vpr");
        assert_eq!(names.in_user_words("other.vpr"), "other.vpr");
        assert_eq!(names.bare().collect::<Vec<_>>(), ["x.vpr", "y.vpr", "z.vpr"]);
    }
}
