//! Floor 1: search, explain, prove, rate, generate. No runtime, no clock, no I/O, no global state.
//!
//! Two engines that never meet: [`search`] is silent and fast, [`logic`] deduces like a person and
//! explains. Only [`solve`] joins them. [`budget`] bounds them all.

pub mod budget;
pub mod generate;
pub mod logic;
pub mod rate;
pub mod search;
pub mod solve;
