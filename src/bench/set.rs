//! Sets of puzzles: the built-in ones, which Sleuth's own generator and search made, and those of files; each
//! brought to a wanted number by faces of its puzzles.

use std::fs::{self, File};
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use super::BenchError;
use super::line::{self, Line};
use crate::engine::generate::rng::Stream;

/// Bytes of a file of puzzles: room for 800,000.
const MAX_FILE: u64 = 64 << 20;

/// Puzzles under a name.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct PuzzleSet {
    /// `hard`, or the name of the file without its ending.
    pub name: String,
    /// The puzzles.
    pub lines: Vec<Line>,
}

/// Names and lines of the built-in sets. The signature rests on them: they are never changed, only added to.
const BUILT_IN: [(&str, &str); 5] = [
    ("easy", include_str!("sets/easy.txt")),
    ("minimal", include_str!("sets/minimal.txt")),
    ("hard", include_str!("sets/hard.txt")),
    ("several", include_str!("sets/several.txt")),
    ("none", include_str!("sets/none.txt")),
];

impl PuzzleSet {
    /// The sets that come with Sleuth, a hundred puzzles each: solved without a guess, minimal, the hardest for
    /// search of many minimal ones, with several solutions, and with none.
    pub fn built_in() -> Vec<PuzzleSet> {
        let set = |(name, text): (&str, &str)| PuzzleSet { name: name.to_owned(), lines: puzzles(text) };
        BUILT_IN.into_iter().map(set).collect()
    }

    /// The puzzles of a file of up to [`MAX_FILE`] bytes, one a line; lines that are none are passed over.
    pub fn read(path: &Path) -> Result<PuzzleSet, BenchError> {
        let text = read_bounded(path).map_err(|error| unreadable(path, &error))?;
        let text = String::from_utf8_lossy(&text);
        let lines = puzzles(text.strip_prefix('\u{feff}').unwrap_or(&text));
        if lines.is_empty() {
            return Err(BenchError::NoPuzzles { path: path.display().to_string() });
        }
        let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        Ok(PuzzleSet { name, lines })
    }

    /// The `*.txt` files of a folder, in the order of their names.
    pub fn read_folder(folder: &Path) -> Result<Vec<PuzzleSet>, BenchError> {
        let entries = fs::read_dir(folder).map_err(|error| unreadable(folder, &error))?;
        let mut files: Vec<PathBuf> = entries
            .map(|entry| entry.map(|entry| entry.path()).map_err(|error| unreadable(folder, &error)))
            .collect::<Result<_, _>>()?;
        files.retain(|file| file.extension().is_some_and(|extension| extension == "txt"));
        files.sort();
        if files.is_empty() {
            return Err(BenchError::NoPuzzles { path: folder.join("*.txt").display().to_string() });
        }
        files.iter().map(|file| PuzzleSet::read(file)).collect()
    }

    /// At least so many puzzles: faces of its own, each of which shows as often. Of a set with twice as many or more,
    /// every second, third or so manieth.
    pub fn expanded(&self, count: usize, seed: u64) -> PuzzleSet {
        let count = count.max(1);
        let step = (self.lines.len() / count).max(1);
        let chosen: Vec<&Line> = self.lines.iter().step_by(step).collect();
        let rounds = count.div_ceil(chosen.len());
        let mut stream = Stream::new(seed, 0);
        let lines = (0..rounds).flat_map(|_| &chosen).map(|line| line::face(line, &mut stream)).collect();
        PuzzleSet { name: self.name.clone(), lines }
    }
}

fn read_bounded(path: &Path) -> io::Result<Vec<u8>> {
    let mut text = Vec::new();
    File::open(path)?.take(MAX_FILE + 1).read_to_end(&mut text)?;
    if text.len() as u64 > MAX_FILE {
        return Err(io::Error::other(format!("it is longer than {MAX_FILE} bytes")));
    }
    Ok(text)
}

fn puzzles(text: &str) -> Vec<Line> {
    text.lines().filter_map(line::read).collect()
}

fn unreadable(path: &Path, error: &std::io::Error) -> BenchError {
    BenchError::File { path: path.display().to_string(), reason: error.to_string() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn built_in_sets_are_whole() {
        for set in PuzzleSet::built_in() {
            assert_eq!(set.lines.len(), 100, "{}", set.name);
        }
    }

    #[test]
    fn expansion_is_even_and_seeded() {
        let set = PuzzleSet::built_in().remove(0);
        let count = |wanted| set.expanded(wanted, 1).lines.len();
        assert_eq!([1, 30, 100, 101, 250].map(count), [1, 34, 100, 200, 300]);
        assert_eq!(set.expanded(100, 7), set.expanded(100, 7));
        assert_ne!(set.expanded(100, 7), set.expanded(100, 8));
    }

    #[test]
    fn files_without_puzzles_are_told() {
        let folder = tempfile::tempdir().expect("a folder");
        assert!(matches!(PuzzleSet::read_folder(folder.path()), Err(BenchError::NoPuzzles { .. })));
        let path = folder.path().join("some.txt");
        assert!(matches!(PuzzleSet::read(&path), Err(BenchError::File { .. })));
        fs::write(&path, "# nothing\n").expect("written");
        assert!(matches!(PuzzleSet::read_folder(folder.path()), Err(BenchError::NoPuzzles { .. })));
        File::create(&path).and_then(|file| file.set_len(MAX_FILE + 1)).expect("a file that is long");
        let Err(BenchError::File { reason, .. }) = PuzzleSet::read(&path) else { panic!("it is too long") };
        assert_eq!(reason, "it is longer than 67108864 bytes");
    }

    #[test]
    fn files_of_any_bytes_are_read() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("some.txt");
        let puzzle = ".".repeat(81);
        let text = ["\u{feff}", &puzzle, "\r\n"].concat();
        fs::write(&path, [text.as_bytes(), b"# \xff\n", puzzle.as_bytes()].concat()).expect("written");
        assert_eq!(PuzzleSet::read(&path).expect("two puzzles").lines, [[b'.'; 81]; 2]);
    }
}
