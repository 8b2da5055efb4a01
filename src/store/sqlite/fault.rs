//! What SQLite's result codes say to whoever asked.

use sqlx::Error;

use crate::store::{StoreError, failed};

/// The low byte of a result code; the rest says more of the same.
const KIND: u32 = 0xFF;
const BUSY: u32 = 5;
const READONLY: u32 = 8;
const IOERR: u32 = 10;
const CORRUPT: u32 = 11;
const FULL: u32 = 13;
const CANTOPEN: u32 = 14;

/// A failure, as it is told: what lies with the disk may be otherwise later.
pub fn refusal(error: Error) -> StoreError {
    match kind(&error) {
        Some(FULL) => StoreError::NoRoom(error.to_string()),
        Some(BUSY | READONLY | IOERR | CANTOPEN) => StoreError::Unavailable(error.to_string()),
        _ => failed(error),
    }
}

/// Whether the file is not what SQLite has written.
pub fn is_corrupt(error: &Error) -> bool {
    kind(error) == Some(CORRUPT)
}

fn kind(error: &Error) -> Option<u32> {
    let code: Option<u32> = error.as_database_error().and_then(|error| error.code()?.parse().ok());
    code.map(|code| code & KIND)
}
