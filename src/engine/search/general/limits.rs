//! How large tables may grow, and when linear facts are worth their cost.

/// Values were chosen by measuring; tests choose others, to reach on small boards what large ones need.
#[derive(Clone, Copy, Debug)]
pub(super) struct Limits {
    /// The most rows of a cage whose digits differ: beyond, its combinations say nearly as much for less.
    pub distinct_rows: u32,
    /// The most rows of any other cage: beyond, it is kept as bounds.
    pub rows: u32,
    /// The most rows of a linear fact: beyond, it is kept as combinations or bounds.
    pub fact_rows: u32,
    /// The most combinations.
    pub combinations: u32,
    /// Choices made while a table is built, at most.
    pub allowance: u32,
    /// After so many nodes without a solution, linear facts of up to so many open cells are added. Short ones
    /// solve most killers outright (5,625 nodes became 48 on 287 of them); longer ones cost more than they
    /// give unless a puzzle is hard.
    pub facts: [(u64, usize); 3],
}

impl Limits {
    /// What the engine uses.
    pub const USUAL: Limits = Limits {
        distinct_rows: 1_500,
        rows: 8_000,
        fact_rows: 1_000,
        combinations: 2_000,
        allowance: 40_000,
        facts: [(0, 4), (300, 6), (5_000, 12)],
    };
}
