//! Makes untrusted text safe to show: names of files and programs, and the output of verifiers, may
//! contain anything, and must neither control a terminal nor hide anything from a reader.

use std::fmt::Write as _;
use std::path::Path;

/// Escapes characters that are invisible or that change how others look.
pub fn escaped(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for character in text.chars() {
        if is_visible(character) {
            escaped.push(character);
        } else {
            escaped.extend(character.escape_default());
        }
    }
    escaped
}

/// Escapes invisible characters in JSON: the result can be shown and has the same meaning.
pub fn escaped_json(json: &str) -> String {
    let mut escaped = String::with_capacity(json.len());
    for character in json.chars() {
        // Outside strings, line breaks are the only invisible characters.
        if character == '\n' || is_visible(character) {
            escaped.push(character);
        } else {
            for unit in character.encode_utf16(&mut [0; 2]) {
                let _ = write!(escaped, "\\u{unit:04x}");
            }
        }
    }
    escaped
}

/// The text as part of a file name: `_` replaces invisible characters.
pub fn tame(text: &str) -> String {
    text.chars().map(|character| if is_visible(character) { character } else { '_' }).collect()
}

/// Whether a character is visible and does not affect how others look.
pub fn is_visible(character: char) -> bool {
    !character.is_control()
        && !matches!(
            character,
            // Line breaks, and marks that change the direction of text.
            '\u{2028}' | '\u{2029}' | '\u{61c}' | '\u{200e}' | '\u{200f}'
            | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}'
            // Not characters at all; XML forbids them.
            | '\u{feff}' | '\u{fffe}' | '\u{ffff}'
        )
}

/// The name of a file: its path, with `\xff` for each byte that is not part of UTF-8 text.
pub fn path_name(path: &Path) -> String {
    let mut name = String::new();
    for chunk in path.as_os_str().as_encoded_bytes().utf8_chunks() {
        name.push_str(chunk.valid());
        for byte in chunk.invalid() {
            let _ = write!(name, "\\x{byte:02x}");
        }
    }
    name
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_that_is_shown_commands_a_terminal() {
        assert_eq!(escaped("a\x1b[2J\nb\u{202e}é"), "a\\u{1b}[2J\\nb\\u{202e}é");
        assert_eq!(tame("a\x1b[2J\nb\u{202e}é"), "a_[2J_b_é");
    }

    #[test]
    #[cfg(unix)]
    fn bytes_that_are_no_text_are_told_apart() {
        use std::ffi::OsStr;
        use std::os::unix::ffi::OsStrExt as _;
        let name = |bytes: &[u8]| path_name(Path::new(OsStr::from_bytes(bytes)));
        assert_eq!(name(b"a/\xff\xfe.bpl"), "a/\\xff\\xfe.bpl");
        assert_eq!(name("é\n".as_bytes()), "é\n");
    }
}
