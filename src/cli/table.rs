//! Plain tables: columns as wide as their widest entry, two blanks between.

/// Rows of texts.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Table {
    rows: Vec<Vec<String>>,
    /// Columns that stand to the right.
    numbers: Vec<usize>,
}

impl Table {
    /// A table with a line of headings.
    pub fn new(headings: &[&str]) -> Table {
        Table {
            rows: vec![headings.iter().map(|&heading| heading.to_owned()).collect()],
            numbers: Vec::new(),
        }
    }

    /// With these columns, counted from 0, to the right.
    pub fn with_numbers(mut self, columns: &[usize]) -> Table {
        self.numbers = columns.to_vec();
        self
    }

    /// Adds a row.
    pub fn push(&mut self, row: Vec<String>) {
        self.rows.push(row);
    }
}

impl std::fmt::Display for Table {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let columns = self.rows.iter().map(Vec::len).max().unwrap_or(0);
        let widest = |column: usize| {
            self.rows.iter().filter_map(|row| row.get(column)).map(|text| width(text)).max().unwrap_or(0)
        };
        let widths: Vec<usize> = (0..columns).map(widest).collect();
        for row in &self.rows {
            let mut line = String::new();
            for (column, (text, wanted)) in row.iter().zip(&widths).enumerate() {
                let blanks = " ".repeat(wanted - width(text));
                let (left, right) =
                    if self.numbers.contains(&column) { (&blanks, text) } else { (text, &blanks) };
                line += &format!("{left}{right}  ");
            }
            writeln!(f, "{}", line.trim_end())?;
        }
        Ok(())
    }
}

/// Columns that a text takes in a terminal: Chinese characters take two.
fn width(text: &str) -> usize {
    text.chars().map(|letter| if ('\u{2e80}'..'\u{fb00}').contains(&letter) { 2 } else { 1 }).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_stand_below_each_other() {
        let mut table = Table::new(&["name", "score"]);
        table.push(vec!["唯一余数".into(), "4".into()]);
        table.push(vec!["x".into(), "12".into()]);
        assert_eq!(table.to_string(), "name      score\n唯一余数  4\nx         12\n");
        let table = table.with_numbers(&[1]);
        assert_eq!(table.to_string(), "name      score\n唯一余数      4\nx            12\n");
    }
}
