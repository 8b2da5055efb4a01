//! What the connections of a store have in common: how they are made, the server's clock, and how a failure is told
//! from an outage.

use std::sync::atomic::{AtomicI64, AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant, SystemTime};

use sqlx::postgres::PgConnectOptions;
use sqlx::{ConnectOptions, Error, PgConnection};
use tokio_util::sync::CancellationToken;

use crate::store::news::{Bulletin, News};
use crate::store::{Durability, Options, StoreError, failed};

/// How long a server that cannot be reached is waited for before whoever asked is told.
pub const PATIENCE: Duration = Duration::from_secs(30);

/// How long making a connection may take.
const CONNECTING: Duration = Duration::from_secs(5);

/// The pauses between tries: from the first to the last they double.
pub const PAUSES: (Duration, Duration) = (Duration::from_millis(20), Duration::from_secs(1));

/// Shared by the writer, the announcer, the listener and the readers.
#[derive(Debug)]
pub struct Link {
    options: PgConnectOptions,
    pub lease: Duration,
    /// What other nodes say.
    pub inbox: Bulletin,
    /// What they are to be told.
    pub outbox: Bulletin,
    /// How many processes use the tables, as far as is known; 0 before it is.
    pub nodes: AtomicU64,
    /// This process among the nodes, or 0.
    pub node: AtomicI64,
    /// Cancelled when the store is being closed: nothing is waited for.
    pub closing: CancellationToken,
    /// Cancelled once nothing is written any more.
    pub closed: CancellationToken,
    clock: Mutex<Option<(SystemTime, Instant)>>,
}

impl Link {
    /// Reads the URL.
    pub fn new(url: &str, options: Options) -> Result<Link, Error> {
        let commit = match options.durability {
            Durability::Full => "on",
            Durability::Normal => "off",
        };
        // a process that stops in the middle of a transaction must not keep others from its jobs
        let idle = (options.lease / 2).max(Duration::from_secs(1)).as_millis().to_string();
        let connect = url
            .parse::<PgConnectOptions>()?
            .application_name("sleuth")
            .options([
                ("synchronous_commit", commit),
                ("idle_in_transaction_session_timeout", &idle),
                ("lock_timeout", &idle),
                ("client_min_messages", "warning"),
            ])
            .disable_statement_logging();
        Ok(Link {
            options: connect,
            lease: options.lease,
            inbox: Bulletin::default(),
            outbox: Bulletin::default(),
            nodes: AtomicU64::new(0),
            node: AtomicI64::new(0),
            closing: CancellationToken::new(),
            closed: CancellationToken::new(),
            clock: Mutex::default(),
        })
    }

    /// How connections are made.
    pub fn options(&self) -> PgConnectOptions {
        self.options.clone()
    }

    /// A connection.
    pub async fn connect(&self) -> Result<PgConnection, Error> {
        let connected = tokio::time::timeout(CONNECTING, self.options.connect()).await;
        connected.unwrap_or_else(|_| Err(Error::Io(std::io::ErrorKind::TimedOut.into())))
    }

    /// Tells other nodes, if there are any.
    pub fn announce(&self, news: News) {
        if self.nodes.load(Ordering::Relaxed) != 1 {
            self.outbox.post(news);
        }
    }

    /// The server says what time it is.
    pub fn set_clock(&self, time: SystemTime) {
        *self.clock.lock().unwrap_or_else(PoisonError::into_inner) = Some((time, Instant::now()));
    }

    /// The server's time, by what it said last.
    pub fn clock(&self) -> SystemTime {
        let clock = *self.clock.lock().unwrap_or_else(PoisonError::into_inner);
        clock.map_or_else(SystemTime::now, |(time, since)| time + since.elapsed())
    }
}

/// Whether it may be otherwise over a new connection.
pub fn is_outage(error: &Error) -> bool {
    match error {
        Error::Io(_) | Error::Tls(_) | Error::Protocol(_) | Error::PoolTimedOut | Error::WorkerCrashed => {
            true
        }
        // connection exceptions; the server shuts down, has crashed, starts; too many connections; an idle
        // transaction was ended; a standby takes over
        Error::Database(error) => error.code().is_some_and(|code| {
            code.starts_with("08") || code.starts_with("57P") || ["53300", "25P03", "25006"].contains(&&*code)
        }),
        _ => false,
    }
}

/// Whether it may be otherwise on another try: two processes were in one another's way.
pub fn is_conflict(error: &Error) -> bool {
    let code = error.as_database_error().and_then(|error| error.code());
    code.is_some_and(|code| ["40001", "40P01", "55P03"].contains(&&*code))
}

/// A failure, as it is told: what lies with the server's disk or memory may be otherwise later.
pub fn refusal(error: Error) -> StoreError {
    if is_outage(&error) {
        return StoreError::Unavailable(error.to_string());
    }
    match error.as_database_error().and_then(|error| error.code()).as_deref() {
        Some("53100") => StoreError::NoRoom(error.to_string()),
        Some("53000" | "53200" | "53400" | "58030") => StoreError::Unavailable(error.to_string()),
        _ => failed(error),
    }
}
