//! The log of commits is copied into the file (SQLite calls that a checkpoint) beside the writer. Left to SQLite it is
//! the writer who copies it, after about every thousandth page, and for some 20 ms no commit goes on: a fifth of the
//! time of a busy daemon, and more than all else that an urgent job waits for.
//!
//! A copier on a connection of its own copies what there is while the writer goes on. Since more is written meanwhile,
//! the log would never begin anew: when it is long it is copied twice in a row, and then the writer copies the little
//! that is left, after which its next commit begins the log anew. The two never copy at once, for SQLite would turn
//! one of them away. On a disk that is slower than those who write, the writer waits for a copier that is far behind.

use sqlx::{Error, SqliteConnection};
use tokio::sync::mpsc;
use tokio::task::JoinHandle;

use super::sql;

/// After how many pages the writer would copy the log all the same, whatever the copier does: 64 MiB.
pub const LAST_RESORT: u32 = 16 << 10;

/// Bytes that are written before the log is copied, about.
const MUCH: usize = 4 << 20;

/// Bytes that are written, about, before the writer waits for the copier. With what a log that is not yet long holds,
/// and with as much again while it is copied the last time, it stays below the last resort.
const TOO_MUCH: usize = 16 << 20;

/// What a commit takes beyond its writes, about: the pages of the tables and indexes that it touches, twelve at least.
const COMMIT: usize = 48 << 10;

/// To so many bytes the log's file is cut when the log begins anew, if a reader who was in the way made it longer.
pub const LONGEST_FILE: usize = 64 << 20;

/// Pages of a log that is long: 16 MiB.
const LONG: i64 = 4 << 10;

/// The writer's part.
pub struct Checkpoints {
    /// Written since the copier was woken last.
    bytes: usize,
    copier: mpsc::Sender<()>,
    /// Whether a log that was long has nearly been copied, each time that the copier is done.
    copied: mpsc::Receiver<bool>,
    /// The copier was woken and is not done.
    is_copying: bool,
}

impl Checkpoints {
    /// Starts the copier. It ends once this is gone, and gives the connection back.
    pub fn start(conn: SqliteConnection) -> (Checkpoints, JoinHandle<SqliteConnection>) {
        let (copier, wakes) = mpsc::channel(1);
        let (done, copied) = mpsc::channel(1);
        let task = tokio::spawn(copy_all(conn, wakes, done));
        (Checkpoints { bytes: 0, copier, copied, is_copying: false }, task)
    }

    /// Before a commit: copies what is left of a log that the copier has nearly copied, and waits for a copier that is
    /// far behind.
    pub async fn keep_up(&mut self, conn: &mut SqliteConnection) {
        let is_nearly_copied = match self.is_copying && self.bytes >= TOO_MUCH {
            true => self.copied.recv().await,
            false => self.copied.try_recv().ok(),
        };
        if let Some(is_nearly_copied) = is_nearly_copied {
            self.is_copying = false;
            if is_nearly_copied {
                copy(conn).await;
            }
        }
    }

    /// After a commit of writes of so many bytes, about.
    pub fn note(&mut self, bytes: usize) {
        self.bytes += COMMIT + bytes;
        // a copier that is gone has left the log to the last resort
        if self.bytes >= MUCH && !self.is_copying && self.copier.try_send(()).is_ok() {
            self.bytes = 0;
            self.is_copying = true;
        }
    }
}

async fn copy_all(
    mut conn: SqliteConnection,
    mut wakes: mpsc::Receiver<()>,
    done: mpsc::Sender<bool>,
) -> SqliteConnection {
    while wakes.recv().await.is_some() {
        let is_long = copy(&mut conn).await.is_some_and(|pages| pages >= LONG);
        let is_nearly_copied = is_long && copy(&mut conn).await.is_some();
        // once the writer is gone no more wakes come
        let _ = done.send(is_nearly_copied).await;
    }
    conn
}

/// Copies what no reader needs in the log. How many pages the log has; none if that failed, which costs nothing but
/// room: it stays in the log.
async fn copy(conn: &mut SqliteConnection) -> Option<i64> {
    let copied: Result<i64, Error> = sql::checkpoint(conn).await;
    copied
        .inspect_err(
            |error| tracing::warn!(%error, "the log of commits could not be copied into the file: {error}"),
        )
        .ok()
}

#[cfg(test)]
mod tests {
    use futures_util::FutureExt;
    use sqlx::Connection;

    use super::*;

    #[tokio::test]
    async fn the_writer_waits_for_a_copier_that_is_far_behind() {
        let mut conn = SqliteConnection::connect("sqlite::memory:").await.expect("a connection");
        let (copier, mut wakes) = mpsc::channel(1);
        let (done, copied) = mpsc::channel(1);
        let mut checkpoints = Checkpoints { bytes: 0, copier, copied, is_copying: false };
        checkpoints.note(MUCH - 2 * COMMIT);
        wakes.try_recv().expect_err("too little");
        checkpoints.note(0);
        wakes.try_recv().expect("enough");
        for _ in 0..3 {
            checkpoints.note(MUCH);
            checkpoints.keep_up(&mut conn).now_or_never().expect("it goes on");
        }
        wakes.try_recv().expect_err("one that copies is not woken");
        checkpoints.note(MUCH);
        assert_eq!(checkpoints.keep_up(&mut conn).now_or_never(), None, "it waits");
        done.send(false).await.expect("told");
        checkpoints.keep_up(&mut conn).await;
        checkpoints.note(0);
        wakes.try_recv().expect("one that is done is woken at once where there is more");
        // no copier is waited for once there is none
        drop((wakes, done));
        checkpoints.note(TOO_MUCH);
        checkpoints.keep_up(&mut conn).await;
    }
}
