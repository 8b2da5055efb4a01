//! Fuzzing, seeded: hostile text through every entry, and boards on which all engines must agree. A few seconds as a
//! test; for longer, `SLEUTH_SOAK_SECONDS=600 cargo test --release --test it soak -- --nocapture`. A failure names the
//! number of its round, which is all that the round depends on.

use std::env;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::{Duration, Instant};

use sleuth::engine::budget::Budget;
use sleuth::engine::budget::CancelFlag;
use sleuth::engine::generate::rng::Stream;
use sleuth::engine::search::classic::solver::{Candidates, Digits, Found, Solver};
use sleuth::engine::search::classic::{Instructions, candidates as plain_candidates};
use sleuth::engine::search::{Count, End, Engine, Search, general};
use sleuth::puzzle::formats::{self, Format};
use sleuth::puzzle::{DigitSet, PuzzleDraft, RegionsDraft};

const ALL: u16 = 0x1FF;

/// A full grid from which others are made by symmetries.
const GRID: &[u8; 81] = b"534678912672195348198342567859761423426853791713924856961537284287419635345286179";

/// What was done.
#[derive(Default, Debug)]
struct Tally {
    rounds: u64,
    texts: u64,
    texts_read: u64,
    boards: u64,
    /// Boards with no solution, one, several.
    solutions: [u64; 3],
    guesses: u64,
    /// Counts of the general engine and of exact cover that were compared; those that ran out of work are not.
    witnesses: u64,
}

#[test]
fn soak() {
    let seconds =
        env::var("SLEUTH_SOAK_SECONDS").map_or(5, |text| text.parse().expect("a number of seconds"));
    let first = env::var("SLEUTH_SOAK_FIRST").map_or(0, |text| text.parse().expect("the number of a round"));
    let mut solvers: Vec<Solver> = Instructions::ALL.into_iter().filter_map(Solver::with).collect();
    if solvers.len() < Instructions::ALL.len() {
        println!("skipped: this processor has not got every set of instructions");
    }
    let mut tally = Tally::default();
    let begin = Instant::now();
    while begin.elapsed() < Duration::from_secs(seconds) {
        let round = first + tally.rounds as u32;
        let result = catch_unwind(AssertUnwindSafe(|| {
            let mut stream = Stream::new(0x50AC, round);
            check_texts(&mut stream, &mut solvers, &mut tally);
            check_boards(&mut stream, &mut solvers, &mut tally);
        }));
        assert!(result.is_ok(), "round {round} failed: repeat it with SLEUTH_SOAK_FIRST={round}");
        tally.rounds += 1;
    }
    println!("{tally:?}");
    assert!(tally.texts_read > 0 && tally.texts_read < tally.texts && tally.witnesses > 0, "{tally:?}");
    assert!(tally.solutions.iter().all(|&count| count > 0), "{tally:?}");
}

/// A line of a random board: some cells of a grid, some of them wrong, the rest open.
fn line(stream: &mut Stream) -> [u8; 81] {
    let mut digits = *b"123456789";
    stream.shuffle(&mut digits);
    let clues = stream.below(82);
    let wrong = if stream.below(3) == 0 { stream.below(4) } else { 0 };
    let mut line = [b'.'; 81];
    for _ in 0..clues {
        let cell = stream.below(81) as usize;
        line[cell] = digits[usize::from(GRID[cell] - b'1')];
    }
    for _ in 0..wrong {
        line[stream.below(81) as usize] = b'1' + stream.below(9) as u8;
    }
    line
}

/// Text that is a puzzle, or was one before something happened to it.
fn text(stream: &mut Stream) -> Vec<u8> {
    let line = line(stream);
    let mut text = match stream.below(8) {
        0 => line.chunks(9).flat_map(|row| [row, b"\n"].concat()).collect(),
        1 => written(&line, Format::ALL[stream.below(Format::ALL.len() as u32) as usize]),
        2 => (0..stream.below(700)).map(|_| stream.below(256) as u8).collect(),
        3 => [b"3x3:".as_slice(), b"4:", b"9j:", b"{\"size\":", b"6x6dkmax:", b"\xef\xbb\xbf"]
            [stream.below(6) as usize]
            .iter()
            .chain(&line)
            .copied()
            .collect(),
        _ => line.to_vec(),
    };
    for _ in 0..stream.below(4) {
        harm(&mut text, stream);
    }
    text
}

/// A line as another format writes it.
fn written(line: &[u8; 81], format: Format) -> Vec<u8> {
    let text = String::from_utf8_lossy(line);
    let puzzle = formats::read_as(Format::Line, &text).ok();
    puzzle.and_then(|puzzle| formats::write(format, &puzzle).ok()).map_or(line.to_vec(), String::into_bytes)
}

/// One change for the worse.
fn harm(text: &mut Vec<u8>, stream: &mut Stream) {
    const HOSTILE: [&[u8]; 12] = [
        b"\0",
        b"\r\n",
        b"\xff",
        "９".as_bytes(),
        "\u{202e}".as_bytes(),
        b"-1",
        b"99999999999999999999",
        b"|",
        b"{",
        b"[[[[[[[[",
        b"_zzzzzzzz",
        b",",
    ];
    let at = stream.below(text.len() as u32 + 1) as usize;
    match stream.below(6) {
        0 => text.truncate(at),
        1 => drop(text.drain(..at)),
        2 => text.extend_from_within(at..),
        3 if at < text.len() => text[at] = stream.below(256) as u8,
        4 => text.push(b"123456789.0*_ \n"[stream.below(15) as usize]),
        _ => {
            let hostile = HOSTILE[stream.below(HOSTILE.len() as u32) as usize];
            text.splice(at..at, hostile.iter().copied());
        }
    }
}

