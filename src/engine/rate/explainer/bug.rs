//! The bivalue universal grave: without a few candidates, every cell and every digit of a house would have two.

use super::board::{Board, CHAIN_ORDER, HOUSE_CELLS, HOUSES_OF, Mask, PEERS, bits, cells, common_houses};
use super::direct::combinations_within;
use super::hint::Hint;
use super::technique::Technique;

/// The cells and candidates without which the grave would be complete.
struct Grave {
    /// Cells in the order found, each with its extra digits.
    extra: Vec<(usize, u16)>,
    /// All extra digits.
    digits: u16,
    /// Cells that all these cells see.
    common: u128,
}

/// The step that the Explainer takes, if this is a grave but for a few candidates.
pub fn find(board: &Board) -> Option<Hint> {
    let grave = dig(board)?;
    if !is_complete(board, &grave) {
        return None;
    }
    match grave.extra[..] {
        [] => None,
        [(cell, digits)] => {
            Hint::remove(Technique::Bug, 5.6, vec![(cell as u8, board.candidates[cell] & !digits)])
        }
        _ if grave.digits.count() == 1 => common_digit(board, &grave).or_else(|| locked(board, &grave)),
        _ if grave.common != 0 => locked(board, &grave).or_else(|| naked_set(board, &grave)),
        _ => None,
    }
}

fn dig(board: &Board) -> Option<Grave> {
    let mut grave = Grave { extra: Vec::new(), digits: 0, common: u128::MAX };
    for house in CHAIN_ORDER.into_iter().flat_map(|first| first..first + 9) {
        for digit in 0..9 {
            let places = board.places[house][digit];
            if matches!(places.count(), 0 | 2) {
                continue;
            }
            let large =
                |place: &usize| board.candidates[usize::from(HOUSE_CELLS[house][*place])].count() >= 3;
            let mut found = bits(places).filter(large).map(|place| usize::from(HOUSE_CELLS[house][place]));
            let cell = found.next()?;
            if found.next().is_some() {
                continue;
            }
            match grave.extra.iter_mut().find(|(of_cell, _)| *of_cell == cell) {
                Some((_, digits)) => *digits |= 1 << digit,
                None => grave.extra.push((cell, 1 << digit)),
            }
            grave.digits |= 1 << digit;
            grave.common &= PEERS[cell];
            for (cell, _) in &grave.extra {
                grave.common &= !(1 << cell);
            }
            if grave.extra.len() > 1 && grave.digits.count() > 1 && grave.common == 0 {
                return None;
            }
        }
    }
    Some(grave)
}

/// Whether all is in pairs once the extra candidates are gone.
fn is_complete(board: &Board, grave: &Grave) -> bool {
    let mut twin = board.clone();
    for &(cell, digits) in &grave.extra {
        bits(digits).for_each(|digit| twin.remove(cell, digit));
    }
    let cells_pair = (0..81).all(|cell| twin.digits[cell] != 0 || twin.candidates[cell].count() == 2);
    cells_pair && twin.places.iter().flatten().all(|places| matches!(places.count(), 0 | 2))
}

/// Type 2: the extra digit goes from all cells that see it everywhere.
fn common_digit(board: &Board, grave: &Grave) -> Option<Hint> {
    let removals = cells(grave.common).map(|cell| (cell as u8, board.candidates[cell] & grave.digits));
    Hint::remove(Technique::Bug, 5.7, removals.filter(|(_, mask)| *mask != 0).collect())
}

/// Type 4: two cells of a house share a digit that is not extra, which one of them must hold.
fn locked(board: &Board, grave: &Grave) -> Option<Hint> {
    let [(one, of_one), (other, of_other)] = grave.extra[..] else { return None };
    let shared = board.candidates[one] & board.candidates[other] & !grave.digits;
    if shared.count() != 1 || common_houses(one, other).next().is_none() {
        return None;
    }
    let removals = [(one, of_one), (other, of_other)]
        .map(|(cell, extra)| (cell as u8, board.candidates[cell] & !extra & !shared));
    Hint::remove(Technique::Bug, 5.7, removals.to_vec())
}

/// Type 3: the extra digits are part of a naked set.
fn naked_set(board: &Board, grave: &Grave) -> Option<Hint> {
    for (kind, house) in HOUSES_OF[grave.extra[0].0].into_iter().map(usize::from).enumerate() {
        if grave.extra.iter().any(|(cell, _)| usize::from(HOUSES_OF[*cell][kind]) != house) {
            continue;
        }
        // The order in which common cells stand: that of the first cell's box, row and column.
        let peers = super::board::PEER_LIST[grave.extra[0].0].iter().map(|&cell| usize::from(cell));
        let peers = peers.filter(|&cell| grave.common >> cell & 1 != 0);
        let region: Vec<usize> = peers.filter(|&cell| usize::from(HOUSES_OF[cell][kind]) == house).collect();
        for size in (2..=6).filter(|&size| region.len() >= size) {
            for chosen in combinations_within((1 << region.len()) - 1, size as u32 - 1) {
                let members = || bits(chosen).map(|place| board.candidates[region[place]]);
                let union = members().fold(0, |union, mask| union | mask);
                let is_set = union.count() as usize == size
                    && (union | grave.digits) == union
                    && grave.digits.count() > 1
                    && members().all(|mask| mask.count() > 1);
                if !is_set {
                    continue;
                }
                let rest = (0..region.len()).filter(|place| chosen & 1 << place == 0);
                let removals =
                    rest.map(|place| (region[place] as u8, board.candidates[region[place]] & union));
                let removals: Vec<(u8, u16)> = removals.filter(|(_, mask)| *mask != 0).collect();
                let difficulty = 5.7 + (size as f64 - 1.0) * 0.1;
                if let Some(hint) = Hint::remove(Technique::Bug, difficulty, removals) {
                    return Some(hint);
                }
            }
        }
    }
    None
}
