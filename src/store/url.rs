//! Which database: the URL alone says it.

use std::fmt;
use std::path::PathBuf;
use std::str::FromStr;
use std::sync::Arc;
use std::time::Duration;

use super::{Durability, PostgresStore, SqliteStore, Store, StoreError};

/// Where a database is.
#[derive(Clone, PartialEq, Eq)]
pub enum DatabaseUrl {
    /// A file of this machine, for one process: `sqlite://path`, or the path alone.
    Sqlite(PathBuf),
    /// A PostgreSQL server, for any number of processes: `postgres://user:password@host/name`.
    Postgres(String),
}

impl FromStr for DatabaseUrl {
    type Err = String;

    fn from_str(text: &str) -> Result<DatabaseUrl, String> {
        let path = match text.split_once("://") {
            Some(("postgres" | "postgresql", _)) => return Ok(DatabaseUrl::Postgres(text.to_owned())),
            Some(("sqlite", path)) => path,
            Some((scheme, _)) => {
                return Err(format!("a database is sqlite://path or postgres://host/name, not {scheme}://"));
            }
            None => text.strip_prefix("sqlite:").unwrap_or(text),
        };
        if path.is_empty() {
            return Err("a database is sqlite://path or postgres://host/name, and this names none".to_owned());
        }
        Ok(DatabaseUrl::Sqlite(path.into()))
    }
}

/// Without the password.
impl fmt::Display for DatabaseUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            DatabaseUrl::Sqlite(path) => write!(f, "{}", path.display()),
            DatabaseUrl::Postgres(url) => f.write_str(&hide_password(url)),
        }
    }
}

impl fmt::Debug for DatabaseUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// What stands before the `@` may hold a password, and so may what stands after the `?`.
fn hide_password(url: &str) -> String {
    let plain = url.split('?').next().unwrap_or(url);
    let Some((scheme, rest)) = plain.split_once("://") else { return plain.to_owned() };
    match rest.rsplit_once('@') {
        Some((user, host)) => {
            let user = user.split(':').next().unwrap_or(user);
            format!("{scheme}://{user}@{host}")
        }
        None => plain.to_owned(),
    }
}

/// How a store is to work.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Options {
    /// What a commit withstands.
    pub durability: Durability,
    /// How long a process may say nothing before others take its jobs; where a process has the store for itself it
    /// means nothing.
    pub lease: Duration,
}

impl Default for Options {
    fn default() -> Options {
        Options { durability: Durability::Full, lease: Duration::from_secs(15) }
    }
}

/// Opens a database, makes it if it is not there, and brings its tables up to date.
pub async fn open(url: &DatabaseUrl, options: Options) -> Result<Arc<dyn Store>, StoreError> {
    Ok(match url {
        DatabaseUrl::Sqlite(path) => Arc::new(SqliteStore::open(path, options.durability).await?),
        DatabaseUrl::Postgres(url) => Arc::new(PostgresStore::open(url, options).await?),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn urls_choose_the_database() {
        let sqlite = |path: &str| Ok(DatabaseUrl::Sqlite(path.into()));
        assert_eq!("sleuth.sqlite".parse(), sqlite("sleuth.sqlite"));
        assert_eq!("sqlite://sleuth.sqlite".parse(), sqlite("sleuth.sqlite"));
        assert_eq!("sqlite:///var/lib/sleuth.sqlite".parse(), sqlite("/var/lib/sleuth.sqlite"));
        assert_eq!("sqlite:x".parse(), sqlite("x"));
        for url in ["postgres://host/name", "postgresql://host/name"] {
            assert_eq!(url.parse(), Ok(DatabaseUrl::Postgres(url.into())));
        }
        for text in ["", "sqlite://", "mysql://host/name"] {
            assert!(text.parse::<DatabaseUrl>().is_err(), "{text}");
        }
    }

    #[test]
    fn passwords_are_not_told() {
        for (url, told) in [
            ("postgres://me:se@cret@host:5432/name?password=x", "postgres://me@host:5432/name"),
            ("postgres://me@host/name", "postgres://me@host/name"),
            ("postgres:///name?host=/run", "postgres:///name"),
        ] {
            assert_eq!(DatabaseUrl::Postgres(url.into()).to_string(), told);
        }
    }
}
