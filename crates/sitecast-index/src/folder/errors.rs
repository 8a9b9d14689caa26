//! Conversion of errors of SQLite and the operating system.

use std::io;
use std::path::Path;

use rusqlite::ffi::SQLITE_IOERR_SHMSIZE;
use rusqlite::{Error, ErrorCode};

use crate::IndexError;

/// Returns a function that converts errors of SQLite, for the index in `folder`.
pub(super) fn from_sqlite(folder: &Path) -> impl Fn(Error) -> IndexError + Copy + '_ {
    move |error| {
        let path = folder.display().to_string();
        // Readers need a shared-memory file of 32 KiB beside the database, for which the disk has no space.
        if let Error::SqliteFailure(code, _) = &error
            && code.extended_code == SQLITE_IOERR_SHMSIZE
        {
            return IndexError::Full { path };
        }
        let problem = match &error {
            Error::SqliteFailure(_, Some(message)) => message.clone(),
            error => error.to_string(),
        };
        match error.sqlite_error_code() {
            Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => IndexError::Locked {
                path,
                holder: "another process".to_owned(),
            },
            Some(ErrorCode::NotADatabase) => IndexError::NotAnIndex {
                path: folder.join(super::schema::FILE).display().to_string(),
            },
            Some(ErrorCode::DatabaseCorrupt) => IndexError::Damaged { path, problem },
            Some(ErrorCode::DiskFull) => IndexError::Full { path },
            _ => match error {
                // The schema guarantees these rows and column types, so the data is damaged.
                Error::QueryReturnedNoRows
                | Error::FromSqlConversionFailure(..)
                | Error::IntegralValueOutOfRange(..)
                | Error::InvalidColumnType(..)
                | Error::Utf8Error(..) => IndexError::Damaged { path, problem },
                _ => IndexError::Database { path, problem },
            },
        }
    }
}

pub(super) fn from_io(action: &'static str, path: &Path) -> impl FnOnce(io::Error) -> IndexError {
    move |source| IndexError::Io {
        action,
        path: path.display().to_string(),
        source,
    }
}

pub(super) fn damaged(folder: &Path, problem: impl Into<String>) -> IndexError {
    IndexError::Damaged {
        path: folder.display().to_string(),
        problem: problem.into(),
    }
}
