//! Every statement, one function each. Each takes many rows at once: a statement costs a way to the server and back.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use sqlx::postgres::PgRow;
use sqlx::{AssertSqlSafe, Error, PgConnection, PgPool, Row};

use super::text::{escape, plain, unescape};
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

/// What the column can hold of it.
pub fn to_i64(number: u64) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}

/// The server's clock in milliseconds.
macro_rules! clock {
    () => {
        "(extract(epoch from clock_timestamp()) * 1000)::bigint"
    };
}

/// The columns of a job beside its specification under the name `spec`.
macro_rules! job_columns {
    ($outcome_version:literal, $outcome:literal) => {
        concat!(
            "jobs.id, jobs.client, jobs.request_id, jobs.kind, jobs.priority, jobs.state, jobs.attempt, jobs.deaths,
             jobs.work, jobs.keep_trace, jobs.create_time, jobs.start_time, jobs.end_time, jobs.deadline,
             jobs.time_limit, jobs.work_limit, jobs.due, jobs.turn, jobs.reason, jobs.last_sequence, jobs.puzzle, jobs.spec_version, spec.body as spec, ",
            $outcome_version,
            " as outcome_version, ",
            $outcome,
            " as outcome "
        )
    };
}
/// A word of a table.
pub fn word<T>(row: &PgRow, column: &str, read: impl Fn(&str) -> Option<T>) -> Result<T, Error> {
    let word: String = row.try_get(column)?;
    read(&word).ok_or_else(|| Error::ColumnDecode {
        index: column.into(),
        source: format!("{word} is not a word of it").into(),
    })
}

/// A time, where there is one.
pub fn time(row: &PgRow, column: &str) -> Result<Option<SystemTime>, Error> {
    Ok(row.try_get::<Option<i64>, _>(column)?.map(from_millis))
}

/// A number that is never negative, and fits what it is read into unless somebody else wrote it.
pub fn number<T: TryFrom<i64>>(row: &PgRow, column: &str) -> Result<T, Error> {
    let number: i64 = row.try_get(column)?;
    T::try_from(number).map_err(|_| Error::ColumnDecode {
        index: column.into(),
        source: format!("{number} is out of its range").into(),
    })
}

// ---- transactions

/// Begins a transaction.
pub async fn begin(conn: &mut PgConnection) -> Result<(), Error> {
    sqlx::query("begin").execute(conn).await.map(drop)
}

/// Makes it durable.
pub async fn commit(conn: &mut PgConnection) -> Result<(), Error> {
    sqlx::query("commit").execute(conn).await.map(drop)
}

/// Undoes it.
pub async fn rollback(conn: &mut PgConnection) -> Result<(), Error> {
    sqlx::query("rollback").execute(conn).await.map(drop)
}

// ---- the process among others

/// The schema version that a process must know, if the tables are there.
pub async fn select_needs(conn: &mut PgConnection) -> Result<i64, Error> {
    sqlx::query_scalar("select version from schema_needs").fetch_one(conn).await
}

/// Enters a process among those that use the tables; to be committed for good, so that no number is given twice.
pub async fn insert_node(conn: &mut PgConnection, name: &str, lease: Duration) -> Result<i64, Error> {
    sqlx::query("set local synchronous_commit = on").execute(&mut *conn).await?;
    sqlx::query_scalar(concat!(
        "insert into nodes (name, start_time, lease_until, lease) values ($1, ",
        clock!(),
        ", ",
        clock!(),
        " + $2, $2) returning id"
    ))
    .bind(name)
    .bind(to_i64(lease.as_millis() as u64))
    .fetch_one(conn)
    .await
}

/// What a batch begins with.
pub struct Opening {
    /// The time of all its writes.
    pub now: i64,
    /// Identities for new jobs.
    pub ids: Vec<i64>,
}

