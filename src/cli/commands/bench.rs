//! `sleuth bench`: how fast the search is, alone and in turns with other programs.

use std::time::Duration;

use super::{print, print_json};
use crate::bench::ours::{BatchContender, ClassicContender, EngineContender};
use crate::bench::peer::Peer;
use crate::bench::signature::Signature;
use crate::bench::turns::{self, Measured, MeasuredMaking};
use crate::bench::{BenchError, Contender, PuzzleSet};
use crate::cli::args::{BenchArguments, BenchEngine};
use crate::cli::exit::{Failure, Outcome};
use crate::cli::report::bench::{BenchReport, MakingReport, RowReport, SetReport};
use crate::cli::table::Table;
use crate::engine::search::classic::Instructions;

/// Measures and prints, set by set. The answer is no if anybody counts otherwise than the first.
pub fn run(arguments: &BenchArguments) -> Result<Outcome, Failure> {
    let sets = sets(arguments)?;
    let mut contenders = contenders(arguments)?;
    let mut report = BenchReport { signature: signature()?, sets: Vec::new(), generation: Vec::new() };
    let mut is_agreed = true;
    for set in &sets {
        let set = set.expanded(arguments.puzzles as usize, arguments.seed);
        let rows = turns::solve(&set, arguments.passes.into(), &mut contenders)?;
        is_agreed &= rows.iter().all(|row| row.agrees);
        if !arguments.json {
            print(&set_text(&set, &rows))?;
        }
        report.sets.push(SetReport { name: set.name, rows: rows.iter().map(RowReport::from).collect() });
    }
    if let Some(count) = arguments.generate {
        let rows = turns::generate(count, arguments.seed, arguments.passes.into(), &mut contenders)?;
        if !arguments.json {
            print(&making_text(&rows))?;
        }
        report.generation = rows.iter().map(MakingReport::from).collect();
    }
    if arguments.json {
        print_json(&report)?;
    } else {
        print(&format!("signature {}\n", report.signature))?;
    }
    Ok(if is_agreed { Outcome::Yes } else { Outcome::No })
}

impl From<BenchError> for Failure {
    fn from(error: BenchError) -> Failure {
        match error {
            BenchError::File { .. } | BenchError::NoPuzzles { .. } | BenchError::Start { .. } => {
                Failure::invalid(error.to_string())
            }
            BenchError::Silent { .. } | BenchError::Ended { .. } | BenchError::Nonsense { .. } => {
                Failure::failed(error.to_string())
            }
        }
    }
}

/// The sets that the arguments name.
fn sets(arguments: &BenchArguments) -> Result<Vec<PuzzleSet>, BenchError> {
    let mut sets = match &arguments.data {
        Some(folder) => PuzzleSet::read_folder(folder)?,
        None => Vec::new(),
    };
    for file in &arguments.files {
        sets.push(PuzzleSet::read(file)?);
    }
    Ok(if sets.is_empty() { PuzzleSet::built_in() } else { sets })
}

/// Our engines, then the peers.
fn contenders(arguments: &BenchArguments) -> Result<Vec<Box<dyn Contender>>, Failure> {
    let mut contenders: Vec<Box<dyn Contender>> = Vec::new();
    for &engine in &arguments.engines {
        contenders.push(contender(engine)?);
    }
    if arguments.engines.is_empty() {
        let classic = Instructions::ALL.into_iter().rev().filter_map(ClassicContender::new);
        contenders.extend(classic.map(|contender| Box::new(contender) as Box<dyn Contender>));
        contenders.push(Box::new(BatchContender));
        contenders.push(Box::new(EngineContender::general()));
    }
    for (name, command) in &arguments.peers {
        contenders.push(Box::new(Peer::start(name, command, arguments.patience)?));
    }
    Ok(contenders)
}

fn contender(engine: BenchEngine) -> Result<Box<dyn Contender>, Failure> {
    let instructions = match engine {
        BenchEngine::Avx512 => Instructions::Avx512,
        BenchEngine::Avx2 => Instructions::Avx2,
        BenchEngine::Portable => Instructions::Portable,
        BenchEngine::Batch => return Ok(Box::new(BatchContender)),
        BenchEngine::General => return Ok(Box::new(EngineContender::general())),
        BenchEngine::Dlx => return Ok(Box::new(EngineContender::dlx())),
    };
    match ClassicContender::new(instructions) {
        Some(contender) => Ok(Box::new(contender)),
        None => Err(Failure::invalid(format!("this processor has not got {}", instructions.word()))),
    }
}

/// The signature, which every set of instructions of this processor must give.
fn signature() -> Result<String, Failure> {
    let expected = Signature::of(Instructions::Portable).map(|signature| signature.to_string());
    for instructions in Instructions::ALL {
        let found = Signature::of(instructions).map(|signature| signature.to_string());
        if found.is_some() && found != expected {
            let word = instructions.word();
            return Err(Failure::failed(format!("{word} gives the signature {found:?}, not {expected:?}")));
        }
    }
    Ok(expected.expect("every processor has the portable instructions"))
}

fn set_text(set: &PuzzleSet, rows: &[Measured]) -> String {
    let mut table = Table::new(&["", "puzzles/s", "ns/puzzle", "nodes/puzzle", "first is", ""]);
    for row in rows {
        let nodes =
            row.nodes.map_or("-".to_owned(), |nodes| format!("{:.2}", nodes as f64 / row.puzzles as f64));
        let note = match (row.agrees, row.puzzles == set.lines.len() as u64) {
            (false, _) => format!("counts otherwise: {}", solutions_text(row.solutions)),
            (true, false) => format!("on {} puzzles", row.puzzles),
            (true, true) => String::new(),
        };
        table.push(vec![
            format!("  {}", row.name),
            thousands(per_second(row.puzzles, row.time)),
            thousands(row.time.as_nanos() as f64 / row.puzzles as f64),
            nodes,
            format!("{:.2}x", row.first_is_faster),
            note,
        ]);
    }
    let counted = rows.first().map_or(String::new(), |row| solutions_text(row.solutions));
    format!("{}: {} puzzles, {counted}\n{}\n", set.name, set.lines.len(), table.with_numbers(&[1, 2, 3, 4]))
}

fn solutions_text([none, one, several]: [u64; 3]) -> String {
    format!("{none} without solution, {one} with one, {several} with several")
}

fn making_text(rows: &[MeasuredMaking]) -> String {
    let mut table = Table::new(&["", "puzzles/s", "us/puzzle", "clues", "first is"]);
    for row in rows {
        table.push(vec![
            format!("  {}", row.name),
            thousands(per_second(row.puzzles, row.time)),
            format!("{:.1}", row.time.as_secs_f64() * 1e6 / row.puzzles as f64),
            format!("{:.2}", row.clues),
            format!("{:.2}x", row.first_is_faster),
        ]);
    }
    format!("minimal puzzles made\n{}\n", table.with_numbers(&[1, 2, 3, 4]))
}

fn per_second(count: u64, time: Duration) -> f64 {
    count as f64 / time.as_secs_f64().max(f64::MIN_POSITIVE)
}

/// `1,234,567`.
fn thousands(number: f64) -> String {
    let digits = format!("{number:.0}");
    let mut text = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_readable() {
        let texts = [0.4, 12.0, 999.6, 1234.5, 1_000_000.0].map(thousands);
        assert_eq!(texts, ["0", "12", "1,000", "1,234", "1,000,000"]);
    }
}
