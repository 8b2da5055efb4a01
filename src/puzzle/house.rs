//! Houses: groups of as many cells as the puzzle has digits, each digit once.

use std::fmt;

use super::Cell;

/// What kind of house it is. For naming only: no engine asks.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum HouseKind {
    /// A row.
    Row,
    /// A column.
    Column,
    /// A rectangular box.
    Box,
    /// A jigsaw region.
    Region,
    /// Diagonal 1 falls from the top left, diagonal 2 rises from the bottom left.
    Diagonal,
    /// A windoku window.
    Window,
}

impl HouseKind {
    /// Every kind.
    pub const ALL: [HouseKind; 6] = [
        HouseKind::Row,
        HouseKind::Column,
        HouseKind::Box,
        HouseKind::Region,
        HouseKind::Diagonal,
        HouseKind::Window,
    ];

    /// The word for it: `row`, `column`, `box`, `region`, `diagonal`, `window`.
    #[inline]
    pub const fn word(self) -> &'static str {
        match self {
            HouseKind::Row => "row",
            HouseKind::Column => "column",
            HouseKind::Box => "box",
            HouseKind::Region => "region",
            HouseKind::Diagonal => "diagonal",
            HouseKind::Window => "window",
        }
    }

    /// Rows and columns are lines.
    #[inline]
    pub const fn is_line(self) -> bool {
        matches!(self, HouseKind::Row | HouseKind::Column)
    }
}

/// The place of a house in [`super::Puzzle::houses`].
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Debug)]
pub struct HouseId(pub u16);

impl HouseId {
    /// As an index.
    #[inline]
    pub const fn index(self) -> usize {
        self.0 as usize
    }
}

/// A house. Its cells are in reading order.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct House {
    /// For its name.
    pub kind: HouseKind,
    /// One-based, within its kind.
    pub number: u8,
    /// As many cells as the puzzle's size.
    pub cells: Vec<Cell>,
}

/// `row 4`, `box 8`.
impl fmt::Display for House {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.kind.word(), self.number)
    }
}
