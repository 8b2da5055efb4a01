//! Our own engines as contenders.

use super::clock::timed;
use super::{BenchError, Contender, Line, Made, Tally};
use crate::engine::budget::Budget;
use crate::engine::generate::classic::{Maker, Wish};
use crate::engine::search::classic::{Batch, Instructions, Solver};
use crate::engine::search::{Engine, Search, general};
use crate::puzzle::formats;

/// Solutions are counted up to this many.
const LIMIT: u64 = 2;

/// The classic engine and the generator's core for plain boards with one set of instructions, one puzzle after
/// another.
pub struct ClassicContender {
    name: String,
    solver: Solver,
    maker: Maker,
}

impl ClassicContender {
    /// With these instructions, if the processor has them.
    pub fn new(instructions: Instructions) -> Option<ClassicContender> {
        let name = format!("classic {}", instructions.word());
        Some(ClassicContender {
            name,
            solver: Solver::with(instructions)?,
            maker: Maker::with(instructions)?,
        })
    }
}

impl Contender for ClassicContender {
    fn name(&self) -> &str {
        &self.name
    }

    fn count(&mut self, lines: &[Line]) -> Result<Tally, BenchError> {
        let mut tally = Tally::default();
        let (nodes, time) = timed(|| {
            let mut nodes = 0;
            for line in lines {
                let found = self.solver.count_text(line, LIMIT, &mut Budget::unlimited());
                tally.solutions[found.solutions as usize] += 1;
                nodes += found.guesses;
            }
            nodes
        });
        Ok(Tally { time, nodes: Some(nodes), ..tally })
    }

    fn generate(&mut self, count: u64, seed: u64) -> Result<Option<Made>, BenchError> {
        let mut made = Made::default();
        let wish = Wish::minimal();
        let ((), time) = timed(|| {
            for attempt in 0..=u32::MAX {
                if made.puzzles == count {
                    break;
                }
                let puzzle = self.maker.make(&wish, seed, attempt, &mut Budget::unlimited());
                if let Ok(Some(puzzle)) = puzzle {
                    made.puzzles += 1;
                    made.clues += u64::from(puzzle.count());
                }
            }
        });
        Ok(Some(Made { time, ..made }))
    }
}

/// The classic engine with the best instructions, all puzzles in one call, on one thread.
pub struct BatchContender;

impl Contender for BatchContender {
    fn name(&self) -> &str {
        "classic batch"
    }

    fn count(&mut self, lines: &[Line]) -> Result<Tally, BenchError> {
        let mut tally = Tally::default();
        let (nodes, time) = timed(|| {
            let mut nodes = 0;
            Batch::new(LIMIT).count_lines(lines, &mut Budget::unlimited(), &mut |count| {
                tally.solutions[count.solutions as usize] += 1;
                nodes += count.nodes;
            });
            nodes
        });
        Ok(Tally { time, nodes: Some(nodes), ..tally })
    }

    fn generate(&mut self, _count: u64, _seed: u64) -> Result<Option<Made>, BenchError> {
        Ok(None)
    }
}

/// An engine for every kind of puzzle, through the text and the checks that every puzzle goes through.
pub struct EngineContender {
    name: &'static str,
    search: &'static dyn Search,
}

impl EngineContender {
    /// The general engine itself, which does not hand on to the classic one.
    pub fn general() -> EngineContender {
        EngineContender { name: "general", search: &general::General }
    }

    /// The plain witness.
    pub fn dlx() -> EngineContender {
        EngineContender { name: "dlx", search: Engine::Dlx.search() }
    }
}

impl Contender for EngineContender {
    fn name(&self) -> &str {
        self.name
    }

    fn most_puzzles(&self) -> usize {
        1_000
    }

    fn count(&mut self, lines: &[Line]) -> Result<Tally, BenchError> {
        let mut tally = Tally::default();
        let (nodes, time) = timed(|| {
            let mut nodes = 0;
            for line in lines {
                let text = String::from_utf8_lossy(line);
                // A board that is refused breaks a rule outright.
                let Ok(puzzle) = formats::read_as(formats::Format::Line, &text) else {
                    tally.solutions[0] += 1;
                    continue;
                };
                let count = self.search.count(&puzzle, LIMIT, &mut Budget::unlimited(), &mut |_| {});
                tally.solutions[count.solutions as usize] += 1;
                nodes += count.nodes;
            }
            nodes
        });
        Ok(Tally { time, nodes: Some(nodes), ..tally })
    }

    fn generate(&mut self, _count: u64, _seed: u64) -> Result<Option<Made>, BenchError> {
        Ok(None)
    }
}
