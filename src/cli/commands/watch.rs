//! `sleuth watch`: the trace of a job, from its beginning or from a cursor, until it ends.

use std::sync::Arc;

use serde_json::{Value, json};

use super::{print, step_text, verdict_line};
use crate::api::client::News;
use crate::cli::args::WatchArguments;
use crate::cli::exit::{Failure, Outcome};
use crate::cli::remote::{self, Daemon};
use crate::cli::report::{JobReport, OutlookReport, ProgressReport, StepReport, VerdictReport};
use crate::engine::generate::Progress;
use crate::engine::logic::Level;
use crate::jobs::JobState;
use crate::puzzle::Puzzle;

/// Follows a job.
pub fn run(arguments: &WatchArguments) -> Result<Outcome, Failure> {
    let language = arguments.output.lang.into();
    Daemon::connect(&arguments.server)?.ask(async |client| {
        let puzzle = client.job(&arguments.job).await?.subject;
        let mut follow = client.watch(&arguments.job, arguments.after.as_deref(), language).await?;
        while let Some(news) = follow.next().await {
            let news = news?;
            if arguments.output.json {
                print(&format!("{}\n", event(&news, follow.cursor(), puzzle.as_ref())?))?;
            } else {
                print(&line(&news, puzzle.as_ref()))?;
            }
            if let News::Finished(job) = news {
                return match job.state {
                    JobState::Succeeded => Ok(Outcome::Yes),
                    _ => remote::outcome_of(*job).map(|_| Outcome::Yes),
                };
            }
        }
        Err(Failure::failed("the daemon did not say how the job ended"))
    })
}

/// An event as one JSON object.
fn event(news: &News, cursor: &str, puzzle: Option<&Arc<Puzzle>>) -> Result<Value, Failure> {
    let (name, detail) = match news {
        News::Accepted { name, existed } => ("accepted", json!({"job": name, "existed": existed})),
        News::Waiting(outlook) => ("waiting", to_value(&OutlookReport::from(outlook))?),
        News::Started { attempt } => ("started", json!({"attempt": attempt})),
        News::Restarted { attempt } => ("restarted", json!({"attempt": attempt})),
        News::Verdict(verdict) => ("verdict", to_value(&VerdictReport::from(*verdict))?),
        News::Step { step, explanation } => {
            let puzzle =
                puzzle.ok_or_else(|| Failure::failed("the daemon did not say which puzzle it is"))?;
            ("step", to_value(&StepReport::new(step, explanation.clone(), puzzle))?)
        }
        News::Progress(progress) => ("progress", to_value(&ProgressReport::from(progress))?),
        News::Finished(job) => ("finished", to_value(&JobReport::from(&**job))?),
    };
    Ok(json!({"event": name, "cursor": cursor, name: detail}))
}

fn to_value(report: &impl serde::Serialize) -> Result<Value, Failure> {
    serde_json::to_value(report).map_err(|error| Failure::failed(format!("cannot write JSON: {error}")))
}

/// An event for people.
fn line(news: &News, puzzle: Option<&Arc<Puzzle>>) -> String {
    match news {
        News::Accepted { name, .. } => format!("accepted as {name}\n"),
        News::Waiting(outlook) => format!("waiting: {}\n", OutlookReport::from(outlook)),
        News::Started { attempt: 1 } => "started\n".to_owned(),
        News::Started { attempt } => format!("started, attempt {attempt}\n"),
        News::Restarted { attempt } => {
            format!("restarted, attempt {attempt}: what was said before is void\n")
        }
        News::Verdict(verdict) => format!("{}\n", verdict_line(*verdict)),
        News::Step { step, explanation } => match puzzle {
            Some(puzzle) => step_text(step, explanation, puzzle),
            None => format!("{}\n      {explanation}\n", step.technique),
        },
        News::Progress(Progress { tried, nearest, .. }) => {
            format!("{tried} grids tried, nearest level {}\n", nearest.map_or("none", Level::word))
        }
        News::Finished(job) => match &job.reason {
            Some(reason) => format!("{}: {reason}\n", job.state.word()),
            None => format!("{}\n", job.state.word()),
        },
    }
}
