//! The statements about the archive.

use std::sync::LazyLock;
use std::time::{SystemTime, UNIX_EPOCH};

use sqlx::sqlite::SqliteRow;
use sqlx::{Error, Row, SqliteConnection, SqlitePool};

use super::bulk::Bulk;
use super::sql::{self, numbers, time, to_i64, to_millis, word};
use crate::store::row::*;

/// What is known of puzzles, each with the job that brings it.
type Puzzles<'a> = [(JobId, &'a NewPuzzle)];

macro_rules! insert_puzzles {
    () => {
        "insert or rollback into puzzles (id, digest, text, kind, size, givens, solutions, counted, solution, scale,
             scale_version, level, score, hardest, techniques, searched_cells, provenance, job, create_time) values"
    };
}

/// A row of [`insert_puzzles!`].
const PUZZLE: &str = "(?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)";

/// Keeps puzzles, each once, and adds to those that are there what was not known of them. New ones get the numbers
/// after `last`. Gives each its identity.
///
/// Most are new: that is tried first, since a text is dear to look for.
pub async fn upsert_puzzles(
    conn: &mut SqliteConnection,
    puzzles: &Puzzles<'_>,
    last: i64,
    now: SystemTime,
) -> Result<Vec<PuzzleId>, Error> {
    static INSERT: LazyLock<Bulk> =
        LazyLock::new(|| Bulk::new(insert_puzzles!(), PUZZLE, "on conflict (digest) do nothing"));
    static INSERT_ALIKE: LazyLock<Bulk> = LazyLock::new(|| {
        Bulk::insert(
            "puzzles",
            "id, digest, text, givens, solution, job",
            "kind, size, solutions, counted, provenance, create_time",
            "on conflict (digest) do nothing",
        )
    });
    let mut order: Vec<usize> = (0..puzzles.len()).collect();
    order.sort_by_key(|&place| PuzzleShape::of(puzzles[place].1));
    let sorted: Vec<(JobId, &NewPuzzle)> = order.iter().map(|&place| puzzles[place]).collect();
    let mut found: Vec<PuzzleId> = Vec::with_capacity(puzzles.len());
    for alike in sorted.chunk_by(|one, other| PuzzleShape::of(one.1) == PuzzleShape::of(other.1)) {
        let shape = PuzzleShape::of(alike[0].1);
        let insert = if shape.is_some() { &INSERT_ALIKE } else { &INSERT };
        for (text, puzzles) in insert.split(alike) {
            let first = last + 1 + found.len() as i64;
            let query = match &shape {
                Some(shape) => bind_alike(text, puzzles, shape, first, now),
                None => bind_puzzles(text, puzzles, Some(first), now),
            };
            let count = query.execute(&mut *conn).await?.rows_affected();
            if count as usize == puzzles.len() {
                found.extend((first..).take(puzzles.len()).map(PuzzleId));
            } else {
                merge_puzzles(conn, puzzles, now).await?;
                found.extend(select_puzzle_ids(conn, puzzles).await?);
            }
        }
    }
    let mut ids = vec![PuzzleId(0); puzzles.len()];
    order.into_iter().zip(found).for_each(|(place, id)| ids[place] = id);
    Ok(ids)
}

/// What most puzzles of a commit have in common.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct PuzzleShape<'a> {
    kind: &'a str,
    size: u32,
    solutions: Option<(u64, bool)>,
    provenance: Provenance,
}

impl PuzzleShape<'_> {
    /// None for one that is rated: ratings are each their own.
    fn of(puzzle: &NewPuzzle) -> Option<PuzzleShape<'_>> {
        let NewPuzzle { kind, size, solutions, provenance, rating, .. } = puzzle;
        rating.is_none().then_some(PuzzleShape {
            kind,
            size: *size,
            solutions: *solutions,
            provenance: *provenance,
        })
    }
}

type PuzzleQuery<'q> = sqlx::query::Query<'q, sqlx::Sqlite, sqlx::sqlite::SqliteArguments>;

