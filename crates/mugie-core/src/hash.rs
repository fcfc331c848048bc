//! Hashes of programs.

/// A hash of a program or of a part of one.
pub type Hash = [u8; 32];

/// A hash in hexadecimal digits.
pub fn hex(hash: &Hash) -> String {
    blake3::Hash::from_bytes(*hash).to_hex().to_string()
}
