-- What a client asked for, in the way it asked: a repeated submit is compared with it.
alter table jobs add column time_limit integer;
alter table jobs add column work_limit integer;