/// Puzzles of a shape.
fn bind_alike<'q>(
    text: &'static str,
    puzzles: &'q Puzzles<'_>,
    shape: &PuzzleShape<'q>,
    first: i64,
    now: SystemTime,
) -> PuzzleQuery<'q> {
    let query = puzzles.iter().zip(first..).fold(sqlx::query(text), |query, ((job, puzzle), id)| {
        query
            .bind(id)
            .bind(puzzle.digest().to_vec())
            .bind(&puzzle.text)
            .bind(&puzzle.givens)
            .bind(puzzle.solution.as_deref())
            .bind(job.0)
    });
    query
        .bind(shape.kind)
        .bind(shape.size)
        .bind(shape.solutions.map(|(count, _)| to_i64(count)))
        .bind(shape.solutions.map(|(_, all)| all))
        .bind(shape.provenance.word())
        .bind(to_millis(now))
}

fn bind_puzzles<'q>(
    text: &'static str,
    puzzles: &'q Puzzles<'_>,
    first: Option<i64>,
    now: SystemTime,
) -> PuzzleQuery<'q> {
    puzzles.iter().zip(0..).fold(sqlx::query(text), |query, ((job, puzzle), place)| {
        let rating = puzzle.rating.as_ref();
        query
            .bind(first.map(|first| first + place))
            .bind(puzzle.digest().to_vec())
            .bind(&puzzle.text)
            .bind(&puzzle.kind)
            .bind(puzzle.size)
            .bind(&puzzle.givens)
            .bind(puzzle.solutions.map(|(count, _)| to_i64(count)))
            .bind(puzzle.solutions.map(|(_, all)| all))
            .bind(puzzle.solution.as_deref())
            .bind(rating.map(|rating| &rating.scale))
            .bind(rating.map(|rating| rating.version))
            .bind(rating.map(|rating| &rating.level))
            .bind(rating.map(|rating| rating.score))
            .bind(rating.and_then(|rating| rating.hardest.as_ref()))
            .bind(rating.map(|rating| &rating.techniques))
            .bind(rating.map(|rating| rating.searched_cells))
            .bind(puzzle.provenance.word())
            .bind(job.0)
            .bind(to_millis(now))
    })
}

/// Adds to puzzles, all of which are there, what was not known of them.
async fn merge_puzzles(
    conn: &mut SqliteConnection,
    puzzles: &Puzzles<'_>,
    now: SystemTime,
) -> Result<(), Error> {
    static MERGE: LazyLock<Bulk> = LazyLock::new(|| {
        Bulk::new(
            insert_puzzles!(),
            PUZZLE,
            "on conflict (digest) do update set
                 solutions = coalesce(max(solutions, excluded.solutions), solutions, excluded.solutions),
                 counted = coalesce(max(counted, excluded.counted), counted, excluded.counted),
                 solution = coalesce(solution, excluded.solution),
                 scale = coalesce(excluded.scale, scale),
                 scale_version = coalesce(excluded.scale_version, scale_version),
                 level = coalesce(excluded.level, level),
                 score = coalesce(excluded.score, score),
                 hardest = coalesce(excluded.hardest, hardest),
                 techniques = coalesce(excluded.techniques, techniques),
                 searched_cells = coalesce(excluded.searched_cells, searched_cells)
             where (excluded.solutions is not null
                     and (solutions is null or excluded.solutions > solutions or excluded.counted > counted))
                 or (excluded.level is not null
                     and (level is null or (excluded.scale, excluded.scale_version) is not (scale, scale_version)))",
        )
    });
    for (text, puzzles) in MERGE.split(puzzles) {
        // numbers are for new ones alone, and a number that is given without need is remembered as used
        bind_puzzles(text, puzzles, None, now).execute(&mut *conn).await?;
    }
    Ok(())
}

