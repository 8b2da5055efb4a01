//! Floor 5: the command line. Reads arguments, asks an engine or a daemon, prints answers; it decides nothing.
//!
//! Read [`args`] first (types alone), then [`exit`] (what a script learns from the exit code), [`source`] (where
//! puzzle text comes from), [`report`] (answers as values, the same from a daemon and in process), [`render`]
//! and [`table`] (answers for people), and [`commands`], one file each.

pub mod args;
pub mod commands;
pub mod exit;
pub mod local;
pub mod news;
pub mod remote;
pub mod render;
pub mod report;
pub mod source;
pub mod table;

pub use args::Arguments;
pub use commands::run;
pub use exit::{Failure, Outcome};
