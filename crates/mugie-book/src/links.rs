//! Finds dead links in the finished book: to a file that does not exist, or to an anchor that a
//! page does not have.
//!
//! The pages are mdBook's own output, so attributes can be found without an HTML parser.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Component, Path, PathBuf};

/// The page that contains all others and repeats their links, and the web server's error page.
const SKIPPED: [&str; 2] = ["print.html", "404.html"];

/// The dead links of a book, each as a sentence.
pub(crate) fn dead(folder: &Path) -> anyhow::Result<Vec<String>> {
    let mut pages = BTreeMap::new();
    read_pages(folder, Path::new(""), &mut pages)?;
    let ids: BTreeMap<&PathBuf, BTreeSet<&str>> =
        pages.iter().map(|(path, text)| (path, attributes(text, "id").collect())).collect();
    let mut complaints = Vec::new();
    for (page, text) in &pages {
        if SKIPPED.iter().any(|skipped| page == Path::new(skipped)) {
            continue;
        }
        for link in attributes(text, "href").chain(attributes(text, "src")) {
            if link.contains(':') || link.is_empty() {
                continue;
            }
            let (file, anchor) = link.split_once('#').unwrap_or((link, ""));
            let target = if file.is_empty() { page.clone() } else { resolve(page, file) };
            if !folder.join(&target).exists() {
                complaints.push(format!(
                    "{}: there is no {link}; only pages that SUMMARY.md names are built",
                    page.display()
                ));
            } else if !anchor.is_empty()
                && ids.get(&target).is_some_and(|ids| !ids.contains(anchor))
            {
                complaints.push(format!("{}: {file} has no place #{anchor}", page.display()));
            }
        }
    }
    Ok(complaints)
}

fn read_pages(
    folder: &Path,
    below: &Path,
    pages: &mut BTreeMap<PathBuf, String>,
) -> anyhow::Result<()> {
    for entry in fs::read_dir(folder.join(below))? {
        let entry = entry?;
        let path = below.join(entry.file_name());
        if entry.file_type()?.is_dir() {
            read_pages(folder, &path, pages)?;
        } else if path.extension().is_some_and(|extension| extension == "html") {
            pages.insert(path.clone(), fs::read_to_string(folder.join(&path))?);
        }
    }
    Ok(())
}

/// The values of an attribute.
fn attributes<'t>(text: &'t str, name: &str) -> impl Iterator<Item = &'t str> {
    let start = format!(" {name}=\"");
    let mut rest = text;
    std::iter::from_fn(move || {
        let at = rest.find(&start)? + start.len();
        let (value, after) = rest[at..].split_once('"')?;
        rest = after;
        Some(value)
    })
}

/// The file that a link on a page leads to.
fn resolve(page: &Path, link: &str) -> PathBuf {
    let mut target = page.parent().unwrap_or(Path::new("")).to_owned();
    for part in Path::new(link).components() {
        match part {
            Component::ParentDir => {
                target.pop();
            }
            Component::Normal(name) => target.push(name),
            _ => {}
        }
    }
    target
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dead_links_are_found() {
        let folder = std::env::temp_dir().join(format!("mugie-book-{}", std::process::id()));
        fs::create_dir_all(folder.join("sub")).unwrap();
        fs::write(folder.join("a.html"), r#"<h1 id="top"></h1><a href="sub/b.html#x">"#).unwrap();
        let page = r##"<a href="../a.html#top"> <a href="../a.html#no"> <a href="c.html">
            <a href="#y"> <a href="https://example.org/#z"> <p id="y">"##;
        fs::write(folder.join("sub/b.html"), page).unwrap();
        let complaints = dead(&folder).unwrap();
        fs::remove_dir_all(&folder).unwrap();
        assert_eq!(
            complaints,
            [
                "a.html: sub/b.html has no place #x",
                "sub/b.html: ../a.html has no place #no",
                "sub/b.html: there is no c.html; only pages that SUMMARY.md names are built",
            ]
        );
    }
}
