//! Where to branch: the cell with the fewest candidates for the conflicts it took part in.

use super::domains::Domains;

/// The open cell to try, and its smallest candidate; nothing if no cell is open.
pub(super) fn choose(domains: &Domains<'_>) -> Option<(u16, u32)> {
    let mut best: Option<(u16, u32)> = None;
    let (mut best_count, mut best_weight) = (0u64, 1u64);
    for (cell, &digits) in domains.cells.iter().enumerate() {
        if digits & (digits - 1) == 0 {
            continue;
        }
        let (count, weight) = (u64::from(digits.count_ones()), u64::from(domains.weights[cell]));
        if best.is_none() || count * best_weight < best_count * weight {
            best = Some((cell as u16, digits & digits.wrapping_neg()));
            (best_count, best_weight) = (count, weight);
        }
    }
    best
}
