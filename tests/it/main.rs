//! The one integration test binary: what crosses a floor or reads a fixture.

mod engines;
mod faces;
mod floors;
mod formats;
mod generating;
mod proofs;
mod rating;
mod solving;
mod support;
mod techniques;
