//! The command line of Sleuth.

fn main() {}
