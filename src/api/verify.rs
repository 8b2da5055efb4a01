//! A whole path checked, step by step.

use std::sync::Arc;

use super::convert::puzzle::write_grid;
use super::proto as pb;
use crate::engine::budget::{Budget, Stopped};
use crate::engine::logic::Step;
use crate::engine::logic::path::Facts;
use crate::engine::logic::verify::{NodeCap, verify_under};
use crate::puzzle::{Cell, Position, Puzzle};

/// The most steps that are checked in one call.
pub const MAX_STEPS: usize = 10_000;

/// How far a path is proved.
pub struct Walk {
    position: Position,
    proved: u32,
    rejected: Option<String>,
}

/// Checks steps in order, each in the position that those before it leave, up to the first that is rejected.
pub fn walk(puzzle: &Arc<Puzzle>, steps: &[Step], facts: Facts, budget: &mut Budget) -> Walk {
    let mut walk = Walk { position: Position::new(puzzle.clone()), proved: 0, rejected: None };
    for step in steps {
        match verify_under(&walk.position, step, facts, NodeCap::default(), budget) {
            Ok(Ok(_)) => {
                step.apply(&mut walk.position);
                walk.proved += 1;
            }
            Ok(Err(refusal)) => {
                walk.rejected = Some(refusal.to_string());
                break;
            }
            Err(stopped) => {
                walk.rejected = Some(reason_of(stopped).to_owned());
                break;
            }
        }
    }
    walk
}

fn reason_of(stopped: Stopped) -> &'static str {
    match stopped {
        Stopped::Cancelled => "the check was cancelled",
        Stopped::Exhausted => "the work allowed is done",
    }
}

/// The answer.
pub fn write_walk(walk: Walk, steps: usize) -> pb::VerifyResponse {
    let digits: Vec<_> = Cell::all(walk.position.size()).map(|cell| walk.position.digit(cell)).collect();
    pb::VerifyResponse {
        proved: walk.proved as usize == steps,
        steps_proved: walk.proved,
        reason: walk.rejected.filter(|_| (walk.proved as usize) < steps).unwrap_or_default(),
        grid: Some(write_grid(&digits)),
    }
}
