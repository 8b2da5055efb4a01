//! Every step that could be taken from a player's position.

use std::ops::ControlFlow;

use super::budget::{Budget, Stopped};
use super::logic::Step;
use super::logic::path::{RowEnd, all_steps};
use super::logic::technique::Flow;
use super::solve::SolveError;
use super::survey::{Survey, SurveyOptions, survey};
use crate::puzzle::Position;

/// What a caller may ask of a list.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ListOptions {
    /// How the position is looked at first.
    pub survey: SurveyOptions,
    /// Units of work that each row of the table may spend.
    pub row_work: u64,
    /// The most steps reported.
    pub limit: usize,
}

/// What happens while steps are listed.
#[derive(Debug)]
pub enum ListEvent<'a> {
    /// Where the position stands. Comes first, once.
    Survey(&'a Survey),
    /// A step, in table order; of steps of one row that say the same, the first.
    Step(Step),
}

/// How a list ended.
#[derive(Clone, Debug)]
pub struct Listing {
    /// Steps reported.
    pub steps: usize,
    /// How far each row was looked through, in table order; rows after the last were not looked at.
    pub rows: Vec<RowEnd>,
    /// Whether these are all the steps there are. Where none is given, only if the board is full, and right.
    pub complete: bool,
    /// Why it was broken off, if it was.
    pub stopped: Option<Stopped>,
}

/// Reports every step of every row in a position. From a position that is wrong, full or without solution none is
/// given.
pub fn list(
    position: &Position,
    options: &ListOptions,
    budget: &mut Budget,
    each: &mut dyn FnMut(ListEvent<'_>) -> Flow,
) -> Result<Listing, SolveError> {
    let survey = survey(position, options.survey, budget)?;
    let mut listing =
        Listing { steps: 0, rows: Vec::new(), complete: false, stopped: survey.checked.stopped };
    if each(ListEvent::Survey(&survey)).is_break() {
        return Ok(listing);
    }
    let Some(facts) = survey.facts else {
        listing.complete = survey.is_done(position);
        return Ok(listing);
    };
    let mut refused = false;
    let ended = all_steps(position, facts, options.row_work, budget, &mut |step| {
        if listing.steps == options.limit {
            refused = true;
            return ControlFlow::Break(());
        }
        listing.steps += 1;
        each(ListEvent::Step(step))
    });
    match ended {
        Ok(mut rows) => {
            // the last row found one step more than was wanted
            if let Some(last) = rows.last_mut().filter(|_| refused) {
                last.steps -= 1;
            }
            listing.complete = !refused && rows.iter().all(|row| row.complete);
            listing.rows = rows;
        }
        Err(stopped) => listing.stopped = Some(stopped),
    }
    Ok(listing)
}