/// Begins a transaction and its batch in one go: its number, a longer life, identities for so many jobs. The node's row
/// stays locked to the end, so that nobody takes its jobs meanwhile. None if the batch was made already, or the node is
/// gone.
pub async fn open_batch(
    conn: &mut PgConnection,
    node: i64,
    batch: i64,
    jobs: usize,
) -> Result<Option<Opening>, Error> {
    let clock = clock!();
    // numbers alone, so that they can stand in the text and both statements go together
    let sql = format!(
        "begin; update nodes set batch = {batch}, lease_until = {clock} + lease where id = {node} and batch < {batch}
         returning {clock} as now, (select array_agg(nextval('job_ids')) from generate_series(1, {jobs})) as ids"
    );
    let rows = sqlx::raw_sql(AssertSqlSafe(sql)).fetch_all(conn).await?;
    let Some(row) = rows.first() else { return Ok(None) };
    let ids: Option<Vec<i64>> = row.try_get("ids")?;
    Ok(Some(Opening { now: row.try_get("now")?, ids: ids.unwrap_or_default() }))
}

/// The number of a node's last batch, if it is there.
pub async fn select_batch(conn: &mut PgConnection, node: i64) -> Result<Option<i64>, Error> {
    sqlx::query_scalar("select batch from nodes where id = $1").bind(node).fetch_optional(conn).await
}

/// How many nodes there are.
pub async fn count_nodes(conn: &mut PgConnection) -> Result<i64, Error> {
    sqlx::query_scalar("select count(*) from nodes").fetch_one(conn).await
}

/// Ends a node's life at once.
pub async fn expire_node(conn: &mut PgConnection, node: i64) -> Result<(), Error> {
    sqlx::query("update nodes set lease_until = 0 where id = $1").bind(node).execute(conn).await.map(drop)
}

/// Removes nodes whose life is over. The time during which the server was down does not count against them.
pub async fn delete_dead_nodes(conn: &mut PgConnection, now: i64) -> Result<Vec<i64>, Error> {
    sqlx::query_scalar(
        "delete from nodes where id in (
             select id from nodes where lease_until < $1 and (lease_until = 0
                 or (extract(epoch from pg_postmaster_start_time()) * 1000)::bigint + lease < $1)
             for update skip locked)
         returning id",
    )
    .bind(now)
    .fetch_all(conn)
    .await
}

/// From here on a commit over this connection does not wait for the disk.
pub async fn commit_lightly(conn: &mut PgConnection) -> Result<(), Error> {
    sqlx::query("set synchronous_commit = off").execute(conn).await.map(drop)
}

/// Tells everybody who listens.
pub async fn notify(conn: &mut PgConnection, channel: &str, payload: &str) -> Result<(), Error> {
    sqlx::query("select pg_notify($1, $2)").bind(channel).bind(payload).execute(conn).await.map(drop)
}

// ---- submit

/// Stores jobs under these identities, each with its turn unless it waits for its time; gives those that are new.
pub async fn insert_jobs(
    conn: &mut PgConnection,
    jobs: &[(JobId, &NewJob, Option<i64>)],
    owner: i64,
    now: i64,
) -> Result<Vec<i64>, Error> {
    fn column<'a, T>(jobs: &'a [(JobId, &NewJob, Option<i64>)], value: impl Fn(&'a NewJob) -> T) -> Vec<T> {
        jobs.iter().map(|(_, job, _)| value(job)).collect()
    }
    sqlx::query_scalar(
        "with new as (
             select * from unnest($1::bigint[], $2::text[], $3::text[], $4::text[], $5::text[], $6::boolean[],
                 $7::bigint[], $8::boolean[], $9::bigint[], $10::bigint[], $11::text[], $14::bigint[], $15::bigint[],
                 $16::bigint[], $17::bigint[])
             as new (id, client, request_id, kind, priority, claimed, work, keep_trace, deadline, version, body,
                 time_limit, work_limit, due, turn)
         ), stored as (
             insert into jobs (id, client, request_id, kind, priority, state, owner, attempt, work, keep_trace,
                 create_time, deadline, time_limit, work_limit, due, turn, spec_version, home)
             select id, client, request_id, kind, priority,
                 case when turn is null then 'scheduled' else 'queued' end, case when claimed then $12::bigint end,
                 claimed::int, work, keep_trace, $13::bigint, deadline, time_limit, work_limit, due, turn, version,
                 $12::bigint
             from new
             on conflict do nothing
             returning id
         ), specs as (
             insert into job_specs (job, body) select new.id, new.body from new join stored on stored.id = new.id
         )
         select id from stored",
    )
    .bind(jobs.iter().map(|(id, _, _)| id.0).collect::<Vec<_>>())
    .bind(column(jobs, |job| escape(&job.client.0)))
    .bind(column(jobs, |job| job.request_id.as_deref().map(escape)))
    .bind(column(jobs, |job| job.kind.word()))
    .bind(column(jobs, |job| job.priority.word()))
    .bind(column(jobs, |job| job.claimed))
    .bind(column(jobs, |job| to_i64(job.work)))
    .bind(column(jobs, |job| job.keep_trace))
    .bind(column(jobs, |job| job.deadline.map(to_millis)))
    .bind(column(jobs, |job| i64::from(job.spec.version)))
    .bind(column(jobs, |job| plain(&job.spec.text)))
    .bind(owner)
    .bind(now)
    .bind(column(jobs, |job| job.time_limit.map(limit_millis)))
    .bind(column(jobs, |job| job.work_limit.map(to_i64)))
    .bind(column(jobs, |job| job.due.map(to_millis)))
    .bind(jobs.iter().map(|(_, _, turn)| *turn).collect::<Vec<_>>())
    .fetch_all(conn)
    .await
}

