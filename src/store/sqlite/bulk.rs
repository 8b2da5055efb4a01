//! Statements over many rows. The way to the connection's thread and back costs 15 to 35 µs and a row that is bound
//! well under 1 µs, so few large statements beat many small ones by far; rows handed over as JSON cost 5 to 8 times
//! as much as rows that are bound.

/// Rows of one statement: so few sizes that each statement's text is prepared once and kept, so many that any number of
/// rows goes in about two pieces.
const SIZES: [usize; 16] = [1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 128, 192, 256];

/// One statement for any number of rows: its text depends on how many there are.
pub struct Bulk {
    /// For each size.
    texts: Vec<String>,
}

impl Bulk {
    /// A statement with its rows between head and tail.
    pub fn new(head: &str, row: &str, tail: &str) -> Bulk {
        let text = |size| format!("{head} {} {tail}", vec![row; size].join(", "));
        Bulk { texts: SIZES.into_iter().map(text).collect() }
    }

    /// An insertion of rows of which each has columns of its own and all have others in common. Those are bound once,
    /// after all rows: with every column bound for every row a brief job took 13 % more of the daemon's time.
    pub fn insert(table: &str, own: &str, common: &str, tail: &str) -> Bulk {
        let places = |columns: &str| vec!["?"; columns.split(',').count()].join(", ");
        Bulk::new(
            &format!("with own ({own}) as (values"),
            &format!("({})", places(own)),
            &format!(
                ") insert or rollback into {table} ({own}, {common})
                 select own.*, {} from own where true {tail}",
                places(common)
            ),
        )
    }

    /// The rows in pieces, each with the text for as many.
    pub fn split<'r, T>(&'static self, mut rows: &'r [T]) -> impl Iterator<Item = (&'static str, &'r [T])> {
        std::iter::from_fn(move || {
            let place = SIZES.iter().rposition(|&size| size <= rows.len())?;
            let (piece, rest) = rows.split_at(SIZES[place]);
            rows = rest;
            Some((self.texts[place].as_str(), piece))
        })
    }
}

#[cfg(test)]
mod tests {
    use std::sync::LazyLock;

    use super::*;

    #[test]
    fn every_row_is_in_one_piece() {
        static ROWS: LazyLock<Bulk> = LazyLock::new(|| Bulk::new("values", "(?)", "limit 1"));
        for count in [0, 1, 2, 3, 127, 128, 129, 300] {
            let rows: Vec<usize> = (0..count).collect();
            let mut seen = Vec::new();
            for (text, piece) in ROWS.split(&rows) {
                assert_eq!(text.matches('?').count(), piece.len(), "{text}");
                assert!(text.starts_with("values (?)") && text.ends_with(" limit 1"), "{text}");
                seen.extend_from_slice(piece);
            }
            assert_eq!(seen, rows);
        }
    }
}