/// Every entry takes any text: it reads it or names what is wrong, and what was read can be written and read again.
fn check_texts(stream: &mut Stream, solvers: &mut [Solver], tally: &mut Tally) {
    for _ in 0..20 {
        let bytes = text(stream);
        let text = String::from_utf8_lossy(&bytes);
        tally.texts += 1;
        let named = Format::ALL.map(|format| formats::read_as(format, &text));
        for puzzle in named.into_iter().chain([formats::read(&text)]).flatten() {
            tally.texts_read += 1;
            let json = formats::write(Format::Json, &puzzle).expect("JSON holds every puzzle");
            assert_eq!(formats::read_as(Format::Json, &json).as_ref(), Ok(&puzzle), "{text:?}");
        }
        // The fast entry takes any 81 bytes; what is no digit is an open cell.
        let mut line = [b'.'; 81];
        line.iter_mut().zip(&bytes).for_each(|(to, &byte)| *to = byte);
        let candidates = line.map(|byte| match byte {
            b'1'..=b'9' => 1 << (byte - b'1'),
            _ => ALL,
        });
        let expected = solvers[0].count(&candidates, 2, &mut Budget::new(20_000, CancelFlag::new()));
        for solver in solvers.iter_mut() {
            let found = solver.count_text(&line, 2, &mut Budget::new(20_000, CancelFlag::new()));
            assert_eq!(found, expected, "{line:?}");
        }
    }
}

/// A board, whose kind its number says: few cells open, many, near-empty, cells with some candidates, with wrong
/// digits, and mere noise.
fn board(kind: u32, stream: &mut Stream) -> Candidates {
    let line = line(stream);
    let mut board: Candidates = std::array::from_fn(|cell| match line[cell] {
        b'.' => ALL,
        digit => 1 << (digit - b'1'),
    });
    match kind {
        0 => {}
        1 => {
            let kept = stream.below(6);
            let clues: Vec<u16> = (0..kept).map(|_| 1 << stream.below(9)).collect();
            board = [ALL; 81];
            clues.into_iter().for_each(|clue| board[stream.below(81) as usize] = clue);
        }
        2 => {
            for (cell, digit) in GRID.iter().enumerate() {
                let other =
                    if stream.below(3) > 0 { stream.below(512) as u16 & stream.below(512) as u16 } else { 0 };
                board[cell] = 1 << (digit - b'1') | other;
            }
            if stream.below(2) == 0 {
                board[stream.below(81) as usize] &= stream.below(512) as u16;
            }
        }
        _ => {
            let mask = [0, 0x1FF, 0x0FF][stream.below(3) as usize];
            board = std::array::from_fn(|_| stream.below(512) as u16 | stream.below(512) as u16 | mask);
        }
    }
    board
}

/// All instructions find the same solutions after the same guesses, and as many as the other engines.
fn check_boards(stream: &mut Stream, solvers: &mut [Solver], tally: &mut Tally) {
    for kind in 0..4 {
        let board = board(kind, stream);
        let limit = [1, 2, 2, 30][stream.below(4) as usize];
        let results: Vec<(Found, Vec<Digits>)> =
            solvers.iter_mut().map(|solver| solve(solver, &board, limit)).collect();
        let (found, all) = &results[0];
        assert!(results.iter().all(|result| result == &results[0]), "{board:?}: {results:?}");
        assert!(all.iter().all(|digits| is_solution(digits, &board)), "{board:?}");
        tally.boards += 1;
        tally.guesses += found.guesses;
        if found.stopped.is_some() {
            continue;
        }
        tally.solutions[found.solutions.min(2) as usize] += 1;
        for search in [&general::General as &dyn Search, Engine::Dlx.search()] {
            match witness(search, &board, limit) {
                None | Some(Count { end: End::Stopped(_), .. }) => {}
                Some(count) => {
                    assert_eq!(count.solutions, found.solutions, "{} on {board:?}", search.name());
                    tally.witnesses += 1;
                }
            }
        }
    }
}

fn solve(solver: &mut Solver, board: &Candidates, limit: u64) -> (Found, Vec<Digits>) {
    let mut all = Vec::new();
    let mut budget = Budget::new(20_000, CancelFlag::new());
    let found = solver.search(board, limit, &mut budget, &mut |digits| all.push(*digits));
    assert_eq!(found.solutions, all.len() as u64);
    (found, all)
}

/// Whether each cell has a digit that it may have, and each house each digit.
fn is_solution(digits: &Digits, board: &Candidates) -> bool {
    let allowed = (0..81).all(|cell| board[cell] & 1 << digits[cell] != 0);
    let is_whole =
        |cell: &dyn Fn(usize) -> usize| (0..9).fold(0, |set, at| set | 1 << digits[cell(at)]) == ALL;
    allowed
        && (0..9).all(|house| {
            is_whole(&|at| 9 * house + at)
                && is_whole(&|at| 9 * at + house)
                && is_whole(&|at| house / 3 * 27 + house % 3 * 3 + at / 3 * 9 + at % 3)
        })
}

/// What another engine counts; nothing of a board that is refused, having a cell without candidates.
fn witness(search: &dyn Search, board: &Candidates, limit: u64) -> Option<Count> {
    let mut draft =
        PuzzleDraft { regions: RegionsDraft::Boxes { rows: 3, columns: 3 }, ..PuzzleDraft::latin(9) };
    draft.candidates = board.iter().map(|&bits| DigitSet::from_bits(bits.into())).collect();
    let puzzle = draft.check().ok()?;
    assert_eq!(plain_candidates(&puzzle).as_ref(), Some(board));
    Some(search.count(&puzzle, limit, &mut Budget::new(2_000_000, CancelFlag::new()), &mut |_| {}))
}
