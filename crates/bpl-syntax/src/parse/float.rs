//! Checks that a float literal fits the size it names, as Boogie does while parsing.

/// Returns the error in the spelling of a float, if there is one.
///
/// A literal is `[-]0xH.HeXfSeE`. Its value is `0xH.H` times 16 to the power X, in a format with S
/// bits of significand (including the hidden bit) and E bits of exponent.
pub(super) fn float_error(text: &str) -> Option<&'static str> {
    const EXPONENT: &str = "the exponent does not fit the float's size";
    let (rest, exponent_size) = text.rsplit_once('e')?;
    let exponent_size: u32 = exponent_size.parse().unwrap_or(u32::MAX);
    if exponent_size <= 1 {
        return Some("the exponent size of a float must be greater than 1");
    }
    let (value, significand_size) = match rest.rsplit_once('f') {
        Some((value, size)) if text.contains('x') => (Some(value), size),
        _ => (None, rest.get(4..)?),
    };
    let significand_size: i64 = significand_size.parse().unwrap_or(i64::MAX);
    if significand_size <= 1 {
        return Some("the significand size of a float must be greater than 1");
    }
    let (mantissa, exponent) = value?.rsplit_once('e')?;
    let (_, mantissa) = mantissa.split_once('x')?;
    let (whole, fraction) = mantissa.split_once('.')?;

    let binary: Vec<bool> = whole
        .bytes()
        .chain(fraction.bytes())
        .filter_map(|hex| char::from(hex).to_digit(16))
        .flat_map(|digit| (0..4).rev().map(move |bit| digit >> bit & 1 == 1))
        .collect();
    let first = binary.iter().position(|&bit| bit)?;
    let last = binary.iter().rposition(|&bit| bit)?;

    // Saturating arithmetic is safe: a value that does not fit an i64 does not fit any format of a
    // tool, either.
    let digits = i64::try_from(last - first + 1).unwrap_or(i64::MAX);
    let point = i64::try_from(whole.len() * 4).unwrap_or(i64::MAX);
    let first = i64::try_from(first).unwrap_or(i64::MAX);
    let power: i64 =
        exponent.parse().unwrap_or(if exponent.starts_with('-') { i64::MIN } else { i64::MAX });
    let bias = if exponent_size < 62 { (1i64 << (exponent_size - 1)) - 1 } else { i64::MAX / 4 };
    let stored_exponent =
        power.saturating_mul(4).saturating_add(bias).saturating_add(point - first - 1);

    let kept = if stored_exponent > 0 {
        digits - 1
    } else if stored_exponent.saturating_neg() <= (significand_size - 1).saturating_sub(digits) {
        // A subnormal number has leading zeros instead of the hidden bit.
        digits - stored_exponent
    } else {
        return Some(EXPONENT);
    };
    if stored_exponent > bias.saturating_mul(2) {
        return Some(EXPONENT);
    }
    (kept > significand_size - 1).then_some("the significand does not fit the float's size")
}

#[cfg(test)]
mod tests {
    use super::float_error;

    #[test]
    fn sizes_and_values_are_checked() {
        for fits in [
            "0x1.8e0f24e8",
            "-0x0.0e0f24e8",
            "0x0.000002e0f24e8",
            "0xF.Fe31f24e8",
            "0NaN24e8",
            "0+oo11e53",
        ] {
            assert_eq!(float_error(fits), None, "{fits}");
        }
        for fails in
            ["0x1.0e32f24e8", "0x1.0000001e0f24e8", "0NaN1e8", "0+oo24e1", "0x1.0e-99f24e8"]
        {
            assert!(float_error(fails).is_some(), "{fails}");
        }
    }
}
