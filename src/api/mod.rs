//! (see the crate map)
