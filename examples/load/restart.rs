//! How soon a daemon goes on that starts with a long queue.

use std::path::Path;
use std::time::{Duration, Instant};

use sleuth::store::Durability;
use sqlx::Connection;

use crate::jobs::{Work, run_one};
use crate::process::{Daemon, Process};
use crate::table::{Figure, Goal, Row, median_time};
use crate::{Arguments, Fault, raw};

/// Prints the row. The anchor is the time that must not be passed.
pub async fn measure(arguments: &Arguments) -> Result<(), Fault> {
    let mut times = Vec::new();
    for _ in 0..arguments.turns {
        let folder = arguments.new_folder()?;
        let database = folder.path().join("jobs.sqlite");
        fill(arguments, &database).await?;
        times.push(time_first_claim(arguments, &database).await?);
    }
    Row {
        work: &format!("restart with {} queued jobs, first claim", arguments.queued),
        anchor: Figure::Time(Duration::from_secs(1)),
        ours: median_time(times),
        goal: Goal::AtMost(2.0, 0.5),
    }
    .print();
    Ok(())
}

/// From the start of the process to the commit of the first claim.
async fn time_first_claim(arguments: &Arguments, database: &Path) -> Result<Duration, Fault> {
    let mut conn = raw::connect(database, Durability::Normal).await?;
    let began = Instant::now();
    let daemon = Process::start_daemon(arguments, &Daemon { database, durability: "full", calls: None })?;
    loop {
        let attempt: i64 =
            sqlx::query_scalar("select attempt from jobs where id = 2").fetch_one(&mut conn).await?;
        if attempt > 0 {
            break;
        }
        tokio::time::sleep(Duration::from_millis(1)).await;
    }
    let time = began.elapsed();
    conn.close().await?;
    daemon.stop()?;
    Ok(time)
}

/// Jobs that wait, as the daemon would have stored them: like the first, which it does.
async fn fill(arguments: &Arguments, database: &Path) -> Result<(), Fault> {
    let daemon = Process::start_daemon(arguments, &Daemon { database, durability: "normal", calls: None })?;
    run_one(daemon.url(), Work::Search).await?;
    daemon.stop()?;
    let mut conn = raw::connect(database, Durability::Normal).await?;
    sqlx::query("begin immediate").execute(&mut conn).await?;
    sqlx::query(
        "with recursive number (id) as (select 2 union all select id + 1 from number where id <= ?1)
         insert into jobs (id, client, kind, priority, state, work, keep_trace, create_time)
         select number.id, client, kind, priority, 'queued', work, keep_trace, create_time
         from number join jobs on jobs.id = 1",
    )
    .bind(arguments.queued)
    .execute(&mut conn)
    .await?;
    sqlx::query(
        "insert into job_specs (job, version, body) select id, version, body
         from jobs join job_specs on job = 1 where id > 1",
    )
    .execute(&mut conn)
    .await?;
    sqlx::query("commit").execute(&mut conn).await?;
    conn.close().await?;
    Ok(())
}
