//! The houses of a board, made from its size and its few settings.

use super::{Cell, House, HouseKind};

/// The shape of a box: `rows` tall and `columns` wide. A 2×3 box has two rows and three columns.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct BoxShape {
    /// Height.
    pub rows: u8,
    /// Width.
    pub columns: u8,
}

impl BoxShape {
    /// The shape nearest to a square with `size` cells, no taller than wide; none if the size is prime.
    pub fn of_size(size: usize) -> Option<BoxShape> {
        (2..size)
            .rfind(|rows| rows * rows <= size && size.is_multiple_of(*rows))
            .map(|rows| BoxShape { rows: rows as u8, columns: (size / rows) as u8 })
    }

    /// How many cells it has.
    pub const fn area(self) -> usize {
        self.rows as usize * self.columns as usize
    }
}

/// How a board is divided besides its rows and columns.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Regions {
    /// Not at all (KenKen, Latin squares).
    None,
    /// Into boxes.
    Boxes(BoxShape),
    /// Into jigsaw regions: the zero-based region of each cell.
    Jigsaw(Vec<u8>),
}

/// Size and settings: all that determines the houses. Checked by [`super::PuzzleDraft::check`].
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Layout {
    /// 2 to 25.
    pub size: usize,
    /// Boxes, jigsaw regions or neither.
    pub regions: Regions,
    /// Whether the diagonal from the top left is a house.
    pub falling_diagonal: bool,
    /// Whether the diagonal from the bottom left is a house.
    pub rising_diagonal: bool,
    /// Whether there are windoku windows: boxes set one line off every edge and one line apart.
    pub windows: bool,
}

impl Layout {
    /// Plain boxes, nothing more.
    pub fn boxed(shape: BoxShape) -> Layout {
        Layout { regions: Regions::Boxes(shape), ..Layout::latin(shape.area()) }
    }

    /// Whether it is 9×9 with 3×3 boxes, and nothing more.
    pub fn is_plain(&self) -> bool {
        self.size == 9
            && self.regions == Regions::Boxes(BoxShape { rows: 3, columns: 3 })
            && !(self.falling_diagonal || self.rising_diagonal || self.windows)
    }

    /// Rows and columns alone.
    pub fn latin(size: usize) -> Layout {
        Layout {
            size,
            regions: Regions::None,
            falling_diagonal: false,
            rising_diagonal: false,
            windows: false,
        }
    }

    /// The shape of the windows: that of the boxes, or the one nearest to a square.
    pub fn window_shape(&self) -> Option<BoxShape> {
        match self.regions {
            Regions::Boxes(shape) => Some(shape),
            _ => BoxShape::of_size(self.size),
        }
    }

    /// The houses: rows, columns, boxes or regions, diagonals, windows, in this order. Row `r` is house
    /// `r`, column `c` is house `size + c`, both zero-based.
    pub fn houses(&self) -> Vec<House> {
        let size = self.size;
        let mut houses = Vec::new();
        let mut push = |kind: HouseKind, number: usize, cells: Vec<Cell>| {
            houses.push(House { kind, number: number as u8 + 1, cells });
        };
        for row in 0..size {
            push(HouseKind::Row, row, (0..size).map(|column| Cell::at(row, column, size)).collect());
        }
        for column in 0..size {
            push(HouseKind::Column, column, (0..size).map(|row| Cell::at(row, column, size)).collect());
        }
        match &self.regions {
            Regions::None => {}
            Regions::Boxes(shape) => {
                let across = size / shape.columns as usize;
                for number in 0..size {
                    let (top, left) =
                        (number / across * shape.rows as usize, number % across * shape.columns as usize);
                    push(HouseKind::Box, number, self.rectangle(top, left, *shape));
                }
            }
            Regions::Jigsaw(region) => {
                for number in 0..size {
                    let cells =
                        Cell::all(size).filter(|cell| region[cell.index()] as usize == number).collect();
                    push(HouseKind::Region, number, cells);
                }
            }
        }
        if self.falling_diagonal {
            push(HouseKind::Diagonal, 0, (0..size).map(|row| Cell::at(row, row, size)).collect());
        }
        if self.rising_diagonal {
            push(HouseKind::Diagonal, 1, (0..size).map(|row| Cell::at(row, size - 1 - row, size)).collect());
        }
        if let (true, Some(shape)) = (self.windows, self.window_shape()) {
            let starts = |side: u8| {
                (1..).step_by(side as usize + 1).take_while(move |start| start + side as usize <= size)
            };
            let corners =
                starts(shape.rows).flat_map(|top| starts(shape.columns).map(move |left| (top, left)));
            for (number, (top, left)) in corners.enumerate() {
                push(HouseKind::Window, number, self.rectangle(top, left, shape));
            }
        }
        houses
    }

    fn rectangle(&self, top: usize, left: usize, shape: BoxShape) -> Vec<Cell> {
        (0..shape.area())
            .map(|index| {
                let (down, right) = (index / shape.columns as usize, index % shape.columns as usize);
                Cell::at(top + down, left + right, self.size)
            })
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::puzzle::notation;

    #[test]
    fn houses_of_a_windoku() {
        let mut layout = Layout::boxed(BoxShape { rows: 3, columns: 3 });
        layout.windows = true;
        layout.rising_diagonal = true;
        let houses = layout.houses();
        assert_eq!(houses.len(), 27 + 1 + 4);
        assert!(houses.iter().all(|house| house.cells.len() == 9));
        let windows: Vec<String> =
            houses[28..].iter().map(|house| notation::cells(&house.cells[..1], 9)).collect();
        assert_eq!(windows, ["r2c2", "r2c6", "r6c2", "r6c6"]);
        assert_eq!(houses[27].to_string(), "diagonal 2");
        assert_eq!(notation::cells(&houses[27].cells[..1], 9), "r1c9");
    }

    #[test]
    fn boxes_are_as_tall_as_their_rows() {
        let houses = Layout::boxed(BoxShape { rows: 2, columns: 3 }).houses();
        assert_eq!(houses[12 + 1].to_string(), "box 2");
        assert_eq!(notation::cells(&houses[12 + 1].cells, 6), "r1c456 r2c456");
    }

    #[test]
    fn shape_nearest_to_a_square() {
        let shape = |size| BoxShape::of_size(size).map(|shape| (shape.rows, shape.columns));
        assert_eq!(
            [shape(9), shape(6), shape(12), shape(7), shape(4), shape(2)],
            [Some((3, 3)), Some((2, 3)), Some((3, 4)), None, Some((2, 2)), None]
        );
    }
}
