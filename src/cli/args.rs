//! The arguments, as types: what clap reads, and nothing else.

mod bench;

use std::path::PathBuf;
use std::time::{Duration, SystemTime};

use clap::{Args, Parser, Subcommand, ValueEnum};

pub use bench::{BenchArguments, BenchEngine};

use super::exit;
use crate::engine::logic::explain;
use crate::engine::rate::Scale;
use crate::engine::search::Engine;
use crate::engine::search::candidates::MAX_CAP;
use crate::store::DatabaseUrl;

/// Where a client looks for the daemon unless told otherwise, and where the daemon listens.
pub const DEFAULT_ADDRESS: &str = "127.0.0.1:7353";

/// Solves, rates and generates sudoku, killer and KenKen puzzles, streams every deduction and proves it.
///
/// Without a command, `sleuth` serves (see `sleuth serve --help`).
#[derive(Parser, Debug)]
#[command(name = "sleuth", version, after_help = exit::HELP, after_long_help = exit::HELP)]
#[command(args_conflicts_with_subcommands = true)]
pub struct Arguments {
    /// What to do.
    #[command(subcommand)]
    pub command: Option<Command>,
    /// How to serve, without a command.
    #[command(flatten)]
    pub serve: ServeArguments,
}

/// What to do.
#[derive(Subcommand, Debug)]
pub enum Command {
    /// Run the daemon until it is told to stop (this is what `sleuth` alone does)
    Serve(ServeArguments),
    /// Solve a puzzle, step by step
    Solve(SolveArguments),
    /// Say how hard a puzzle is
    Rate(RateArguments),
    /// Make a puzzle
    Generate(GenerateArguments),
    /// Name wrong entries, or the next step from here
    Hint(HintArguments),
    /// List every step that could be taken from here
    Steps(StepsArguments),
    /// Put a placement or an elimination of your own to the test
    Prove(ProveArguments),
    /// Say whether a puzzle has none, one or several solutions, and which entries are wrong
    Check(CheckArguments),
    /// Say which candidates some solution has, and how many have them
    Candidates(CandidatesArguments),
    /// Re-check the proof of every step of a saved trace
    Verify(VerifyArguments),
    /// Follow a job of the daemon, live or from any step
    Watch(WatchArguments),
    /// List, look at or cancel jobs of the daemon
    Jobs(JobsArguments),
    /// List the techniques
    Techniques(TechniquesArguments),
    /// Measure the search, alone or in turns with other programs
    Bench(BenchArguments),
}

/// How to serve.
#[derive(Args, Clone, Debug)]
pub struct ServeArguments {
    /// Address to listen on; port 0 takes a free one
    #[arg(long, env = "SLEUTH_LISTEN", default_value = DEFAULT_ADDRESS, value_name = "ADDRESS")]
    pub listen: std::net::SocketAddr,
    /// Listen on an address that other machines reach, with neither encryption nor tokens
    #[arg(long, env = "SLEUTH_OPEN_TO_EVERYBODY")]
    pub open_to_everybody: bool,
    /// Database: a file for this daemon alone, `sqlite://PATH` or the path, made if it is not there; or
    /// `postgres://USER:PASSWORD@HOST/NAME`, which several daemons may share
    #[arg(
        long,
        env = "SLEUTH_DATABASE",
        default_value = "sleuth.sqlite",
        value_name = "URL",
        hide_env_values = true
    )]
    pub database: DatabaseUrl,
    /// Seconds after which a daemon that is silent counts as dead where several share a database
    #[arg(long, env = "SLEUTH_LEASE", default_value_t = 15, value_name = "SECONDS", value_parser = clap::value_parser!(u64).range(2..=3600))]
    pub lease: u64,
    /// How long finished jobs are kept
    #[arg(long, env = "SLEUTH_KEEP_JOBS", default_value = "30d", value_name = "TIME", value_parser = read_time)]
    pub keep_jobs: Duration,
    /// How long the traces of finished jobs are kept
    #[arg(long, env = "SLEUTH_KEEP_TRACES", default_value = "7d", value_name = "TIME", value_parser = read_time)]
    pub keep_traces: Duration,
    /// How many jobs are kept at most, the latest
    #[arg(long, env = "SLEUTH_KEEP_MOST", default_value_t = 10_000_000, value_name = "COUNT")]
    pub keep_most: u64,
    /// Worker threads [default: one a processor]
    #[arg(long, env = "SLEUTH_WORKERS", value_name = "COUNT", value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub workers: Option<u16>,
    /// Calls that may be in flight at a time, each watcher being one
    #[arg(long, env = "SLEUTH_CALL_LIMIT", default_value_t = 4_096, value_name = "COUNT")]
    pub call_limit: usize,
    /// How many jobs may wait
    #[arg(long, env = "SLEUTH_QUEUE_LIMIT", default_value_t = 100_000, value_name = "COUNT", value_parser = clap::value_parser!(u32).range(1..))]
    pub queue_limit: u32,
    /// How many jobs of one client may wait
    #[arg(long, env = "SLEUTH_CLIENT_LIMIT", default_value_t = 50_000, value_name = "COUNT", value_parser = clap::value_parser!(u32).range(1..))]
    pub client_limit: u32,
    /// What an acknowledged job survives: `full` a power cut, `normal` a killed process
    #[arg(long, env = "SLEUTH_DURABILITY", value_enum, default_value_t = Durability::Full)]
    pub durability: Durability,
    /// What to log: a level, or a filter as in `info,sleuth::jobs=debug`
    #[arg(long, env = "SLEUTH_LOG", default_value = "info", value_name = "FILTER")]
    pub log: String,
    /// How to log
    #[arg(long, env = "SLEUTH_LOG_FORMAT", value_enum, default_value_t = LogFormat::Text)]
    pub log_format: LogFormat,
}

