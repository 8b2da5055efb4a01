-- What a client asked for, in the way it asked: a repeated submit is compared with it.
alter table jobs add column time_limit bigint;
alter table jobs add column work_limit bigint;
