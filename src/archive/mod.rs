//! The archive: each puzzle once, whatever brought it, with its solution, rating and provenance. It is shared by
//! all clients.
//!
//! [`learn`] says what a finished job teaches; it is written in the transaction that ends the job. [`Archive`]
//! reads.

pub mod learn;

use std::sync::Arc;
use std::time::SystemTime;

use crate::engine::logic::{Level, Slug};
use crate::engine::rate::Rating;
use crate::engine::search::Verdict;
use crate::puzzle::{Puzzle, Solution, formats};
pub use crate::store::{JobId, Page, Paged, Provenance, PuzzleId};
use crate::store::{PuzzleRow, RatingColumns, Store, StoreError};

/// A puzzle of the archive.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ArchivedPuzzle {
    /// Its identity.
    pub id: PuzzleId,
    /// The puzzle.
    pub puzzle: Arc<Puzzle>,
    /// How many solutions it has, as far as is known.
    pub verdict: Option<Verdict>,
    /// The solution, if there is exactly one and it is known.
    pub solution: Option<Solution>,
    /// Its rating, if it was rated.
    pub rating: Option<Rating>,
    /// What brought it.
    pub provenance: Provenance,
    /// The job that brought it.
    pub job: Option<JobId>,
    /// When it came.
    pub create_time: SystemTime,
}

/// Which puzzles a list holds.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub struct PuzzleFilter {
    /// Of this kind, by its word.
    pub kind: Option<String>,
    /// Of this size.
    pub size: Option<u32>,
    /// Rated at this level.
    pub level: Option<Level>,
}

/// Reads the archive. Cheap to clone.
#[derive(Clone, Debug)]
pub struct Archive {
    store: Arc<dyn Store>,
}

impl Archive {
    /// The archive of this store.
    pub fn new(store: Arc<dyn Store>) -> Archive {
        Archive { store }
    }

    /// A puzzle, if there is one of this identity.
    pub async fn puzzle(&self, id: PuzzleId) -> Result<Option<ArchivedPuzzle>, StoreError> {
        self.store.puzzle(id).await?.map(read).transpose()
    }

    /// Puzzles, the latest first.
    pub async fn list(
        &self,
        filter: &PuzzleFilter,
        page: &Page,
    ) -> Result<Paged<ArchivedPuzzle>, StoreError> {
        let filter = crate::store::PuzzleFilter {
            kind: filter.kind.clone(),
            size: filter.size,
            level: filter.level.map(|level| level.word().to_owned()),
        };
        self.store.puzzles(filter, page.clone()).await?.try_map(read)
    }
}

fn read(row: PuzzleRow) -> Result<ArchivedPuzzle, StoreError> {
    let unreadable = |reason: String| StoreError::Unreadable { what: row.id.to_string(), reason };
    let draft = formats::json::from_str(&row.known.text).map_err(|faults| unreadable(faults.to_string()))?;
    let puzzle = draft.check().map_err(|faults| unreadable(faults.to_string()))?;
    let solution = match &row.known.solution {
        Some(text) => Some(Solution::parse(text).ok_or_else(|| unreadable("its solution".into()))?),
        None => None,
    };
    let rating = match &row.known.rating {
        Some(columns) => Some(read_rating(columns).ok_or_else(|| unreadable("its rating".into()))?),
        None => None,
    };
    Ok(ArchivedPuzzle {
        id: row.id,
        puzzle: Arc::new(puzzle),
        verdict: row.known.solutions.and_then(read_verdict),
        solution,
        rating,
        provenance: row.known.provenance,
        job: row.job,
        create_time: row.create_time,
    })
}

fn read_verdict((count, complete): (u64, bool)) -> Option<Verdict> {
    match (count, complete) {
        (0, true) => Some(Verdict::None),
        (1, true) => Some(Verdict::One),
        (0 | 1, false) => None,
        (count, complete) => Some(Verdict::Several { count, complete }),
    }
}

fn read_rating(columns: &RatingColumns) -> Option<Rating> {
    let counts = columns.techniques.split_whitespace().map(|pair| {
        let (slug, count) = pair.split_once(':')?;
        Some((Slug::read(slug.to_owned()), count.parse().ok()?))
    });
    Some(Rating {
        scale: columns.scale.clone(),
        version: columns.version,
        level: Some(Level::from_word(&columns.level)?),
        score: columns.score,
        hardest: columns.hardest.clone().map(Slug::read),
        counts: counts.collect::<Option<_>>()?,
        searched_cells: columns.searched_cells,
        pearl: None,
        diamond: None,
    })
}
