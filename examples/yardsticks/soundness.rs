//! Every step proved by the checker and compared with the solutions, over all there is to solve.

use std::collections::BTreeMap;
use std::fs;
use std::ops::ControlFlow;
use std::path::Path;
use std::sync::Arc;

use sleuth::engine::budget::Budget;
use sleuth::engine::generate::classic::{self, Maker, Wish};
use sleuth::engine::logic::path::{Facts, PathEnd, all_steps, deduce};
use sleuth::engine::logic::registry::{TECHNIQUES, technique};
use sleuth::engine::logic::verify::{NodeCap, verify};
use sleuth::engine::logic::{Conclusion, MAX_SIZE, Step};
use sleuth::engine::search::{Engine, Verdict};
use sleuth::engine::solve::{SolveEvent, SolveOptions, solve};
use sleuth::puzzle::formats::{self, corpus};
use sleuth::puzzle::{Position, Puzzle, Solution};

use super::library::Case;
use super::{Fault, Table, cores};

/// What each row may spend where all steps are wanted: enough for all but the largest fish.
const ROW_WORK: u64 = 50_000;

/// Of puzzles with several solutions, steps are compared with so many.
const SOLUTIONS: u64 = 100;

/// The seed of the puzzles made here.
const SEED: u64 = 2_026;

/// A puzzle, how it is named in messages, and the solutions that steps must agree with.
struct Known {
    name: String,
    puzzle: Arc<Puzzle>,
    solutions: Vec<Solution>,
    facts: Facts,
}

impl Known {
    /// Counts the solutions.
    fn new(name: String, puzzle: Puzzle) -> Known {
        let mut solutions = Vec::new();
        let search = Engine::default().search();
        let count = search.count(&puzzle, SOLUTIONS, &mut Budget::unlimited(), &mut |solution| {
            solutions.push(solution.clone());
        });
        let facts = Facts { unique: count.verdict() == Verdict::One };
        Known { name, puzzle: Arc::new(puzzle), solutions, facts }
    }
}

/// How often a technique was seen.
#[derive(Clone, Copy, Default)]
struct Seen {
    steps: usize,
    puzzles: usize,
    /// The number of the first of these puzzles.
    first: usize,
}

/// What was seen.
#[derive(Default)]
struct Tally {
    puzzles: usize,
    solved: usize,
    steps: usize,
    /// What was seen on paths, by technique.
    on_paths: BTreeMap<&'static str, Seen>,
    /// The same where all steps were looked for.
    listed: BTreeMap<&'static str, Seen>,
    /// Steps that contradict a solution or fail the checker.
    faults: Vec<String>,
    /// Steps that rely on uniqueness where there are several solutions.
    relying: Vec<String>,
}

impl Tally {
    /// Walks the path of a puzzle. Of one in `stride` positions, which depends on its number, all steps are checked.
    fn walk(known: &Known, number: usize, stride: usize) -> Tally {
        let mut tally = Tally { puzzles: 1, ..Tally::default() };
        let mut position = Position::new(known.puzzle.clone());
        let mut count = number;
        let end = deduce(&mut position, known.facts, &mut Budget::unlimited(), &mut |before, step| {
            tally.check(known, before, &step);
            add(&mut tally.on_paths, &step);
            if count.is_multiple_of(stride) {
                tally.list(known, before);
            }
            count += 1;
        });
        tally.solved = usize::from(end == PathEnd::Solved);
        if end == PathEnd::Contradiction && !known.solutions.is_empty() {
            tally.faults.push(format!("{}: a contradiction", known.name));
        }
        for seen in tally.on_paths.values_mut().chain(tally.listed.values_mut()) {
            (seen.puzzles, seen.first) = (1, number);
        }
        tally
    }

    /// Checks every step of every row in a position.
    fn list(&mut self, known: &Known, position: &Position) {
        let ended = all_steps(position, known.facts, ROW_WORK, &mut Budget::unlimited(), &mut |step| {
            self.check(known, position, &step);
            add(&mut self.listed, &step);
            ControlFlow::Continue(())
        });
        ended.expect("no budget to run out");
    }

