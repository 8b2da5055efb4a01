//! Finders, one family a file; [`unions`] and [`combos`] are the searching they share, [`deadly`] what rectangles,
//! loops and graves conclude, [`clusters`] what colours are made of, [`counting`] how truths and links are counted.

pub mod als;
pub mod avoidable;
pub mod bent;
pub mod cages;
pub mod chains;
pub mod clusters;
pub mod colours;
pub mod combos;
pub mod counting;
pub mod deadly;
pub mod direct;
pub mod empty_rectangle;
pub mod exclusion;
pub mod exocet;
pub mod extended;
pub mod fireworks;
pub mod fish;
pub mod forcing;
pub mod graves;
pub mod locked;
pub mod loops;
pub mod medusa;
pub mod multi_sector;
pub mod rectangles;
pub mod remote;
pub mod singles;
pub mod sk_loop;
pub mod subsets;
pub mod sue_de_coq;
pub mod templates;
pub mod turbot;
pub mod unions;
pub mod wings;