/// A time as `90s`, `15m`, `12h` or `30d`.
fn read_time(text: &str) -> Result<Duration, String> {
    let units = [("s", 1), ("m", 60), ("h", 3_600), ("d", 86_400)];
    let read = |(unit, seconds): (&str, u64)| {
        let count: u64 = text.strip_suffix(unit)?.parse().ok()?;
        count.checked_mul(seconds).map(Duration::from_secs)
    };
    units.into_iter().find_map(read).ok_or_else(|| "a time is a number with s, m, h or d".to_owned())
}

/// What an acknowledged job survives.
#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub enum Durability {
    /// Every commit reaches the disk before it is acknowledged.
    Full,
    /// A commit survives the process, and reaches the disk soon after.
    Normal,
}

/// How to log.
#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub enum LogFormat {
    /// For people.
    Text,
    /// One JSON object a line.
    Json,
}

/// Where the work is done.
#[derive(Args, Clone, Debug)]
pub struct WhereArguments {
    /// Daemon to ask
    #[arg(long, env = "SLEUTH_SERVER", default_value = "http://127.0.0.1:7353", value_name = "URL")]
    pub server: String,
    /// Work in this process, without a daemon
    #[arg(long)]
    pub local: bool,
}

/// A puzzle, and how it is written.
#[derive(Args, Clone, Debug)]
pub struct PuzzleArguments {
    /// The puzzle: its text, `@FILE`, or `-` for standard input
    #[arg(value_name = "PUZZLE")]
    pub puzzle: String,
    /// How the puzzle is written [default: found out]
    #[arg(long, value_name = "FORMAT")]
    pub format: Option<String>,
}

/// How answers are printed.
#[derive(Args, Clone, Copy, Debug)]
pub struct OutputArguments {
    /// Print JSON
    #[arg(long)]
    pub json: bool,
    /// Language of explanations
    #[arg(long, env = "SLEUTH_LANG", value_enum, default_value_t = Language::En)]
    pub lang: Language,
}

/// A language of explanations.
#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub enum Language {
    /// English.
    En,
    /// Simplified Chinese.
    Zh,
}

impl From<Language> for explain::Language {
    fn from(language: Language) -> explain::Language {
        match language {
            Language::En => explain::Language::English,
            Language::Zh => explain::Language::Chinese,
        }
    }
}

