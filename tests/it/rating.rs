//! Ratings: the same for every face, and what puzzles are rated that cannot be rated like others.

mod explainer;
mod hodoku;

use std::sync::Arc;

use sleuth::engine::budget::{Budget, CancelFlag, Stopped};
use sleuth::engine::generate::rng::Stream;
use sleuth::engine::generate::{Recipe, Symmetry, generate};
use sleuth::engine::logic::registry::{TECHNIQUES, technique};
use sleuth::engine::logic::{Level, Slug, Technique};
use sleuth::engine::rate::{RateOutcome, Rating, SEARCHED_CELL_SCORE, Scale, check, rate};
use sleuth::engine::search::Verdict;
use sleuth::puzzle::formats::corpus;
use sleuth::puzzle::{BoxShape, Layout, Puzzle, PuzzleDraft, RegionsDraft};

use crate::faces::random_face;
use crate::solving::beyond;
use crate::support;
use crate::techniques::paths::{CHOSEN, minimal};

fn classic(line: &str) -> Puzzle {
    let givens = line.chars().map(|symbol| symbol.to_digit(10).unwrap_or(0)).collect();
    let draft =
        PuzzleDraft { regions: RegionsDraft::Boxes { rows: 3, columns: 3 }, givens, ..PuzzleDraft::latin(9) };
    draft.check().expect("a puzzle")
}

fn rated(puzzle: &Puzzle) -> RateOutcome {
    rate(&Arc::new(puzzle.clone()), Scale::Sleuth, &mut Budget::unlimited())
}

/// Rates a puzzle and some of its faces; all must agree. Gives the rating, if the puzzle has one.
fn check_faces(name: &str, puzzle: &Puzzle, faces: u32) -> Option<Rating> {
    let outcome = rated(puzzle);
    for number in 0..faces {
        let face = random_face(puzzle, &mut Stream::new(11, number));
        let other = rated(&face);
        assert_eq!(other.verdict, outcome.verdict, "{name}, face {number}");
        assert_eq!(other.rating, outcome.rating, "{name}, face {number}: {:?}", face.givens());
    }
    outcome.rating
}

fn generated(size: (u8, u8), level: Level, seed: u64) -> Puzzle {
    let recipe = Recipe {
        levels: level..=level,
        symmetry: Symmetry::HalfTurn,
        ..Recipe::any(Layout::boxed(BoxShape { rows: size.0, columns: size.1 }), seed)
    };
    let recipe = recipe.check().expect("a recipe");
    let outcome = generate(&recipe, &mut Budget::unlimited(), &mut |_| {});
    outcome.generated.expect("a puzzle of this level").puzzle
}

#[test]
fn what_is_not_rated() {
    let several = rated(&classic(&".".repeat(81)));
    assert_eq!(several.verdict, Verdict::Several { count: 2, complete: false });
    assert_eq!((several.rating, several.solution, several.stopped), (None, None, None));
    let none = rated(&classic(&format!("12345678.........9{}", ".".repeat(63))));
    assert_eq!((none.verdict, none.rating), (Verdict::None, None));
}

#[test]
fn a_full_grid_is_easy() {
    let grid = "123456789456789123789123456214365897365897214897214365531642978642978531978531642";
    let rating = rated(&classic(grid)).rating.expect("one solution");
    assert_eq!((rating.level, rating.score, rating.hardest), (Some(Level::Easy), 0, None));
    assert!(rating.counts.is_empty());
}

/// The score is what the rows used and the cells searched add up to, and the level that of the hardest.
#[test]
fn readings_add_up() {
    let easy = classic("530070000600195000098000060800060003400803001700020006060000280000419005000080079");
    let extreme =
        classic("800000000003600000070090200050007000000045700000100030001000068008500010090000400");
    for (puzzle, level, is_searched) in [
        (easy, Level::Easy, false),
        (extreme, Level::Extreme, false),
        (beyond().as_ref().clone(), Level::Extreme, true),
    ] {
        let rating = rated(&puzzle).rating.expect("one solution");
        assert_eq!(rating.level, Some(level));
        assert_eq!(rating.searched_cells > 0, is_searched);
        let score = |slug: &Slug| technique(slug.as_str()).expect("a row").score;
        let sum: u32 = rating.counts.iter().map(|(slug, count)| score(slug) * count).sum();
        assert_eq!(rating.score, sum + rating.searched_cells * SEARCHED_CELL_SCORE);
        let places: Vec<Option<usize>> = rating
            .counts
            .iter()
            .map(|(slug, _)| TECHNIQUES.iter().position(|row| row.slug == slug.as_str()))
            .collect();
        assert!(places.is_sorted(), "{:?}", rating.counts);
        assert_eq!(rating.hardest.as_ref(), rating.counts.last().map(|(slug, _)| slug));
    }
}

/// A cell that search fills weighs more than any step, or a puzzle could gain by what logic cannot do.
#[test]
fn searched_cells_weigh_most() {
    assert!(TECHNIQUES.iter().all(|row| row.score <= SEARCHED_CELL_SCORE));
}

