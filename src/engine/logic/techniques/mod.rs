//! Finders, one family a file.

pub mod singles;
