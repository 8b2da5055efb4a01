//! A relation kept as rows: every way to fill its cells, one bit a cell, the fields of a row side by side.
//!
//! With nine digits and the cells a, b, c holding 3, 1, 9, a row is
//! `c 100000000 | b 000000001 | a 000000100`; it is still possible exactly if it lies within the candidates
//! written in the same way, and the union of all possible rows is what each cell may hold.

use super::Halt;
use super::domains::Domains;
use super::fill::{MAX_CELLS, Rule, fill};
use super::relations::{lock_needed, slots_of};

/// Writes the rows of a relation behind `rows`, and their digits behind `sets`. Returns how many there are,
/// or nothing (and writes nothing) if there are more than `most` or the allowance ends.
pub(super) fn build(
    domains: &Domains<'_>,
    cells: &[u16],
    rule: Rule,
    distinct: bool,
    room: (&mut Vec<u64>, &mut Vec<u32>),
    most: u32,
    allowance: &mut u32,
) -> Option<u32> {
    let (rows, sets) = room;
    let slots = slots_of(domains, cells, distinct);
    let size = domains.size;
    let per_word = 64 / size;
    let (rows_before, sets_before) = (rows.len(), sets.len());
    let mut count = 0;
    let is_whole = fill(&slots, rule, allowance, &mut |chosen| {
        let mut set = 0;
        for word in chosen.chunks(per_word) {
            let mut bits = 0u64;
            for (field, &digit) in word.iter().enumerate() {
                bits |= u64::from(digit) << (field * size);
                set |= digit;
            }
            rows.push(bits);
        }
        sets.push(set);
        count += 1;
        count <= most
    });
    if !is_whole {
        rows.truncate(rows_before);
        sets.truncate(sets_before);
        return None;
    }
    Some(count)
}

/// How many words a row takes.
pub(super) fn words(cell_count: usize, size: usize) -> usize {
    cell_count.div_ceil(64 / size)
}

/// Draws what follows. `rows` and `sets` are those left, all of them.
pub(super) fn propagate(
    domains: &mut Domains<'_>,
    id: u16,
    cells: &[u16],
    rows: &mut [u64],
    sets: Option<&mut [u32]>,
) -> Result<u64, Halt> {
    let words = words(cells.len(), domains.size);
    if words == 1 {
        propagate_narrow(domains, id, cells, rows, sets)
    } else {
        propagate_wide(domains, id, cells, rows, sets, words)
    }
}

fn propagate_narrow(
    domains: &mut Domains<'_>,
    id: u16,
    cells: &[u16],
    rows: &mut [u64],
    sets: Option<&mut [u32]>,
) -> Result<u64, Halt> {
    let size = domains.size;
    let mut out = !0u64;
    for (field, &cell) in cells.iter().enumerate() {
        out &= !(u64::from(domains.of(cell)) << (field * size));
    }
    let before = rows.len();
    let (mut at, mut live) = (0, before);
    let mut support = 0u64;
    let mut needed = 0;
    if let Some(sets) = sets {
        needed = !0u32;
        while at < live {
            let row = rows[at];
            if row & out == 0 {
                support |= row;
                needed &= sets[at];
                at += 1;
            } else {
                live -= 1;
                rows.swap(at, live);
                sets.swap(at, live);
            }
        }
    } else {
        while at < live {
            let row = rows[at];
            if row & out == 0 {
                support |= row;
                at += 1;
            } else {
                live -= 1;
                rows.swap(at, live);
            }
        }
    }
    if live == 0 {
        return Err(Halt::Conflict);
    }
    domains.keep_live(id, live as u32);
    let full = (1u64 << size) - 1;
    let mut placed = 0;
    for (field, &cell) in cells.iter().enumerate() {
        let digits = (support >> (field * size) & full) as u32;
        domains.keep(cell, digits)?;
        placed |= if digits & (digits - 1) == 0 { digits } else { 0 };
    }
    if needed & !placed != 0 {
        lock_needed(domains, cells, needed & !placed)?;
    }
    Ok(1 + before as u64 / 16)
}

fn propagate_wide(
    domains: &mut Domains<'_>,
    id: u16,
    cells: &[u16],
    rows: &mut [u64],
    mut sets: Option<&mut [u32]>,
    words: usize,
) -> Result<u64, Halt> {
    let size = domains.size;
    let per_word = 64 / size;
    let mut out = [!0u64; MAX_CELLS];
    for (at, &cell) in cells.iter().enumerate() {
        out[at / per_word] &= !(u64::from(domains.of(cell)) << (at % per_word * size));
    }
    let before = rows.len() / words;
    let (mut at, mut live) = (0, before);
    let mut support = [0u64; MAX_CELLS];
    let mut needed = if sets.is_some() { !0u32 } else { 0 };
    while at < live {
        let row = &rows[at * words..(at + 1) * words];
        if row.iter().zip(&out).all(|(row, out)| row & out == 0) {
            row.iter().zip(&mut support).for_each(|(row, support)| *support |= row);
            if let Some(sets) = &sets {
                needed &= sets[at];
            }
            at += 1;
            continue;
        }
        live -= 1;
        (0..words).for_each(|word| rows.swap(at * words + word, live * words + word));
        if let Some(sets) = &mut sets {
            sets.swap(at, live);
        }
    }
    if live == 0 {
        return Err(Halt::Conflict);
    }
    domains.keep_live(id, live as u32);
    let full = (1u64 << size) - 1;
    let mut placed = 0;
    for (at, &cell) in cells.iter().enumerate() {
        let digits = (support[at / per_word] >> (at % per_word * size) & full) as u32;
        domains.keep(cell, digits)?;
        placed |= if digits & (digits - 1) == 0 { digits } else { 0 };
    }
    if needed & !placed != 0 {
        lock_needed(domains, cells, needed & !placed)?;
    }
    Ok(1 + (before * words) as u64 / 16)
}