    fn check(&mut self, known: &Known, position: &Position, step: &Step) {
        self.steps += 1;
        let said = || {
            let conclusions = step.conclusions.iter().map(|said| said.notation(position.size()));
            format!("{}: {}: {}", known.name, step.technique, conclusions.collect::<Vec<_>>().join(" "))
        };
        if let Err(refusal) = verify(position, step, known.facts, NodeCap::default()) {
            self.faults.push(format!("{}: {refusal}", said()));
        }
        let is_so =
            |solution: &Solution| step.conclusions.iter().all(|&conclusion| agrees(conclusion, solution));
        if !known.solutions.iter().all(is_so) {
            self.faults.push(format!("{}: against a solution", said()));
        }
        let row = technique(step.technique.as_str()).expect("a row");
        if !known.facts.unique && (step.relies_on_uniqueness() || row.needs.unique) {
            self.relying.push(said());
        }
    }

    fn join(&mut self, other: Tally) {
        self.puzzles += other.puzzles;
        self.solved += other.solved;
        self.steps += other.steps;
        self.faults.extend(other.faults);
        self.relying.extend(other.relying);
        for (all, more) in [(&mut self.on_paths, other.on_paths), (&mut self.listed, other.listed)] {
            for (slug, more) in more {
                let seen = all.entry(slug).or_insert(Seen { first: more.first, ..Seen::default() });
                seen.steps += more.steps;
                seen.puzzles += more.puzzles;
            }
        }
    }

    fn report(&self, what: &str, table: &mut Table) {
        for fault in self.faults.iter().chain(&self.relying) {
            println!("{what}: {fault}");
        }
        let of = format!("{} steps, {} puzzles, {} solved", self.steps, self.puzzles, self.solved);
        table.faults(&format!("{what}: steps against a solution or not proved"), self.faults.len(), &of);
    }
}

fn add(seen: &mut BTreeMap<&'static str, Seen>, step: &Step) {
    let row = technique(step.technique.as_str()).expect("a row");
    seen.entry(row.slug).or_default().steps += 1;
}

fn agrees(conclusion: Conclusion, solution: &Solution) -> bool {
    let digit = solution.digits()[conclusion.cell().index()];
    (digit == conclusion.digit()) == matches!(conclusion, Conclusion::Place(..))
}

/// Joins what was seen of so many puzzles.
fn walk_all(name: &str, count: usize, walk: impl Fn(usize) -> Tally + Sync) -> Tally {
    let mut all = Tally::default();
    cores::each(name, count, || (), |(), number| walk(number)).into_iter().for_each(|tally| all.join(tally));
    all
}

/// Of a search set, so many puzzles, evenly spread; of sets that are not told here all.
const SAMPLES: &[(&str, usize)] = &[("5_forum_hardest_1905_11plus.txt", 200)];

/// Every puzzle of the data, a file each. What is no puzzle at all, as much of set 9 is not, is not counted.
pub fn data(folder: &Path, stride: usize, table: &mut Table) -> Result<(), Fault> {
    for file in files(&folder.join("search"), "txt")? {
        let text = fs::read_to_string(&file)?;
        let all: Vec<&str> = text.lines().filter(|line| line.len() >= 81).map(|line| &line[..81]).collect();
        let name = name(&file);
        let wanted =
            SAMPLES.iter().find(|(sampled, _)| *sampled == name).map_or(all.len(), |(_, count)| *count);
        let every = (all.len() / wanted).max(1);
        let puzzles: Vec<&str> = all.into_iter().step_by(every).take(wanted).collect();
        let walk = |number: usize| {
            let text = puzzles[number];
            let puzzle = formats::read(text).map_err(|faults| faults.to_string());
            puzzle.map_or_else(
                |_| Tally::default(),
                |puzzle| Tally::walk(&Known::new(text.to_owned(), puzzle), number, stride),
            )
        };
        walk_all(&name, puzzles.len(), walk).report(&format!("search/{name}"), table);
    }
    for file in files(&folder.join("variants"), "jsonl")? {
        let text = fs::read_to_string(&file)?;
        let lines: Vec<&str> = text.lines().filter(|line| !line.is_empty()).collect();
        let walk = |number: usize| {
            let line = corpus::read_line(lines[number]).expect("a line of the corpora");
            match line.puzzle.size() {
                ..=MAX_SIZE => Tally::walk(&Known::new(line.id, line.puzzle), number, stride),
                _ => Tally::default(),
            }
        };
        let name = name(&file);
        walk_all(&name, lines.len(), walk).report(&format!("variants/{name}"), table);
    }
    positions(folder, table)
}

