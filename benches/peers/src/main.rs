//! Other people's solvers behind the protocol of `sleuth bench --peer`: reads requests from standard input, answers
//! on standard output, and times its own work in CPU time of its thread.
//!
//! `sleuth-peers sudoku` is the `sudoku` crate (Emerentius) by its fastest entry points: 81 characters through
//! `Sudoku::from_str_line`, `solutions_count_up_to(2)`; full grids and minimal puzzles with a small generator of
//! random numbers. To add a peer, add a row to [`PEERS`].

use std::error::Error;
use std::io::{BufRead, Write};

use rand::SeedableRng;
use rand::rngs::SmallRng;
use rustix::time::{ClockId, clock_gettime};
use sudoku::{Sudoku, Symmetry};

/// The longest batch.
const MAX_LINES: usize = 10_000_000;

/// A solver from a registry.
struct Peer {
    name: &'static str,
    /// Solutions of 81 characters, up to 2.
    count: fn(&str) -> usize,
    /// Makes a minimal puzzle; returns how many clues it has.
    generate: fn(&mut SmallRng) -> u64,
}

const PEERS: &[Peer] = &[Peer { name: "sudoku", count: count_with_sudoku, generate: generate_with_sudoku }];

fn count_with_sudoku(line: &str) -> usize {
    // What the crate refuses to read breaks a rule outright.
    Sudoku::from_str_line(line).map_or(0, |sudoku| sudoku.solutions_count_up_to(2))
}

fn generate_with_sudoku(random: &mut SmallRng) -> u64 {
    let grid = Sudoku::generate_solved_with_rng(random);
    let puzzle = Sudoku::generate_with_symmetry_and_rng_from(grid, Symmetry::None, random);
    u64::from(puzzle.n_clues())
}

fn main() -> Result<(), Box<dyn Error>> {
    let name = std::env::args().nth(1).unwrap_or_else(|| "sudoku".to_owned());
    let peer = PEERS.iter().find(|peer| peer.name == name).ok_or_else(|| {
        let names: Vec<&str> = PEERS.iter().map(|peer| peer.name).collect();
        format!("there is no peer `{name}`, but: {}", names.join(", "))
    })?;
    let mut input = std::io::stdin().lock();
    let mut request = String::new();
    while {
        request.clear();
        input.read_line(&mut request)?
    } > 0
    {
        let answer = match request.split_whitespace().collect::<Vec<_>>()[..] {
            ["generate", count, seed] => generate(peer, count.parse()?, seed.parse()?),
            [count] => solve(peer, &read_lines(&mut input, count.parse()?)?),
            _ => return Err(format!("`{}` is no request", request.trim_end()).into()),
        };
        let mut output = std::io::stdout().lock();
        writeln!(output, "{answer}")?;
        output.flush()?;
    }
    Ok(())
}

fn read_lines(input: &mut impl BufRead, count: usize) -> Result<Vec<String>, Box<dyn Error>> {
    if count > MAX_LINES {
        return Err(format!("{count} lines are more than {MAX_LINES}").into());
    }
    let lines: Vec<String> = input.lines().take(count).collect::<Result<_, _>>()?;
    if lines.len() < count {
        return Err(format!("the input ended after {} of {count} lines", lines.len()).into());
    }
    Ok(lines)
}

fn solve(peer: &Peer, lines: &[String]) -> String {
    let mut seen = [0u64; 3];
    let begin = cpu_nanoseconds();
    for line in lines {
        seen[(peer.count)(line).min(2)] += 1;
    }
    let spent = cpu_nanoseconds() - begin;
    format!("{spent} {} {} {} -", seen[0], seen[1], seen[2])
}

fn generate(peer: &Peer, count: u64, seed: u64) -> String {
    let mut random = SmallRng::seed_from_u64(seed);
    let begin = cpu_nanoseconds();
    let clues: u64 = (0..count).map(|_| (peer.generate)(&mut random)).sum();
    let spent = cpu_nanoseconds() - begin;
    format!("{spent} {count} {clues}")
}

/// CPU time of this thread.
fn cpu_nanoseconds() -> i64 {
    let time = clock_gettime(ClockId::ThreadCPUTime);
    time.tv_sec * 1_000_000_000 + time.tv_nsec
}
