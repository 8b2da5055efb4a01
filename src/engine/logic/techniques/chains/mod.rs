//! Chains and nice loops: strong and weak links in turn.
//!
//! Read `walk.rs` (what follows from one literal), `search.rs` (all chains of a graph), `step.rs` (a chain as a
//! step), `simple.rs` (chains of one digit or of cells with two), `nice.rs` (the rows of the general ones).

pub mod explore;
pub mod nice;
pub mod simple;
pub mod step;
pub mod walk;
