//! The table that is printed, and the little statistics behind it.

use std::fmt;
use std::time::Duration;

/// Something measured.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Figure {
    /// So many a second.
    Rate(f64),
    /// So long.
    Time(Duration),
    /// So many bytes.
    Memory(u64),
}

impl Figure {
    fn value(self) -> f64 {
        match self {
            Figure::Rate(rate) => rate,
            Figure::Time(time) => time.as_secs_f64(),
            Figure::Memory(bytes) => bytes as f64,
        }
    }
}

impl fmt::Display for Figure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text = match *self {
            Figure::Rate(rate) => format!("{rate:.0}/s"),
            Figure::Time(time) if time >= Duration::from_millis(100) => {
                format!("{:.2} s", time.as_secs_f64())
            }
            Figure::Time(time) => format!("{:.3} ms", 1e3 * time.as_secs_f64()),
            Figure::Memory(bytes) => format!("{:.1} MiB", bytes as f64 / f64::from(1 << 20)),
        };
        f.pad(&text)
    }
}

/// What must be reached, and what is aimed at: shares or multiples of the anchor.
#[derive(Clone, Copy, Debug)]
pub enum Goal {
    AtLeast(f64, f64),
    AtMost(f64, f64),
}

/// A line of the table.
pub struct Row<'a> {
    pub work: &'a str,
    /// The raw limit, or what is compared with.
    pub anchor: Figure,
    pub ours: Figure,
    pub goal: Goal,
}

/// Prints the heading.
pub fn head() {
    let columns = ["raw or anchor", "daemon", "ratio", "must", "aim", "reached"];
    let [anchor, ours, ratio, must, aim, reached] = columns;
    println!("{:<46} {anchor:>13} {ours:>13} {ratio:>7} {must:>6} {aim:>6} {reached:>7}", "work");
}

impl Row<'_> {
    /// Prints it.
    pub fn print(&self) {
        let ratio = self.ours.value() / self.anchor.value();
        let (must, aim, has_must, has_aim) = match self.goal {
            Goal::AtLeast(must, aim) => (must, aim, ratio >= must, ratio >= aim),
            Goal::AtMost(must, aim) => (must, aim, ratio <= must, ratio <= aim),
        };
        let reached = match (has_must, has_aim) {
            (_, true) => "aim",
            (true, false) => "must",
            (false, false) => "no",
        };
        println!(
            "{:<46} {:>13} {:>13} {ratio:>7.2} {must:>6.2} {aim:>6.2} {reached:>7}",
            self.work, self.anchor, self.ours
        );
    }
}

/// Of rates measured in turns.
pub fn median_rate(mut rates: Vec<f64>) -> Figure {
    rates.sort_by(f64::total_cmp);
    Figure::Rate(rates[rates.len() / 2])
}

/// Of times measured in turns.
pub fn median_time(times: Vec<Duration>) -> Figure {
    Figure::Time(percentile(times, 0.5))
}

/// The time that this share of all stays below.
pub fn percentile(mut times: Vec<Duration>, share: f64) -> Duration {
    times.sort_unstable();
    let place = (share * times.len() as f64) as usize;
    times.get(place.min(times.len().saturating_sub(1))).copied().unwrap_or_default()
}