/// How long work may take, and when.
#[derive(Args, Clone, Copy, Debug)]
pub struct LimitArguments {
    /// Give up after so many seconds
    #[arg(long, value_name = "SECONDS", value_parser = seconds)]
    pub deadline: Option<std::time::Duration>,
    /// Give up after so many units of work (a unit is about one look at a house)
    #[arg(long, value_name = "UNITS", value_parser = clap::value_parser!(u64).range(1..))]
    pub work: Option<u64>,
    /// Do not begin before: `2026-01-31T12:00:00Z`, or so long from now as in `90s`, `12h`
    #[arg(long, value_name = "TIME", value_parser = read_start, conflicts_with = "local")]
    pub start_at: Option<SystemTime>,
    /// Leave the work to the daemon and print the name of the job (see `sleuth watch`, `sleuth jobs`)
    #[arg(long, conflicts_with = "local")]
    pub detach: bool,
}

/// A moment, or a time from now.
fn read_start(text: &str) -> Result<SystemTime, String> {
    let ahead = read_time(text).ok().and_then(|time| SystemTime::now().checked_add(time));
    let moment =
        || text.parse::<prost_types::Timestamp>().ok().and_then(|time| SystemTime::try_from(time).ok());
    ahead.or_else(moment).ok_or_else(|| "a time is as in 2026-01-31T12:00:00Z, or as in 90s, 12h".to_owned())
}

/// A scale by its name.
fn scale(text: &str) -> Result<Scale, String> {
    let names = Scale::ALL.map(Scale::name).join(", ");
    Scale::from_name(text).ok_or_else(|| format!("there is no such scale, but {names}"))
}

/// A positive number of seconds, with or without a fraction.
fn seconds(text: &str) -> Result<std::time::Duration, String> {
    let value: f64 = text.parse().map_err(|_| format!("`{text}` is not a number of seconds"))?;
    if value > 0.0 && value <= 1e9 {
        Ok(std::time::Duration::from_secs_f64(value))
    } else {
        Err(format!("{text} seconds are not between 0 and 1000000000"))
    }
}

/// Arguments of `solve`.
#[derive(Args, Clone, Debug)]
pub struct SolveArguments {
    /// What to solve.
    #[command(flatten)]
    pub puzzle: PuzzleArguments,
    /// Which engines take part
    #[arg(long, value_enum, default_value_t = SolveMode::Full)]
    pub mode: SolveMode,
    /// Search engine
    #[arg(long, value_enum, default_value_t = SearchEngine::General)]
    pub engine: SearchEngine,
    /// Count solutions up to this many
    #[arg(long, value_name = "COUNT", default_value_t = 2, value_parser = clap::value_parser!(u64).range(1..))]
    pub limit: u64,
    /// Assert that there is exactly one solution, so that logic may rely on it
    #[arg(long)]
    pub assume_unique: bool,
    /// Save the trace for `sleuth verify`
    #[arg(long, value_name = "FILE")]
    pub trace: Option<PathBuf>,
    /// Print the answer without the steps
    #[arg(long, short)]
    pub quiet: bool,
    /// How long it may take.
    #[command(flatten)]
    pub limits: LimitArguments,
    /// How it is printed.
    #[command(flatten)]
    pub output: OutputArguments,
    /// Who does it.
    #[command(flatten)]
    pub place: WhereArguments,
}

/// Which engines take part in a solve.
#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub enum SolveMode {
    /// Search decides, logic deduces, search fills what logic cannot.
    Full,
    /// Logic alone.
    Logic,
    /// Search alone.
    Search,
}

/// A search engine.
#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub enum SearchEngine {
    /// The fastest that fits.
    General,
    /// The one for plain 9×9 sudoku.
    Classic,
    /// Exact cover by dancing links.
    Dlx,
}

impl From<SearchEngine> for Engine {
    fn from(engine: SearchEngine) -> Engine {
        match engine {
            SearchEngine::General => Engine::General,
            SearchEngine::Classic => Engine::Classic,
            SearchEngine::Dlx => Engine::Dlx,
        }
    }
}

/// Arguments of `rate`.
#[derive(Args, Clone, Debug)]
pub struct RateArguments {
    /// What to rate.
    #[command(flatten)]
    pub puzzle: PuzzleArguments,
    /// Scale: sleuth, hodoku (level and score of HoDoKu 2.2.0), explainer (ER, EP, ED of Sudoku Explainer 1.2.1)
    #[arg(long, default_value = "sleuth", value_parser = scale)]
    pub scale: Scale,
    /// How long it may take.
    #[command(flatten)]
    pub limits: LimitArguments,
    /// How it is printed.
    #[command(flatten)]
    pub output: OutputArguments,
    /// Who does it.
    #[command(flatten)]
    pub place: WhereArguments,
}

