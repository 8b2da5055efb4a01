//! Marks: what a person is shown of a step. Sentences are filled from them, boards coloured by them.

use smallvec::{SmallVec, smallvec};

use super::CellSet;
use crate::puzzle::{CageId, Cell, Digit, DigitSet, HouseId};

/// Cells of a mark: a few fit without an allocation, and most marks have few.
pub type CellList = SmallVec<[Cell; 8]>;

/// Something to point at, and the part it plays.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Mark {
    /// The part it plays in the step.
    pub role: Role,
    /// What is pointed at.
    pub shape: Shape,
}

impl Mark {
    /// A mark.
    pub const fn new(role: Role, shape: Shape) -> Mark {
        Mark { role, shape }
    }

    /// Points at cells.
    pub fn cells(role: Role, cells: CellSet) -> Mark {
        Mark::new(role, Shape::Cells(cells.iter().collect()))
    }

    /// Points at one cell.
    pub fn cell(role: Role, cell: Cell) -> Mark {
        Mark::new(role, Shape::Cells(smallvec![cell]))
    }

    /// Points at digits.
    pub const fn digits(role: Role, digits: DigitSet) -> Mark {
        Mark::new(role, Shape::Digits(digits))
    }

    /// Points at one digit.
    pub const fn digit(role: Role, digit: Digit) -> Mark {
        Mark::new(role, Shape::Digits(DigitSet::single(digit)))
    }

    /// Points at a house.
    pub const fn house(role: Role, house: HouseId) -> Mark {
        Mark::new(role, Shape::House(house))
    }
}

/// What a mark points at.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Shape {
    /// Cells, in reading order.
    Cells(CellList),
    /// Candidates: those of `digits` that stand in `cells`.
    Candidates {
        /// In reading order.
        cells: CellList,
        /// At least one.
        digits: DigitSet,
    },
    /// Digits, wherever they stand.
    Digits(DigitSet),
    /// A house.
    House(HouseId),
    /// A cage.
    Cage(CageId),
    /// A number: a sum, a count, a length.
    Number(i64),
    /// A link of a chain.
    Link(Link),
}

/// A link between two nodes of a chain: a node is a digit in one cell or in a group of cells.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Link {
    /// The cells of the first node.
    pub from: CellList,
    /// Its digit.
    pub from_digit: Digit,
    /// The cells of the second node.
    pub to: CellList,
    /// Its digit.
    pub to_digit: Digit,
    /// Strong: if the first is false, the second is true. Weak: if the first is true, the second is false.
    pub strong: bool,
}

/// Makes [`Role`] and its words from one list.
macro_rules! roles {
    ($($(#[doc = $doc:literal])+ $name:ident $word:literal,)+) => {
        /// The part that a mark plays. Sentences have a slot for each, and boards a colour.
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
        pub enum Role { $($(#[doc = $doc])+ $name,)+ }

        impl Role {
            /// Every role.
            pub const ALL: &[Role] = &[$(Role::$name,)+];

            /// Its word in sentences, traces and messages.
            pub const fn word(self) -> &'static str {
                match self { $(Role::$name => $word,)+ }
            }
        }
    };
}

roles! {
    /// The cells or candidates that the step is about: the subset, the single, the wing.
    Pattern "pattern",
    /// What the step says is so.
    Target "target",
    /// A house in which the pattern stands; for a fish, a base.
    Base "base",
    /// A house from which candidates go; for a fish, a cover.
    Cover "cover",
    /// A fin of a fish.
    Fin "fin",
    /// The cell on which a wing turns.
    Pivot "pivot",
    /// An end of a wing.
    Pincer "pincer",
    /// Cells of a uniqueness pattern that hold its digits alone.
    Floor "floor",
    /// Cells of a uniqueness pattern that may hold more.
    Roof "roof",
    /// Digits beyond those of the pattern.
    Extra "extra",
    /// Digits of the pattern.
    Digits "digits",
    /// A cage.
    Cage "cage",
    /// A sum, or what is left of it.
    Sum "sum",
    /// A combination of digits that a cage may still hold.
    Combination "combination",
    /// A cell of a house that its whole cages leave over.
    Innie "innie",
    /// A cell that the cages of a house put outside it.
    Outie "outie",
    /// A link of a chain.
    Link "link",
    /// A candidate on which a chain or net starts.
    Start "start",
    /// A candidate true on the way.
    On "on",
    /// A candidate false on the way.
    Off "off",
    /// A length or a count.
    Count "count",
    /// A cell with a digit that explains the step.
    Reason "reason",
    /// A digit that must stand within the pattern.
    Locked "locked",
    /// Cells of an almost locked set.
    Set "set",
    /// A digit that cannot stand in both of two sets.
    Restricted "restricted",
    /// Candidates of one colour, all true or all false.
    First "first",
    /// Candidates of the colour opposite to it.
    Second "second",
    /// Candidates of one colour of another cluster.
    Third "third",
    /// Candidates of the colour opposite to that.
    Fourth "fourth",
}

impl Role {
    /// The reverse of [`word`](Self::word).
    pub fn from_word(word: &str) -> Option<Role> {
        Role::ALL.iter().copied().find(|role| role.word() == word)
    }
}
