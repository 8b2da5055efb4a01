-- Jobs, their traces, and the archive of puzzles, for any number of processes. Times are milliseconds since 1970, UTC,
-- by the server's clock.

-- What a process must know to use these tables. A migration that an older process cannot live with raises it.
create table schema_needs (
    only_row boolean primary key default true check (only_row),
    version bigint not null
);
insert into schema_needs (version) values (1);

-- Processes that use it. One that says nothing beyond its lease counts as dead, and its jobs are taken back.
create table nodes (
    id bigint generated always as identity primary key,
    -- for people
    name text not null,
    start_time bigint not null,
    -- the number of its last commit, by which it learns after a broken connection whether that commit was made
    batch bigint not null default 0,
    -- 0 when it has left in order
    lease_until bigint not null,
    lease bigint not null
) with (fillfactor = 50);

create sequence job_ids;

-- A job. What may be large is in tables of its own, so that claiming stays cheap.
create table jobs (
    id bigint primary key,
    client text not null,
    -- by which a client may repeat its submit
    request_id text,
    kind text not null check (kind in ('solve', 'rate', 'generate')),
    priority text not null check (priority in ('interactive', 'normal', 'bulk')),
    state text not null check (state in ('scheduled', 'queued', 'running', 'succeeded', 'failed', 'cancelled')),
    -- the node that has claimed it; a queued job with an owner is about to run there. No foreign key: every commit of
    -- a node locks its row first, and whoever removes that row takes the node's jobs back at once.
    owner bigint,
    -- why its owner is to cancel it
    cancel text,
    -- how often it was claimed; fences every write about it
    attempt bigint not null default 0,
    -- how many runs died under it
    deaths bigint not null default 0,
    -- its last claim died, so it must be seen running before another suspect may run
    suspect boolean not null default false,
    work bigint not null,
    keep_trace boolean not null,
    create_time bigint not null,
    start_time bigint,
    end_time bigint,
    deadline bigint,
    reason text,
    -- the number of the last trace entry, once it has ended
    last_sequence bigint not null default 0,
    puzzle bigint,
    -- the version of what is to be done: a process claims what it can read
    spec_version bigint not null,
    check ((end_time is not null) = (state in ('succeeded', 'failed', 'cancelled'))),
    check (owner is null or state in ('queued', 'running')),
    check (state <> 'running' or owner is not null)
) with (
    -- a job is written two or three times, each time leaving a dead row behind
    fillfactor = 70,
    autovacuum_vacuum_scale_factor = 0.01,
    autovacuum_vacuum_threshold = 1000,
    autovacuum_analyze_scale_factor = 0.05
);

create unique index jobs_by_request on jobs (client, request_id) where request_id is not null;
create index jobs_by_client on jobs (client, id);
create index jobs_ready on jobs (priority, id) where state = 'queued' and owner is null and not suspect;
create index jobs_suspect on jobs (id) where state = 'queued' and owner is null and suspect;
create index jobs_claimed on jobs (owner) where owner is not null;
create index jobs_overdue on jobs (deadline)
    where state in ('scheduled', 'queued') and owner is null and deadline is not null;

-- What exactly is to be done.
create table job_specs (
    job bigint primary key references jobs (id) on delete cascade,
    body text not null
);

-- What came of it.
create table job_results (
    job bigint primary key references jobs (id) on delete cascade,
    version bigint not null,
    body text not null
);

-- The trace of a running job, some entries at a time.
create table trace_chunks (
    job bigint not null references jobs (id) on delete cascade,
    attempt bigint not null,
    first_sequence bigint not null,
    count bigint not null,
    format bigint not null,
    body bytea not null,
    primary key (job, attempt, first_sequence)
) with (autovacuum_vacuum_scale_factor = 0.01, autovacuum_vacuum_threshold = 1000);

-- The whole trace of a finished job.
create table traces (
    job bigint primary key references jobs (id) on delete cascade,
    attempt bigint not null,
    count bigint not null,
    format bigint not null,
    body bytea not null
);
-- it is compressed before it comes here
alter table traces alter column body set storage external;

-- The archive: each puzzle once, whatever brought it.
create table puzzles (
    id bigint generated always as identity primary key,
    -- SHA-256 of the text, which may be longer than an index takes
    digest bytea not null unique,
    -- the whole puzzle as JSON, always written alike
    text text not null,
    kind text not null,
    size bigint not null,
    -- one symbol a cell, a dot where nothing is given
    givens text not null,
    -- how many solutions were counted, and whether those are all
    solutions bigint,
    counted boolean,
    -- the only solution
    solution text,
    scale text,
    scale_version bigint,
    level text,
    score bigint,
    hardest text,
    -- slug:count of each technique, a blank between two
    techniques text,
    searched_cells bigint,
    provenance text not null check (provenance in ('solved', 'rated', 'generated')),
    -- the job that brought it first
    job bigint,
    create_time bigint not null,
    check ((solutions is null) = (counted is null)),
    check (solution is null or (solutions = 1 and counted)),
    check ((level is null) = (score is null))
);

create index puzzles_by_kind on puzzles (kind, size, id);
create index puzzles_by_level on puzzles (level, id) where level is not null;
