//! Floor 0: what a puzzle is and how it is written. No engine, no clock, no I/O.
//!
//! Read [`Digit`], [`Cell`], [`House`] and [`Cage`] first, then [`PuzzleDraft`] (what was handed in) and
//! [`Puzzle`] (what has been checked), then [`Position`] (what has been done to it). [`notation`] is how
//! cells and conclusions are written everywhere; [`formats`] reads and writes whole puzzles, [`symmetry`] shows
//! them under other faces.

mod cage;
mod cell;
mod digit;
mod draft;
mod fault;
pub mod formats;
mod house;
mod layout;
pub mod notation;
mod position;
#[expect(clippy::module_inception, reason = "the file is named after the one thing it holds")]
mod puzzle;
mod solution;
mod structure;
pub mod symmetry;

pub use cage::{Cage, CageId, Operation, is_met};
pub use cell::Cell;
pub use digit::{Digit, DigitSet, Digits};
pub use draft::{CageDraft, PuzzleDraft, RegionsDraft};
pub use fault::{Fault, Faults};
pub use house::{House, HouseId, HouseKind};
pub use layout::{BoxShape, Layout, Regions};
pub use position::Position;
pub use puzzle::Puzzle;
pub use solution::Solution;
