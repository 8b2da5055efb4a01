//! The statements about the archive.

use std::collections::BTreeMap;
use std::time::UNIX_EPOCH;

use sqlx::postgres::PgRow;
use sqlx::{Error, PgConnection, PgPool, Row};

use super::sql::{number, time, to_i64, word};
use super::text::plain;
use crate::store::row::*;

/// What a batch teaches of each puzzle, ordered alike by every process so that none waits for another in a circle.
pub fn gather<'a>(
    puzzles: impl IntoIterator<Item = (JobId, &'a NewPuzzle)>,
) -> BTreeMap<TextDigest, (JobId, NewPuzzle)> {
    let mut gathered: BTreeMap<TextDigest, (JobId, NewPuzzle)> = BTreeMap::new();
    for (job, puzzle) in puzzles {
        gathered
            .entry(puzzle.digest())
            .and_modify(|(_, known)| merge(known, puzzle))
            .or_insert_with(|| (job, puzzle.clone()));
    }
    gathered
}

/// Adds to what is known what is new, as the statement below does.
fn merge(known: &mut NewPuzzle, new: &NewPuzzle) {
    known.solutions = match (known.solutions, new.solutions) {
        (Some((count, all)), Some((new_count, new_all))) => Some((count.max(new_count), all || new_all)),
        (known, new) => known.or(new),
    };
    if known.solution.is_none() {
        known.solution.clone_from(&new.solution);
    }
    if new.rating.is_some() {
        known.rating.clone_from(&new.rating);
    }
}

fn read_digest(row: &PgRow) -> Result<TextDigest, Error> {
    let bytes: Vec<u8> = row.try_get("digest")?;
    bytes
        .try_into()
        .map_err(|_| Error::ColumnDecode { index: "digest".into(), source: "it has not 32 bytes".into() })
}

/// Keeps puzzles, each once, and adds to those that are there what was not known of them. Those of which everything is
/// known are not touched, so that nobody waits for them. Gives the number of each.
pub async fn upsert_puzzles(
    conn: &mut PgConnection,
    puzzles: &BTreeMap<TextDigest, (JobId, NewPuzzle)>,
    now: i64,
) -> Result<BTreeMap<TextDigest, i64>, Error> {
    type Puzzles = BTreeMap<TextDigest, (JobId, NewPuzzle)>;
    fn column<'a, T>(puzzles: &'a Puzzles, value: impl Fn(&'a NewPuzzle) -> T) -> Vec<T> {
        puzzles.values().map(|(_, puzzle)| value(puzzle)).collect()
    }
    fn rating<'a, T>(puzzles: &'a Puzzles, value: impl Fn(&'a RatingColumns) -> T) -> Vec<Option<T>> {
        column(puzzles, |puzzle| puzzle.rating.as_ref().map(&value))
    }
    let rows = sqlx::query(
        "with new as (
             select * from unnest($1::bytea[], $2::text[], $3::text[], $4::bigint[], $5::text[], $6::bigint[],
                 $7::boolean[], $8::text[], $9::text[], $10::bigint[], $11::text[], $12::bigint[], $13::text[],
                 $14::text[], $15::bigint[], $16::text[], $17::bigint[])
             as new (digest, text, kind, size, givens, solutions, counted, solution, scale, scale_version, level,
                 score, hardest, techniques, searched_cells, provenance, job)
         ), settled as (
             select old.digest, old.id from new join puzzles as old on old.digest = new.digest
             where (new.solutions is null
                     or (new.solutions <= old.solutions and (old.counted or not new.counted)))
                 and (new.level is null
                     or (old.level is not null
                         and (new.scale, new.scale_version) is not distinct from (old.scale, old.scale_version)))
         ), written as (
             insert into puzzles as known (digest, text, kind, size, givens, solutions, counted, solution, scale,
                 scale_version, level, score, hardest, techniques, searched_cells, provenance, job, create_time)
             select new.*, $18::bigint from new
             where not exists (select from settled where settled.digest = new.digest)
             order by new.digest
             on conflict (digest) do update set
                 solutions = greatest(known.solutions, excluded.solutions),
                 counted = coalesce(known.counted or excluded.counted, known.counted, excluded.counted),
                 solution = coalesce(known.solution, excluded.solution),
                 scale = coalesce(excluded.scale, known.scale),
                 scale_version = coalesce(excluded.scale_version, known.scale_version),
                 level = coalesce(excluded.level, known.level),
                 score = coalesce(excluded.score, known.score),
                 hardest = coalesce(excluded.hardest, known.hardest),
                 techniques = coalesce(excluded.techniques, known.techniques),
                 searched_cells = coalesce(excluded.searched_cells, known.searched_cells)
             returning digest, id
         )
         select digest, id from settled union all select digest, id from written",
    )
    .bind(puzzles.keys().map(|digest| digest.as_slice()).collect::<Vec<_>>())
    .bind(column(puzzles, |puzzle| plain(&puzzle.text)))
    .bind(column(puzzles, |puzzle| puzzle.kind.as_str()))
    .bind(column(puzzles, |puzzle| i64::from(puzzle.size)))
    .bind(column(puzzles, |puzzle| puzzle.givens.as_str()))
    .bind(column(puzzles, |puzzle| puzzle.solutions.map(|(count, _)| to_i64(count))))
    .bind(column(puzzles, |puzzle| puzzle.solutions.map(|(_, all)| all)))
    .bind(column(puzzles, |puzzle| puzzle.solution.as_deref()))
    .bind(rating(puzzles, |rating| rating.scale.as_str()))
    .bind(rating(puzzles, |rating| i64::from(rating.version)))
    .bind(rating(puzzles, |rating| rating.level.as_str()))
    .bind(rating(puzzles, |rating| i64::from(rating.score)))
    .bind(column(puzzles, |puzzle| puzzle.rating.as_ref().and_then(|rating| rating.hardest.as_deref())))
    .bind(rating(puzzles, |rating| rating.techniques.as_str()))
    .bind(rating(puzzles, |rating| i64::from(rating.searched_cells)))
    .bind(column(puzzles, |puzzle| puzzle.provenance.word()))
    .bind(puzzles.values().map(|(job, _)| job.0).collect::<Vec<_>>())
    .bind(now)
    .fetch_all(conn)
    .await?;
    rows.iter().map(|row| Ok((read_digest(row)?, row.try_get("id")?))).collect()
}

