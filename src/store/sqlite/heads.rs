//! Which puzzle has a digest. An index that takes each digest as it comes is written anywhere, a page for each new
//! puzzle, when all else of a brief job fills a fifth of one: half of what a commit wrote. So the latest puzzles are
//! found in memory, which the rows themselves fill again at the next start. When they are many they go into the index
//! in the order of their digests, some with each commit, so that each of its pages takes several.

use std::collections::BTreeMap;
use std::ops::Bound;
use std::sync::LazyLock;

use futures_util::{StreamExt, TryStreamExt};
use sqlx::sqlite::SqliteRow;
use sqlx::{Error, Row, SqliteConnection};

use super::bulk::Bulk;
use super::sql::{self, numbers};
use crate::store::row::*;

/// So many puzzles are found in memory before a round begins that puts them into the index: about 5 MiB. The index of a
/// million puzzles has 7,000 pages, of which each takes nine then.
pub const MANY: usize = 64 << 10;

/// How many a round puts into the index for each new one, so that it ends well before as many again have come.
const FOR_EACH: usize = 4;

/// Puzzles whose digests are filled in at a time.
const FILLED: u32 = 4_096;

/// Where puzzles are found by digest. To be told how each transaction ended.
#[derive(Debug)]
pub struct Heads {
    /// With how many in memory a round begins.
    many: usize,
    /// Those that may not be in the index.
    recent: BTreeMap<TextDigest, PuzzleId>,
    round: Option<Round>,
    /// What the transaction under way brings.
    new: BTreeMap<TextDigest, PuzzleId>,
    /// What it has put into the index.
    step: Option<Step>,
}

/// Puts the puzzles up to one into the index, in the order of their digests.
#[derive(Clone, Copy, Debug)]
struct Round {
    last: PuzzleId,
    /// As far as it has come.
    after: Option<TextDigest>,
}

/// A part of a round.
#[derive(Debug)]
struct Step {
    digests: Vec<TextDigest>,
    /// How the round goes on; none if that was all.
    rest: Option<Round>,
}

impl Heads {
    /// As they stand in the file. Fills in what rows of earlier versions lack.
    pub async fn open(conn: &mut SqliteConnection, many: usize) -> Result<Heads, Error> {
        let mut end = select_end(conn).await?;
        fill_digests(conn, end).await?;
        let last = sql::last_puzzle_id(conn).await?;
        // twice as many is more than a round leaves
        if last - end > 2 * many as i64 {
            index_all(conn, end, last).await?;
            end = last;
        }
        let recent = select_recent(conn, end).await?;
        Ok(Heads { many, recent, round: None, new: BTreeMap::new(), step: None })
    }

    /// The puzzles with these digests, where there are any.
    pub async fn find(
        &self,
        conn: &mut SqliteConnection,
        digests: &[TextDigest],
    ) -> Result<Vec<Option<PuzzleId>>, Error> {
        let recent = |digest| self.brought(digest).or_else(|| self.recent.get(digest).copied());
        let mut found: Vec<Option<PuzzleId>> = digests.iter().map(recent).collect();
        let wanted: Vec<(usize, &TextDigest)> =
            digests.iter().enumerate().filter(|(place, _)| found[*place].is_none()).collect();
        select_indexed(conn, &wanted, &mut found).await?;
        Ok(found)
    }

    /// The transaction brings a puzzle.
    pub fn add(&mut self, digest: TextDigest, id: PuzzleId) {
        self.new.insert(digest, id);
    }

    /// The puzzle with a digest that the transaction has brought.
    pub fn brought(&self, digest: &TextDigest) -> Option<PuzzleId> {
        self.new.get(digest).copied()
    }

    /// Puts some puzzles into the index, if it is time for that.
    pub async fn index(&mut self, conn: &mut SqliteConnection) -> Result<(), Error> {
        let is_time = self.recent.len() >= self.many;
        let newest = || if is_time { self.recent.values().max().copied() } else { None };
        let begin = || newest().map(|last| Round { last, after: None });
        let most = self.new.len() * FOR_EACH;
        let Some(Round { last, after }) = self.round.or_else(begin).filter(|_| most > 0) else {
            return Ok(());
        };
        let begin = after.map_or(Bound::Unbounded, Bound::Excluded);
        let rest = self.recent.range((begin, Bound::Unbounded)).filter(|(_, id)| **id <= last);
        let part: Vec<(&TextDigest, PuzzleId)> = rest.take(most).map(|(digest, id)| (digest, *id)).collect();
        insert_heads(conn, &part).await?;
        let rest = match part.last() {
            Some((digest, _)) if part.len() == most => Some(Round { last, after: Some(**digest) }),
            _ => None,
        };
        if rest.is_none() {
            update_end(conn, last).await?;
        }
        self.step = Some(Step { digests: part.iter().map(|(digest, _)| **digest).collect(), rest });
        Ok(())
    }