/// Arguments of `generate`.
#[derive(Args, Clone, Debug)]
pub struct GenerateArguments {
    /// Size of the board: 4, 6 or 9
    #[arg(long, default_value_t = 9, value_name = "SIZE")]
    pub size: u32,
    /// Level: `hard`, or a range as in `easy..hard` [default: any]
    #[arg(long, value_name = "LEVEL")]
    pub level: Option<String>,
    /// Clues: `24`, or a range as in `22..28` [default: any]
    #[arg(long, value_name = "COUNT")]
    pub clues: Option<String>,
    /// Symmetry of the clues: none, half-turn, quarter-turn, left-right, top-bottom, falling-diagonal, rising-diagonal
    #[arg(long, default_value = "none", value_name = "SYMMETRY")]
    pub symmetry: String,
    /// Seed: the same seed and recipe give the same puzzle [default: a new one, which is printed]
    #[arg(long, value_name = "NUMBER")]
    pub seed: Option<u64>,
    /// How many grids to try
    #[arg(long, value_name = "COUNT")]
    pub attempts: Option<u32>,
    /// How long it may take.
    #[command(flatten)]
    pub limits: LimitArguments,
    /// How it is printed.
    #[command(flatten)]
    pub output: OutputArguments,
    /// Who does it.
    #[command(flatten)]
    pub place: WhereArguments,
}

/// What a player has done to a puzzle.
#[derive(Args, Clone, Debug)]
pub struct ProgressArguments {
    /// The board as the player has it: a grid or pencil marks, as text, `@FILE` or `-`
    #[arg(long, value_name = "BOARD")]
    pub progress: Option<String>,
}

/// Arguments of `hint`.
#[derive(Args, Clone, Debug)]
pub struct HintArguments {
    /// The puzzle as it was handed out.
    #[command(flatten)]
    pub puzzle: PuzzleArguments,
    /// What the player has done.
    #[command(flatten)]
    pub progress: ProgressArguments,
    /// How it is printed.
    #[command(flatten)]
    pub output: OutputArguments,
    /// Who does it.
    #[command(flatten)]
    pub place: WhereArguments,
}

/// Arguments of `steps`.
#[derive(Args, Clone, Debug)]
pub struct StepsArguments {
    /// The puzzle as it was handed out.
    #[command(flatten)]
    pub puzzle: PuzzleArguments,
    /// What the player has done.
    #[command(flatten)]
    pub progress: ProgressArguments,
    /// List at most so many
    #[arg(long, default_value_t = 10_000, value_name = "COUNT", value_parser = clap::value_parser!(u32).range(1..=10_000))]
    pub limit: u32,
    /// Let each technique look for so many units of work
    #[arg(long, default_value_t = 50_000_000, value_name = "UNITS", value_parser = clap::value_parser!(u64).range(1..))]
    pub technique_work: u64,
    /// Explain as to one who learns
    #[arg(long)]
    pub teach: bool,
    /// How it is printed.
    #[command(flatten)]
    pub output: OutputArguments,
    /// Who does it.
    #[command(flatten)]
    pub place: WhereArguments,
}

/// Arguments of `prove`.
#[derive(Args, Clone, Debug)]
pub struct ProveArguments {
    /// The puzzle as it was handed out.
    #[command(flatten)]
    pub puzzle: PuzzleArguments,
    /// What to prove, as in `r1c1=4` or `r8c3<>4`
    #[arg(value_name = "CONCLUSION")]
    pub conclusion: String,
    /// What the player has done.
    #[command(flatten)]
    pub progress: ProgressArguments,
    /// Explain as to one who learns
    #[arg(long)]
    pub teach: bool,
    /// How it is printed.
    #[command(flatten)]
    pub output: OutputArguments,
    /// Who does it.
    #[command(flatten)]
    pub place: WhereArguments,
}

/// Arguments of `check`.
#[derive(Args, Clone, Debug)]
pub struct CheckArguments {
    /// The puzzle as it was handed out.
    #[command(flatten)]
    pub puzzle: PuzzleArguments,
    /// What the player has done.
    #[command(flatten)]
    pub progress: ProgressArguments,
    /// How it is printed.
    #[command(flatten)]
    pub output: OutputArguments,
    /// Who does it.
    #[command(flatten)]
    pub place: WhereArguments,
}

