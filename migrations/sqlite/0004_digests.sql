-- A puzzle is found by the digest of its text: an index over the texts was as large as the archive, and each new puzzle
-- went into any place of it. The table is made anew for that, with its rows as they were; references to it are not
-- looked at meanwhile.
create table new_puzzles (
    id integer primary key autoincrement,
    -- SHA-256 of the text; filled in at the start that brings this column
    digest blob unique,
    -- the whole puzzle as JSON, always written alike
    text text not null,
    kind text not null,
    size integer not null,
    -- one symbol a cell, a dot where nothing is given
    givens text not null,
    -- how many solutions were counted, and whether those are all
    solutions integer,
    counted integer check (counted = 0 or counted = 1),
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
    provenance text not null check (provenance = 'solved' or provenance = 'rated' or provenance = 'generated'),
    -- the job that brought it first
    job integer,
    create_time integer not null,
    check ((solutions is null) = (counted is null)),
    check (solution is null or (solutions = 1 and counted = 1)),
    check ((level is null) = (score is null))
) strict;

insert into new_puzzles (id, text, kind, size, givens, solutions, counted, solution, scale, scale_version, level, score,
    hardest, techniques, searched_cells, provenance, job, create_time)
select id, text, kind, size, givens, solutions, counted, solution, scale, scale_version, level, score,
    hardest, techniques, searched_cells, provenance, job, create_time
from puzzles order by id;

-- no number is given twice
delete from sqlite_sequence where name = 'new_puzzles';
insert into sqlite_sequence (name, seq) select 'new_puzzles', seq from sqlite_sequence where name = 'puzzles';

drop table puzzles;
alter table new_puzzles rename to puzzles;

create index puzzles_by_kind on puzzles (kind, size, id);
create index puzzles_by_level on puzzles (level, id) where level is not null;
