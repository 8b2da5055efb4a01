//! `sleuth techniques`: the table.

use super::{print, print_json};
use crate::cli::args::TechniquesArguments;
use crate::cli::exit::{Failure, Outcome};
use crate::cli::report::TechniqueReport;
use crate::cli::table::Table;

/// Lists every technique, cheapest first.
pub fn run(arguments: &TechniquesArguments) -> Result<Outcome, Failure> {
    let rows = TechniqueReport::all(arguments.output.lang.into());
    if arguments.output.json {
        print_json(&rows)?;
        return Ok(Outcome::Yes);
    }
    let mut table = Table::new(&["technique", "name", "level", "score", "needs"]);
    for row in rows {
        let needs = [(row.needs_cages, "cages"), (row.needs_unique, "one solution")];
        let needs: Vec<&str> =
            needs.iter().filter(|(is_needed, _)| *is_needed).map(|(_, word)| *word).collect();
        table.push(vec![
            row.slug.to_owned(),
            row.name.to_owned(),
            row.level.to_owned(),
            row.score.to_string(),
            needs.join(", "),
        ]);
    }
    print(&table.to_string())?;
    Ok(Outcome::Yes)
}
