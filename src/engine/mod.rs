//! Floor 1: search, explain, prove, rate, generate. No runtime, no clock, no I/O, no global state.
//!
//! Two engines that never meet: [`search`] is silent and fast, [`logic`] deduces like a person and
//! explains. [`solve`] joins them; [`check`], [`hint`], [`list`], [`prove`], [`rate`] and [`generate`] stand on both; [`survey`] is the look at a
//! player's position that the first of these share. [`budget`] bounds
//! them all.

pub mod budget;
pub mod check;
pub mod generate;
pub mod hint;
pub mod list;
pub mod logic;
pub mod prove;
pub mod rate;
pub mod search;
pub mod solve;
pub mod survey;
