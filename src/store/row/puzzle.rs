//! What the archive keeps of a puzzle.

use std::time::SystemTime;

use sha2::{Digest, Sha256};

use super::{JobId, PuzzleId};

/// What brought a puzzle into the archive.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Provenance {
    /// It was solved.
    Solved,
    /// It was rated.
    Rated,
    /// It was made here.
    Generated,
}

impl Provenance {
    /// Every provenance.
    pub const ALL: [Provenance; 3] = [Provenance::Solved, Provenance::Rated, Provenance::Generated];

    /// Its word in the database.
    pub const fn word(self) -> &'static str {
        match self {
            Provenance::Solved => "solved",
            Provenance::Rated => "rated",
            Provenance::Generated => "generated",
        }
    }

    /// The reverse of [`word`](Self::word).
    pub fn from_word(word: &str) -> Option<Provenance> {
        Provenance::ALL.into_iter().find(|provenance| provenance.word() == word)
    }
}

/// What is known of a puzzle; what is not there may be learnt later.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct NewPuzzle {
    /// The whole puzzle, always written alike: its identity.
    pub text: String,
    /// A word for its kind.
    pub kind: String,
    /// Rows.
    pub size: u32,
    /// The digits given, `.` where there is none.
    pub givens: String,
    /// How many solutions were counted, once that is known, and whether those are all.
    pub solutions: Option<(u64, bool)>,
    /// The only solution.
    pub solution: Option<String>,
    /// Its rating.
    pub rating: Option<RatingColumns>,
    /// What brought it.
    pub provenance: Provenance,
}

/// By which a puzzle's text is found: its SHA-256.
pub type TextDigest = [u8; 32];

/// The digest of a puzzle's text.
pub fn digest_of(text: &str) -> TextDigest {
    Sha256::digest(text.as_bytes()).into()
}

impl NewPuzzle {
    /// By which it is found.
    pub fn digest(&self) -> TextDigest {
        digest_of(&self.text)
    }
}

/// A rating as it is stored.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct RatingColumns {
    /// The scale.
    pub scale: String,
    /// Its version.
    pub version: u32,
    /// The level's word.
    pub level: String,
    /// The score.
    pub score: u32,
    /// The slug of the hardest technique.
    pub hardest: Option<String>,
    /// `slug:count` of each technique, a blank between two.
    pub techniques: String,
    /// Cells that search had to fill.
    pub searched_cells: u32,
}

/// A puzzle as it is stored.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct PuzzleRow {
    /// Its identity.
    pub id: PuzzleId,
    /// What is known of it.
    pub known: NewPuzzle,
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
    /// Rated at this level, by its word.
    pub level: Option<String>,
}
