-- Digests in the order in which they come go into any place of their index: each new puzzle wrote a page of it, when all
-- else of a brief job fills a fifth of one. So an index is kept beside the table that takes many at a time, in their
-- order; until then the latest puzzles are found in memory, from the rows after the last that is in the index. The table
-- is made anew without its own index, with its rows as they were; references to it are not looked at meanwhile.
create table new_puzzles (
    id integer primary key autoincrement,
    -- SHA-256 of the text, each once; filled in at the start that brings this column
    digest blob,
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

insert into new_puzzles (id, digest, text, kind, size, givens, solutions, counted, solution, scale, scale_version, level,
    score, hardest, techniques, searched_cells, provenance, job, create_time)
select id, digest, text, kind, size, givens, solutions, counted, solution, scale, scale_version, level,
    score, hardest, techniques, searched_cells, provenance, job, create_time
from puzzles order by id;

-- no number is given twice
delete from sqlite_sequence where name = 'new_puzzles';
insert into sqlite_sequence (name, seq) select 'new_puzzles', seq from sqlite_sequence where name = 'puzzles';

drop table puzzles;
alter table new_puzzles rename to puzzles;

create index puzzles_by_kind on puzzles (kind, size, id);
create index puzzles_by_level on puzzles (level, id) where level is not null;

-- Puzzles by the first eight bytes of their digests: several may have the same.
create table puzzle_heads (
    head blob not null,
    puzzle integer not null,
    primary key (head, puzzle)
) strict, without rowid;

-- The last puzzle up to which all are in puzzle_heads; some after it may be.
create table puzzle_heads_end (
    only integer primary key check (only = 1),
    puzzle integer not null
) strict;
insert into puzzle_heads_end (only, puzzle) values (1, 0);
