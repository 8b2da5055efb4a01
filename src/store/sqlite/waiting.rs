//! The statements about jobs that wait: who goes first, what is due, what is over, how many there are.

use std::collections::BTreeSet;
use std::time::SystemTime;

use serde_json::{Value, json};
use sqlx::sqlite::SqliteRow;
use sqlx::{Error, Row, SqliteConnection, SqliteExecutor, SqlitePool};

use super::sql::{from_millis, to_millis, unreadable, word};
use crate::store::row::*;
use crate::store::turns::Turns;

/// Where the next turns of these clients begin.
pub async fn select_turns(
    conn: &mut SqliteConnection,
    clients: &BTreeSet<(&ClientId, Priority)>,
) -> Result<Turns, Error> {
    let rows = clients.iter().map(|(client, priority)| json!([&*client.0, priority.word()])).collect();
    let rows = sqlx::query(concat!(
        "select value ->> 0 as client, value ->> 1 as priority,
             (select max(turn) from jobs where client = value ->> 0 and priority = value ->> 1 and ",
        ready!(),
        ") as last, (select min(turn) from jobs where priority = value ->> 1 and ",
        ready!(),
        ") as front from json_each(?1)"
    ))
    .bind(Value::Array(rows).to_string())
    .fetch_all(conn)
    .await?;
    let mut turns = Turns::default();
    for row in &rows {
        let (client, priority) =
            (ClientId(row.try_get::<&str, _>("client")?.into()), word(row, "priority", Priority::from_word)?);
        turns.insert(client, priority, row.try_get("last")?, row.try_get("front")?);
    }
    Ok(turns)
}

/// Of each priority, the turn of the job that is claimed next.
pub async fn select_fronts<'e>(on: impl SqliteExecutor<'e>) -> Result<[Option<i64>; 3], Error> {
    let (interactive, normal, bulk) = sqlx::query_as(concat!(
        "select (select min(turn) from jobs where priority = 'interactive' and ",
        ready!(),
        "), (select min(turn) from jobs where priority = 'normal' and ",
        ready!(),
        "), (select min(turn) from jobs where priority = 'bulk' and ",
        ready!(),
        ")"
    ))
    .fetch_one(on)
    .await?;
    Ok([interactive, normal, bulk])
}

/// Jobs whose time has come, up to so many.
pub async fn select_due(
    conn: &mut SqliteConnection,
    limit: u32,
    now: SystemTime,
) -> Result<Vec<Waiting>, Error> {
    let rows = sqlx::query(
        "select id, client, priority, suspect, turn from jobs where state = 'scheduled' and due <= ?1
         order by due, id limit ?2",
    )
    .bind(to_millis(now))
    .bind(limit)
    .fetch_all(conn)
    .await?;
    rows.iter().map(read_waiting).collect()
}

/// Queues jobs that waited for their time, each with its turn.
pub async fn queue_jobs(conn: &mut SqliteConnection, turns: &[(JobId, i64)]) -> Result<(), Error> {
    let rows = turns.iter().map(|(job, turn)| json!([job.0, turn])).collect();
    sqlx::query(
        "update jobs set state = 'queued', turn = value ->> 1 from json_each(?1) as queued
         where jobs.id = value ->> 0 and state = 'scheduled'",
    )
    .bind(Value::Array(rows).to_string())
    .execute(conn)
    .await
    .map(drop)
}

/// When the next one is due.
pub async fn select_next_due(pool: &SqlitePool) -> Result<Option<SystemTime>, Error> {
    let millis: Option<i64> =
        sqlx::query_scalar("select min(due) from jobs where state = 'scheduled'").fetch_one(pool).await?;
    Ok(millis.map(from_millis))
}

/// Cancels a waiting job.
pub async fn cancel_waiting(
    conn: &mut SqliteConnection,
    id: JobId,
    reason: &str,
    now: SystemTime,
) -> Result<Option<Waiting>, Error> {
    let row = sqlx::query(concat!(
        "update jobs set state = 'cancelled', end_time = ?2, reason = ?3,
             last_sequence = ",
        last_sequence!(),
        " where id = ?1 and state in ('scheduled', 'queued') and owner is null
         returning id, client, priority, suspect, turn"
    ))
    .bind(id.0)
    .bind(to_millis(now))
    .bind(reason)
    .fetch_optional(conn)
    .await?;
    row.as_ref().map(read_waiting).transpose()
}

/// Cancels waiting jobs whose deadline has passed.
pub async fn cancel_overdue(
    conn: &mut SqliteConnection,
    due: SystemTime,
    reason: &str,
    now: SystemTime,
) -> Result<Vec<Waiting>, Error> {
    let rows = sqlx::query(concat!(
        "update jobs set state = 'cancelled', end_time = ?2, reason = ?3,
             last_sequence = ",
        last_sequence!(),
        " where state in ('scheduled', 'queued') and owner is null and deadline is not null and deadline <= ?1
         returning id, client, priority, suspect, turn"
    ))
    .bind(to_millis(due))
    .bind(to_millis(now))
    .bind(reason)
    .fetch_all(conn)
    .await?;
    rows.iter().map(read_waiting).collect()
}

/// The earliest deadline of a waiting job.
pub async fn select_next_deadline(pool: &SqlitePool) -> Result<Option<SystemTime>, Error> {
    let millis: Option<i64> = sqlx::query_scalar(
        "select min(deadline) from jobs
         where state in ('scheduled', 'queued') and owner is null and deadline is not null",
    )
    .fetch_one(pool)
    .await?;
    Ok(millis.map(from_millis))
}

/// How many jobs wait. The planner must be told which index has the scheduled ones: it prefers one that has all jobs,
/// since that is in the order of clients.
pub async fn select_backlog(pool: &SqlitePool) -> Result<Backlog, Error> {
    let rows = sqlx::query_as(concat!(
        "select client, priority, count(*) from jobs where ",
        ready!(),
        " group by client, priority
         union all select client, 'scheduled', count(*) from jobs indexed by jobs_scheduled
             where state = 'scheduled' group by client
         union all select '', 'suspect', count(*) from jobs where state = 'queued' and owner is null and suspect = 1"
    ))
    .fetch_all(pool)
    .await?;
    Backlog::read(rows).ok_or_else(|| unreadable("priority", "one of them".into()))
}

fn read_waiting(row: &SqliteRow) -> Result<Waiting, Error> {
    Ok(Waiting {
        id: JobId(row.try_get("id")?),
        client: ClientId(row.try_get::<&str, _>("client")?.into()),
        priority: word(row, "priority", Priority::from_word)?,
        wait: match row.try_get::<Option<i64>, _>("turn")? {
            None => Wait::Time,
            Some(_) if row.try_get("suspect")? => Wait::Trial,
            Some(_) => Wait::Claim,
        },
    })
}
