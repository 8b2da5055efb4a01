-- Who goes first: within a priority waiting jobs are claimed by their turn. The turns of a client's jobs rise, and the
-- next turn of each client begins where the first of all stands, so that clients take turns. A job that waits for its
-- time has none yet.
alter table jobs add column turn bigint default 0;
-- not to be begun before
alter table jobs add column due bigint;

drop index jobs_ready;
create index jobs_ready on jobs (priority, turn, id) where state = 'queued' and owner is null and not suspect;
create index jobs_waiting on jobs (client, priority, turn) where state = 'queued' and owner is null and not suspect;
create index jobs_scheduled on jobs (due, client) where state = 'scheduled';
