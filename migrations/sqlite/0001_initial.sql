-- Jobs, their traces, and the archive of puzzles. Times are milliseconds since 1970, UTC.

-- A job. What may be large is in tables of its own, so that claiming stays cheap.
create table jobs (
    id integer primary key autoincrement,
    client text not null,
    -- by which a client may repeat its submit
    request_id text,
    kind text not null check (kind in ('solve', 'rate', 'generate')),
    priority text not null check (priority in ('interactive', 'normal', 'bulk')),
    state text not null check (state in ('scheduled', 'queued', 'running', 'succeeded', 'failed', 'cancelled')),
    -- the process that has claimed it; a queued job with an owner is about to run there
    owner text,
    -- how often it was claimed; fences every write about it
    attempt integer not null default 0,
    -- how many runs died under it
    deaths integer not null default 0,
    -- its last claim died, so it must be seen running before another suspect may run
    suspect integer not null default 0 check (suspect in (0, 1)),
    work integer not null,
    keep_trace integer not null check (keep_trace in (0, 1)),
    create_time integer not null,
    start_time integer,
    end_time integer,
    deadline integer,
    reason text,
    -- the number of the last trace entry, once it has ended
    last_sequence integer not null default 0,
    puzzle integer references puzzles (id),
    check ((end_time is not null) = (state in ('succeeded', 'failed', 'cancelled'))),
    check (owner is null or state in ('queued', 'running')),
    check (state <> 'running' or owner is not null)
) strict;

create unique index jobs_by_request on jobs (client, request_id) where request_id is not null;
create index jobs_by_client on jobs (client, id);
create index jobs_ready on jobs (priority, id) where state = 'queued' and owner is null and suspect = 0;
create index jobs_suspect on jobs (id) where state = 'queued' and owner is null and suspect = 1;
create index jobs_claimed on jobs (id) where owner is not null;
create index jobs_overdue on jobs (deadline)
    where state in ('scheduled', 'queued') and owner is null and deadline is not null;

-- What exactly is to be done.
create table job_specs (
    job integer primary key references jobs (id) on delete cascade,
    version integer not null,
    body text not null
) strict;

-- What came of it.
create table job_results (
    job integer primary key references jobs (id) on delete cascade,
    version integer not null,
    body text not null
) strict;

-- The trace of a running job, some entries at a time.
create table trace_chunks (
    job integer not null references jobs (id) on delete cascade,
    attempt integer not null,
    first_sequence integer not null,
    count integer not null,
    format integer not null,
    body blob not null,
    primary key (job, attempt, first_sequence)
) strict, without rowid;

-- The whole trace of a finished job.
create table traces (
    job integer primary key references jobs (id) on delete cascade,
    attempt integer not null,
    count integer not null,
    format integer not null,
    body blob not null
) strict;

-- The archive: each puzzle once, whatever brought it.
create table puzzles (
    id integer primary key autoincrement,
    -- the whole puzzle as JSON, always written alike
    text text not null unique,
    kind text not null,
    size integer not null,
    -- one symbol a cell, a dot where nothing is given
    givens text not null,
    -- how many solutions were counted, and whether those are all
    solutions integer,
    counted integer check (counted in (0, 1)),
    -- the only solution
    solution text,
    scale text,
    scale_version integer,
    level text,
    score integer,
    hardest text,
    -- slug:count of each technique, a blank between two
    techniques text,
    searched_cells integer,
    provenance text not null check (provenance in ('solved', 'rated', 'generated')),
    -- the job that brought it first
    job integer,
    create_time integer not null,
    check ((solutions is null) = (counted is null)),
    check (solution is null or (solutions = 1 and counted = 1)),
    check ((level is null) = (score is null))
) strict;

create index puzzles_by_kind on puzzles (kind, size, id);
create index puzzles_by_level on puzzles (level, id) where level is not null;
