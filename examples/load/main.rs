//! How near the daemon comes to what the machine can do: each figure beside its raw limit, measured in the same run.
//!
//! ```text
//! cargo build --release && cargo run --release --example load [-- SECTIONS]
//! ```
//!
//! The daemon is the real one, a process of its own on loopback with a new database; the client shares the machine
//! with it. Raw limits are programs of a few lines: the same rows in the same transactions through sqlx ([`raw`]), the
//! same messages from a bare tonic server ([`bare`]), which commits the same rows where traces are stored. Ours and raw
//! take turns, and the median of the turns is told.

mod bare;
mod client;
mod jobs;
mod latency;
mod process;
mod raw;
mod restart;
mod table;
mod watchers;

use std::error::Error;
use std::path::PathBuf;
use std::time::Duration;

use clap::{Parser, ValueEnum};
use sleuth::store::Durability;
use tempfile::TempDir;

/// Whatever goes wrong ends the program.
type Fault = Box<dyn Error + Send + Sync>;

/// Measures the daemon beside its raw limits.
#[derive(Parser, Clone, Debug)]
#[command(name = "load")]
struct Arguments {
    /// What to measure; all if nothing is named
    #[arg(value_enum)]
    sections: Vec<Section>,
    /// The daemon's binary [default: `sleuth` of the same build]
    #[arg(long, value_name = "FILE")]
    sleuth: Option<PathBuf>,
    /// Where the databases are made [default: the folder for temporary files]
    #[arg(long, value_name = "FOLDER")]
    folder: Option<PathBuf>,
    /// What the daemon logs, into a file beside its database
    #[arg(long, default_value = "info", value_name = "FILTER")]
    log: String,
    /// Seconds of a turn
    #[arg(long, default_value_t = 3.0)]
    seconds: f64,
    /// Turns
    #[arg(long, default_value_t = 3, value_parser = clap::value_parser!(u32).range(1..))]
    turns: u32,
    /// Streams of jobs, on connections of their own
    #[arg(long, default_value_t = 4)]
    streams: usize,
    /// Jobs of a stream under way at a time
    #[arg(long, default_value_t = 64, value_parser = clap::value_parser!(u16).range(1..=64))]
    in_flight: u16,
    /// Watchers of one job
    #[arg(long, default_value_t = 10_000)]
    watchers: usize,
    /// Connections of the watchers
    #[arg(long, default_value_t = 100)]
    connections: usize,
    /// Jobs that wait when the daemon starts
    #[arg(long, default_value_t = 1_000_000)]
    queued: u32,
    /// Be the bare server, with the answers of this folder
    #[arg(long, hide = true, value_name = "FOLDER")]
    bare: Option<PathBuf>,
    /// Keep the daemon at this address busy with bulk jobs
    #[arg(long, hide = true, value_name = "URL")]
    bulk: Option<String>,
    /// Let the bare server store jobs
    #[arg(long, hide = true, requires = "bare")]
    stored: Option<Durability>,
}

#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
enum Section {
    /// Durable jobs a second through RunJobs
    Jobs,
    /// The same with every step streamed and every trace stored
    Stream,
    /// The round trip of Check
    Check,
    /// How soon the first step comes
    First,
    /// An interactive solve beside a bulk load
    Interactive,
    /// The memory of many who watch one job
    Watchers,
    /// How soon a daemon with a long queue goes on
    Restart,
}

impl Arguments {
    fn time(&self) -> Duration {
        Duration::from_secs_f64(self.seconds)
    }

    /// Jobs of all streams under way at a time.
    fn in_flight_of_all(&self) -> usize {
        self.streams * usize::from(self.in_flight)
    }

    /// A new folder for a database.
    fn new_folder(&self) -> std::io::Result<TempDir> {
        let builder = |builder: &mut tempfile::Builder<'_, '_>| match &self.folder {
            Some(folder) => builder.tempdir_in(folder),
            None => builder.tempdir(),
        };
        builder(tempfile::Builder::new().prefix("sleuth-load-"))
    }
}

#[tokio::main]
async fn main() -> Result<(), Fault> {
    let arguments = Arguments::parse();
    if let Some(folder) = &arguments.bare {
        return bare::serve(&arguments, folder).await;
    }
    if let Some(url) = &arguments.bulk {
        return jobs::saturate(url, &arguments).await;
    }
    let all = Section::value_variants();
    let sections = if arguments.sections.is_empty() { all } else { &arguments.sections };
    table::head();
    for section in sections {
        match section {
            Section::Jobs => jobs::measure(&arguments, jobs::Work::Search).await?,
            Section::Stream => jobs::measure(&arguments, jobs::Work::Steps).await?,
            Section::Check => latency::measure_check(&arguments).await?,
            Section::First => latency::measure_first(&arguments).await?,
            Section::Interactive => latency::measure_interactive(&arguments).await?,
            Section::Watchers => watchers::measure(&arguments).await?,
            Section::Restart => restart::measure(&arguments).await?,
        }
    }
    Ok(())
}
