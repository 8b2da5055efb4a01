//! The log of commits is copied into the file beside the writer. Left to SQLite it is the writer who copies it, after
//! about every thousandth page, and for some 20 ms no commit goes on: a fifth of the time of a busy daemon, and more
//! than all else that an urgent job waits for.
//!
//! A copier on a connection of its own copies what there is while the writer goes on. Since more is written meanwhile,
//! the log would never begin anew: when it is long it is copied twice in a row, and then the writer copies the little
//! that is left, after which its next commit begins the log anew.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use sqlx::{Error, SqliteConnection};
use tokio::sync::mpsc;
use tokio::task::JoinHandle;

use super::sql;

/// After how many pages the writer would copy the log all the same, whatever the copier does: 64 MiB.
pub const LAST_RESORT: u32 = 16 << 10;

/// Bytes that are written before the log is copied, about.
const MUCH: usize = 4 << 20;

/// What a commit takes beyond its writes, about: the pages of the tables and indexes that it touches, twelve at least.
const COMMIT: usize = 48 << 10;

/// To so many bytes the log's file is cut when the log begins anew, if a reader who was in the way made it longer.
pub const LONGEST_FILE: usize = 64 << 20;

/// Pages of a log that is long: 16 MiB.
const LONG: i64 = 4 << 10;

/// The writer's part.
pub struct Copying {
    /// Written since the copier was woken last.
    bytes: usize,
    copier: mpsc::Sender<()>,
    is_nearly_copied: Arc<AtomicBool>,
}

impl Copying {
    /// Starts the copier. It ends once this is gone, and gives the connection back.
    pub fn start(conn: SqliteConnection) -> (Copying, JoinHandle<SqliteConnection>) {
        let (copier, wakes) = mpsc::channel(1);
        let is_nearly_copied = Arc::new(AtomicBool::new(false));
        let task = tokio::spawn(copy_all(conn, wakes, is_nearly_copied.clone()));
        (Copying { bytes: 0, copier, is_nearly_copied }, task)
    }

    /// Before a commit: copies what is left of a log that the copier has nearly copied.
    pub async fn finish(&self, conn: &mut SqliteConnection) {
        if self.is_nearly_copied.swap(false, Ordering::Relaxed) {
            copy(conn).await;
        }
    }

    /// After a commit of writes of so many bytes, about.
    pub fn note(&mut self, bytes: usize) {
        self.bytes += COMMIT + bytes;
        if self.bytes >= MUCH {
            self.bytes = 0;
            // one that was woken before and has not begun will see it all
            let _ = self.copier.try_send(());
        }
    }
}

async fn copy_all(
    mut conn: SqliteConnection,
    mut wakes: mpsc::Receiver<()>,
    is_nearly_copied: Arc<AtomicBool>,
) -> SqliteConnection {
    while wakes.recv().await.is_some() {
        let is_long = copy(&mut conn).await.is_some_and(|pages| pages >= LONG);
        if is_long && copy(&mut conn).await.is_some() {
            is_nearly_copied.store(true, Ordering::Relaxed);
        }
    }
    conn
}

/// Copies what no reader needs in the log. How many pages the log has; none if that failed, which costs nothing but
/// room: it stays in the log.
async fn copy(conn: &mut SqliteConnection) -> Option<i64> {
    let copied: Result<i64, Error> = sql::copy_log(conn).await;
    copied
        .inspect_err(
            |error| tracing::warn!(%error, "the log of commits could not be copied into the file: {error}"),
        )
        .ok()
}
