//! The engine that deduces like a person and explains.
//!
//! Read [`step`], [`evidence`] and [`proof`] first: a step is data and carries its proof. Then [`technique`] (a row),
//! [`registry`] (the table), [`board`], `tally`, [`context`], [`memory`], [`links`] and [`sink`] (what finders read and
//! where they report), [`contradiction`] (where no more can be deduced), [`path`] (the table walked), [`single_digit`]
//! (one digit alone), [`verify`] (the checker, which knows no technique), [`explain`] (steps as sentences), [`record`]
//! (steps as JSON) and [`trace`] (a path as a file).
//! Logic never sees a solution and may not use [`super::search`].

pub mod als;
pub mod bits;
pub mod board;
pub mod cell_set;
pub mod context;
pub mod contradiction;
pub mod crossings;
pub mod evidence;
pub mod explain;
pub mod links;
pub mod mark;
pub mod memory;
pub mod path;
#[cfg(test)]
pub mod positions;
pub mod proof;
pub mod record;
pub mod rectangle;
pub mod registry;
pub mod single_digit;
pub mod sink;
pub mod step;
mod tally;
pub mod technique;
pub mod techniques;
pub mod trace;
pub mod verify;

pub use cell_set::CellSet;
pub use evidence::Single;
pub use mark::{CellList, Link, Mark, Role, Shape};
pub use proof::{Argument, Claim, Lemma, LinkSet, Literal, Premise, Premises, Proof, Swap};
pub use step::{Conclusion, Conclusions, Slug, Step};
pub use technique::{Level, Needs, Technique, Text};

/// The largest board that logic takes on.
pub const MAX_SIZE: usize = 16;
