//! Where houses cross: the same in every position of a board.

use std::rc::Rc;

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
}

/// Every two houses that share cells, by the first and then by the second.
pub struct Crossings(pub Vec<Crossing>);

impl Crossings {
    /// Those of a board.
    pub fn of(context: &Context<'_>) -> Rc<Crossings> {
        context.lasting(|| {
            let houses: Vec<HouseId> = context.puzzle().house_ids().collect();
            let mut crossings = Vec::new();
            for (place, &one) in houses.iter().enumerate() {
                for &other in &houses[place + 1..] {
                    let cells = context.house(one) & context.house(other);
                    if !cells.is_empty() {
                        crossings.push(Crossing { houses: [one, other], cells });
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
