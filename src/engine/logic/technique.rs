//! What a technique is: a row of one table. Nothing else lists techniques and nothing matches on one.

use std::fmt;

use super::context::Context;
use super::sink::Sink;

/// How hard, in five words.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Level {
    /// Singles, and what the target of a cage leaves.
    Easy,
    /// Intersections and small subsets.
    Medium,
    /// Fish, wings, rectangles.
    Hard,
    /// Long chains.
    Unfair,
    /// Beyond: nets, or search.
    Extreme,
}

impl Level {
    /// Every level, easiest first.
    pub const ALL: [Level; 5] = [Level::Easy, Level::Medium, Level::Hard, Level::Unfair, Level::Extreme];

    /// Its word: `easy`, `medium`, `hard`, `unfair`, `extreme`.
    pub const fn word(self) -> &'static str {
        match self {
            Level::Easy => "easy",
            Level::Medium => "medium",
            Level::Hard => "hard",
            Level::Unfair => "unfair",
            Level::Extreme => "extreme",
        }
    }

    /// The reverse of [`word`](Self::word).
    pub fn from_word(word: &str) -> Option<Level> {
        Level::ALL.into_iter().find(|level| level.word() == word)
    }
}

impl fmt::Display for Level {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.word())
    }
}

/// A text in every language that ships.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Text {
    /// English.
    pub en: &'static str,
    /// Simplified Chinese.
    pub zh: &'static str,
}

/// What a technique relies on beyond houses.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Needs {
    /// The puzzle has cages.
    pub cages: bool,
    /// The puzzle is known to have exactly one solution.
    pub unique: bool,
}

impl Needs {
    /// Houses alone.
    pub const NONE: Needs = Needs { cages: false, unique: false };
    /// Cages.
    pub const CAGES: Needs = Needs { cages: true, unique: false };
    /// Exactly one solution.
    pub const UNIQUE: Needs = Needs { cages: false, unique: true };
}

/// Reports every instance in a position to the sink, and stops when the sink says so.
pub type Finder = fn(&Context<'_>, &mut Sink<'_>) -> Flow;

/// `Break` once the sink wants no more; finders pass it on with `?`.
pub type Flow = std::ops::ControlFlow<()>;

/// A row of the table: all that is known of a technique without running it.
#[derive(Debug)]
pub struct Technique {
    /// Its short name, for ever: `naked-pair`.
    pub slug: &'static str,
    /// Its name for people.
    pub name: Text,
    /// How hard on Sleuth's own scale.
    pub level: Level,
    /// What one distinct step counts on Sleuth's own scale.
    pub score: u32,
    /// What it relies on.
    pub needs: Needs,
    /// Whether solving paths look for it. What is rare and dear waits for those who ask for all steps.
    pub on_path: bool,
    /// Its code.
    pub find: Finder,
    /// The explanation in short, with a slot `{role}` for each mark it names, or `{conclusion}` for what the step says.
    pub sentence: Text,
    /// The same for those who learn it: why it is so. It has the same slots.
    pub lesson: Text,
}
