//! The statements about jobs that wait: who goes first, what is due, what is over, how many there are.

use std::collections::BTreeSet;
use std::time::SystemTime;

use sqlx::postgres::PgRow;
use sqlx::{Error, PgConnection, PgPool, Row};

use super::sql::{from_millis, to_millis, word};
use super::text::{escape, plain, unescape};
use crate::store::row::*;
use crate::store::turns::Turns;

/// Where the next turns of these clients begin.
pub async fn select_turns(
    conn: &mut PgConnection,
    clients: &BTreeSet<(&ClientId, Priority)>,
) -> Result<Turns, Error> {
    let rows = sqlx::query(concat!(
        "select wanted.client, wanted.priority,
             (select max(turn) from jobs where jobs.client = wanted.client and jobs.priority = wanted.priority and ",
        ready!(),
        ") as last, (select min(turn) from jobs where jobs.priority = wanted.priority and ",
        ready!(),
        ") as front from unnest($1::text[], $2::text[]) as wanted (client, priority)"
    ))
    .bind(clients.iter().map(|(client, _)| escape(&client.0)).collect::<Vec<_>>())
    .bind(clients.iter().map(|(_, priority)| priority.word()).collect::<Vec<_>>())
    .fetch_all(conn)
    .await?;
    let mut turns = Turns::default();
    for row in &rows {
        let client = ClientId(unescape(row.try_get("client")?).into());
        let priority = word(row, "priority", Priority::from_word)?;
        turns.insert(client, priority, row.try_get("last")?, row.try_get("front")?);
    }
    Ok(turns)
}

/// Of each priority, the turn of the job that is claimed next.
pub async fn select_fronts<'e>(on: impl sqlx::PgExecutor<'e>) -> Result<[Option<i64>; 3], Error> {
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

/// Jobs whose time has come, up to so many. Those that another process is queueing are passed over.
pub async fn select_due(conn: &mut PgConnection, limit: u32, now: i64) -> Result<Vec<Waiting>, Error> {
    let rows = sqlx::query(
        "select id, client, priority, suspect, turn from jobs where state = 'scheduled' and due <= $1
         order by due, id limit $2 for update skip locked",
    )
    .bind(now)
    .bind(i64::from(limit))
    .fetch_all(conn)
    .await?;
    rows.iter().map(read_waiting).collect()
}

/// Queues jobs that waited for their time, each with its turn.
pub async fn queue_jobs(conn: &mut PgConnection, turns: &[(JobId, i64)]) -> Result<(), Error> {
    sqlx::query(
        "update jobs set state = 'queued', turn = queued.turn from unnest($1::bigint[], $2::bigint[])
             as queued (job, turn)
         where jobs.id = queued.job and state = 'scheduled'",
    )
    .bind(turns.iter().map(|(job, _)| job.0).collect::<Vec<_>>())
    .bind(turns.iter().map(|(_, turn)| *turn).collect::<Vec<_>>())
    .execute(conn)
    .await
    .map(drop)
}

/// When the next one is due.
pub async fn select_next_due(pool: &PgPool) -> Result<Option<SystemTime>, Error> {
    let millis: Option<i64> =
        sqlx::query_scalar("select min(due) from jobs where state = 'scheduled'").fetch_one(pool).await?;
    Ok(millis.map(from_millis))
}

/// Cancels those of these jobs that wait. One that another process is writing about is passed over: it is being claimed
/// most likely, and two that cancel many never wait for one another in a circle.
pub async fn cancel_waiting(
    conn: &mut PgConnection,
    wanted: &[(JobId, &str)],
    now: i64,
) -> Result<Vec<Waiting>, Error> {
    let rows = sqlx::query(concat!(
        "with picked as materialized (
             select jobs.id, wanted.reason from unnest($1::bigint[], $2::text[]) as wanted (id, reason)
             join jobs on jobs.id = wanted.id and state in ('scheduled', 'queued') and owner is null
             for update of jobs skip locked)
         update jobs set state = 'cancelled', end_time = $3, reason = picked.reason, last_sequence = ",
        last_sequence!(),
        " from picked where jobs.id = picked.id returning jobs.id, jobs.client, jobs.priority, jobs.suspect,
             jobs.turn"
    ))
    .bind(wanted.iter().map(|(id, _)| id.0).collect::<Vec<_>>())
    .bind(wanted.iter().map(|(_, reason)| plain(reason)).collect::<Vec<_>>())
    .bind(now)
    .fetch_all(conn)
    .await?;
    rows.iter().map(read_waiting).collect()
}

/// Cancels waiting jobs whose deadline has passed.
pub async fn cancel_overdue(
    conn: &mut PgConnection,
    due: SystemTime,
    reason: &str,
    now: i64,
) -> Result<Vec<Waiting>, Error> {
    let rows = sqlx::query(concat!(
        "with due as materialized (
             select id from jobs where state in ('scheduled', 'queued') and owner is null and deadline is not null
                 and deadline <= $1
             for update skip locked)
         update jobs set state = 'cancelled', end_time = $2, reason = $3, last_sequence = ",
        last_sequence!(),
        " from due where jobs.id = due.id returning jobs.id, client, priority, suspect, turn"
    ))
    .bind(to_millis(due))
    .bind(now)
    .bind(plain(reason))
    .fetch_all(conn)
    .await?;
    rows.iter().map(read_waiting).collect()
}

/// The earliest deadline of a waiting job.
pub async fn select_next_deadline(pool: &PgPool) -> Result<Option<SystemTime>, Error> {
    let millis: Option<i64> = sqlx::query_scalar(
        "select min(deadline) from jobs
         where state in ('scheduled', 'queued') and owner is null and deadline is not null",
    )
    .fetch_one(pool)
    .await?;
    Ok(millis.map(from_millis))
}

/// How many jobs wait.
pub async fn select_backlog(pool: &PgPool) -> Result<Backlog, Error> {
    let rows: Vec<(String, String, i64)> = sqlx::query_as(concat!(
        "select client, priority, count(*) from jobs where ",
        ready!(),
        " group by client, priority
         union all select client, 'scheduled', count(*) from jobs where state = 'scheduled' group by client
         union all select '', 'suspect', count(*) from jobs where state = 'queued' and owner is null and suspect"
    ))
    .fetch_all(pool)
    .await?;
    let rows = rows.into_iter().map(|(client, word, count)| (unescape(client), word, count));
    Backlog::read(rows).ok_or_else(|| Error::ColumnDecode {
        index: "priority".into(),
        source: "one of them is not a word of it".into(),
    })
}

fn read_waiting(row: &PgRow) -> Result<Waiting, Error> {
    Ok(Waiting {
        id: JobId(row.try_get("id")?),
        client: ClientId(unescape(row.try_get("client")?).into()),
        priority: word(row, "priority", Priority::from_word)?,
        wait: match row.try_get::<Option<i64>, _>("turn")? {
            None => Wait::Time,
            Some(_) if row.try_get("suspect")? => Wait::Trial,
            Some(_) => Wait::Claim,
        },
    })
}
