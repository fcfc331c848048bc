//! What a test found, for people and for other programs.
