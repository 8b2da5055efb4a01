//! Finders, one family a file.

pub mod locked;
pub mod singles;
