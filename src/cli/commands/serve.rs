//! `sleuth serve`: the daemon, until it is told to stop.

use std::time::Duration;

use super::print;
use crate::cli::args::{Durability, LogFormat, ServeArguments};
use crate::cli::exit::{Failure, Outcome};
use crate::config::Config;
use crate::jobs::Retention;
use crate::server::{ServeError, Server, stop_signal};
use crate::{store, telemetry};

/// A puzzle to try.
const EXAMPLE: &str = "530070000600195000098000060800060003400803001700020006060000280000419005000080079";

/// Serves, and says where on standard output: one line with the address, one to paste.
pub fn run(arguments: &ServeArguments) -> Result<Outcome, Failure> {
    let format = match arguments.log_format {
        LogFormat::Text => telemetry::LogFormat::Text,
        LogFormat::Json => telemetry::LogFormat::Json,
    };
    telemetry::start(&arguments.log, format).map_err(|error| Failure::invalid(error.to_string()))?;
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        // a busy thread looks at its connections after so many turns: by default it is 61, and a turn that tells of many
        // jobs takes a millisecond
        .event_interval(8)
        .build()
        .map_err(|error| Failure::failed(format!("cannot start: {error}")))?;
    runtime.block_on(serve(config(arguments)))
}

fn config(arguments: &ServeArguments) -> Config {
    let mut config = Config {
        listen: arguments.listen,
        open_to_everybody: arguments.open_to_everybody,
        database: arguments.database.clone(),
        lease: Duration::from_secs(arguments.lease),
        durability: match arguments.durability {
            Durability::Full => store::Durability::Full,
            Durability::Normal => store::Durability::Normal,
        },
        call_limit: arguments.call_limit,
        ..Config::default()
    };
    config.jobs.retention =
        Retention { jobs: arguments.keep_jobs, traces: arguments.keep_traces, most: arguments.keep_most };
    config.jobs.queue_limit = arguments.queue_limit as usize;
    config.jobs.client_limit = arguments.client_limit as usize;
    if let Some(workers) = arguments.workers {
        config.jobs.workers = workers.into();
    }
    config
}

async fn serve(config: Config) -> Result<Outcome, Failure> {
    let database = config.database.to_string();
    // Before the address is told: whoever reads it may send a signal at once.
    let stop =
        stop_signal().map_err(|error| Failure::failed(format!("cannot listen for signals: {error}")))?;
    let server = Server::bind(config).await?;
    let address = server.local_addr();
    print(&format!(
        "sleuth serves on http://{address} with database {database}\n\
         try: sleuth solve --server http://{address} {EXAMPLE}\n"
    ))?;
    server.run(stop).await?;
    Ok(Outcome::Yes)
}

impl From<ServeError> for Failure {
    fn from(error: ServeError) -> Failure {
        match error {
            ServeError::Config(faults) => faults.into(),
            ServeError::Listen { .. }
            | ServeError::Store(_)
            | ServeError::Reflection(_)
            | ServeError::Transport(_) => Failure::failed(error.to_string()),
        }
    }
}
