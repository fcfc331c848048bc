//! "Did you mean …?": the known name nearest to a misspelt one.

/// The largest number of bytes of a name that is compared with others.
const MAX_NAME: usize = 200;

/// The candidate with the smallest edit distance, if the distance is small relative to the name's
/// length. Among equally close candidates it is the alphabetically first, so that the result does
/// not depend on their order.
pub(crate) fn nearest<'c>(
    name: &str,
    candidates: impl Iterator<Item = &'c str>,
) -> Option<&'c str> {
    // A comparison takes quadratic time, and nobody misspells a name this long.
    if name.len() > MAX_NAME {
        return None;
    }
    let limit = match name.chars().count() {
        0..=2 => return None,
        3..=5 => 1,
        6..=9 => 2,
        _ => 3,
    };
    candidates
        .filter(|candidate| candidate.len().abs_diff(name.len()) <= limit * 4)
        .filter_map(|candidate| Some((distance(name, candidate, limit)?, candidate)))
        .min()
        .map(|(_, candidate)| candidate)
}

/// The number of insertions, deletions, replacements and transpositions of neighbours between two
/// names, or `None` if it exceeds `limit`.
fn distance(a: &str, b: &str, limit: usize) -> Option<usize> {
    let a: Vec<char> = a.chars().collect();
    let b: Vec<char> = b.chars().collect();
    if a.len().abs_diff(b.len()) > limit {
        return None;
    }
    let mut before: Vec<usize> = Vec::new();
    let mut above: Vec<usize> = (0..=b.len()).collect();
    for i in 1..=a.len() {
        let mut row = vec![i];
        for j in 1..=b.len() {
            let replaced = above[j - 1] + usize::from(a[i - 1] != b[j - 1]);
            let mut best = replaced.min(above[j] + 1).min(row[j - 1] + 1);
            if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                best = best.min(before[j - 2] + 1);
            }
            row.push(best);
        }
        if row.iter().min().is_none_or(|&best| best > limit) {
            return None;
        }
        before = std::mem::replace(&mut above, row);
    }
    above.last().copied().filter(|&distance| distance <= limit)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slip_of_the_pen_is_recognised() {
        let names = ["count", "counter", "heap"];
        assert_eq!(nearest("cuont", names.into_iter()), Some("count"));
        assert_eq!(nearest("Heap", names.into_iter()), Some("heap"));
    }

    #[test]
    fn another_word_is_not_suggested() {
        assert_eq!(nearest("alloc", ["value", "x"].into_iter()), None);
        assert_eq!(nearest("y", ["x"].into_iter()), None);
    }
}
