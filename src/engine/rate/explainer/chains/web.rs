//! All links of a board that stays as it is, written out once: for searches that follow each of them many times.

use super::super::board::{Board, Mask, bits};
use super::links::{Cause, LITERALS, Literal, each_off, each_on, literal};

/// The links from each literal: first those within its cell, then those within houses.
pub struct Web {
    /// For each literal where its links begin, where those within the cell end, where all end.
    ranges: Vec<[u16; 3]>,
    links: Vec<(Literal, Cause)>,
}

/// Which links a search uses.
#[derive(Clone, Copy)]
pub struct Kind {
    /// Links within cells.
    pub cells: bool,
    /// Links within houses, from what does not hold to what does.
    pub houses: bool,
}

impl Web {
    /// Writes out the links of a board.
    pub fn new(board: &Board) -> Web {
        let mut web = Web { ranges: vec![[0; 3]; LITERALS], links: Vec::with_capacity(2048) };
        for cell in (0..81).filter(|&cell| board.candidates[cell].count() > 0) {
            for digit in bits(board.candidates[cell]) {
                for holds in [false, true] {
                    web.add(board, literal(cell, digit, holds));
                }
            }
        }
        web
    }

    fn add(&mut self, board: &Board, from: Literal) {
        let start = self.links.len();
        let mut cell_end = start;
        let links = &mut self.links;
        let mut add = |to: Literal, cause: Cause| {
            if cause == Cause::Cell {
                cell_end += 1;
                links.push((to, cause));
            } else if links[cell_end..].iter().all(|(known, _)| *known != to) {
                links.push((to, cause));
            }
            false
        };
        if super::links::holds(from) {
            each_off(board, from, true, &mut add);
        } else {
            each_on(board, from, true, &mut add);
        }
        self.ranges[usize::from(from)] = [start, cell_end, self.links.len()].map(|place| place as u16);
    }

    /// The links from a literal that a search uses.
    #[inline]
    pub fn from(&self, from: Literal, kind: Kind) -> &[(Literal, Cause)] {
        let [start, cell_end, end] = self.ranges[usize::from(from)];
        let start = if kind.cells { start } else { cell_end };
        let end = if kind.houses || super::links::holds(from) { end } else { cell_end };
        &self.links[usize::from(start)..usize::from(end)]
    }
}
