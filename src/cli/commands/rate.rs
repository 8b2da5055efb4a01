//! `sleuth rate`: how hard a puzzle is.

use std::sync::Arc;

use super::{leave, outcome_of, print, print_json, verdict_line};
use crate::cli::args::RateArguments;
use crate::cli::exit::{Failure, Outcome};
use crate::cli::report::RateReport;
use crate::cli::table::Table;
use crate::cli::{local, remote, source};
use crate::engine::rate::{RateOutcome, Rating};
use crate::jobs::JobSpec;

/// Rates a puzzle.
pub fn run(arguments: &RateArguments) -> Result<Outcome, Failure> {
    let puzzle = Arc::new(source::puzzle(&arguments.puzzle)?);
    if arguments.limits.detach {
        let spec = JobSpec::Rate { puzzle, scale: arguments.scale };
        return leave(&arguments.place, &spec, &arguments.limits, arguments.output);
    }
    let outcome = if arguments.place.local {
        local::run_rate(&puzzle, arguments.scale, &arguments.limits)?
    } else {
        remote::run_rate(&arguments.place.server, &puzzle, arguments.scale, &arguments.limits)?
    };
    if arguments.output.json {
        print_json(&RateReport::from(&outcome))?;
    } else {
        print(&answer(&outcome))?;
    }
    Ok(meaning(&outcome))
}

fn answer(outcome: &RateOutcome) -> String {
    match &outcome.rating {
        Some(rating) => rating_text(rating),
        None => format!("{}: not rated\n", verdict_line(outcome.verdict)),
    }
}

/// Level and score, and the techniques needed.
pub fn rating_text(rating: &Rating) -> String {
    let tenths = |value: u32| format!("{}.{}", value / 10, value % 10);
    let reading = match (rating.level, rating.pearl, rating.diamond) {
        (Some(level), ..) => format!("{level}, score {}", rating.score),
        (None, Some(pearl), Some(diamond)) => {
            format!("ER {}, EP {}, ED {}", tenths(rating.score), tenths(pearl), tenths(diamond))
        }
        (None, ..) => format!("score {}", rating.score),
    };
    let mut text = format!("{reading} ({} {})\n", rating.scale, rating.version);
    let mut table = Table::new(&["technique", "steps"]);
    for (slug, count) in &rating.counts {
        table.push(vec![slug.to_string(), count.to_string()]);
    }
    text.push_str(&table.to_string());
    if rating.searched_cells > 0 {
        text.push_str(&format!("{} cells filled by search\n", rating.searched_cells));
    }
    text
}

fn meaning(outcome: &RateOutcome) -> Outcome {
    match (&outcome.rating, outcome.stopped) {
        (Some(_), _) => Outcome::Yes,
        (None, Some(_)) => Outcome::Undecided,
        (None, None) => outcome_of(outcome.verdict),
    }
}
