//! mugie.
fn main() {}
