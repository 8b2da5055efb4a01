//! How far the deduction engine is right, measured on public data and on puzzles made on the spot:
//!
//! ```text
//! cargo run --release --example yardsticks -- DIR [--only SECTION]... [--generated N] [--listed N]
//! ```
//!
//! `DIR` holds `logic/`, `search/` and `variants/`. What is wrong is printed as it is found, the table at the end.
//! Read `library` and `cases` (techniques), `soundness` (every step proved and compared with the solutions) and `ratings`
//! (scales). Ends with 1 if a step was wrong, relied on uniqueness where there is none, or a face changed a rating.

mod cases;
mod cores;
mod library;
mod ratings;
mod soundness;
mod table;

use std::error::Error;
use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Parser, ValueEnum};
use table::Table;

type Fault = Box<dyn Error + Send + Sync>;

/// What is measured.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
enum Section {
    /// What HoDoKu's library expects is found.
    Cases,
    /// Ratings of the Explainer.
    Explainer,
    /// Ratings of HoDoKu.
    Hodoku,
    /// Mixed puzzles solved without search.
    Mixed,
    /// Our own rating, over faces.
    Faces,
    /// Every puzzle of the data: steps proved, and compared with the solutions.
    Steps,
    /// Puzzles with several solutions: no step relies on there being one.
    Several,
    /// Puzzles made on the spot: steps proved and compared, techniques counted.
    Generated,
}

#[derive(Parser)]
struct Arguments {
    /// The folder of the data.
    folder: PathBuf,
    /// Only these sections.
    #[arg(long, value_enum)]
    only: Vec<Section>,
    /// How many puzzles are made.
    #[arg(long, default_value_t = 100_000)]
    generated: u32,
    /// In one of so many positions on paths every step of every row is checked, too.
    #[arg(long, default_value_t = 2_000)]
    listed: usize,
}

fn main() -> Result<ExitCode, Fault> {
    let arguments = Arguments::parse();
    let mut table = Table::default();
    for section in Section::value_variants() {
        if arguments.only.is_empty() || arguments.only.contains(section) {
            measure(*section, &arguments, &mut table)?;
        }
    }
    print!("{table}");
    Ok(ExitCode::from(u8::from(table.is_wrong())))
}

fn measure(section: Section, arguments: &Arguments, table: &mut Table) -> Result<(), Fault> {
    let folder = &arguments.folder;
    match section {
        Section::Cases => cases::measure(folder, table),
        Section::Explainer => ratings::explainer(folder, table),
        Section::Hodoku => ratings::hodoku(folder, table),
        Section::Mixed => ratings::mixed(folder, table),
        Section::Faces => ratings::faces(folder, table),
        Section::Steps => soundness::data(folder, arguments.listed, table),
        Section::Several => soundness::several(folder, table),
        Section::Generated => soundness::generated(arguments.generated, arguments.listed, table),
    }
}
