//! What was measured, a line each.

use std::fmt;

/// The table, as far as it is filled.
#[derive(Default)]
pub struct Table {
    rows: Vec<[String; 3]>,
    is_wrong: bool,
}

impl Table {
    fn push(&mut self, row: [String; 3]) {
        eprintln!("{}: {} {}", row[0], row[1], row[2]);
        self.rows.push(row);
    }

    /// So many of all.
    pub fn share(&mut self, what: &str, good: usize, all: usize) {
        let percent = if all == 0 { 0.0 } else { good as f64 / all as f64 * 100.0 };
        self.push([what.to_owned(), format!("{good} of {all}"), format!("{percent:.1} %")]);
    }

    /// What must not be: any is a fault.
    pub fn faults(&mut self, what: &str, faults: usize, of: &str) {
        self.is_wrong |= faults > 0;
        self.push([what.to_owned(), faults.to_string(), format!("of {of}")]);
    }

    /// Whether there is any fault.
    pub fn is_wrong(&self) -> bool {
        self.is_wrong
    }
}

impl fmt::Display for Table {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for [what, value, note] in &self.rows {
            writeln!(f, "{what:64} {value:>14}  {note}")?;
        }
        Ok(())
    }
}