// ---- claim

/// For so many milliseconds a job is left to the node that stored it: whoever waits for it waits there, and is told at
/// less cost by the node that ran it.
const HOME: i64 = 100;

/// Claims ready jobs of a priority. Those that another process is claiming, or soon will, are passed over.
pub async fn claim_ready(
    conn: &mut PgConnection,
    owner: i64,
    priority: Priority,
    limit: u32,
    now: i64,
) -> Result<Vec<JobRow>, Error> {
    let rows = sqlx::query(concat!(
        "with picked as materialized (
             select id from jobs where priority = $2 and ",
        ready!(),
        " and spec_version <= $4
                 and (home is not distinct from $1 or create_time < $5
                     or not exists (select from nodes where nodes.id = home))
             order by turn, id limit $3 for update skip locked)
         update jobs set owner = $1, attempt = attempt + 1
         from picked join job_specs as spec on spec.job = picked.id where jobs.id = picked.id
         returning ",
        job_columns!("null::bigint", "null::text")
    ))
    .bind(owner)
    .bind(priority.word())
    .bind(i64::from(limit))
    .bind(i64::from(Body::VERSION))
    .bind(now - HOME)
    .fetch_all(conn)
    .await?;
    read_claimed(&rows)
}

/// Claims the oldest suspect, and notes that it has started.
pub async fn claim_suspect(conn: &mut PgConnection, owner: i64, now: i64) -> Result<Vec<JobRow>, Error> {
    let rows = sqlx::query(concat!(
        "with picked as materialized (
             select id from jobs where state = 'queued' and owner is null and suspect
                 and spec_version <= $3
             order by id limit 1 for update skip locked)
         update jobs set owner = $1, attempt = attempt + 1, state = 'running', start_time = $2
         from picked join job_specs as spec on spec.job = picked.id where jobs.id = picked.id
         returning ",
        job_columns!("null::bigint", "null::text")
    ))
    .bind(owner)
    .bind(now)
    .bind(i64::from(Body::VERSION))
    .fetch_all(conn)
    .await?;
    read_claimed(&rows)
}

fn read_claimed(rows: &[PgRow]) -> Result<Vec<JobRow>, Error> {
    let mut jobs = rows.iter().map(read_job).collect::<Result<Vec<_>, _>>()?;
    jobs.sort_unstable_by_key(|job| (job.turn, job.id));
    Ok(jobs)
}

/// Notes of claimed jobs that their run has started.
pub async fn start_jobs(
    conn: &mut PgConnection,
    owner: i64,
    leases: &[Lease],
    now: i64,
) -> Result<Vec<i64>, Error> {
    sqlx::query_scalar(
        "update jobs set state = 'running', start_time = coalesce(start_time, $3)
         from unnest($1::bigint[], $2::bigint[]) as lease (job, attempt)
         where jobs.id = lease.job and jobs.attempt = lease.attempt and owner = $4
         returning jobs.id",
    )
    .bind(jobs_of(leases))
    .bind(attempts_of(leases))
    .bind(now)
    .bind(owner)
    .fetch_all(conn)
    .await
}

