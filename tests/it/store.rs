//! The store, through one suite for every implementation.
