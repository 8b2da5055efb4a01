//! HoDoKu's public regression library as a yardstick: what it expects in a position is among all that we find.

#[path = "../../../examples/yardsticks/library.rs"]
mod library;

use std::collections::BTreeMap;
use std::fs;

use library::{CODES, Case};

use super::notation;
use crate::support;

/// Codes of which no case is handed out.
const NOT_HANDED_OUT: [&str; 2] = ["0363", "0364"];

#[test]
fn what_the_library_expects_is_found() {
    let Some(file) = support::data("logic/technique_cases.txt") else { return };
    let text = fs::read_to_string(file).expect("readable");
    let mut seen: BTreeMap<String, u32> = BTreeMap::new();
    let mut missed = Vec::new();
    for case in text.lines().filter_map(Case::read) {
        let found = case.steps().unwrap_or_else(|| panic!("no row for {}", case.line));
        if !case.is_met_by(&found) {
            let found: Vec<String> = found.iter().map(|step| notation(&step.conclusions, 9)).collect();
            let expected = notation(&case.expected, 9);
            missed.push(format!("{}\n  expected {expected}\n  found {found:?}", case.line));
        }
        *seen.entry(case.code).or_default() += 1;
    }
    println!("cases by code: {seen:?}");
    let is_seen = |code: &str| seen.contains_key(code) || NOT_HANDED_OUT.contains(&code);
    assert!(CODES.iter().all(|(code, _)| is_seen(code)), "{seen:?}");
    assert!(missed.is_empty(), "{} missed:\n{}", missed.len(), missed.join("\n"));
}