/// The identities of puzzles, all of which are there.
async fn select_puzzle_ids(
    conn: &mut SqliteConnection,
    puzzles: &Puzzles<'_>,
) -> Result<Vec<PuzzleId>, Error> {
    static SELECT: LazyLock<Bulk> = LazyLock::new(|| {
        Bulk::new(
            "with wanted (place, digest) as (values",
            "(?, ?)",
            ") select group_concat(place || ',' || id) from wanted cross join puzzles
             on puzzles.digest = wanted.digest",
        )
    });
    let mut ids = vec![PuzzleId(0); puzzles.len()];
    let digests: Vec<(usize, TextDigest)> =
        puzzles.iter().enumerate().map(|(place, (_, puzzle))| (place, puzzle.digest())).collect();
    for (text, digests) in SELECT.split(&digests) {
        let mut query = sqlx::query_scalar(text);
        for (place, digest) in digests {
            query = query.bind(*place as i64).bind(digest.as_slice());
        }
        let found: Option<String> = query.fetch_one(&mut *conn).await?;
        let mut found = numbers(found.as_deref());
        while let (Some(place), Some(id)) = (found.next(), found.next()) {
            ids[place as usize] = PuzzleId(id);
        }
    }
    Ok(ids)
}

/// Puzzles whose digests are filled in at a time.
const FILLED: u32 = 4_096;

/// Fills in the digests of puzzles that were kept before there were any.
pub async fn fill_digests(conn: &mut SqliteConnection) -> Result<(), Error> {
    static UPDATE: LazyLock<Bulk> = LazyLock::new(|| {
        Bulk::new(
            "with new (id, digest) as (values",
            "(?, ?)",
            ") update puzzles set digest = new.digest from new where puzzles.id = new.id",
        )
    });
    loop {
        let rows: Vec<(i64, String)> =
            sqlx::query_as("select id, text from puzzles where digest is null limit ?1")
                .bind(FILLED)
                .fetch_all(&mut *conn)
                .await?;
        if rows.is_empty() {
            return Ok(());
        }
        sql::begin(conn).await?;
        for (text, rows) in UPDATE.split(&rows) {
            let query = rows
                .iter()
                .fold(sqlx::query(text), |query, (id, text)| query.bind(id).bind(digest_of(text).to_vec()));
            query.execute(&mut *conn).await?;
        }
        sql::commit(conn).await?;
    }
}

/// A puzzle.
pub async fn select_puzzle(pool: &SqlitePool, id: PuzzleId) -> Result<Option<PuzzleRow>, Error> {
    let row = sqlx::query("select * from puzzles where id = ?1").bind(id.0).fetch_optional(pool).await?;
    row.as_ref().map(read_puzzle).transpose()
}

/// Puzzles below an identity, the latest first.
pub async fn select_puzzles(
    pool: &SqlitePool,
    filter: &PuzzleFilter,
    below: i64,
    limit: u32,
) -> Result<Vec<PuzzleRow>, Error> {
    let rows = sqlx::query(
        "select * from puzzles
         where id < ?1 and (?3 is null or kind = ?3) and (?4 is null or size = ?4) and (?5 is null or level = ?5)
         order by id desc limit ?2",
    )
    .bind(below)
    .bind(limit)
    .bind(&filter.kind)
    .bind(filter.size)
    .bind(&filter.level)
    .fetch_all(pool)
    .await?;
    rows.iter().map(read_puzzle).collect()
}

fn read_puzzle(row: &SqliteRow) -> Result<PuzzleRow, Error> {
    let solutions: Option<i64> = row.try_get("solutions")?;
    let level: Option<String> = row.try_get("level")?;
    let rating = match level {
        Some(level) => Some(RatingColumns {
            scale: row.try_get("scale")?,
            version: row.try_get("scale_version")?,
            level,
            score: row.try_get("score")?,
            hardest: row.try_get("hardest")?,
            techniques: row.try_get("techniques")?,
            searched_cells: row.try_get("searched_cells")?,
        }),
        None => None,
    };
    let known = NewPuzzle {
        text: row.try_get("text")?,
        kind: row.try_get("kind")?,
        size: row.try_get("size")?,
        givens: row.try_get("givens")?,
        solutions: match solutions {
            Some(count) => Some((count as u64, row.try_get("counted")?)),
            None => None,
        },
        solution: row.try_get("solution")?,
        rating,
        provenance: word(row, "provenance", Provenance::from_word)?,
    };
    Ok(PuzzleRow {
        id: PuzzleId(row.try_get("id")?),
        known,
        job: row.try_get::<Option<i64>, _>("job")?.map(JobId),
        create_time: time(row, "create_time")?.unwrap_or(UNIX_EPOCH),
    })
}