fn jobs_of(leases: &[Lease]) -> Vec<i64> {
    leases.iter().map(|lease| lease.job.0).collect()
}

fn attempts_of(leases: &[Lease]) -> Vec<i64> {
    leases.iter().map(|lease| i64::from(lease.attempt)).collect()
}

/// Puts claimed jobs back to the front of the queue, which is here for each priority, or ends them if somebody wants
/// them cancelled.
pub async fn release_jobs(
    conn: &mut PgConnection,
    owner: i64,
    leases: &[Lease],
    fronts: [Option<i64>; 3],
    now: i64,
) -> Result<Vec<i64>, Error> {
    sqlx::query_scalar(concat!(
        "update jobs set owner = null, start_time = null, turn = ",
        turn_back!(
            "case priority when 'interactive' then $5::bigint when 'normal' then $6::bigint else $7::bigint end"
        ),
        ", state = case when cancel is null then 'queued' else 'cancelled' end,
             reason = cancel, cancel = null,
             end_time = case when cancel is null then null else $3::bigint end,
             last_sequence = case when cancel is null then last_sequence else ",
        last_sequence!(),
        " end
         from unnest($1::bigint[], $2::bigint[]) as lease (job, attempt)
         where jobs.id = lease.job and jobs.attempt = lease.attempt and owner = $4
         returning jobs.id"
    ))
    .bind(jobs_of(leases))
    .bind(attempts_of(leases))
    .bind(now)
    .bind(owner)
    .bind(fronts[0])
    .bind(fronts[1])
    .bind(fronts[2])
    .fetch_all(conn)
    .await
}

/// Of each lease that holds: the job, and why it is to be cancelled.
pub async fn select_standing(
    conn: &mut PgConnection,
    owner: i64,
    leases: &[Lease],
) -> Result<Vec<(i64, Option<String>)>, Error> {
    sqlx::query_as(
        "select jobs.id, jobs.cancel from unnest($1::bigint[], $2::bigint[]) as lease (job, attempt)
         join jobs on jobs.id = lease.job and jobs.attempt = lease.attempt and owner = $3",
    )
    .bind(jobs_of(leases))
    .bind(attempts_of(leases))
    .bind(owner)
    .fetch_all(conn)
    .await
}

// ---- traces

/// Keeps some entries of traces.
pub async fn insert_chunks(conn: &mut PgConnection, chunks: &[(JobId, &Chunk)]) -> Result<(), Error> {
    sqlx::query(
        "insert into trace_chunks (job, attempt, first_sequence, count, format, body)
         select * from unnest($1::bigint[], $2::bigint[], $3::bigint[], $4::bigint[], $5::bigint[], $6::bytea[])",
    )
    .bind(chunks.iter().map(|(job, _)| job.0).collect::<Vec<_>>())
    .bind(chunks.iter().map(|(_, chunk)| i64::from(chunk.attempt)).collect::<Vec<_>>())
    .bind(chunks.iter().map(|(_, chunk)| to_i64(chunk.first)).collect::<Vec<_>>())
    .bind(chunks.iter().map(|(_, chunk)| to_i64(chunk.count)).collect::<Vec<_>>())
    .bind(chunks.iter().map(|(_, chunk)| i64::from(chunk.format)).collect::<Vec<_>>())
    .bind(chunks.iter().map(|(_, chunk)| chunk.body.as_slice()).collect::<Vec<_>>())
    .execute(conn)
    .await
    .map(drop)
}

/// The trace of a job's last attempt: whole, or in chunks.
pub async fn select_trace(pool: &PgPool, job: JobId) -> Result<Vec<Chunk>, Error> {
    let rows = sqlx::query(
        "select attempt, 1::bigint as first_sequence, count, format, body from traces where job = $1
         union all
         select chunk.attempt, first_sequence, count, format, body
         from trace_chunks as chunk join jobs on jobs.id = chunk.job and jobs.attempt = chunk.attempt
         where chunk.job = $1
         order by first_sequence",
    )
    .bind(job.0)
    .fetch_all(pool)
    .await?;
    rows.iter().map(read_chunk).collect()
}

