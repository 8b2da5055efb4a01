//! What follows from a layout: its houses, and which cells share them.

use std::sync::{Arc, LazyLock};

use super::layout::{BoxShape, Layout};
use super::{Cage, Cell, House, HouseId};

/// The structure of plain 9×9 boards, which most puzzles have: derived once.
static PLAIN: LazyLock<Arc<Structure>> =
    LazyLock::new(|| Arc::new(Structure::derive(&Layout::boxed(BoxShape { rows: 3, columns: 3 }))));

/// Houses, and by cell the houses and the cells seen.
#[derive(Clone, Debug)]
pub(super) struct Structure {
    pub houses: Vec<House>,
    pub houses_of: Vec<HousesOfCell>,
    /// In reading order.
    pub peers: Vec<Vec<Cell>>,
}

/// A row, a column, a box or region, both diagonals, a window.
const MOST_HOUSES_OF_CELL: usize = 6;

/// The houses of one cell, in order. Side by side in memory: every puzzle that is read asks for those of all cells.
#[derive(Clone, Copy, Default, Debug)]
pub(super) struct HousesOfCell {
    count: u8,
    houses: [HouseId; MOST_HOUSES_OF_CELL],
}

impl HousesOfCell {
    fn push(&mut self, house: HouseId) {
        self.houses[usize::from(self.count)] = house;
        self.count += 1;
    }

    #[inline]
    pub fn as_slice(&self) -> &[HouseId] {
        &self.houses[..self.count.into()]
    }
}

impl Structure {
    /// The structure of a layout.
    pub fn of(layout: &Layout) -> Arc<Structure> {
        if layout.is_plain() { PLAIN.clone() } else { Arc::new(Structure::derive(layout)) }
    }

    fn derive(layout: &Layout) -> Structure {
        let houses = layout.houses();
        let cell_count = layout.size * layout.size;
        let mut houses_of = vec![HousesOfCell::default(); cell_count];
        let mut peers = vec![Vec::new(); cell_count];
        for (index, house) in houses.iter().enumerate() {
            for &cell in &house.cells {
                houses_of[cell.index()].push(HouseId(index as u16));
                peers[cell.index()].extend(&house.cells);
            }
        }
        let mut structure = Structure { houses, houses_of, peers };
        structure.sort_peers();
        structure
    }

    /// Cells of a cage whose digits differ see each other too.
    pub fn see_within<'c>(self: &mut Arc<Structure>, cages: impl Iterator<Item = &'c Cage> + Clone) {
        if cages.clone().next().is_none() {
            return;
        }
        let own = Arc::make_mut(self);
        for cage in cages {
            for &cell in &cage.cells {
                own.peers[cell.index()].extend(&cage.cells);
            }
        }
        own.sort_peers();
    }

    fn sort_peers(&mut self) {
        for (index, peers) in self.peers.iter_mut().enumerate() {
            peers.sort_unstable();
            peers.dedup();
            peers.retain(|peer| peer.index() != index);
        }
    }
}
