//! Cages: groups of cells whose digits meet a target under an operation.

use super::Cell;

/// What is done with the digits of a cage.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Operation {
    /// Their sum is the target (killer cages, and `+` in KenKen).
    Add,
    /// Two cells: the larger less the smaller is the target.
    Subtract,
    /// Their product is the target.
    Multiply,
    /// Two cells: the larger over the smaller is the target, without rest.
    Divide,
    /// One cell: it holds the target (a given, in KenKen).
    Equal,
    /// The operation is not told: any of `+` and `×`, and for two cells `−` and `÷`, meets the target
    /// (for one cell, `Equal`).
    Unknown,
    /// There is no target: the cage says only that its digits differ.
    Free,
}

impl Operation {
    /// Every operation.
    pub const ALL: [Operation; 7] = [
        Operation::Add,
        Operation::Subtract,
        Operation::Multiply,
        Operation::Divide,
        Operation::Equal,
        Operation::Unknown,
        Operation::Free,
    ];

    /// How it is written: `+ - * / = ?`, and nothing for a cage without target.
    pub const fn symbol(self) -> &'static str {
        match self {
            Operation::Add => "+",
            Operation::Subtract => "-",
            Operation::Multiply => "*",
            Operation::Divide => "/",
            Operation::Equal => "=",
            Operation::Unknown => "?",
            Operation::Free => "",
        }
    }

    /// The reverse of [`symbol`](Self::symbol).
    pub fn from_symbol(symbol: &str) -> Option<Operation> {
        Operation::ALL.into_iter().find(|operation| operation.symbol() == symbol)
    }
}

/// The place of a cage in [`super::Puzzle::cages`].
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct CageId(pub u16);

impl CageId {
    /// As an index.
    pub const fn index(self) -> usize {
        self.0 as usize
    }
}

/// A checked cage: its cells are in reading order and on the board, `Subtract` and `Divide` have two of them,
/// `Equal` one, and the target can be met by some digits.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Cage {
    /// In reading order, at least one.
    pub cells: Vec<Cell>,
    /// What is done with their digits.
    pub operation: Operation,
    /// What the operation must give; 0 for [`Operation::Free`].
    pub target: u64,
    /// Whether no digit may stand in it twice (killer), or repeats are a matter of houses alone (KenKen).
    pub distinct: bool,
}

impl Cage {
    /// Whether these digits, one a cell, meet the target (repeats are not looked at).
    pub fn is_met_by(&self, digits: &[u8]) -> bool {
        is_met(self.operation, self.target, digits)
    }
}

/// Whether digits meet a target under an operation.
pub fn is_met(operation: Operation, target: u64, digits: &[u8]) -> bool {
    match operation {
        Operation::Free => true,
        Operation::Equal => digits.len() == 1 && u64::from(digits[0]) == target,
        Operation::Add => digits.iter().map(|&digit| u64::from(digit)).sum::<u64>() == target,
        Operation::Multiply => product(digits) == Some(target),
        Operation::Subtract => digits.len() == 2 && u64::from(digits[0].abs_diff(digits[1])) == target,
        Operation::Divide => match digits {
            [a, b] => {
                let (large, small) = (u64::from(*a.max(b)), u64::from(*a.min(b)));
                small != 0 && small.checked_mul(target) == Some(large)
            }
            _ => false,
        },
        Operation::Unknown => {
            [Operation::Equal, Operation::Add, Operation::Multiply, Operation::Subtract, Operation::Divide]
                .into_iter()
                .filter(|operation| *operation != Operation::Equal || digits.len() == 1)
                .any(|operation| is_met(operation, target, digits))
        }
    }
}

/// The product, if it fits.
fn product(digits: &[u8]) -> Option<u64> {
    digits.iter().try_fold(1u64, |product, &digit| product.checked_mul(u64::from(digit)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn operations() {
        assert!(is_met(Operation::Divide, 4, &[1, 4]));
        assert!(is_met(Operation::Divide, 4, &[8, 2]));
        assert!(!is_met(Operation::Divide, 2, &[5, 2]));
        assert!(is_met(Operation::Subtract, 2, &[3, 5]));
        assert!(is_met(Operation::Multiply, 24, &[2, 3, 4]));
        assert!(!is_met(Operation::Subtract, 2, &[3, 5, 0]));
        for digits in [[6, 2], [2, 6]] {
            for (target, met) in [(8, true), (12, true), (4, true), (3, true), (5, false)] {
                assert_eq!(is_met(Operation::Unknown, target, &digits), met, "{target}");
            }
        }
        assert!(!is_met(Operation::Multiply, 1, &[25; 20]), "no overflow");
    }

    #[test]
    fn symbols_round_trip() {
        for operation in Operation::ALL {
            assert_eq!(Operation::from_symbol(operation.symbol()), Some(operation));
        }
    }
}
