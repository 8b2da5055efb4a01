//! The statements about the archive.

use std::sync::LazyLock;
use std::time::{SystemTime, UNIX_EPOCH};

use sqlx::sqlite::SqliteRow;
use sqlx::{Error, Row, SqliteConnection, SqlitePool};

use super::bulk::Bulk;
use super::heads::Heads;
use super::sql::{time, to_i64, to_millis, word};
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
pub async fn keep_puzzles(
    conn: &mut SqliteConnection,
    heads: &mut Heads,
    puzzles: &Puzzles<'_>,
    last: &mut i64,
    now: SystemTime,
) -> Result<Vec<PuzzleId>, Error> {
    let digests: Vec<TextDigest> = puzzles.iter().map(|(_, puzzle)| puzzle.digest()).collect();
    let found = heads.find(conn, &digests).await?;
    let mut ids = Vec::with_capacity(puzzles.len());
    let (mut new, mut known) = (Vec::with_capacity(puzzles.len()), Vec::new());
    for (((job, puzzle), digest), found) in puzzles.iter().zip(&digests).zip(found) {
        let record = |id| PuzzleRecord { id, digest, job: *job, puzzle };
        // two of a commit may be the same
        let id = match found.or_else(|| heads.brought(digest)) {
            Some(id) => {
                known.push(record(id));
                id
            }
            None => {
                *last += 1;
                let id = PuzzleId(*last);
                heads.add(*digest, id);
                new.push(record(id));
                id
            }
        };
        ids.push(id);
    }
    insert_puzzles(conn, new, now).await?;
    merge_puzzles(conn, &known, now).await?;
    Ok(ids)
}

/// A puzzle on its way into the table.
struct PuzzleRecord<'a> {
    id: PuzzleId,
    digest: &'a TextDigest,
    /// The job that brings it.
    job: JobId,
    puzzle: &'a NewPuzzle,
}

/// Keeps new puzzles.
async fn insert_puzzles(
    conn: &mut SqliteConnection,
    mut puzzles: Vec<PuzzleRecord<'_>>,
    now: SystemTime,
) -> Result<(), Error> {
    static INSERT: LazyLock<Bulk> = LazyLock::new(|| Bulk::new(insert_puzzles!(), PUZZLE, ""));
    static INSERT_ALIKE: LazyLock<Bulk> = LazyLock::new(|| {
        Bulk::insert(
            "puzzles",
            "id, digest, text, givens, solution, job",
            "kind, size, solutions, counted, provenance, create_time",
            "",
        )
    });
    puzzles.sort_by_key(|record| PuzzleShape::of(record.puzzle));
    for alike in puzzles.chunk_by(|one, other| PuzzleShape::of(one.puzzle) == PuzzleShape::of(other.puzzle)) {
        let shape = PuzzleShape::of(alike[0].puzzle);
        let insert = if shape.is_some() { &INSERT_ALIKE } else { &INSERT };
        for (text, puzzles) in insert.split(alike) {
            let query = match &shape {
                Some(shape) => bind_alike(text, puzzles, shape, now),
                None => bind_puzzles(text, puzzles, now),
            };
            query.execute(&mut *conn).await?;
        }
    }
    Ok(())
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
    puzzles: &'q [PuzzleRecord<'q>],
    shape: &PuzzleShape<'q>,
    now: SystemTime,
) -> PuzzleQuery<'q> {
    let query = puzzles.iter().fold(sqlx::query(text), |query, PuzzleRecord { id, digest, job, puzzle }| {
        query
            .bind(id.0)
            .bind(digest.as_slice())
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

fn bind_puzzles<'q>(text: &'static str, puzzles: &'q [PuzzleRecord<'q>], now: SystemTime) -> PuzzleQuery<'q> {
    puzzles.iter().fold(sqlx::query(text), |query, PuzzleRecord { id, digest, job, puzzle }| {
        let rating = puzzle.rating.as_ref();
        query
            .bind(id.0)
            .bind(digest.as_slice())
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
    puzzles: &[PuzzleRecord<'_>],
    now: SystemTime,
) -> Result<(), Error> {
    static MERGE: LazyLock<Bulk> = LazyLock::new(|| {
        Bulk::new(
            insert_puzzles!(),
            PUZZLE,
            "on conflict (id) do update set
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
        bind_puzzles(text, puzzles, now).execute(&mut *conn).await?;
    }
    Ok(())
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