/// A puzzle.
pub async fn select_puzzle(pool: &PgPool, id: PuzzleId) -> Result<Option<PuzzleRow>, Error> {
    let row = sqlx::query("select * from puzzles where id = $1").bind(id.0).fetch_optional(pool).await?;
    row.as_ref().map(read_puzzle).transpose()
}

/// Puzzles below an identity, the latest first.
pub async fn select_puzzles(
    pool: &PgPool,
    filter: &PuzzleFilter,
    below: i64,
    limit: u32,
) -> Result<Vec<PuzzleRow>, Error> {
    let rows = sqlx::query(
        "select * from puzzles
         where id < $1 and ($3 is null or kind = $3) and ($4 is null or size = $4) and ($5 is null or level = $5)
         order by id desc limit $2",
    )
    .bind(below)
    .bind(i64::from(limit))
    .bind(&filter.kind)
    .bind(filter.size.map(i64::from))
    .bind(&filter.level)
    .fetch_all(pool)
    .await?;
    rows.iter().map(read_puzzle).collect()
}

fn read_puzzle(row: &PgRow) -> Result<PuzzleRow, Error> {
    let level: Option<String> = row.try_get("level")?;
    let rating = match level {
        Some(level) => Some(RatingColumns {
            scale: row.try_get("scale")?,
            version: number(row, "scale_version")?,
            level,
            score: number(row, "score")?,
            hardest: row.try_get("hardest")?,
            techniques: row.try_get("techniques")?,
            searched_cells: number(row, "searched_cells")?,
        }),
        None => None,
    };
    let counted: Option<bool> = row.try_get("counted")?;
    let known = NewPuzzle {
        text: row.try_get("text")?,
        kind: row.try_get("kind")?,
        size: number(row, "size")?,
        givens: row.try_get("givens")?,
        solutions: match counted {
            Some(all) => Some((number(row, "solutions")?, all)),
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
