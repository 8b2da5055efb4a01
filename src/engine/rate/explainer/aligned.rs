//! Aligned exclusion: combinations of digits in two or three cells that would leave a common peer nothing.

use super::board::{Board, CELLS, Mask, PEER_LIST, PEERS, bits, cells, has_two};
use super::hint::Hint;
use super::technique::Technique;
use crate::engine::budget::{Budget, Stopped};

/// The cells that may be aligned, and what may exclude.
struct Bases {
    /// In reading order.
    list: Vec<usize>,
    set: u128,
    /// Peers with few candidates, of each cell.
    excluders: [u128; CELLS],
}

impl Bases {
    /// Excluders have 2 to `most` candidates.
    fn new(board: &Board, most: u32) -> Bases {
        let mut by_count = [0u128; 10];
        for (cell, mask) in board.candidates.iter().enumerate() {
            by_count[mask.count() as usize] |= 1 << cell;
        }
        let able = by_count[2..=most as usize].iter().fold(0, |able, set| able | set);
        let mut bases = Bases { list: Vec::new(), set: 0, excluders: [0; CELLS] };
        for cell in (0..CELLS).filter(|&cell| board.candidates[cell].count() >= 2) {
            let excluders = PEERS[cell] & able;
            if PEERS[cell] & by_count[1] == 0 && excluders != 0 {
                bases.list.push(cell);
                bases.set |= 1 << cell;
                bases.excluders[cell] = excluders;
            }
        }
        bases
    }
}

/// Pairs.
pub fn find_pair(board: &Board, budget: &mut Budget) -> Result<Option<Hint>, Stopped> {
    let bases = Bases::new(board, 2);
    for (place, &second) in bases.list.iter().enumerate() {
        budget.spend(10)?;
        for &first in &bases.list[..place] {
            let common = bases.excluders[first] & bases.excluders[second];
            if has_two(common)
                && let Some(hint) = pair(board, first, second, common)
            {
                return Ok(Some(hint));
            }
        }
    }
    Ok(None)
}

fn pair(board: &Board, first: usize, second: usize, common: u128) -> Option<Hint> {
    let masks: Vec<u16> = cells(common).map(|cell| board.candidates[cell]).collect();
    let see = PEERS[first] >> second & 1 != 0;
    let mut allowed = [0u16; 2];
    for one in bits(board.candidates[first]) {
        for other in bits(board.candidates[second]) {
            let union = 1 << one | 1 << other;
            if !(see && one == other) && masks.iter().all(|mask| mask & !union != 0) {
                allowed[0] |= 1 << one;
                allowed[1] |= 1 << other;
            }
        }
    }
    exclusion(board, Technique::AlignedPairExclusion, 6.2, &[first, second], &allowed)
}

/// What no allowed combination holds goes.
fn exclusion(
    board: &Board,
    technique: Technique,
    difficulty: f64,
    base: &[usize],
    allowed: &[u16],
) -> Option<Hint> {
    if base.iter().zip(allowed).all(|(&cell, mask)| board.candidates[cell] & !mask == 0) {
        return None;
    }
    let removals = base.iter().zip(allowed).map(|(&cell, mask)| (cell as u8, board.candidates[cell] & !mask));
    Hint::remove(technique, difficulty, removals.filter(|(_, mask)| *mask != 0).collect())
}

/// Triplets.
pub fn find_triplet(board: &Board, budget: &mut Budget) -> Result<Option<Hint>, Stopped> {
    let bases = Bases::new(board, 3);
    if bases.list.len() < 3 {
        return Ok(None);
    }
    for (place, &second) in bases.list.iter().enumerate() {
        for &first in &bases.list[..place] {
            budget.spend(20)?;
            if !has_two(bases.excluders[first] & bases.excluders[second]) {
                continue;
            }
            for third in tails(&bases, first, second) {
                let common = bases.excluders[first] & bases.excluders[second] & bases.excluders[third];
                if has_two(common)
                    && let Some(hint) = triplet(board, [first, second, third], common)
                {
                    return Ok(Some(hint));
                }
            }
        }
    }
    Ok(None)
}

/// The third cells: bases that exclude for one of the first two, in the order of their peers.
fn tails(bases: &Bases, first: usize, second: usize) -> impl Iterator<Item = usize> {
    let of_first = bases.excluders[first] & bases.set & !(1 << second);
    let of_second = bases.excluders[second] & bases.set & !(1 << first) & !of_first;
    let ordered = |cell: usize, set: u128| {
        PEER_LIST[cell].iter().map(|&peer| usize::from(peer)).filter(move |&peer| set >> peer & 1 != 0)
    };
    ordered(first, of_first).chain(ordered(second, of_second))
}

fn triplet(board: &Board, base: [usize; 3], common: u128) -> Option<Hint> {
    // For each digit those that it may not stand beside, and the triplets that may not stand together.
    let mut beside = [0u16; 9];
    let mut triplets = [0u16; 20];
    let mut count = 0;
    for cell in cells(common) {
        let mask = board.candidates[cell];
        if mask.count() == 2 {
            bits(mask).for_each(|digit| beside[digit] |= mask & !(1 << digit));
        } else {
            triplets[count] = mask;
            count += 1;
        }
    }
    let triplets = &triplets[..count];
    let sees = |one: usize, other: usize| if PEERS[base[one]] >> base[other] & 1 != 0 { 0x1ff } else { 0 };
    let see = [sees(0, 1), sees(0, 2), sees(1, 2)];
    let all = base.map(|cell| board.candidates[cell]);
    let mut allowed = [0u16; 3];
    for one in bits(all[0]) {
        let bit = 1u16 << one;
        for other in bits(all[1] & !beside[one] & !(bit & see[0])) {
            let of_other = 1 << other;
            let mut thirds = all[2] & !beside[one] & !beside[other] & !(bit & see[1]) & !(of_other & see[2]);
            for &mask in triplets {
                let rest = mask & !bit & !of_other;
                if rest & rest.wrapping_sub(1) == 0 {
                    thirds &= !rest;
                }
            }
            if thirds != 0 {
                allowed[0] |= bit;
                allowed[1] |= of_other;
                allowed[2] |= thirds;
                if allowed[1] == all[1] && allowed[2] == all[2] {
                    break;
                }
            }
        }
    }
    exclusion(board, Technique::AlignedTripletExclusion, 7.5, &base, &allowed)
}
