//! A puzzle as 81 characters, and other faces of it. Text alone: a board that breaks the rules has faces too.

use crate::engine::generate::rng::Stream;

/// 81 characters in reading order: `1` to `9`, and `.` for an open cell.
pub type Line = [u8; 81];

/// The puzzle at the start of a line of a file, before whatever else follows; nothing for comments and boards of
/// another size. Whatever is no digit from `1` to `9` is an open cell.
pub fn read(text: &str) -> Option<Line> {
    let is_cell = |byte: &u8| byte.is_ascii_digit() || b".*_".contains(byte);
    let (start, rest) = text.as_bytes().split_at_checked(81)?;
    let is_puzzle = start.iter().all(is_cell) && !rest.first().is_some_and(is_cell);
    is_puzzle.then(|| {
        std::array::from_fn(|cell| if start[cell] > b'0' && start[cell] <= b'9' { start[cell] } else { b'.' })
    })
}

/// A face of a puzzle, each as likely: digits relabelled, bands, stacks and lines within them in another order,
/// the board transposed or not.
pub fn face(line: &Line, stream: &mut Stream) -> Line {
    let mut digits = *b"123456789";
    stream.shuffle(&mut digits);
    let (rows, columns) = (lines(stream), lines(stream));
    let is_transposed = stream.below(2) == 1;
    let mut face = [b'.'; 81];
    for (cell, &byte) in line.iter().enumerate() {
        let (row, column) = (rows[cell / 9], columns[cell % 9]);
        let to = if is_transposed { 9 * column + row } else { 9 * row + column };
        face[to] = if byte == b'.' { b'.' } else { digits[usize::from(byte - b'1')] };
    }
    face
}

/// Where each line goes: chutes in random order, and the lines of each.
fn lines(stream: &mut Stream) -> [usize; 9] {
    let mut chutes = [0, 1, 2];
    stream.shuffle(&mut chutes);
    let mut places = [0; 9];
    for (chute, places) in chutes.into_iter().zip(places.chunks_exact_mut(3)) {
        places.copy_from_slice(&[3 * chute, 3 * chute + 1, 3 * chute + 2]);
        stream.shuffle(places);
    }
    places
}

#[cfg(test)]
mod tests {
    use super::*;

    const PUZZLE: &str = "530070000600195000098000060800060003400803001700020006060000280000419005000080079";

    #[test]
    fn lines_of_files() {
        let line = read(PUZZLE).expect("a puzzle");
        assert_eq!(&line[..9], b"53..7....");
        assert_eq!(read(&format!("{PUZZLE},SE 11.2")), Some(line));
        assert_eq!(read(&PUZZLE.replace('0', "*")), Some(line));
        let longer = format!("{PUZZLE}1");
        for text in
            ["", "# a comment", &PUZZLE[1..], &longer, &PUZZLE.replace('5', "x"), &PUZZLE.replace('5', "é")]
        {
            assert_eq!(read(text), None, "{text}");
        }
    }

    /// Cells that share a house still do, and the digits are the same up to their names.
    #[test]
    fn faces_keep_houses() {
        let line = read(PUZZLE).expect("a puzzle");
        let mut seen = std::collections::BTreeSet::new();
        let profile = |line: &Line| {
            let mut counts: Vec<usize> =
                (b'1'..=b'9').map(|digit| line.iter().filter(|&&byte| byte == digit).count()).collect();
            counts.sort_unstable();
            counts
        };
        for attempt in 0..50 {
            let face = face(&line, &mut Stream::new(1, attempt));
            assert_eq!(profile(&face), profile(&line));
            for house in 0..9 {
                let cells: [[usize; 9]; 3] = [
                    std::array::from_fn(|at| 9 * house + at),
                    std::array::from_fn(|at| 9 * at + house),
                    std::array::from_fn(|at| house / 3 * 27 + house % 3 * 3 + at / 3 * 9 + at % 3),
                ];
                for cells in cells {
                    let mut digits: Vec<u8> =
                        cells.map(|cell| face[cell]).into_iter().filter(|&byte| byte != b'.').collect();
                    digits.sort_unstable();
                    assert!(digits.is_sorted_by(|one, other| one < other), "a digit twice in a house");
                }
            }
            seen.insert(face);
        }
        assert_eq!(seen.len(), 50);
    }
}
