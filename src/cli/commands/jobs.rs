//! `sleuth jobs`: what the daemon has done, does and will do.

use super::{print, print_json};
use crate::api::client::{Client, JobQuery, View};
use crate::cli::args::{JobsArguments, JobsCommand};
use crate::cli::exit::{Failure, Outcome};
use crate::cli::remote::Daemon;
use crate::cli::report::JobReport;
use crate::cli::table::Table;
use crate::jobs::JobState;

/// Lists, shows or cancels jobs.
pub fn run(arguments: &JobsArguments) -> Result<Outcome, Failure> {
    let daemon = Daemon::connect(&arguments.server)?;
    match &arguments.command {
        JobsCommand::List { limit } => {
            let jobs = daemon.ask(async |client| list(client, *limit as usize).await)?;
            show_list(&jobs, arguments.json)?;
            Ok(Outcome::Yes)
        }
        JobsCommand::Get { job } => {
            let job = daemon.ask(async |client| Ok(client.job(job).await?))?;
            show(&job, arguments.json)?;
            Ok(Outcome::Yes)
        }
        JobsCommand::Cancel { job } => {
            let job = daemon.ask(async |client| Ok(client.cancel(job).await?))?;
            show(&job, arguments.json)?;
            Ok(if job.state == JobState::Cancelled { Outcome::Yes } else { Outcome::No })
        }
    }
}

/// The latest jobs, page by page.
async fn list(client: &Client, limit: usize) -> Result<Vec<View>, Failure> {
    let mut jobs = Vec::new();
    let mut query = JobQuery::default();
    while jobs.len() < limit {
        query.page_size = u16::try_from((limit - jobs.len()).min(1000)).unwrap_or(1000);
        let (page, token) = client.list(&query).await?;
        jobs.extend(page);
        if token.is_none() {
            break;
        }
        query.page_token = token;
    }
    Ok(jobs)
}

fn show_list(jobs: &[View], json: bool) -> Result<(), Failure> {
    let reports: Vec<JobReport> = jobs.iter().map(JobReport::from).collect();
    if json {
        return print_json(&reports);
    }
    let mut table = Table::new(&["job", "kind", "state", "attempt", "created", "remark"]);
    for job in reports {
        table.push(vec![
            job.name,
            job.kind.to_owned(),
            job.state.to_owned(),
            job.attempt.to_string(),
            job.create_time.unwrap_or_default(),
            job.reason.or(job.outlook.map(|outlook| outlook.to_string())).unwrap_or_default(),
        ]);
    }
    print(&table.to_string())
}

/// One job. Its result has too many forms for a table: for people too, it is JSON.
fn show(job: &View, json: bool) -> Result<(), Failure> {
    let report = JobReport::from(job);
    if json {
        return print_json(&report);
    }
    let mut table = Table::new(&["job", &report.name]);
    let facts = [
        ("kind", Some(report.kind.to_owned())),
        ("state", Some(report.state.to_owned())),
        ("attempt", Some(report.attempt.to_string())),
        ("created", report.create_time),
        ("not before", report.schedule_time),
        ("waits", report.outlook.map(|outlook| outlook.to_string())),
        ("started", report.start_time),
        ("ended", report.end_time),
        ("reason", report.reason),
        ("puzzle", report.puzzle),
    ];
    for (name, value) in facts {
        if let Some(value) = value {
            table.push(vec![name.to_owned(), value]);
        }
    }
    print(&table.to_string())?;
    report.result.map_or(Ok(()), |result| print_json(&result))
}