/// The paths of what is rated in `logic/`, and all steps in the positions of the cases.
fn positions(folder: &Path, table: &mut Table) -> Result<(), Fault> {
    for name in ["mix200.txt", "se_ratings.csv", "hodoku_ratings.csv"] {
        let text = fs::read_to_string(folder.join("logic").join(name))?;
        let puzzles: Vec<&str> =
            text.lines().filter_map(|line| line.get(..81)).filter(|line| !line.contains(',')).collect();
        let walk = |number: usize| {
            let text = puzzles[number];
            let puzzle = formats::read(text).expect("a puzzle");
            Tally::walk(&Known::new(text.to_owned(), puzzle), number, 100)
        };
        walk_all(name, puzzles.len(), walk).report(&format!("logic/{name}"), table);
    }
    for name in ["technique_cases.txt", "hodoku_steps.tsv"] {
        let text = fs::read_to_string(folder.join("logic").join(name))?;
        let cases: Vec<Case> = text.lines().filter_map(Case::read).collect();
        let walk = |number: usize| {
            let case = &cases[number];
            let puzzle = Puzzle::clone(case.position.puzzle());
            let known = Known::new(case.line.clone(), puzzle);
            let mut tally = Tally { puzzles: 1, ..Tally::default() };
            tally.list(&known, &case.position);
            tally
        };
        walk_all(name, cases.len(), walk).report(&format!("logic/{name}, all steps"), table);
    }
    Ok(())
}

fn files(folder: &Path, extension: &str) -> Result<Vec<std::path::PathBuf>, Fault> {
    let mut files =
        fs::read_dir(folder)?.map(|entry| Ok(entry?.path())).collect::<Result<Vec<_>, Fault>>()?;
    files.retain(|file| file.extension().is_some_and(|found| found == extension));
    files.sort();
    Ok(files)
}

fn name(file: &Path) -> String {
    file.file_name().unwrap_or_default().to_string_lossy().into_owned()
}

/// So many puzzles with several solutions, solved as a job solves them.
const SEVERAL: usize = 300;

/// Puzzles with several solutions: no step relies on uniqueness.
pub fn several(folder: &Path, table: &mut Table) -> Result<(), Fault> {
    let text = fs::read_to_string(folder.join("search/7_serg_multi_solution.txt"))?;
    let lines: Vec<&str> = text.lines().filter_map(|line| line.get(..81)).collect();
    let puzzles: Vec<&str> = lines.iter().step_by(lines.len() / SEVERAL).copied().take(SEVERAL).collect();
    let walk = |number: usize| {
        let known = Known::new(puzzles[number].to_owned(), formats::read(puzzles[number]).expect("a puzzle"));
        let mut tally = Tally { puzzles: 1, ..Tally::default() };
        let solved = solve(&known.puzzle, &SolveOptions::default(), &mut Budget::unlimited(), &mut |event| {
            if let SolveEvent::Step(before, step) = event {
                tally.check(&known, before, &step);
            }
        });
        solved.expect("logic takes on 9×9");
        tally.list(&known, &Position::new(known.puzzle.clone()));
        tally
    };
    let tally = walk_all("several", puzzles.len(), walk);
    tally.report("several solutions", table);
    let of = format!("{} steps, {} puzzles", tally.steps, tally.puzzles);
    table.faults("several solutions: steps that rely on one", tally.relying.len(), &of);
    Ok(())
}

/// Random minimal puzzles, and how often each technique is seen on their paths.
pub fn generated(count: u32, stride: usize, table: &mut Table) -> Result<(), Fault> {
    let walk = |maker: &mut Maker, number: usize| {
        let made = maker.make(&Wish::minimal(), SEED, number as u32, &mut Budget::unlimited());
        let made = made.expect("no budget to run out").expect("any puzzle will do");
        let known = Known {
            name: made.text(),
            puzzle: Arc::new(formats::read(&made.text()).expect("a puzzle")),
            solutions: vec![classic::solution(&made.digits)],
            facts: Facts { unique: true },
        };
        Tally::walk(&known, number, stride)
    };
    let mut all = Tally::default();
    for tally in cores::each("generated", count as usize, Maker::new, walk) {
        all.join(tally);
    }
    println!("technique                             steps on paths   puzzles    first   listed steps");
    for row in TECHNIQUES {
        let Seen { steps, puzzles, first } = all.on_paths.get(row.slug).copied().unwrap_or_default();
        let listed = all.listed.get(row.slug).map_or(0, |seen| seen.steps);
        println!("{:36} {steps:15} {puzzles:9} {first:8} {listed:14}", row.slug);
    }
    all.report("puzzles made here", table);
    Ok(())
}