/// Arguments of `candidates`.
#[derive(Args, Clone, Debug)]
pub struct CandidatesArguments {
    /// The puzzle.
    #[command(flatten)]
    pub puzzle: PuzzleArguments,
    /// Count the solutions of each candidate up to so many
    #[arg(long, default_value_t = 1, value_name = "CAP", value_parser = clap::value_parser!(u64).range(1..=MAX_CAP))]
    pub count: u64,
    /// Search engine
    #[arg(long, value_enum, default_value_t = SearchEngine::General)]
    pub engine: SearchEngine,
    /// How it is printed.
    #[command(flatten)]
    pub output: OutputArguments,
    /// Who does it.
    #[command(flatten)]
    pub place: WhereArguments,
}

/// Arguments of `verify`.
#[derive(Args, Clone, Debug)]
pub struct VerifyArguments {
    /// The trace, as `solve --trace` saved it; `-` for standard input
    #[arg(value_name = "FILE")]
    pub trace: PathBuf,
    /// How it is printed.
    #[command(flatten)]
    pub output: OutputArguments,
    /// Who does it.
    #[command(flatten)]
    pub place: WhereArguments,
}

/// Arguments of `watch`.
#[derive(Args, Clone, Debug)]
pub struct WatchArguments {
    /// The job, as in `jobs/42`
    #[arg(value_name = "JOB")]
    pub job: String,
    /// Start after this cursor, as printed with every event [default: at the beginning]
    #[arg(long, value_name = "CURSOR")]
    pub after: Option<String>,
    /// How it is printed.
    #[command(flatten)]
    pub output: OutputArguments,
    /// Daemon to ask
    #[arg(long, env = "SLEUTH_SERVER", default_value = "http://127.0.0.1:7353", value_name = "URL")]
    pub server: String,
}

/// Arguments of `jobs`.
#[derive(Args, Clone, Debug)]
pub struct JobsArguments {
    /// What to do with them.
    #[command(subcommand)]
    pub command: JobsCommand,
    /// Daemon to ask
    #[arg(
        long,
        global = true,
        env = "SLEUTH_SERVER",
        default_value = "http://127.0.0.1:7353",
        value_name = "URL"
    )]
    pub server: String,
    /// Print JSON
    #[arg(long, global = true)]
    pub json: bool,
}

/// What to do with jobs.
#[derive(Subcommand, Clone, Debug)]
pub enum JobsCommand {
    /// List jobs, newest first
    List {
        /// At most so many
        #[arg(long, default_value_t = 50, value_name = "COUNT", value_parser = clap::value_parser!(u32).range(1..))]
        limit: u32,
    },
    /// Show one job and its result
    Get {
        /// The job, as in `jobs/42`
        job: String,
    },
    /// Cancel a job
    Cancel {
        /// The job, as in `jobs/42`
        job: String,
    },
}

/// Arguments of `techniques`.
#[derive(Args, Clone, Copy, Debug)]
pub struct TechniquesArguments {
    /// How it is printed.
    #[command(flatten)]
    pub output: OutputArguments,
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::*;

    #[test]
    fn arguments_are_consistent() {
        Arguments::command().debug_assert();
    }

    #[test]
    fn no_command_serves() {
        let arguments = Arguments::try_parse_from(["sleuth", "--workers", "3"]).expect("arguments");
        assert!(arguments.command.is_none());
        assert_eq!(arguments.serve.workers, Some(3));
    }

    #[test]
    fn starts_are_moments_or_ahead() {
        let moment = SystemTime::UNIX_EPOCH + Duration::from_secs(1_769_860_800);
        assert_eq!(read_start("2026-01-31T12:00:00Z"), Ok(moment));
        assert!(read_start("12h").is_ok_and(|time| time > SystemTime::now() + Duration::from_secs(43_000)));
        for text in ["", "noon", "-3s", "12", "999999999999999d"] {
            assert!(read_start(text).is_err(), "{text}");
        }
    }

    #[test]
    fn deadlines_are_positive() {
        assert_eq!(seconds("1.5"), Ok(std::time::Duration::from_millis(1500)));
        for text in ["0", "-1", "NaN", "inf", "x", "1e10"] {
            assert!(seconds(text).is_err(), "{text}");
        }
    }
}
