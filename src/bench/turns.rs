//! Turns: every contender does the same batch in each pass, each time another one first, and medians are taken of
//! all passes. So what the machine does to one it does to all.

use std::time::Duration;

use super::{BenchError, Contender, Line, Made, PuzzleSet, Tally};

/// How one contender did on one set.
#[derive(Clone, PartialEq, Debug)]
pub struct Measured {
    /// The contender.
    pub name: String,
    /// Puzzles in each pass.
    pub puzzles: u64,
    /// Median time of a pass.
    pub time: Duration,
    /// What was counted, the same in every pass.
    pub solutions: [u64; 3],
    /// Nodes of all puzzles, where they are counted.
    pub nodes: Option<u64>,
    /// Whether the first contender counts the same.
    pub agrees: bool,
    /// How many times as fast the first contender is: the median of all passes.
    pub first_is_faster: f64,
}

/// How one contender did at making minimal puzzles.
#[derive(Clone, PartialEq, Debug)]
pub struct MeasuredMaking {
    /// The contender.
    pub name: String,
    /// Puzzles in each pass.
    pub puzzles: u64,
    /// Median time of a pass.
    pub time: Duration,
    /// Clues a puzzle, on average over all passes.
    pub clues: f64,
    /// How many times as fast the first contender is: the median of all passes.
    pub first_is_faster: f64,
}

/// Lets the contenders take turns on a set.
pub fn solve(
    set: &PuzzleSet,
    passes: usize,
    contenders: &mut [Box<dyn Contender>],
) -> Result<Vec<Measured>, BenchError> {
    let given = |contender: &dyn Contender| set.lines.len().min(contender.most_puzzles());
    let tallies = take_turns(passes, contenders, |contender, _| {
        let count = given(contender);
        contender.count(&set.lines[..count])
    })?;
    let expected = expected(&set.lines, contenders)?;
    let mut rows = Vec::new();
    for (contender, own) in contenders.iter().zip(&tallies) {
        let puzzles = given(contender.as_ref()) as u64;
        let Some(Tally { solutions, nodes, .. }) = own.first().copied() else { continue };
        if own.iter().any(|tally| tally.solutions != solutions) || solutions.iter().sum::<u64>() != puzzles {
            let fault = format!("counts {solutions:?} of {puzzles} puzzles, or other ones the next time");
            return Err(BenchError::Nonsense { name: contender.name().to_owned(), fault });
        }
        let each = |tally: &Tally, puzzles: u64| tally.time.as_secs_f64() / puzzles as f64;
        let first = given(contenders[0].as_ref()) as u64;
        let ratios = own.iter().zip(&tallies[0]).map(|(own, other)| each(own, puzzles) / each(other, first));
        rows.push(Measured {
            name: contender.name().to_owned(),
            puzzles,
            time: Duration::from_secs_f64(median(own.iter().map(|tally| tally.time.as_secs_f64()))),
            solutions,
            nodes,
            agrees: expected[rows.len()] == solutions,
            first_is_faster: median(ratios),
        });
    }
    Ok(rows)
}

/// What the first contender counts of the puzzles that each is given.
fn expected(lines: &[Line], contenders: &mut [Box<dyn Contender>]) -> Result<Vec<[u64; 3]>, BenchError> {
    let counts: Vec<usize> = contenders.iter().map(|one| lines.len().min(one.most_puzzles())).collect();
    let count = |&count: &usize| contenders[0].count(&lines[..count]).map(|tally| tally.solutions);
    counts.iter().map(count).collect()
}

/// Lets the contenders that can take turns at making minimal puzzles, from other seeds in each pass.
pub fn generate(
    count: u64,
    seed: u64,
    passes: usize,
    contenders: &mut [Box<dyn Contender>],
) -> Result<Vec<MeasuredMaking>, BenchError> {
    let made = take_turns(passes, contenders, |contender, pass| {
        contender.generate(count, seed.wrapping_add(pass as u64))
    })?;
    let able = contenders.iter().zip(made).filter_map(|(contender, own)| {
        let own: Option<Vec<Made>> = own.into_iter().collect();
        own.map(|own| (contender.name().to_owned(), own))
    });
    let able: Vec<(String, Vec<Made>)> = able.collect();
    let rows = able.iter().map(|(name, own)| {
        let ratios = own.iter().zip(&able[0].1).map(|(own, first)| own.each() / first.each());
        let sum = |part: fn(&Made) -> u64| own.iter().map(part).sum::<u64>() as f64;
        MeasuredMaking {
            name: name.clone(),
            puzzles: own.first().map_or(0, |made| made.puzzles),
            time: Duration::from_secs_f64(median(own.iter().map(|made| made.time.as_secs_f64()))),
            clues: sum(|made| made.clues) / sum(|made| made.puzzles),
            first_is_faster: median(ratios),
        }
    });
    Ok(rows.collect())
}

