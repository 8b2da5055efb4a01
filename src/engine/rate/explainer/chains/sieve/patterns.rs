//! What intersections, pairs and X-Wings remove from a state.

use super::super::super::board::{Board, HOUSE_CELLS, Mask, bits};
use super::state::{Conflict, Queue, State};

/// For a mask of nine places, the third (0 to 2) of threes in a row that holds it whole, and the one of threes
/// three apart; 3 for none.
static THIRDS: [[u8; 2]; 512] = thirds();

const fn thirds() -> [[u8; 2]; 512] {
    let mut table = [[3; 2]; 512];
    let mut mask = 1;
    while mask < 512usize {
        let mut third = 0;
        while third < 3 {
            if mask & !(0b111 << (3 * third)) == 0 {
                table[mask][0] = third as u8;
            }
            if mask & !(0b001_001_001 << third) == 0 {
                table[mask][1] = third as u8;
            }
            third += 1;
        }
        mask += 1;
    }
    table
}

/// Removes what the patterns remove; the queue is empty in the end if they remove nothing.
pub fn apply(state: &mut State, board: &Board, queue: &mut Queue) -> Result<(), Conflict> {
    intersections(state, queue)?;
    if queue.is_empty() {
        for house in (0..27).filter(|&house| board.open[house] >= 4) {
            naked_pairs(state, house, queue)?;
            if board.open[house] > 4 {
                hidden_pairs(state, house, queue)?;
            }
        }
        x_wings(state, board, queue)?;
    }
    Ok(())
}

fn intersections(state: &mut State, queue: &mut Queue) -> Result<(), Conflict> {
    for digit in 0..9 {
        for house in 0..9 {
            let places = state.places[house][digit];
            if places & places.wrapping_sub(1) != 0 {
                let [row, column] = THIRDS[usize::from(places)];
                let (top, left) = (house / 3 * 3, house % 3 * 3);
                if row < 3 {
                    let line = 9 + top + usize::from(row);
                    clear(state, line, digit, !(0b111 << left), queue)?;
                }
                if column < 3 {
                    let line = 18 + left + usize::from(column);
                    clear(state, line, digit, !(0b111 << top), queue)?;
                }
            }
            let row = state.places[9 + house][digit];
            if row & row.wrapping_sub(1) != 0 && THIRDS[usize::from(row)][0] < 3 {
                let of = house / 3 * 3 + usize::from(THIRDS[usize::from(row)][0]);
                clear(state, of, digit, !(0b111 << (house % 3 * 3)), queue)?;
            }
            let column = state.places[18 + house][digit];
            if column & column.wrapping_sub(1) != 0 && THIRDS[usize::from(column)][0] < 3 {
                let of = usize::from(THIRDS[usize::from(column)][0]) * 3 + house / 3;
                clear(state, of, digit, !(0b001_001_001 << (house % 3)), queue)?;
            }
        }
    }
    Ok(())
}

/// Removes a digit from some places of a house.
fn clear(
    state: &mut State,
    house: usize,
    digit: usize,
    places: u16,
    queue: &mut Queue,
) -> Result<(), Conflict> {
    for place in bits(state.places[house][digit] & places & 0x1ff) {
        state.set_off(usize::from(HOUSE_CELLS[house][place]), digit, queue)?;
    }
    Ok(())
}

fn naked_pairs(state: &mut State, house: usize, queue: &mut Queue) -> Result<(), Conflict> {
    let mut found = [(0u16, 0usize); 9];
    let mut count = 0;
    for (place, &cell) in HOUSE_CELLS[house].iter().enumerate() {
        let mask = state.candidates[usize::from(cell)];
        if mask.count() != 2 {
            continue;
        }
        if let Some(&(_, other)) = found[..count].iter().find(|(of_other, _)| *of_other == mask) {
            for digit in bits(mask) {
                clear(state, house, digit, !(1 << place | 1 << other), queue)?;
            }
        }
        found[count] = (mask, place);
        count += 1;
    }
    Ok(())
}

fn hidden_pairs(state: &mut State, house: usize, queue: &mut Queue) -> Result<(), Conflict> {
    for digit in 1..9 {
        let places = state.places[house][digit];
        if places.count() != 2 {
            continue;
        }
        for other in 0..digit {
            if state.places[house][other] == places {
                for place in bits(places) {
                    let cell = usize::from(HOUSE_CELLS[house][place]);
                    for rest in bits(state.candidates[cell] & !(1 << digit | 1 << other)) {
                        state.set_off(cell, rest, queue)?;
                    }
                }
            }
        }
    }
    Ok(())
}

fn x_wings(state: &mut State, board: &Board, queue: &mut Queue) -> Result<(), Conflict> {
    for digit in (0..9).filter(|&digit| board.placed[digit] <= 5) {
        for (base, cover) in [(9, 18), (18, 9)] {
            for line in 1..9 {
                let places = state.places[base + line][digit];
                if places.count() != 2 {
                    continue;
                }
                for other in 0..line {
                    if state.places[base + other][digit] != places {
                        continue;
                    }
                    for crossing in bits(places) {
                        clear(state, cover + crossing, digit, !(1 << line | 1 << other), queue)?;
                    }
                }
            }
        }
    }
    Ok(())
}
