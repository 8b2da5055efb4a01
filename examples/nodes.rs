//! How many jobs a second several nodes on one PostgreSQL end, beside the raw rate of the same transactions:
//!
//! ```text
//! cargo run --release --example nodes -- postgres://user@host/empty_database [SECONDS]
//! ```
//!
//! A node is a whole set of workers in this process with connections of its own. The raw program inserts, claims with
//! `skip locked` and ends jobs in batches of a hundred, one connection a node, with the same rows and texts. Both take
//! turns, and the median of three turns is told. Client, nodes and server share the machine.

use std::error::Error;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant, UNIX_EPOCH};

use sleuth::engine::solve::{Mode, SolveOptions};
use sleuth::jobs::{ClientId, JobSpec, Jobs, RunEvent, Settings, Submission, TraceEvent};
use sleuth::puzzle::formats;
use sleuth::store::{DatabaseUrl, Options, open};
use sqlx::{Connection, PgConnection};

type Fault = Box<dyn Error + Send + Sync>;

/// A classic with 17 givens.
const PUZZLE: &str = "000000010400000000020000000000050407008000300001090000300400200050100000000806000";

/// Jobs in a raw transaction.
const BATCH: i64 = 100;

/// Jobs under way at a time for each node.
const UNDER_WAY: usize = 256;

/// How many nodes.
const NODES: [usize; 5] = [1, 2, 4, 8, 16];

#[tokio::main]
async fn main() -> Result<(), Fault> {
    let mut arguments = std::env::args().skip(1);
    let url = arguments.next().ok_or("the URL of an empty database is needed")?;
    let seconds: f64 = arguments.next().map_or(Ok(3.0), |text| text.parse())?;
    let time = Duration::from_secs_f64(seconds);
    // makes the tables
    open(&url.parse()?, Options::default()).await?.close().await?;
    println!("{:>5} {:>12} {:>12} {:>7}", "nodes", "raw jobs/s", "jobs/s", "ratio");
    for nodes in NODES {
        let (mut raw, mut ours) = (Vec::new(), Vec::new());
        for _ in 0..3 {
            raw.push(measure_raw(&url, nodes, time).await?);
            ours.push(measure_ours(&url, nodes, time).await?);
        }
        let (raw, ours) = (median(raw), median(ours));
        println!("{nodes:>5} {raw:>12.0} {ours:>12.0} {:>6.0}%", 100.0 * ours / raw);
    }
    Ok(())
}

fn median(mut rates: Vec<f64>) -> f64 {
    rates.sort_by(f64::total_cmp);
    rates[rates.len() / 2]
}

/// Whole nodes: submitted, stored, claimed, solved, ended and told.
async fn measure_ours(url: &str, nodes: usize, time: Duration) -> Result<f64, Fault> {
    let url: DatabaseUrl = url.parse()?;
    let puzzle = Arc::new(formats::read(PUZZLE)?);
    let options = SolveOptions { mode: Mode::SearchOnly, ..SolveOptions::default() };
    let spec = JobSpec::Solve { puzzle, options };
    let submission = Submission { keep_trace: false, ..Submission::new(ClientId("load".into()), spec) };
    let mut all = Vec::new();
    for _ in 0..nodes {
        let store = open(&url, Options::default()).await?;
        let jobs = Jobs::start(store.clone(), Settings { workers: 1, ..Settings::default() }).await?;
        all.push((store, jobs));
    }
    let ended = Arc::new(AtomicU64::new(0));
    let clients: Vec<_> = all
        .iter()
        .flat_map(|(_, jobs)| (0..UNDER_WAY).map(|_| jobs.clone()))
        .map(|jobs| tokio::spawn(run_jobs(jobs, submission.clone(), ended.clone())))
        .collect();
    // the first jobs meet cold connections
    tokio::time::sleep(time / 4).await;
    let (before, began) = (ended.load(Ordering::Relaxed), Instant::now());
    tokio::time::sleep(time).await;
    let rate = (ended.load(Ordering::Relaxed) - before) as f64 / began.elapsed().as_secs_f64();
    clients.iter().for_each(|client| client.abort());
    for (store, jobs) in all {
        jobs.shutdown(Duration::from_secs(5)).await;
        store.close().await?;
    }
    Ok(rate)
}

async fn run_jobs(jobs: Jobs, submission: Submission, ended: Arc<AtomicU64>) {
    loop {
        let Ok(mut run) = jobs.run(submission.clone()) else { return };
        while let Some(Ok(event)) = run.next().await {
            if matches!(&event, RunEvent::Trace(entry) if matches!(entry.event, TraceEvent::Finished(_))) {
                ended.fetch_add(1, Ordering::Relaxed);
            }
        }
    }
}

/// The same rows, by hand.
async fn measure_raw(url: &str, nodes: usize, time: Duration) -> Result<f64, Fault> {
    let began = Instant::now();
    let tasks: Vec<_> = (0..nodes)
        .map(|node| {
            let url = url.to_owned();
            tokio::spawn(async move {
                let mut conn = PgConnection::connect(&url).await?;
                let mut count = 0;
                while began.elapsed() < time {
                    count += pass_raw(&mut conn, node as i64).await?;
                }
                conn.close().await?;
                Ok::<_, Fault>(count)
            })
        })
        .collect();
    let mut count = 0;
    for task in tasks {
        count += task.await??;
    }
    Ok(count as f64 / began.elapsed().as_secs_f64())
}

/// A batch of jobs in three transactions.
async fn pass_raw(conn: &mut PgConnection, node: i64) -> Result<usize, Fault> {
    let spec = format!("{{\"kind\":\"solve\",\"puzzle\":\"{PUZZLE}\",\"options\":{{\"mode\":\"search\"}}}}");
    let result =
        format!("{{\"verdict\":\"one\",\"solutions\":[\"{PUZZLE}\"],\"grid\":\"{PUZZLE}\",\"nodes\":1}}");
    // as old as they are: what ended long ago would be pruned while others are measured
    let now = UNIX_EPOCH.elapsed()?.as_millis() as i64;
    sqlx::query(
        "with new as (
             insert into jobs (id, client, kind, priority, state, work, keep_trace, create_time, spec_version, turn)
             select number, 'raw', 'solve', 'normal', 'queued', 1000000000000, false, $3, 1, number
             from (select nextval('job_ids') as number from generate_series(1, $1)) as numbers returning id)
         insert into job_specs (job, body) select id, $2 from new",
    )
    .bind(BATCH)
    .bind(&spec)
    .bind(now)
    .execute(&mut *conn)
    .await?;
    let claimed: Vec<(i64, String)> = sqlx::query_as(
        "with picked as materialized (
             select id from jobs where state = 'queued' and owner is null and not suspect and priority = 'normal'
             order by turn, id limit $2 for update skip locked)
         update jobs set owner = $1, attempt = attempt + 1 from picked join job_specs as spec on spec.job = picked.id
         where jobs.id = picked.id returning jobs.id, spec.body",
    )
    .bind(node)
    .bind(BATCH)
    .fetch_all(&mut *conn)
    .await?;
    let ids: Vec<i64> = claimed.into_iter().map(|(id, _)| id).collect();
    sqlx::query(
        "with results as (insert into job_results (job, version, body) select unnest($1::bigint[]), 1, $2)
         update jobs set state = 'succeeded', owner = null, end_time = $3, last_sequence = 3 where id = any($1)",
    )
    .bind(&ids)
    .bind(&result)
    .bind(now)
    .execute(&mut *conn)
    .await?;
    Ok(ids.len())
}
