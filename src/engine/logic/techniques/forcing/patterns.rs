//! What locked candidates, pairs and X-wings take from a net: they are looked for among all that is left in it.

use super::net::Net;
use crate::engine::logic::{CellSet, Literal};
use crate::puzzle::{Cell, Digit, DigitSet, HouseId, HouseKind};

/// The candidates that go by one of these patterns. Each, assumed, leaves a cell or a house with nothing by at most one
/// placement.
pub fn taken(net: &Net<'_>) -> Vec<Literal> {
    let mut taken = vec![CellSet::EMPTY; net.field().context.size()];
    locked(net, &mut taken);
    naked_pairs(net, &mut taken);
    hidden_pairs(net, &mut taken);
    x_wings(net, &mut taken);
    let digits = taken.into_iter().enumerate();
    digits
        .flat_map(|(index, cells)| cells.iter().map(move |cell| Literal::is(cell, Digit::from_index(index))))
        .collect()
}

/// Takes a digit from what sees all these cells.
fn take(net: &Net<'_>, digit: Digit, cells: impl IntoIterator<Item = Cell>, taken: &mut [CellSet]) {
    let context = net.field().context;
    let mut seen = net.live(digit);
    for cell in cells {
        seen &= context.peers(cell);
        if seen.is_empty() {
            return;
        }
    }
    taken[digit.index()] |= seen;
}

/// A digit stands in one of its places in a house, so it goes from what sees them all. Where no place is gone, the board
/// itself says so.
fn locked(net: &Net<'_>, taken: &mut [CellSet]) {
    let context = net.field().context;
    for house in context.puzzle().house_ids() {
        for digit in Digit::all(context.size()) {
            let places = net.places(house, digit);
            if places.count_ones() > 1 && places != context.seats_in(house, digit) {
                take(net, digit, net.cells_left(house, digit), taken);
            }
        }
    }
}

/// Two cells that see each other and hold the same two digits.
fn naked_pairs(net: &Net<'_>, taken: &mut [CellSet]) {
    let context = net.field().context;
    let pairs: Vec<Cell> = context.open().into_iter().filter(|&cell| net.left(cell).len() == 2).collect();
    for (place, &one) in pairs.iter().enumerate() {
        for &other in &pairs[place + 1..] {
            if net.left(one) == net.left(other) && context.peers(one).contains(other) {
                net.left(one).iter().for_each(|digit| take(net, digit, [one, other], taken));
            }
        }
    }
}

/// The digits with two places in a house.
fn twice(net: &Net<'_>, house: HouseId) -> Vec<Digit> {
    let digits = Digit::all(net.field().context.size());
    digits.filter(|&digit| net.places(house, digit).count_ones() == 2).collect()
}

/// Two digits with the same two places in a house: all others go from there.
fn hidden_pairs(net: &Net<'_>, taken: &mut [CellSet]) {
    for house in net.field().context.puzzle().house_ids() {
        let digits = twice(net, house);
        for (place, &one) in digits.iter().enumerate() {
            for &other in &digits[place + 1..] {
                if net.places(house, one) != net.places(house, other) {
                    continue;
                }
                let pair: DigitSet = [one, other].into_iter().collect();
                for cell in net.cells_left(house, one) {
                    (net.left(cell) - pair).iter().for_each(|digit| taken[digit.index()].insert(cell));
                }
            }
        }
    }
}

/// Two rows with two places for a digit in the same two columns, or two columns likewise.
fn x_wings(net: &Net<'_>, taken: &mut [CellSet]) {
    let context = net.field().context;
    for kind in [HouseKind::Row, HouseKind::Column] {
        let lines: Vec<HouseId> =
            context.puzzle().house_ids().filter(|&id| context.puzzle().house(id).kind == kind).collect();
        for digit in Digit::all(context.size()) {
            let lines: Vec<HouseId> =
                lines.iter().copied().filter(|&line| net.places(line, digit).count_ones() == 2).collect();
            for (place, &one) in lines.iter().enumerate() {
                for &other in &lines[place + 1..] {
                    if net.places(one, digit) == net.places(other, digit) {
                        let ends = net.cells_left(one, digit).zip(net.cells_left(other, digit));
                        ends.for_each(|(end, across)| take(net, digit, [end, across], taken));
                    }
                }
            }
        }
    }
}
