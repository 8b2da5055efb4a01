//! Every statement, one function each. What every job needs takes its rows bound ([`Bulk`]), the rest takes them as
//! JSON. Answers about many rows come as one, since each row is handed over by itself. A write that breaks a rule
//! undoes the whole transaction, which is undone then anyway: SQLite need not be able to undo the statement alone.

use std::sync::LazyLock;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use serde_json::{Value, json};
use sqlx::sqlite::SqliteRow;
use sqlx::{Error, Row, SqliteConnection, SqliteExecutor, SqlitePool};

use super::bulk::Bulk;
use crate::store::row::*;

/// Milliseconds since 1970.
pub fn to_millis(time: SystemTime) -> i64 {
    let since = time.duration_since(UNIX_EPOCH).unwrap_or_default();
    i64::try_from(since.as_millis()).unwrap_or(i64::MAX)
}

/// The reverse.
pub fn from_millis(millis: i64) -> SystemTime {
    UNIX_EPOCH + Duration::from_millis(millis.max(0) as u64)
}

fn limit_millis(limit: Duration) -> i64 {
    i64::try_from(limit.as_millis()).unwrap_or(i64::MAX)
}

pub fn to_i64(number: u64) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}

/// A row that does not hold what the schema promises.
pub fn unreadable(column: &str, word: String) -> Error {
    Error::ColumnDecode { index: column.into(), source: format!("{word} is not a word of it").into() }
}

/// A word of a table.
pub fn word<T>(row: &SqliteRow, column: &str, read: impl Fn(&str) -> Option<T>) -> Result<T, Error> {
    let word: String = row.try_get(column)?;
    read(&word).ok_or_else(|| unreadable(column, word))
}

pub fn time(row: &SqliteRow, column: &str) -> Result<Option<SystemTime>, Error> {
    Ok(row.try_get::<Option<i64>, _>(column)?.map(from_millis))
}

// ---- versions and counters

/// The linked library's version.
pub async fn library_version(conn: &mut SqliteConnection) -> Result<String, Error> {
    sqlx::query_scalar("select sqlite_version()").fetch_one(conn).await
}

/// How many tables there are, and how many of them are the migrator's.
pub async fn count_tables(conn: &mut SqliteConnection) -> Result<(i64, i64), Error> {
    sqlx::query_as(
        "select count(*), count(*) filter (where name = '_sqlx_migrations') from sqlite_schema
         where type = 'table' and name not like 'sqlite\\_%' escape '\\'",
    )
    .fetch_one(conn)
    .await
}

/// The first things that are wrong with the file; `ok` if nothing is.
pub async fn quick_check(conn: &mut SqliteConnection) -> Result<Vec<String>, Error> {
    sqlx::query_scalar("pragma quick_check(3)").fetch_all(conn).await
}

/// The highest job number ever given.
pub async fn last_job_id(conn: &mut SqliteConnection) -> Result<i64, Error> {
    sqlx::query_scalar("select coalesce((select seq from sqlite_sequence where name = 'jobs'), 0)")
        .fetch_one(conn)
        .await
}

/// The highest number of a puzzle ever given.
pub async fn last_puzzle_id(conn: &mut SqliteConnection) -> Result<i64, Error> {
    sqlx::query_scalar("select coalesce((select seq from sqlite_sequence where name = 'puzzles'), 0)")
        .fetch_one(conn)
        .await
}

/// Whether references between tables are looked at; not to be asked for within a transaction.
pub async fn look_at_references(conn: &mut SqliteConnection, looks: bool) -> Result<(), Error> {
    let text = if looks { "pragma foreign_keys = on" } else { "pragma foreign_keys = off" };
    sqlx::query(text).execute(conn).await.map(drop)
}

/// Begins a transaction that writes.
pub async fn begin(conn: &mut SqliteConnection) -> Result<(), Error> {
    sqlx::query("begin immediate").execute(conn).await.map(drop)
}