impl Made {
    fn each(&self) -> f64 {
        self.time.as_secs_f64() / self.puzzles as f64
    }
}

/// What each contender did in each pass.
fn take_turns<T>(
    passes: usize,
    contenders: &mut [Box<dyn Contender>],
    mut turn: impl FnMut(&mut dyn Contender, usize) -> Result<T, BenchError>,
) -> Result<Vec<Vec<T>>, BenchError> {
    let mut done: Vec<Vec<T>> = contenders.iter().map(|_| Vec::new()).collect();
    for pass in 0..passes {
        for at in 0..contenders.len() {
            let at = (at + pass) % contenders.len();
            done[at].push(turn(contenders[at].as_mut(), pass)?);
        }
    }
    Ok(done)
}

/// The middle of some numbers; the lower of the two middle ones; 0 of none.
fn median(numbers: impl Iterator<Item = f64>) -> f64 {
    let mut sorted: Vec<f64> = numbers.collect();
    sorted.sort_by(f64::total_cmp);
    sorted.get(sorted.len().saturating_sub(1) / 2).copied().unwrap_or(0.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn medians() {
        assert_eq!(median([3.0, 1.0, 9.0].into_iter()), 3.0);
        assert_eq!(median([4.0, 1.0, 3.0, 9.0].into_iter()), 3.0);
        assert_eq!(median(std::iter::empty()), 0.0);
    }

    /// Takes a second a line, more with each pass, and says the same of all.
    struct Slow(&'static str, u64, [u64; 3]);

    impl Contender for Slow {
        fn name(&self) -> &str {
            self.0
        }
        fn count(&mut self, lines: &[Line]) -> Result<Tally, BenchError> {
            self.1 += 1;
            let time = Duration::from_secs(self.1 * lines.len() as u64);
            Ok(Tally { time, solutions: self.2, nodes: None })
        }
        fn generate(&mut self, count: u64, _: u64) -> Result<Option<Made>, BenchError> {
            self.1 += 1;
            let time = Duration::from_secs(self.1);
            Ok((self.0 != "unable").then_some(Made { time, puzzles: count, clues: 24 * count }))
        }
    }

    #[test]
    fn the_first_is_the_measure() {
        let set = PuzzleSet { name: "some".into(), lines: vec![[b'.'; 81]; 2] };
        let mut contenders: Vec<Box<dyn Contender>> =
            vec![Box::new(Slow("one", 0, [0, 0, 2])), Box::new(Slow("other", 10, [0, 1, 1]))];
        let rows = solve(&set, 3, &mut contenders).expect("measured");
        assert_eq!((rows[0].time, rows[0].first_is_faster), (Duration::from_secs(4), 1.0));
        assert_eq!((rows[1].time, rows[1].first_is_faster), (Duration::from_secs(24), 6.0));
        contenders[1] = Box::new(Slow("other", 0, [0, 0, 1]));
        assert!(matches!(solve(&set, 1, &mut contenders), Err(BenchError::Nonsense { .. })));
    }

    #[test]
    fn who_cannot_make_puzzles_is_left_out() {
        let mut contenders: Vec<Box<dyn Contender>> =
            vec![Box::new(Slow("unable", 0, [0; 3])), Box::new(Slow("one", 0, [0; 3]))];
        let rows = generate(5, 1, 3, &mut contenders).expect("measured");
        assert_eq!(rows.len(), 1);
        assert_eq!((rows[0].clues, rows[0].puzzles, rows[0].time), (24.0, 5, Duration::from_secs(2)));
    }
}
