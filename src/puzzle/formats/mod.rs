//! Reading and writing whole puzzles, one file a format.
