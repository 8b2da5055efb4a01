//! Imports run downwards only.

use std::fs;
use std::path::{Path, PathBuf};

/// Modules of the crate with their floor; within floor 2, earlier modules are lower.
const FLOORS: &[(&str, u32)] = &[
    ("puzzle", 0),
    ("engine", 10),
    ("store", 20),
    ("archive", 21),
    ("jobs", 22),
    ("bench", 23),
    ("api", 30),
    ("config", 40),
    ("telemetry", 40),
    ("server", 41),
    ("cli", 50),
];

/// Folders that may not name one another, in either direction.
const STRANGERS: &[(&str, &str)] = &[("engine/search", "logic"), ("engine/logic", "search")];

#[test]
fn imports_run_downwards() {
    let src = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut faults = Vec::new();
    let mut seen = 0;
    for file in rust_files(&src) {
        let name = file.strip_prefix(&src).expect("under src").to_string_lossy().into_owned();
        let module = name.split(['/', '.']).next().expect("a name");
        let Some(floor) = floor_of(module) else { continue };
        let text = fs::read_to_string(&file).expect("readable");
        for (number, line) in
            text.lines().enumerate().filter(|(_, line)| !line.trim_start().starts_with("//"))
        {
            for used in used_modules(line) {
                seen += 1;
                if floor_of(&used).is_some_and(|used| used > floor) {
                    faults.push(format!("{name}:{}: {module} may not use {used}", number + 1));
                }
            }
            for (folder, stranger) in STRANGERS {
                if name.starts_with(folder) && line.contains(&format!("{stranger}::")) {
                    faults.push(format!("{name}:{}: {folder} may not use {stranger}", number + 1));
                }
            }
        }
    }
    assert!(seen > 15, "only {seen} imports were seen: is the test reading the sources?");
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

fn floor_of(module: &str) -> Option<u32> {
    FLOORS.iter().find(|(name, _)| *name == module).map(|(_, floor)| *floor)
}

/// The first path segment after every `crate::` in a line; of `crate::{a, b}`, both.
fn used_modules(line: &str) -> Vec<String> {
    let mut used = Vec::new();
    for rest in line.split("crate::").skip(1) {
        let list = rest.strip_prefix('{').map_or(rest, |inner| inner.split('}').next().unwrap_or(inner));
        let many = rest.starts_with('{');
        for part in list.split(',').take(if many { usize::MAX } else { 1 }) {
            let word: String = part.trim().chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect();
            used.push(word);
        }
    }
    used
}

fn rust_files(folder: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    for entry in fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            files.extend(rust_files(&path));
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            files.push(path);
        }
    }
    files
}
