//! Sleuth: a daemon that solves, rates and generates sudoku, killer and KenKen puzzles, streams each deduction
//! while it is made, and proves it.
//!
//! # ARCHITECTURE
//!
//! Floors; a file may use lower floors and earlier parts of its own, never a higher one
//! (`tests/it/floors.rs` checks). Start reading at the bottom.
//!
//! | floor | modules | what it does | what stops here |
//! |---|---|---|---|
//! | 5 | `main.rs`, [`cli`] | read arguments, print answers | terminal |
//! | 4 | [`server`], [`config`], [`telemetry`] | start, serve, stop in order | sockets |
//! | 3 | [`api`] | messages to values and back, status codes, deadlines; the client | tonic, generated code |
//! | 2 | [`store`], [`archive`], [`jobs`], [`bench`](mod@bench) (in this order) | SQL; keep puzzles; submit, claim, run, watch; measure | SQL, threads, clocks, processes |
//! | 1 | [`engine`] (`search`, `logic`, `rate`, `generate`, and `solve` that joins the first two) | search, explain, prove, rate, generate | — |
//! | 0 | [`puzzle`] | what a puzzle is, how it is written | — |
//!
//! A request goes down: message → `api::convert` → `JobSpec` → `engine`. A value comes up: step, rating, puzzle →
//! `JobOutcome` → `api::convert` → message.

pub mod api;
pub mod archive;
pub mod bench;
pub mod cli;
pub mod config;
pub mod engine;
pub mod jobs;
pub mod puzzle;
pub mod server;
pub mod store;
pub mod telemetry;