#[test]
fn boards_past_the_limit_are_named() {
    let puzzle = PuzzleDraft::latin(17).check().expect("a puzzle");
    let refused = check(&puzzle, Scale::Sleuth).expect_err("too large").to_string();
    assert!(refused.contains("16") && refused.contains("17"), "{refused}");
    let mut draft = PuzzleDraft::latin(17);
    draft.givens = (0..17 * 17).map(|index| (index % 17 + index / 17) % 17 + 1).collect();
    let outcome = rated(&draft.check().expect("a puzzle"));
    assert_eq!((outcome.verdict, outcome.rating), (Verdict::One, None));
}

#[test]
fn a_rating_stops() {
    let puzzle = Arc::new(classic(
        "800000000003600000070090200050007000000045700000100030001000068008500010090000400",
    ));
    let flag = CancelFlag::new();
    flag.raise();
    let outcome = rate(&puzzle, Scale::Sleuth, &mut Budget::new(u64::MAX, flag));
    assert_eq!((outcome.stopped, outcome.rating), (Some(Stopped::Cancelled), None));
    let outcome = rate(&puzzle, Scale::Sleuth, &mut Budget::new(10, CancelFlag::new()));
    assert_eq!((outcome.stopped, outcome.rating), (Some(Stopped::Exhausted), None));
    assert!(matches!(outcome.verdict, Verdict::GaveUp { .. }), "{:?}", outcome.verdict);
}

/// Puzzles of every level, made here, so that this runs without any data.
#[test]
fn faces_of_generated_puzzles_rate_alike() {
    for level in [Level::Easy, Level::Medium, Level::Hard, Level::Extreme] {
        for seed in 0..3 {
            let puzzle = generated((3, 3), level, seed);
            let rating = check_faces(&format!("{level} {seed}"), &puzzle, 4).expect("one solution");
            assert_eq!(rating.level, Some(level));
        }
        let small = if level == Level::Easy { 4 } else { 0 };
        for seed in 0..small {
            check_faces("2x3", &generated((2, 3), level, seed), 4).expect("one solution");
        }
    }
}

/// Rows that paths look for, and that neither the corpus nor the puzzles chosen for it bring up: an easier row
/// says the same before them. Their steps are compared in `techniques/turned.rs`.
const NOT_RATED: &[&str] = &[
    "hidden-quadruple",
    "avoidable-rectangle-1",
    "avoidable-rectangle-2",
    "unique-loop-2",
    "jellyfish",
    "multi-colours-2",
    "continuous-nice-loop",
    "grouped-continuous-nice-loop",
    "franken-x-wing",
    "firework-triple",
    "franken-swordfish",
    "firework-quadruple",
    "franken-jellyfish",
    "finned-franken-x-wing",
    "sk-loop",
    "junior-exocet",
    "senior-exocet",
    "cell-forcing-net",
    "house-forcing-net",
    "double-forcing-net",
    "template-set",
    "template-delete",
];

/// Every row that the corpus brings up is compared in several faces.
#[test]
fn faces_of_the_corpus_rate_alike() {
    let mut puzzles: Vec<(String, Puzzle)> = Vec::new();
    let Some(path) = support::data("logic/mix200.txt") else { return };
    let text = std::fs::read_to_string(path).expect("readable");
    puzzles.extend(text.lines().map(|line| (line.to_owned(), classic(line))));
    // Nets within nets.
    let hardest = "57....9..........8.1.........168..4......28.9..2.9416.....2.....6.9.82.4...41.6..";
    puzzles.push((hardest.to_owned(), classic(hardest)));
    for file in ["bench_sudoku", "bench_killer", "bench_kenken"] {
        let Some(path) = support::data(&format!("variants/{file}.jsonl")) else { continue };
        let text = std::fs::read_to_string(path).expect("readable");
        let all: Vec<&str> = text.lines().collect();
        let every = (all.len() / 40).max(1);
        puzzles.extend(all.into_iter().step_by(every).map(|line| {
            let read = corpus::read_line(line).unwrap_or_else(|faults| panic!("{faults}: {line}"));
            (read.id, read.puzzle)
        }));
    }
    let mut used = std::collections::BTreeMap::new();
    for number in CHOSEN {
        let counts = check_faces(&number.to_string(), &minimal(*number).0, 1).expect("one solution").counts;
        counts.iter().for_each(|(slug, _)| *used.entry(slug.to_string()).or_insert(0u32) += 1);
    }
    for (name, puzzle) in puzzles.iter().filter(|(_, puzzle)| check(puzzle, Scale::Sleuth).is_ok()) {
        for (slug, _) in check_faces(name, puzzle, 3).into_iter().flat_map(|rating| rating.counts) {
            *used.entry(slug.to_string()).or_insert(0u32) += 1;
        }
    }
    let is_untried = |row: &&Technique| row.on_path && !used.contains_key(row.slug);
    let untried: Vec<&str> = TECHNIQUES.iter().filter(is_untried).map(|row| row.slug).collect();
    assert_eq!(untried, NOT_RATED, "puzzles in which each row fired: {used:?}");
}