/// Makes it durable.
pub async fn commit(conn: &mut SqliteConnection) -> Result<(), Error> {
    sqlx::query("commit").execute(conn).await.map(drop)
}

/// Undoes it.
pub async fn rollback(conn: &mut SqliteConnection) -> Result<(), Error> {
    sqlx::query("rollback").execute(conn).await.map(drop)
}

/// Copies the log of commits into the file, as far as nobody is in the way. How many pages it has.
pub async fn checkpoint(conn: &mut SqliteConnection) -> Result<i64, Error> {
    let (_, pages, _): (i64, i64, i64) =
        sqlx::query_as("pragma wal_checkpoint(passive)").fetch_one(conn).await?;
    Ok(pages)
}

// ---- submit

/// A job on its way into the table.
pub struct JobRecord<'a> {
    pub id: JobId,
    pub job: &'a NewJob,
    /// None while it waits for its time.
    pub turn: Option<i64>,
    /// Its end, if that came before, and its puzzle.
    pub end: Option<(&'a Finish, Option<PuzzleId>)>,
}

impl JobRecord<'_> {
    fn state(&self) -> JobState {
        match (self.end, self.turn) {
            (Some((end, _)), _) => end.state,
            (None, Some(_)) => JobState::Queued,
            (None, None) => JobState::Scheduled,
        }
    }

    fn shape(&self) -> Shape {
        let NewJob { kind, priority, claimed, keep_trace, .. } = *self.job;
        Shape { kind, priority, state: self.state(), claimed, keep_trace }
    }
}

/// What most jobs of a commit have in common.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Shape {
    kind: JobKind,
    priority: Priority,
    state: JobState,
    claimed: bool,
    keep_trace: bool,
}

