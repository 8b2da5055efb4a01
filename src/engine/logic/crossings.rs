//! Where houses cross: the same in every position of a board.

use std::sync::Arc;

use super::CellSet;
use super::context::Context;
use crate::puzzle::HouseId;

/// Two houses that share cells.
#[derive(Clone, Copy, Debug)]
pub struct Crossing {
    /// The houses, in order.
    pub houses: [HouseId; 2],
    /// What they share.
    pub cells: CellSet,
    /// The same as places in each of the two: bit `i` is its cell `i`.
    pub seats: [u16; 2],
}

impl Crossing {
    /// The two houses: bit `i` is house `i`.
    pub fn house_bits(&self) -> u64 {
        self.houses.iter().fold(0, |all, house| all | 1 << house.index())
    }
}

/// Which cells of a house lie in another: bit `i` is its cell `i`.
pub fn seats_within(context: &Context<'_>, house: HouseId, other: HouseId) -> u16 {
    let cells = context.puzzle().house(house).cells.iter().enumerate();
    let inside = cells.filter(|(_, cell)| context.house(other).contains(**cell));
    inside.fold(0, |seats, (seat, _)| seats | 1 << seat)
}

/// Every two houses that share cells, by the first and then by the second.
pub struct Crossings(pub Vec<Crossing>);

impl Crossings {
    /// Those of a board.
    pub fn of(context: &Context<'_>) -> Arc<Crossings> {
        context.of_board(|| {
            let houses: Vec<HouseId> = context.puzzle().house_ids().collect();
            let mut crossings = Vec::new();
            for (place, &one) in houses.iter().enumerate() {
                for &other in &houses[place + 1..] {
                    let cells = context.house(one) & context.house(other);
                    if !cells.is_empty() {
                        let seats = [seats_within(context, one, other), seats_within(context, other, one)];
                        crossings.push(Crossing { houses: [one, other], cells, seats });
                    }
                }
            }
            Crossings(crossings)
        })
    }

    /// Those of two cells or more.
    pub fn wide(&self) -> impl Iterator<Item = &Crossing> {
        self.0.iter().filter(|crossing| crossing.cells.is_several())
    }
}

/// A house that shares two cells or more with another.
#[derive(Clone, Copy, Debug)]
pub struct Cover {
    /// The house.
    pub house: HouseId,
    /// The cells shared, as places in the other: bit `i` is its cell `i`.
    inside: u16,
    /// The cells not shared, as places in this one.
    pub outside: u16,
}

/// Of each house, its covers, in order.
pub struct Covers(Vec<Vec<Cover>>);

impl Covers {
    /// Those of a board.
    pub fn of(context: &Context<'_>) -> Arc<Covers> {
        context.of_board(|| {
            let puzzle = context.puzzle();
            let of_house = |one: HouseId| {
                let others = puzzle.house_ids().filter(|&other| other != one);
                let covers = others.map(|other| Cover {
                    house: other,
                    inside: seats_within(context, one, other),
                    outside: !seats_within(context, other, one),
                });
                covers.filter(|cover| cover.inside.count_ones() > 1).collect()
            };
            Covers(puzzle.house_ids().map(of_house).collect())
        })
    }

    /// The other houses that hold all these places of a house, of which there are two at least.
    #[inline]
    pub fn holding(&self, house: HouseId, seats: u16) -> impl Iterator<Item = &Cover> {
        self.0[house.index()].iter().filter(move |cover| seats & !cover.inside == 0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::logic::context::Board;
    use crate::engine::logic::positions;

    /// Against sets of cells.
    #[test]
    fn covers_hold_all_places() {
        for position in positions::hard() {
            let board = Board::new(position.puzzle());
            let context = Context::new(&board, position);
            let covers = Covers::of(&context);
            for house in context.puzzle().house_ids() {
                for digit in context.puzzle().digits() {
                    let (seats, spots) = (context.seats_in(house, digit), context.spots_in(house, digit));
                    let holds = |&other: &HouseId| other != house && context.house(other).contains_all(spots);
                    if spots.is_several() {
                        let wanted: Vec<HouseId> = context.puzzle().house_ids().filter(holds).collect();
                        let found = || covers.holding(house, seats);
                        assert_eq!(found().map(|cover| cover.house).collect::<Vec<_>>(), wanted);
                        for cover in found() {
                            let gone = !(context.spots_in(cover.house, digit) - spots).is_empty();
                            assert_eq!(context.seats_in(cover.house, digit) & cover.outside != 0, gone);
                        }
                    }
                }
            }
        }
    }
}
