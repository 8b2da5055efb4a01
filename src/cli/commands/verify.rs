//! `sleuth verify`: the proofs of a saved trace, checked again.

use super::{print, print_json};
use crate::cli::args::VerifyArguments;
use crate::cli::exit::{Failure, Outcome};
use crate::cli::report::VerifyReport;
use crate::cli::{local, remote, source};
use crate::engine::logic::record::RecordError;
use crate::engine::logic::trace::{Trace, read_trace};

/// Re-checks every step, each in the position that those before it leave.
pub fn run(arguments: &VerifyArguments) -> Result<Outcome, Failure> {
    let trace = read_trace(&source::trace(&arguments.trace)?).map_err(no_trace)?;
    let report = if arguments.place.local {
        local::run_verify(&trace)?
    } else {
        remote::run_verify(&arguments.place.server, &trace)?
    };
    if arguments.output.json {
        print_json(&report)?;
    } else {
        print(&answer(&report, &trace))?;
    }
    Ok(if report.proved { Outcome::Yes } else { Outcome::No })
}

fn no_trace(error: RecordError) -> Failure {
    match error {
        RecordError::Json(message) => Failure::invalid(message),
        RecordError::Faults(faults) => faults.into(),
    }
}

fn answer(report: &VerifyReport, trace: &Trace) -> String {
    match &report.reason {
        None => {
            let condition = if report.relies_on_uniqueness { ", given exactly one solution" } else { "" };
            format!("{} of {} steps proved{condition}\n", report.steps_proved, report.steps)
        }
        Some(reason) => match trace.steps.get(report.steps_proved) {
            Some(step) => format!(
                "{} of {} steps proved; step {} ({}) is not: {reason}\n",
                report.steps_proved,
                report.steps,
                report.steps_proved + 1,
                step.technique
            ),
            None => format!("{} of {} steps proved; {reason}\n", report.steps_proved, report.steps),
        },
    }
}
