-- The node that stored a job: it is the first that may claim it, for whoever waits for the job waits there.
alter table jobs add column home bigint;
