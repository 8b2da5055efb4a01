//! Logs, on standard error.

use std::io::IsTerminal;

use tracing_subscriber::filter::Targets;
use tracing_subscriber::layer::SubscriberExt;
use tracing_subscriber::util::SubscriberInitExt;

/// How a log line is written.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum LogFormat {
    /// For people.
    #[default]
    Text,
    /// One JSON object a line.
    Json,
}

/// Why there are no logs.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum TelemetryError {
    /// The filter says nothing.
    #[error("`{filter}` is no log filter: {reason}")]
    Filter {
        /// The filter.
        filter: String,
        /// What is wrong with it.
        reason: String,
    },
    /// Logs are written already.
    #[error("logs are written already")]
    Again,
}

/// Starts to log what passes the filter: a level (`info`), or levels of parts (`info,sleuth::jobs=debug`).
pub fn start(filter: &str, format: LogFormat) -> Result<(), TelemetryError> {
    let filter = read_filter(filter)?;
    let lines = tracing_subscriber::fmt::layer().with_writer(std::io::stderr);
    // told on standard error too, which panics where that is what cannot be written: a full disk, a closed pipe
    let lines = lines.with_ansi(std::io::stderr().is_terminal()).log_internal_errors(false);
    let registry = tracing_subscriber::registry().with(filter);
    let started = match format {
        LogFormat::Text => registry.with(lines).try_init(),
        LogFormat::Json => registry.with(lines.json().flatten_event(true)).try_init(),
    };
    started.map_err(|_| TelemetryError::Again)
}

fn read_filter(filter: &str) -> Result<Targets, TelemetryError> {
    let targets: Result<Targets, _> = filter.parse();
    targets.map_err(|error| TelemetryError::Filter { filter: filter.to_owned(), reason: error.to_string() })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn filters() {
        assert!(read_filter("info,sleuth::jobs=debug").is_ok());
        assert!(matches!(read_filter("sleuth=loudest"), Err(TelemetryError::Filter { .. })));
    }
}
