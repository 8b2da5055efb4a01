//! Finders, one family a file; [`unions`] and [`combos`] are the searching they share.

pub mod cages;
pub mod combos;
pub mod fish;
pub mod locked;
pub mod rectangles;
pub mod singles;
pub mod subsets;
pub mod unions;
pub mod wings;
