//! Whether a file is what it should be, before anything is written to it: a daemon that begins anew where its jobs have
//! been, or writes into what is broken, does more harm than one that does not start.

use std::ffi::OsString;
use std::fmt::Display;
use std::path::Path;

use sqlx::sqlite::SqliteConnectOptions;
use sqlx::{ConnectOptions, Connection, Error, SqliteConnection};

use super::fault::is_corrupt;
use super::sql;

/// Files up to this many bytes are looked through at every start, which takes a fraction of a second.
const SMALL: u64 = 128 << 20;

/// Looks at a file, and changes nothing in it. An absent one, or an empty one, is to be filled.
pub async fn check(path: &Path) -> Result<(), Error> {
    check_names(path).map_err(|reason| Error::Configuration(reason.into()))?;
    let bytes = std::fs::metadata(path).map_or(0, |file| file.len());
    if bytes == 0 {
        return Ok(());
    }
    let options = SqliteConnectOptions::new().filename(path).read_only(true).disable_statement_logging();
    let mut conn = options.connect().await?;
    let checked = check_content(&mut conn, bytes).await;
    conn.close().await?;
    // how far it comes depends on where the file is broken
    checked.map_err(|error| if is_corrupt(&error) { broken(&error) } else { error })
}

fn broken(found: &dyn Display) -> Error {
    Error::Configuration(format!("it is broken, and nothing was changed in it: {found}").into())
}

/// The file may be absent, but not while its log of last commits is there: then it was lost, and a new one would take
/// the log for a stranger's and drop it.
fn check_names(path: &Path) -> Result<(), String> {
    let mut log = OsString::from(path.as_os_str());
    log.push("-wal");
    let has_log = std::fs::metadata(&log).is_ok_and(|log| log.len() > 0);
    if path.exists() || !has_log {
        return Ok(());
    }
    Err(format!(
        "it is not there, but {} with its last commits is: put the file back, or take that one away as well",
        Path::new(&log).display()
    ))
}

/// It is empty or ours, and not broken as far as can be told soon.
async fn check_content(conn: &mut SqliteConnection, bytes: u64) -> Result<(), Error> {
    let (tables, ours) = sql::count_tables(conn).await?;
    if tables > 0 && ours == 0 {
        return Err(Error::Configuration("it is a database of something else".into()));
    }
    if bytes > SMALL {
        tracing::info!(bytes, "the database is too large to be looked through at the start");
        return Ok(());
    }
    let found = sql::quick_check(conn).await?;
    if found == ["ok"] {
        return Ok(());
    }
    Err(broken(&found.join("; ")))
}
