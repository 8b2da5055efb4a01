//! The arguments of `bench`.

use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, ValueEnum};

/// What `bench --help` says about the table and about peers.
const MORE: &str = "\
All times are CPU time of one thread, from the text of a puzzle to its solutions counted up to 2. `first is` says how
many times as fast the first row is, as the median of all passes. Exit code 1: somebody counts otherwise.

Peers:
  A peer is a process that is asked on its standard input and answers on its standard output, one line a request:
    N, then N lines of 81 characters (1 to 9, .)   CPU_NS NONE ONE SEVERAL GUESSES
    generate N SEED                                CPU_NS PUZZLES CLUES
  CPU_NS is the CPU time it took, in nanoseconds, from the text on; NONE, ONE and SEVERAL say how many lines have so
  many solutions; GUESSES of all lines, or -. A peer that makes no puzzles answers - to generate. It ends with its
  input. COMMAND is a program and its arguments, blanks between.";

/// Arguments of `bench`.
#[derive(Args, Clone, Debug)]
#[command(after_long_help = MORE)]
pub struct BenchArguments {
    /// Files with a puzzle of 81 characters a line [default: the built-in sets]
    #[arg(value_name = "FILE")]
    pub files: Vec<PathBuf>,
    /// Folder whose *.txt files are sets too
    #[arg(long, value_name = "DIR")]
    pub data: Option<PathBuf>,
    /// Engines, the first being the measure [default: classic with each set of instructions, batch, general]
    #[arg(long = "engine", value_enum, value_name = "ENGINE")]
    pub engines: Vec<BenchEngine>,
    /// Another program to take turns with, as NAME=COMMAND; see the end of --help
    #[arg(long = "peer", value_name = "NAME=COMMAND", value_parser = peer)]
    pub peers: Vec<(String, String)>,
    /// Puzzles of each set at least, by other faces of its puzzles
    #[arg(long, default_value_t = 15_000, value_name = "COUNT", value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    pub puzzles: u32,
    /// Passes, of which the median counts
    #[arg(long, default_value_t = 5, value_name = "COUNT", value_parser = clap::value_parser!(u16).range(1..=1000))]
    pub passes: u16,
    /// Make so many minimal puzzles a pass, too
    #[arg(long, value_name = "COUNT", value_parser = clap::value_parser!(u64).range(1..=10_000_000))]
    pub generate: Option<u64>,
    /// Seed of faces and of puzzles made
    #[arg(long, default_value_t = 1, value_name = "NUMBER")]
    pub seed: u64,
    /// How long a peer may take for an answer
    #[arg(long, default_value = "120", value_name = "SECONDS", value_parser = super::seconds)]
    pub patience: Duration,
    /// Print JSON
    #[arg(long)]
    pub json: bool,
}

/// An engine that can be measured.
#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub enum BenchEngine {
    /// The classic engine with AVX-512.
    Avx512,
    /// The classic engine with AVX2.
    Avx2,
    /// The classic engine without special instructions.
    Portable,
    /// The classic engine with the best instructions, all puzzles of a pass in one call.
    Batch,
    /// The engine for every kind, on a thousand puzzles.
    General,
    /// Exact cover, on a thousand puzzles.
    Dlx,
}

/// `NAME=COMMAND`.
fn peer(text: &str) -> Result<(String, String), String> {
    let (name, command) = text.split_once('=').ok_or_else(|| format!("`{text}` is not NAME=COMMAND"))?;
    if name.trim().is_empty() || command.trim().is_empty() {
        return Err(format!("`{text}` lacks a name or a command"));
    }
    Ok((name.trim().to_owned(), command.trim().to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn peers() {
        assert_eq!(peer("a=b c=d"), Ok(("a".to_owned(), "b c=d".to_owned())));
        for text in ["", "a", "=b", "a=", " = "] {
            assert!(peer(text).is_err(), "{text}");
        }
    }
}
