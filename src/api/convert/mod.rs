//! Messages to values and back. Reading names every fault, each under the field it concerns; writing cannot fail.
//!
//! [`puzzle`] first, then [`step`] and [`proof`] (which [`reader`] reads; `wire` writes them faster, and `single` those
//! told most but once), [`player`], then [`spec`] (what a job is asked), [`job`] (what came of it) and [`answer`] (all that
//! read back, for the client). Nothing here answers a call.

pub mod answer;
pub mod job;
pub mod player;
pub mod proof;
pub mod puzzle;
pub mod reader;
mod single;
pub mod spec;
pub mod step;
mod wire;
pub mod words;