/// The chunks of an attempt that begin after so many entries.
pub async fn select_chunks(pool: &PgPool, lease: Lease, after: u64) -> Result<Vec<Chunk>, Error> {
    let rows = sqlx::query(
        "select attempt, first_sequence, count, format, body from trace_chunks
         where job = $1 and attempt = $2 and first_sequence > $3 order by first_sequence",
    )
    .bind(lease.job.0)
    .bind(i64::from(lease.attempt))
    .bind(to_i64(after))
    .fetch_all(pool)
    .await?;
    rows.iter().map(read_chunk).collect()
}

fn read_chunk(row: &PgRow) -> Result<Chunk, Error> {
    Ok(Chunk {
        attempt: number(row, "attempt")?,
        first: number(row, "first_sequence")?,
        count: number(row, "count")?,
        format: number(row, "format")?,
        body: row.try_get("body")?,
    })
}

// ---- the end

/// Ends jobs whose lease holds, with the archive's number of their puzzle: state, outcome and trace. Gives those leases.
pub async fn finish_jobs(
    conn: &mut PgConnection,
    owner: i64,
    ends: &[(Lease, &Finish, Option<i64>)],
    now: i64,
) -> Result<Vec<(i64, i64)>, Error> {
    fn column<'a, T>(ends: &'a [(Lease, &Finish, Option<i64>)], value: impl Fn(&'a Finish) -> T) -> Vec<T> {
        ends.iter().map(|(_, finish, _)| value(finish)).collect()
    }
    sqlx::query_as(
        "with ends as (
             select * from unnest($1::bigint[], $2::bigint[], $3::text[], $4::text[], $5::bigint[], $6::bigint[],
                 $7::bigint[], $8::bigint[], $9::text[], $10::bigint[], $11::bigint[], $12::bytea[])
             as ends (job, attempt, state, reason, start_time, last_sequence, puzzle,
                 outcome_version, outcome, trace_count, trace_format, trace)
         ), held as materialized (
             select ends.* from ends
             join jobs on jobs.id = ends.job and jobs.attempt = ends.attempt and jobs.owner = $13
             order by jobs.id for no key update of jobs
         ), results as (
             insert into job_results (job, version, body)
             select job, outcome_version, outcome from held where outcome is not null
         ), whole as (
             insert into traces (job, attempt, count, format, body)
             select job, attempt, trace_count, trace_format, trace from held where trace is not null
         ), folded as (
             delete from trace_chunks where job in (select job from held)
         )
         update jobs set state = held.state, owner = null, suspect = false, cancel = null, reason = held.reason,
             start_time = coalesce(held.start_time, jobs.start_time), end_time = $14::bigint,
             last_sequence = held.last_sequence, puzzle = held.puzzle
         from held where jobs.id = held.job
         returning jobs.id, jobs.attempt",
    )
    .bind(ends.iter().map(|(lease, _, _)| lease.job.0).collect::<Vec<_>>())
    .bind(ends.iter().map(|(lease, _, _)| i64::from(lease.attempt)).collect::<Vec<_>>())
    .bind(column(ends, |end| end.state.word()))
    .bind(column(ends, |end| end.reason.as_deref().map(plain)))
    .bind(column(ends, |end| end.start_time.map(to_millis)))
    .bind(column(ends, |end| to_i64(end.last_sequence)))
    .bind(ends.iter().map(|(_, _, puzzle)| *puzzle).collect::<Vec<_>>())
    .bind(column(ends, |end| end.outcome.as_ref().map(|outcome| i64::from(outcome.version))))
    .bind(column(ends, |end| end.outcome.as_ref().map(|outcome| plain(&outcome.text))))
    .bind(column(ends, |end| end.trace.as_ref().map(|trace| to_i64(trace.count))))
    .bind(column(ends, |end| end.trace.as_ref().map(|trace| i64::from(trace.format))))
    .bind(column(ends, |end| end.trace.as_ref().map(|trace| trace.body.as_slice())))
    .bind(owner)
    .bind(now)
    .fetch_all(conn)
    .await
}

