//! The command line of Sleuth.

use std::process::ExitCode;

use clap::Parser;
use mimalloc::MiMalloc;
use sleuth::cli;

/// A fifth of the daemon's time under load went to the system's allocator: much of what one thread makes is dropped by
/// another.
#[global_allocator]
static ALLOCATOR: MiMalloc = MiMalloc;

fn main() -> ExitCode {
    cli::exit::conclude(cli::run(cli::Arguments::parse()))
}
