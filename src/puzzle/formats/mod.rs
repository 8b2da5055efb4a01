//! Reading and writing whole puzzles, one file a format. Nothing here decides what a puzzle is: every reader
//! ends in a draft, which passes the one gate, [`PuzzleDraft::check`](super::PuzzleDraft::check).

pub mod corpus;
pub mod grid;
pub mod json;
pub mod pencil;
mod strict;

/// Whether a symbol stands for an open cell wherever it is read: `.`, `0`, `_` or `*`.
const fn is_blank(symbol: char) -> bool {
    matches!(symbol, '.' | '0' | '_' | '*')
}
