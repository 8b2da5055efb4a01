//! The one integration test binary: what crosses a floor or reads a fixture.

mod engines;
mod floors;
mod formats;
mod proofs;
mod support;
mod techniques;
