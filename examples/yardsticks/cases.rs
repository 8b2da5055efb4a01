//! What HoDoKu's library expects, and what it took on its own paths.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use super::library::{CODES, Case};
use super::{Fault, Table, cores};

/// Cases found and missed of one code.
#[derive(Default)]
struct Tally {
    found: usize,
    all: usize,
}

/// The library, then the steps of HoDoKu's own paths that its own rule calls unambiguous.
pub fn measure(folder: &Path, table: &mut Table) -> Result<(), Fault> {
    let text = fs::read_to_string(folder.join("logic/technique_cases.txt"))?;
    let cases: Vec<Case> = text.lines().filter_map(Case::read).collect();
    let met = cores::each("cases", cases.len(), || (), |(), number| is_found(&cases[number]));
    let mut codes: BTreeMap<&str, Tally> = BTreeMap::new();
    let mut near_misses = Tally::default();
    for (case, met) in cases.iter().zip(met) {
        let tally = if case.is_near_miss { &mut near_misses } else { codes.entry(&case.code).or_default() };
        tally.all += 1;
        tally.found += usize::from(met);
        if !met {
            println!("case missed: {}", case.line);
        }
    }
    for (code, tally) in &codes {
        let slugs: Vec<&str> =
            CODES.iter().filter(|(known, _)| known == code).map(|(_, slug)| *slug).collect();
        table.share(&format!("case {code} {}", slugs.join(" ")), tally.found, tally.all);
    }
    table.share(
        "cases found",
        codes.values().map(|tally| tally.found).sum(),
        codes.values().map(|tally| tally.all).sum(),
    );
    table.share("cases that must not be found, not found", near_misses.found, near_misses.all);
    own_paths(folder, table)
}

fn own_paths(folder: &Path, table: &mut Table) -> Result<(), Fault> {
    let text = fs::read_to_string(folder.join("logic/hodoku_steps.tsv"))?;
    let is_sure = |line: &&str| line.split('\t').nth(3) == Some("yes");
    let cases: Vec<Case> =
        text.lines().filter(is_sure).filter_map(|line| Case::read(line.split('\t').next()?)).collect();
    let cases: Vec<Case> =
        cases.into_iter().filter(|case| CODES.iter().any(|(code, _)| *code == case.code)).collect();
    let met = cores::each("own paths", cases.len(), || (), |(), number| is_found(&cases[number]));
    for (case, _) in cases.iter().zip(&met).filter(|(_, met)| !**met) {
        println!("step of HoDoKu's path missed: {}", case.line);
    }
    table.share("steps of HoDoKu's own paths found", met.iter().filter(|met| **met).count(), met.len());
    Ok(())
}

fn is_found(case: &Case) -> bool {
    case.is_met_by(&case.steps().unwrap_or_default())
}