/// Stores jobs under their identities, which follow one another; gives those that are new.
pub async fn insert_jobs(
    conn: &mut SqliteConnection,
    jobs: &[JobRecord<'_>],
    owner: &str,
    now: SystemTime,
) -> Result<Vec<JobId>, Error> {
    static INSERT: LazyLock<Bulk> = LazyLock::new(|| {
        Bulk::insert(
            "jobs",
            "id, client, request_id, work, deadline, time_limit, work_limit, due, turn, reason, start_time,
             last_sequence, puzzle",
            "kind, priority, state, owner, attempt, keep_trace, create_time, end_time",
            "on conflict (client, request_id) where request_id is not null do nothing",
        )
    });
    let mut sorted: Vec<&JobRecord<'_>> = jobs.iter().collect();
    // the first of a request is its job, so those that have one stay in their order
    if jobs.iter().all(|record| record.job.request_id.is_none()) {
        sorted.sort_by_key(|record| record.shape());
    }
    let mut count = 0;
    for alike in sorted.chunk_by(|one, other| one.shape() == other.shape()) {
        for (text, records) in INSERT.split(alike) {
            let mut query = sqlx::query(text);
            for JobRecord { id, job, turn, end } in records.iter().copied() {
                let (finish, puzzle) = end.unzip();
                query = query
                    .bind(id.0)
                    .bind(&job.client.0)
                    .bind(job.request_id.as_deref())
                    .bind(to_i64(job.work))
                    .bind(job.deadline.map(to_millis))
                    .bind(job.time_limit.map(limit_millis))
                    .bind(job.work_limit.map(to_i64))
                    .bind(job.due.map(to_millis))
                    .bind(*turn)
                    .bind(finish.and_then(|finish| finish.reason.as_deref()))
                    .bind(finish.and_then(|finish| finish.start_time).map(to_millis))
                    .bind(finish.map_or(0, |finish| to_i64(finish.last_sequence)))
                    .bind(puzzle.flatten().map(|puzzle| puzzle.0));
            }
            let shape = records[0].shape();
            // one that has ended is nobody's
            let has_ended = shape.state.is_final();
            query = query
                .bind(shape.kind.word())
                .bind(shape.priority.word())
                .bind(shape.state.word())
                .bind((shape.claimed && !has_ended).then_some(owner))
                .bind(shape.claimed)
                .bind(shape.keep_trace)
                .bind(to_millis(now))
                .bind(has_ended.then(|| to_millis(now)));
            count += query.execute(&mut *conn).await?.rows_affected();
        }
    }
    let ids = jobs.iter().map(|record| record.id);
    if count as usize == jobs.len() {
        return Ok(ids.collect());
    }
    let (Some(first), Some(last)) = (ids.clone().min(), ids.max()) else { return Ok(Vec::new()) };
    let fresh: Vec<i64> = sqlx::query_scalar("select id from jobs where id between ?1 and ?2 order by id")
        .bind(first.0)
        .bind(last.0)
        .fetch_all(conn)
        .await?;
    Ok(fresh.into_iter().map(JobId).collect())
}

/// Stores bodies of jobs.
pub async fn insert_specs(conn: &mut SqliteConnection, specs: &[(JobId, &Body)]) -> Result<(), Error> {
    static INSERT: LazyLock<Bulk> = LazyLock::new(|| {
        Bulk::new("insert or rollback into job_specs (job, version, body) values", "(?, ?, ?)", "")
    });
    insert_bodies(conn, &INSERT, specs).await
}

/// Stores outcomes of jobs.
pub async fn insert_results(conn: &mut SqliteConnection, results: &[(JobId, &Body)]) -> Result<(), Error> {
    static INSERT: LazyLock<Bulk> = LazyLock::new(|| {
        Bulk::new("insert or rollback into job_results (job, version, body) values", "(?, ?, ?)", "")
    });
    insert_bodies(conn, &INSERT, results).await
}

async fn insert_bodies(
    conn: &mut SqliteConnection,
    insert: &'static Bulk,
    bodies: &[(JobId, &Body)],
) -> Result<(), Error> {
    for (text, bodies) in insert.split(bodies) {
        let mut query = sqlx::query(text);
        for (job, body) in bodies {
            query = query.bind(job.0).bind(body.version).bind(&body.text);
        }
        query.execute(&mut *conn).await?;
    }
    Ok(())
}

// ---- claim

/// Claims ready jobs of a priority.
pub async fn claim_ready(
    conn: &mut SqliteConnection,
    owner: &str,
    priority: Priority,
    limit: u32,
) -> Result<Vec<i64>, Error> {
    sqlx::query_scalar(concat!(
        "update jobs set owner = ?1, attempt = attempt + 1
         where id in (select id from jobs where priority = ?2 and ",
        ready!(),
        " order by turn, id limit ?3)
         returning id"
    ))
    .bind(owner)
    .bind(priority.word())
    .bind(limit)
    .fetch_all(conn)
    .await
}

/// Claims the oldest suspect, and notes that it has started.
pub async fn claim_suspect(
    conn: &mut SqliteConnection,
    owner: &str,
    now: SystemTime,
) -> Result<Vec<i64>, Error> {
    sqlx::query_scalar(
        "update jobs set owner = ?1, attempt = attempt + 1, state = 'running', start_time = ?2
         where id in (
             select id from jobs where state = 'queued' and owner is null and suspect = 1 order by id limit 1)
         returning id",
    )
    .bind(owner)
    .bind(to_millis(now))
    .fetch_all(conn)
    .await
}

/// Notes of claimed jobs that their run has started.
pub async fn start_jobs(
    conn: &mut SqliteConnection,
    leases: &[Lease],
    now: SystemTime,
) -> Result<Vec<i64>, Error> {
    sqlx::query_scalar(
        "update jobs set state = 'running', start_time = coalesce(start_time, ?2)
         from json_each(?1) as lease
         where jobs.id = lease.value ->> 0 and attempt = lease.value ->> 1 and owner is not null
         returning jobs.id",
    )
    .bind(leases_json(leases))
    .bind(to_millis(now))
    .fetch_all(conn)
    .await
}

fn leases_json(leases: &[Lease]) -> String {
    let rows = leases.iter().map(|lease| json!([lease.job.0, lease.attempt])).collect();
    Value::Array(rows).to_string()
}

/// Puts claimed jobs back to the front of the queue, which is here for each priority.
pub async fn release_jobs(
    conn: &mut SqliteConnection,
    leases: &[Lease],
    fronts: [Option<i64>; 3],
) -> Result<Vec<i64>, Error> {
    let [interactive, normal, bulk] = fronts;
    sqlx::query_scalar(concat!(
        "update jobs set state = 'queued', owner = null, start_time = null, turn = ",
        turn_back!("case priority when 'interactive' then ?2 when 'normal' then ?3 else ?4 end"),
        " from json_each(?1) as lease
         where jobs.id = lease.value ->> 0 and attempt = lease.value ->> 1 and owner is not null
         returning jobs.id"
    ))
    .bind(leases_json(leases))
    .bind(interactive)
    .bind(normal)
    .bind(bulk)
    .fetch_all(conn)
    .await
}

// ---- traces

/// Keeps some entries of a trace, while the lease holds.
pub async fn insert_chunk(conn: &mut SqliteConnection, lease: Lease, chunk: &Chunk) -> Result<(), Error> {
    sqlx::query(
        "insert into trace_chunks (job, attempt, first_sequence, count, format, body)
         select id, attempt, ?3, ?4, ?5, ?6 from jobs where id = ?1 and attempt = ?2 and owner is not null",
    )
    .bind(lease.job.0)
    .bind(lease.attempt)
    .bind(to_i64(chunk.first))
    .bind(to_i64(chunk.count))
    .bind(chunk.format)
    .bind(chunk.body.as_slice())
    .execute(conn)
    .await
    .map(drop)
}

/// Keeps whole traces.
pub async fn insert_traces(conn: &mut SqliteConnection, traces: &[(JobId, &Chunk)]) -> Result<(), Error> {
    static INSERT: LazyLock<Bulk> = LazyLock::new(|| {
        Bulk::new(
            "insert or rollback into traces (job, attempt, count, format, body) values",
            "(?, ?, ?, ?, ?)",
            "",
        )
    });
    for (text, traces) in INSERT.split(traces) {
        let mut query = sqlx::query(text);
        for (job, trace) in traces {
            query = query
                .bind(job.0)
                .bind(trace.attempt)
                .bind(to_i64(trace.count))
                .bind(trace.format)
                .bind(trace.body.as_slice());
        }
        query.execute(&mut *conn).await?;
    }
    Ok(())
}

/// Drops the chunks of jobs.
pub async fn delete_chunks(conn: &mut SqliteConnection, jobs: &[JobId]) -> Result<(), Error> {
    sqlx::query("delete from trace_chunks where job in (select value from json_each(?1))")
        .bind(ids_json(jobs))
        .execute(conn)
        .await
        .map(drop)
}

fn ids_json(jobs: &[JobId]) -> String {
    let ids: Vec<i64> = jobs.iter().map(|job| job.0).collect();
    json!(ids).to_string()
}

/// The trace of a job's last attempt: whole, or in chunks.
pub async fn select_trace(pool: &SqlitePool, job: JobId) -> Result<Vec<Chunk>, Error> {
    let rows = sqlx::query(
        "select attempt, 1 as first_sequence, count, format, body from traces where job = ?1
         union all
         select chunk.attempt, first_sequence, count, format, body
         from trace_chunks as chunk join jobs on jobs.id = chunk.job and jobs.attempt = chunk.attempt
         where chunk.job = ?1
         order by first_sequence",
    )
    .bind(job.0)
    .fetch_all(pool)
    .await?;
    rows.iter().map(read_chunk).collect()
}

/// The chunks of an attempt that begin after so many entries.
pub async fn select_chunks(pool: &SqlitePool, lease: Lease, after: u64) -> Result<Vec<Chunk>, Error> {
    let rows = sqlx::query(
        "select attempt, first_sequence, count, format, body from trace_chunks
         where job = ?1 and attempt = ?2 and first_sequence > ?3 order by first_sequence",
    )
    .bind(lease.job.0)
    .bind(lease.attempt)
    .bind(to_i64(after))
    .fetch_all(pool)
    .await?;
    rows.iter().map(read_chunk).collect()
}

fn read_chunk(row: &SqliteRow) -> Result<Chunk, Error> {
    Ok(Chunk {
        attempt: row.try_get("attempt")?,
        first: row.try_get::<i64, _>("first_sequence")? as u64,
        count: row.try_get::<i64, _>("count")? as u64,
        format: row.try_get("format")?,
        body: row.try_get("body")?,
    })
}

// ---- the end

/// The jobs of those leases that hold, in order.
pub async fn select_held(conn: &mut SqliteConnection, leases: &[Lease]) -> Result<Vec<i64>, Error> {
    static SELECT: LazyLock<Bulk> = LazyLock::new(|| {
        Bulk::new(
            "with lease (job, attempt) as (values",
            "(?, ?)",
            ") select group_concat(id) from lease cross join jobs
             on id = lease.job and jobs.attempt = lease.attempt and owner is not null",
        )
    });
    let mut held = Vec::with_capacity(leases.len());
    for (text, leases) in SELECT.split(leases) {
        let mut query = sqlx::query_scalar(text);
        for lease in leases {
            query = query.bind(lease.job.0).bind(lease.attempt);
        }
        let ids: Option<String> = query.fetch_one(&mut *conn).await?;
        held.extend(numbers(ids.as_deref()));
    }
    held.sort_unstable();
    Ok(held)
}

/// The numbers in a text that SQLite wrote, with commas between.
pub fn numbers(text: Option<&str>) -> impl Iterator<Item = i64> {
    text.into_iter().flat_map(|text| text.split(',')).filter_map(|number| number.parse().ok())
}

/// Ends jobs whose lease is known to hold.
pub async fn finish_jobs(
    conn: &mut SqliteConnection,
    ends: &[(Lease, &Finish, Option<PuzzleId>)],
    now: SystemTime,
) -> Result<(), Error> {
    static UPDATE: LazyLock<Bulk> = LazyLock::new(|| {
        Bulk::new(
            "with finish (job, state, reason, start_time, last_sequence, puzzle) as (values",
            "(?, ?, ?, ?, ?, ?)",
            ") update or rollback jobs set state = finish.state, owner = null, suspect = 0, reason = finish.reason,
                 start_time = coalesce(finish.start_time, jobs.start_time), end_time = ?,
                 last_sequence = finish.last_sequence, puzzle = finish.puzzle
             from finish where jobs.id = finish.job",
        )
    });
    for (text, ends) in UPDATE.split(ends) {
        let mut query = sqlx::query(text);
        for (lease, finish, puzzle) in ends {
            query = query
                .bind(lease.job.0)
                .bind(finish.state.word())
                .bind(finish.reason.as_deref())
                .bind(finish.start_time.map(to_millis))
                .bind(to_i64(finish.last_sequence))
                .bind(puzzle.map(|puzzle| puzzle.0));
        }
        query.bind(to_millis(now)).execute(&mut *conn).await?;
    }
    Ok(())
}

// ---- taking back what dead owners left

/// Ends jobs that were running when their owner died, and had died too often before.
pub async fn fail_deadly(
    conn: &mut SqliteConnection,
    max_deaths: u32,
    now: SystemTime,
) -> Result<u64, Error> {
    sqlx::query(concat!(
        "update jobs set state = 'failed', owner = null, deaths = deaths + 1, suspect = 0, end_time = ?2,
             reason = 'its run died with the process ' || (deaths + 1) || ' times',
             last_sequence = ",
        last_sequence!(),
        " where owner is not null and state = 'running' and deaths + 1 >= ?1"
    ))
    .bind(max_deaths)
    .bind(to_millis(now))
    .execute(conn)
    .await
    .map(|done| done.rows_affected())
}

/// Puts all other claimed jobs back; those known to have started have died once more.
pub async fn requeue_claimed(conn: &mut SqliteConnection) -> Result<u64, Error> {
    sqlx::query(
        "update jobs set deaths = deaths + iif(state = 'running', 1, 0), state = 'queued', owner = null,
             start_time = null, suspect = 1
         where owner is not null",
    )
    .execute(conn)
    .await
    .map(|done| done.rows_affected())
}

// ---- pruning

/// The jobs that a pruning looks at: each with its times.
pub async fn select_window(
    conn: &mut SqliteConnection,
    after: JobId,
    limit: u32,
) -> Result<Vec<(i64, i64, Option<i64>)>, Error> {
    sqlx::query_as("select id, create_time, end_time from jobs where id > ?1 order by id limit ?2")
        .bind(after.0)
        .bind(limit)
        .fetch_all(conn)
        .await
}

/// Deletes jobs with all that belongs to them.
pub async fn delete_jobs(conn: &mut SqliteConnection, ids: &[i64]) -> Result<u64, Error> {
    sqlx::query("delete from jobs where id in (select value from json_each(?1))")
        .bind(json!(ids).to_string())
        .execute(conn)
        .await
        .map(|done| done.rows_affected())
}

/// Deletes traces of finished jobs.
pub async fn delete_traces(conn: &mut SqliteConnection, ids: &[i64]) -> Result<u64, Error> {
    let ids = json!(ids).to_string();
    let whole = sqlx::query("delete from traces where job in (select value from json_each(?1))")
        .bind(&ids)
        .execute(&mut *conn)
        .await?;
    // of jobs that never came to their end
    let parts = sqlx::query("delete from trace_chunks where job in (select value from json_each(?1))")
        .bind(&ids)
        .execute(conn)
        .await?;
    Ok(whole.rows_affected() + parts.rows_affected())
}

// ---- reading jobs

macro_rules! job_columns {
    ($outcome_version:literal, $outcome:literal) => {
        concat!(
            "select jobs.id, client, request_id, kind, priority, state, attempt, deaths, work, keep_trace,
                 create_time, start_time, end_time, deadline, time_limit, work_limit, due, turn, reason,
                 last_sequence, puzzle, spec.version as spec_version, spec.body as spec, ",
            $outcome_version,
            " as outcome_version, ",
            $outcome,
            " as outcome "
        )
    };
}

/// Jobs just claimed, in order.
pub async fn select_claimed(conn: &mut SqliteConnection, ids: &[JobId]) -> Result<Vec<JobRow>, Error> {
    let rows = sqlx::query(concat!(
        job_columns!("null", "null"),
        "from json_each(?1) as wanted join jobs on jobs.id = wanted.value
         join job_specs as spec on spec.job = jobs.id order by jobs.turn, jobs.id"
    ))
    .bind(ids_json(ids))
    .fetch_all(conn)
    .await?;
    rows.iter().map(read_job).collect()
}

/// The job of a client's request.
pub async fn select_by_request<'e>(
    on: impl SqliteExecutor<'e>,
    client: &ClientId,
    request_id: &str,
) -> Result<Option<JobRow>, Error> {
    let row = sqlx::query(concat!(
        job_columns!("null", "null"),
        "from jobs join job_specs as spec on spec.job = jobs.id where client = ?1 and request_id = ?2"
    ))
    .bind(&client.0)
    .bind(request_id)
    .fetch_optional(on)
    .await?;
    row.as_ref().map(read_job).transpose()
}

/// A job.
pub async fn select_job(pool: &SqlitePool, id: JobId) -> Result<Option<JobRow>, Error> {
    let row = sqlx::query(concat!(
        job_columns!("result.version", "result.body"),
        "from jobs join job_specs as spec on spec.job = jobs.id
         left join job_results as result on result.job = jobs.id where jobs.id = ?1"
    ))
    .bind(id.0)
    .fetch_optional(pool)
    .await?;
    row.as_ref().map(read_job).transpose()
}

/// Jobs below an identity, the latest first.
pub async fn select_jobs(
    pool: &SqlitePool,
    filter: &JobFilter,
    below: i64,
    limit: u32,
) -> Result<Vec<JobRow>, Error> {
    let sql = match filter.client {
        Some(_) => concat!(
            job_columns!("null", "null"),
            "from jobs join job_specs as spec on spec.job = jobs.id
             where jobs.id < ?1 and client = ?5 and (?3 is null or state = ?3) and (?4 is null or kind = ?4)
             order by jobs.id desc limit ?2"
        ),
        None => concat!(
            job_columns!("null", "null"),
            "from jobs join job_specs as spec on spec.job = jobs.id
             where jobs.id < ?1 and (?3 is null or state = ?3) and (?4 is null or kind = ?4)
             order by jobs.id desc limit ?2"
        ),
    };
    let mut query = sqlx::query(sql)
        .bind(below)
        .bind(limit)
        .bind(filter.state.map(JobState::word))
        .bind(filter.kind.map(JobKind::word));
    if let Some(client) = &filter.client {
        query = query.bind(&client.0);
    }
    query.fetch_all(pool).await?.iter().map(read_job).collect()
}

/// The last attempt and the state of jobs.
pub async fn select_stages(pool: &SqlitePool, ids: &[JobId]) -> Result<Vec<(Lease, JobState)>, Error> {
    let rows =
        sqlx::query("select id, attempt, state from jobs where id in (select value from json_each(?1))")
            .bind(ids_json(ids))
            .fetch_all(pool)
            .await?;
    let read = |row: &SqliteRow| {
        let lease = Lease { job: JobId(row.try_get("id")?), attempt: row.try_get("attempt")? };
        Ok((lease, word(row, "state", JobState::from_word)?))
    };
    rows.iter().map(read).collect()
}

fn read_job(row: &SqliteRow) -> Result<JobRow, Error> {
    let outcome: Option<String> = row.try_get("outcome")?;
    let outcome = match outcome {
        Some(text) => Some(Body { version: row.try_get("outcome_version")?, text }),
        None => None,
    };
    Ok(JobRow {
        id: JobId(row.try_get("id")?),
        client: ClientId(row.try_get::<&str, _>("client")?.into()),
        request_id: row.try_get("request_id")?,
        kind: word(row, "kind", JobKind::from_word)?,
        priority: word(row, "priority", Priority::from_word)?,
        state: word(row, "state", JobState::from_word)?,
        attempt: row.try_get("attempt")?,
        deaths: row.try_get("deaths")?,
        work: row.try_get::<i64, _>("work")? as u64,
        create_time: time(row, "create_time")?.unwrap_or(UNIX_EPOCH),
        start_time: time(row, "start_time")?,
        end_time: time(row, "end_time")?,
        deadline: time(row, "deadline")?,
        time_limit: row
            .try_get::<Option<i64>, _>("time_limit")?
            .map(|limit| Duration::from_millis(limit as u64)),
        work_limit: row.try_get::<Option<i64>, _>("work_limit")?.map(|limit| limit as u64),
        due: time(row, "due")?,
        turn: row.try_get("turn")?,
        keep_trace: row.try_get("keep_trace")?,
        reason: row.try_get("reason")?,
        last_sequence: row.try_get::<i64, _>("last_sequence")? as u64,
        puzzle: row.try_get::<Option<i64>, _>("puzzle")?.map(PuzzleId),
        spec: Body { version: row.try_get("spec_version")?, text: row.try_get("spec")? },
        outcome,
    })
}
