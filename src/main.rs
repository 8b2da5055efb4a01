//! The command line of Sleuth.

use std::process::ExitCode;

use clap::Parser;
use sleuth::cli;

fn main() -> ExitCode {
    cli::exit::conclude(cli::run(cli::Arguments::parse()))
}