    /// The transaction is durable.
    pub fn settle(&mut self) {
        self.recent.extend(std::mem::take(&mut self.new));
        if let Some(step) = self.step.take() {
            for digest in &step.digests {
                self.recent.remove(digest);
            }
            self.round = step.rest;
        }
    }

    /// Nothing of the transaction is left.
    pub fn undo(&mut self) {
        self.new.clear();
        self.step = None;
    }
}

/// The first bytes of a digest, as they stand in the index.
fn head(digest: &TextDigest) -> Vec<u8> {
    digest[..8].to_vec()
}

/// The puzzle up to which all are in the index.
async fn select_end(conn: &mut SqliteConnection) -> Result<i64, Error> {
    sqlx::query_scalar("select puzzle from puzzle_heads_end").fetch_one(conn).await
}

async fn update_end(conn: &mut SqliteConnection, end: PuzzleId) -> Result<(), Error> {
    sqlx::query("update puzzle_heads_end set puzzle = ?1").bind(end.0).execute(conn).await.map(drop)
}

/// Fills in the digests of puzzles that were kept before there were any: none of them is in the index.
async fn fill_digests(conn: &mut SqliteConnection, end: i64) -> Result<(), Error> {
    static UPDATE: LazyLock<Bulk> = LazyLock::new(|| {
        Bulk::new(
            "with new (id, digest) as (values",
            "(?, ?)",
            ") update puzzles set digest = new.digest from new where puzzles.id = new.id",
        )
    });
    let mut after = end;
    loop {
        let rows: Vec<(i64, String)> = sqlx::query_as(
            "select id, text from puzzles where id > ?1 and digest is null order by id limit ?2",
        )
        .bind(after)
        .bind(FILLED)
        .fetch_all(&mut *conn)
        .await?;
        let Some((last, _)) = rows.last() else { return Ok(()) };
        after = *last;
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

/// Puts all puzzles after one into the index, up to the last.
async fn index_all(conn: &mut SqliteConnection, end: i64, last: i64) -> Result<(), Error> {
    sql::begin(conn).await?;
    sqlx::query(
        "insert or ignore into puzzle_heads (head, puzzle)
         select substr(digest, 1, 8), id from puzzles where id > ?1 order by 1, 2",
    )
    .bind(end)
    .execute(&mut *conn)
    .await?;
    update_end(conn, PuzzleId(last)).await?;
    sql::commit(conn).await
}

/// The puzzles after one, by digest.
async fn select_recent(
    conn: &mut SqliteConnection,
    end: i64,
) -> Result<BTreeMap<TextDigest, PuzzleId>, Error> {
    let rows = sqlx::query("select id, digest from puzzles where id > ?1").bind(end).fetch(conn);
    let read = |row: SqliteRow| {
        let digest: &[u8] = row.try_get("digest")?;
        let digest = digest.try_into().map_err(|_| Error::ColumnDecode {
            index: "digest".into(),
            source: format!("it has {} bytes", digest.len()).into(),
        })?;
        Ok((digest, PuzzleId(row.try_get("id")?)))
    };
    // one by one: all rows at a time would take ten times as much memory as what is read from them
    rows.map(|row| read(row?)).try_collect().await
}

/// Finds puzzles in the index, for the places of their digests.
async fn select_indexed(
    conn: &mut SqliteConnection,
    wanted: &[(usize, &TextDigest)],
    found: &mut [Option<PuzzleId>],
) -> Result<(), Error> {
    static SELECT: LazyLock<Bulk> = LazyLock::new(|| {
        Bulk::new(
            "with wanted (place, head, digest) as (values",
            "(?, ?, ?)",
            ") select group_concat(place || ',' || id)
             from wanted cross join puzzle_heads on puzzle_heads.head = wanted.head
             cross join puzzles on puzzles.id = puzzle_heads.puzzle and puzzles.digest = wanted.digest",
        )
    });
    for (text, wanted) in SELECT.split(wanted) {
        let query = wanted.iter().fold(sqlx::query_scalar(text), |query, (place, digest)| {
            query.bind(*place as i64).bind(head(digest)).bind(digest.to_vec())
        });
        let pairs: Option<String> = query.fetch_one(&mut *conn).await?;
        let mut pairs = numbers(pairs.as_deref());
        while let (Some(place), Some(id)) = (pairs.next(), pairs.next()) {
            found[place as usize] = Some(PuzzleId(id));
        }
    }
    Ok(())
}

async fn insert_heads(conn: &mut SqliteConnection, puzzles: &[(&TextDigest, PuzzleId)]) -> Result<(), Error> {
    static INSERT: LazyLock<Bulk> =
        LazyLock::new(|| Bulk::new("insert or ignore into puzzle_heads (head, puzzle) values", "(?, ?)", ""));
    for (text, puzzles) in INSERT.split(puzzles) {
        let query =
            puzzles.iter().fold(sqlx::query(text), |query, (digest, id)| query.bind(head(digest)).bind(id.0));
        query.execute(&mut *conn).await?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;
    use std::path::Path;
    use std::time::SystemTime;

    use rand_chacha::ChaCha8Rng;
    use rand_chacha::rand_core::{RngCore, SeedableRng};
    use sqlx::ConnectOptions;

    use super::super::puzzles::keep_puzzles;
    use super::super::{migrate, options};
    use super::*;
    use crate::store::Durability;

    const FEW: usize = 100;

    async fn connect(path: &Path) -> SqliteConnection {
        let mut conn = options(path, Durability::Normal).connect().await.expect("a file");
        migrate(&mut conn).await.expect("tables");
        conn
    }

    fn puzzle(number: u64) -> NewPuzzle {
        NewPuzzle {
            text: format!("puzzle {number}"),
            kind: "sudoku".to_owned(),
            size: 9,
            givens: ".".repeat(81),
            solutions: number.is_multiple_of(2).then_some((0, true)),
            solution: None,
            rating: None,
            provenance: Provenance::Solved,
        }
    }

    /// Whatever comes again, is undone, or is read again after a start: each puzzle is kept once and found.
    #[tokio::test]
    async fn every_puzzle_is_found() {
        let folder = tempfile::tempdir().expect("a folder");
        let mut conn = connect(&folder.path().join("heads.sqlite")).await;
        let mut heads = Heads::open(&mut conn, FEW).await.expect("empty");
        let mut rng = ChaCha8Rng::seed_from_u64(5);
        let (mut known, mut last, mut rounds) = (HashMap::<u64, PuzzleId>::new(), 0, 0);
        for _ in 0..400 {
            let count = rng.next_u64() % 30;
            let numbers: Vec<u64> = (0..count).map(|_| rng.next_u64() % 5_000).collect();
            let puzzles: Vec<NewPuzzle> = numbers.iter().copied().map(puzzle).collect();
            let puzzles: Vec<(JobId, &NewPuzzle)> = puzzles.iter().map(|puzzle| (JobId(1), puzzle)).collect();
            let before = last;
            sql::begin(&mut conn).await.expect("begun");
            let ids = keep_puzzles(&mut conn, &mut heads, &puzzles, &mut last, SystemTime::now()).await;
            let ids = ids.expect("kept");
            heads.index(&mut conn).await.expect("indexed");
            if rng.next_u64().is_multiple_of(4) {
                sql::rollback(&mut conn).await.expect("undone");
                heads.undo();
                last = before;
            } else {
                sql::commit(&mut conn).await.expect("committed");
                rounds += usize::from(heads.step.as_ref().is_some_and(|step| step.rest.is_none()));
                heads.settle();
                for (number, id) in numbers.iter().zip(&ids) {
                    assert_eq!(known.entry(*number).or_insert(*id), id, "puzzle {number}");
                }
                assert_eq!(known.len() as i64, last, "each once");
            }
            assert!(heads.recent.len() < 2 * FEW, "{} in memory", heads.recent.len());
            if rng.next_u64().is_multiple_of(20) {
                heads = Heads::open(&mut conn, FEW).await.expect("opened again");
            }
        }
        assert!(rounds > 10, "{rounds} rounds");
        let indexed: i64 = sqlx::query_scalar("select count(*) from puzzle_heads")
            .fetch_one(&mut conn)
            .await
            .expect("a number");
        assert!(indexed as usize + 2 * FEW > known.len(), "{indexed} of {}", known.len());
        let digests: Vec<TextDigest> = (0..5_000).map(|number| puzzle(number).digest()).collect();
        let found = heads.find(&mut conn, &digests).await.expect("looked for");
        let expected: Vec<Option<PuzzleId>> = (0..5_000).map(|number| known.get(&number).copied()).collect();
        assert!(found == expected);
    }

    /// Two whose digests begin alike are two, and many that are in no index yet go into it at the start.
    #[tokio::test]
    async fn heads_may_be_alike() {
        let folder = tempfile::tempdir().expect("a folder");
        let mut conn = connect(&folder.path().join("alike.sqlite")).await;
        let digest = |number: u16| {
            let mut digest = [7; 32];
            digest[30..].copy_from_slice(&number.to_be_bytes());
            digest
        };
        for number in 1..=1_000_u16 {
            sqlx::query(
                "insert into puzzles (id, digest, text, kind, size, givens, provenance, create_time)
                 values (?1, ?2, ?1, 'sudoku', 9, '.', 'solved', 1)",
            )
            .bind(number)
            .bind(digest(number).to_vec())
            .execute(&mut conn)
            .await
            .expect("a row");
        }
        let heads = Heads::open(&mut conn, FEW).await.expect("opened");
        assert!(heads.recent.is_empty());
        let wanted = [digest(3), digest(1_000), digest(1_001)];
        let found = heads.find(&mut conn, &wanted).await.expect("looked for");
        assert_eq!(found, [Some(PuzzleId(3)), Some(PuzzleId(1_000)), None]);
    }
}
