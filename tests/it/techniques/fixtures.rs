//! `tests/fixtures/techniques/<slug>.txt`: two positions or more where a technique is found, and one or more near
//! misses where it is not. A position is `puzzle` (81 symbols or JSON), `placed` (a grid of what was placed) and
//! `removed` (candidates gone).

use std::fs;
use std::path::{Path, PathBuf};

use sleuth::engine::logic::Conclusion;
use sleuth::engine::logic::registry::TECHNIQUES;
use sleuth::puzzle::{Cell, Digit, Position, notation};

use super::{puzzle, steps_of};

/// One position of a file.
pub struct Fixture {
    /// What is concluded; none for a near miss.
    expected: Option<Vec<Conclusion>>,
    /// Where.
    pub position: Position,
    /// For messages: its first line.
    name: String,
}

impl Fixture {
    /// Whether something is found there.
    pub fn is_hit(&self) -> bool {
        self.expected.is_some()
    }
}

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/techniques")
}

/// The positions of the row of this slug.
pub fn fixtures_of(slug: &str) -> Vec<Fixture> {
    let text = fs::read_to_string(folder().join(format!("{slug}.txt")));
    let text = text.unwrap_or_else(|error| panic!("{slug}: {error}"));
    text.split("\n\n").filter_map(read).collect()
}

#[test]
fn found_and_not_found() {
    for row in TECHNIQUES {
        let fixtures = fixtures_of(row.slug);
        let hits = fixtures.iter().filter(|fixture| fixture.expected.is_some()).count();
        assert!(hits >= 2 && fixtures.len() > hits, "{}: two hits and a near miss", row.slug);
        for fixture in fixtures {
            let found: Vec<Vec<Conclusion>> = steps_of(row, &fixture.position)
                .into_iter()
                .map(|step| step.conclusions.into_vec())
                .collect();
            match fixture.expected {
                Some(expected) => {
                    assert!(found.contains(&expected), "{}, {}: {found:?}", row.slug, fixture.name);
                }
                None => assert!(found.is_empty(), "{}, {}: {found:?}", row.slug, fixture.name),
            }
        }
    }
    let files = fs::read_dir(folder()).expect("a folder").count();
    assert_eq!(files, TECHNIQUES.len(), "a file that is no row's");
}

/// Reads one block; none if it is empty or comments alone.
fn read(block: &str) -> Option<Fixture> {
    let mut lines = block.lines().filter(|line| !line.starts_with('#') && !line.trim().is_empty());
    let name = lines.next()?;
    let mut position = None;
    let mut expected = None;
    for line in lines {
        let (field, value) = line.split_once(": ").unwrap_or_else(|| panic!("no field: {line}"));
        if field == "puzzle" {
            position = Some(Position::new(puzzle(value)));
            continue;
        }
        let position: &mut Position = position.as_mut().expect("the puzzle comes first");
        match field {
            "placed" => {
                for (index, digit) in value.chars().map(Digit::from_symbol).enumerate() {
                    if let Some(digit) = digit {
                        position.place(Cell::new(index), digit);
                    }
                }
            }
            "removed" => {
                conclusions(value, position.size()).into_iter().for_each(|gone| gone.apply(position))
            }
            "expect" => expected = Some(conclusions(value, position.size())),
            _ => panic!("unknown field: {line}"),
        }
    }
    let is_hit = name.starts_with("found");
    assert!(is_hit || name.starts_with("near miss"), "{name}");
    assert_eq!(is_hit, expected.is_some(), "{name}");
    Some(Fixture { expected, position: position.expect("a puzzle"), name: name.to_owned() })
}

/// `r1c1=4`, `r8c34<>27`: cells may be folded and digits side by side.
pub fn conclusions(text: &str, size: usize) -> Vec<Conclusion> {
    let mut conclusions = Vec::new();
    for part in text.split_whitespace() {
        let (cells, digits, is_placed) = match (part.split_once("<>"), part.split_once('=')) {
            (Some((cells, digits)), _) => (cells, digits, false),
            (None, Some((cells, digits))) => (cells, digits, true),
            (None, None) => panic!("no conclusion: {part}"),
        };
        for cell in notation::parse_cells(cells, size).expect("cells") {
            for digit in digits.chars().map(|symbol| Digit::from_symbol(symbol).expect("a digit")) {
                let conclusion = if is_placed {
                    Conclusion::Place(cell, digit)
                } else {
                    Conclusion::Eliminate(cell, digit)
                };
                conclusions.push(conclusion);
            }
        }
    }
    conclusions.sort_unstable();
    conclusions
}