/// Asks the owners of those of these jobs that others have claimed to cancel them; gives those that were not asked
/// before.
pub async fn ask_owners(
    conn: &mut PgConnection,
    wanted: &[(JobId, &str)],
    asking: i64,
) -> Result<Vec<i64>, Error> {
    sqlx::query_scalar(
        "with picked as materialized (
             select jobs.id, wanted.reason from unnest($1::bigint[], $2::text[]) as wanted (id, reason)
             join jobs on jobs.id = wanted.id and owner <> $3 and cancel is null
             for no key update of jobs skip locked)
         update jobs set cancel = picked.reason from picked where jobs.id = picked.id returning jobs.id",
    )
    .bind(wanted.iter().map(|(id, _)| id.0).collect::<Vec<_>>())
    .bind(wanted.iter().map(|(_, reason)| plain(reason)).collect::<Vec<_>>())
    .bind(asking)
    .fetch_all(conn)
    .await
}

// ---- taking back what dead owners left

/// Ends jobs of these owners that were running, and had died too often before.
pub async fn fail_deadly(
    conn: &mut PgConnection,
    owners: &[i64],
    max_deaths: u32,
    now: i64,
) -> Result<Vec<i64>, Error> {
    sqlx::query_scalar(concat!(
        "update jobs set state = 'failed', owner = null, cancel = null, deaths = deaths + 1, suspect = false,
             end_time = $3, reason = 'its run died with the process ' || (deaths + 1) || ' times', last_sequence = ",
        last_sequence!(),
        " where owner = any($1) and state = 'running' and deaths + 1 >= $2 returning id"
    ))
    .bind(owners)
    .bind(i64::from(max_deaths))
    .bind(now)
    .fetch_all(conn)
    .await
}

/// Puts all other jobs of these owners back, or ends them if somebody wants them cancelled; those known to have started
/// have died once more. Gives each with whether it waits again.
pub async fn requeue_claimed(
    conn: &mut PgConnection,
    owners: &[i64],
    now: i64,
) -> Result<Vec<(i64, bool)>, Error> {
    sqlx::query_as(concat!(
        "update jobs set deaths = deaths + (state = 'running')::int, owner = null, start_time = null,
             suspect = cancel is null, state = case when cancel is null then 'queued' else 'cancelled' end,
             reason = cancel, cancel = null, end_time = case when cancel is null then null else $2::bigint end,
             last_sequence = case when cancel is null then last_sequence else ",
        last_sequence!(),
        " end where owner = any($1) returning id, suspect"
    ))
    .bind(owners)
    .bind(now)
    .fetch_all(conn)
    .await
}

// ---- pruning

/// The jobs that a pruning looks at: each with its times.
pub async fn select_window(
    conn: &mut PgConnection,
    after: JobId,
    limit: u32,
) -> Result<Vec<(i64, i64, Option<i64>)>, Error> {
    sqlx::query_as("select id, create_time, end_time from jobs where id > $1 order by id limit $2")
        .bind(after.0)
        .bind(i64::from(limit))
        .fetch_all(conn)
        .await
}

/// Deletes jobs with all that belongs to them.
pub async fn delete_jobs(conn: &mut PgConnection, ids: &[i64]) -> Result<u64, Error> {
    sqlx::query("delete from jobs where id = any($1)")
        .bind(ids)
        .execute(conn)
        .await
        .map(|done| done.rows_affected())
}

/// Deletes traces of finished jobs, chunks of jobs that never came to their end included.
pub async fn delete_traces(conn: &mut PgConnection, ids: &[i64]) -> Result<u64, Error> {
    sqlx::query_scalar(
        "with whole as (delete from traces where job = any($1) returning job),
             parts as (delete from trace_chunks where job = any($1) returning job)
         select count(*) from (select job from whole union select job from parts) as gone",
    )
    .bind(ids)
    .fetch_one(conn)
    .await
    .map(|count: i64| count as u64)
}

// ---- reading jobs

