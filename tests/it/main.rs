//! The one integration test binary: what crosses a floor or reads a fixture.

mod api;
mod bench;
mod classic;
mod cli;
mod daemons;
mod disk;
mod engines;
mod faces;
mod faults;
mod floors;
mod formats;
mod generating;
mod harness;
mod jobs;
mod nodes;
mod players;
mod postgres;
mod proofs;
mod rating;
mod serving;
mod soak;
mod solving;
mod stopping;
mod store;
mod support;
mod techniques;