/// The job of a client's request.
pub async fn select_by_request<'e>(
    on: impl sqlx::PgExecutor<'e>,
    client: &ClientId,
    request_id: &str,
) -> Result<Option<JobRow>, Error> {
    let row = sqlx::query(concat!(
        "select ",
        job_columns!("null::bigint", "null::text"),
        "from jobs join job_specs as spec on spec.job = jobs.id where client = $1 and request_id = $2"
    ))
    .bind(escape(&client.0))
    .bind(escape(request_id))
    .fetch_optional(on)
    .await?;
    row.as_ref().map(read_job).transpose()
}

/// Those of these jobs that there are, each with its number.
pub async fn select_jobs_by_id(
    pool: &PgPool,
    ids: &[i64],
) -> Result<Vec<(i64, Result<JobRow, Error>)>, Error> {
    let rows = sqlx::query(concat!(
        "select ",
        job_columns!("result.version", "result.body"),
        "from jobs join job_specs as spec on spec.job = jobs.id
         left join job_results as result on result.job = jobs.id where jobs.id = any($1)"
    ))
    .bind(ids)
    .fetch_all(pool)
    .await?;
    rows.iter().map(|row| Ok((row.try_get("id")?, read_job(row)))).collect()
}

/// Jobs below an identity, the latest first.
pub async fn select_jobs(
    pool: &PgPool,
    filter: &JobFilter,
    below: i64,
    limit: u32,
) -> Result<Vec<JobRow>, Error> {
    let sql = match filter.client {
        Some(_) => concat!(
            "select ",
            job_columns!("null::bigint", "null::text"),
            "from jobs join job_specs as spec on spec.job = jobs.id
             where jobs.id < $1 and client = $5 and ($3 is null or state = $3) and ($4 is null or kind = $4)
             order by jobs.id desc limit $2"
        ),
        None => concat!(
            "select ",
            job_columns!("null::bigint", "null::text"),
            "from jobs join job_specs as spec on spec.job = jobs.id
             where jobs.id < $1 and ($3 is null or state = $3) and ($4 is null or kind = $4)
             order by jobs.id desc limit $2"
        ),
    };
    let mut query = sqlx::query(sql)
        .bind(below)
        .bind(i64::from(limit))
        .bind(filter.state.map(JobState::word))
        .bind(filter.kind.map(JobKind::word));
    if let Some(client) = &filter.client {
        query = query.bind(escape(&client.0));
    }
    query.fetch_all(pool).await?.iter().map(read_job).collect()
}

/// The last attempt and the state of jobs.
pub async fn select_stages(pool: &PgPool, ids: &[JobId]) -> Result<Vec<(Lease, JobState)>, Error> {
    let rows = sqlx::query("select id, attempt, state from jobs where id = any($1)")
        .bind(ids.iter().map(|id| id.0).collect::<Vec<_>>())
        .fetch_all(pool)
        .await?;
    let read = |row: &PgRow| {
        let lease = Lease { job: JobId(row.try_get("id")?), attempt: number(row, "attempt")? };
        Ok((lease, word(row, "state", JobState::from_word)?))
    };
    rows.iter().map(read).collect()
}

fn read_job(row: &PgRow) -> Result<JobRow, Error> {
    let outcome: Option<String> = row.try_get("outcome")?;
    let outcome = match outcome {
        Some(text) => Some(Body { version: number(row, "outcome_version")?, text }),
        None => None,
    };
    Ok(JobRow {
        id: JobId(row.try_get("id")?),
        client: ClientId(unescape(row.try_get("client")?).into()),
        request_id: row.try_get::<Option<String>, _>("request_id")?.map(unescape),
        kind: word(row, "kind", JobKind::from_word)?,
        priority: word(row, "priority", Priority::from_word)?,
        state: word(row, "state", JobState::from_word)?,
        attempt: number(row, "attempt")?,
        deaths: number(row, "deaths")?,
        work: number(row, "work")?,
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
        last_sequence: number(row, "last_sequence")?,
        puzzle: row.try_get::<Option<i64>, _>("puzzle")?.map(PuzzleId),
        spec: Body { version: number(row, "spec_version")?, text: row.try_get("spec")? },
        outcome,
    })
}
