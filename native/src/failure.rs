//! The one error of the core: a code from a closed list and a sentence.

use std::fmt;
use std::io;

use tantivy::TantivyError;

/// What kind of failure it is; the wall shows it as the word in front of the sentence.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Code {
    /// No index is open under this number.
    NotOpen,
    /// The request itself can't be answered.
    BadRequest,
    /// The definition of the index can't be read.
    BadDefinition,
    /// A file does not hold what was written.
    Damaged,
    /// The disk or the operating system refused.
    Io,
    /// There is no room left on the disk.
    DiskFull,
    /// The asked generation is no longer held.
    GenerationGone,
    /// The time that the request had is over.
    TimedOut,
    /// Anything unforeseen.
    Internal,
}

impl Code {
    /// The word that crosses the wall.
    pub fn word(self) -> &'static str {
        match self {
            Code::NotOpen => "NOT_OPEN",
            Code::BadRequest => "BAD_REQUEST",
            Code::BadDefinition => "BAD_DEFINITION",
            Code::Damaged => "DAMAGED",
            Code::Io => "IO",
            Code::DiskFull => "DISK_FULL",
            Code::GenerationGone => "GENERATION_GONE",
            Code::TimedOut => "TIMED_OUT",
            Code::Internal => "INTERNAL",
        }
    }
}

/// A failed operation of the core.
#[derive(Debug, Clone)]
pub struct Failure {
    /// The kind.
    pub code: Code,
    /// One sentence for the log.
    pub message: String,
}

impl Failure {
    /// A failure of this kind.
    pub fn new(code: Code, message: impl Into<String>) -> Self {
        Failure {
            code,
            message: message.into(),
        }
    }

    /// The request can't be answered as it stands.
    pub fn bad_request(message: impl Into<String>) -> Self {
        Failure::new(Code::BadRequest, message)
    }

    /// The definition can't be read.
    pub fn bad_definition(message: impl Into<String>) -> Self {
        Failure::new(Code::BadDefinition, message)
    }

    /// A thread ended in the middle of a change.
    pub fn halfway() -> Self {
        Failure::internal("the change stopped halfway")
    }

    /// A file does not hold what was written.
    pub fn damaged(message: impl Into<String>) -> Self {
        Failure::new(Code::Damaged, message)
    }

    /// Anything unforeseen.
    pub fn internal(message: impl Into<String>) -> Self {
        Failure::new(Code::Internal, message)
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.code.word(), self.message)
    }
}

impl std::error::Error for Failure {}

impl From<io::Error> for Failure {
    fn from(error: io::Error) -> Self {
        Failure::new(code_of(&error), error.to_string())
    }
}

fn code_of(error: &io::Error) -> Code {
    match error.raw_os_error() {
        Some(libc::ENOSPC | libc::EDQUOT) => Code::DiskFull,
        _ => Code::Io,
    }
}

impl From<TantivyError> for Failure {
    fn from(error: TantivyError) -> Self {
        use tantivy::directory::error::{OpenReadError, OpenWriteError};
        let code = match &error {
            TantivyError::IoError(io_error)
            | TantivyError::OpenReadError(OpenReadError::IoError { io_error, .. })
            | TantivyError::OpenWriteError(OpenWriteError::IoError { io_error, .. }) => {
                code_of(io_error)
            }
            TantivyError::DataCorruption(_)
            | TantivyError::OpenReadError(OpenReadError::FileDoesNotExist(_)) => Code::Damaged,
            _ => Code::Internal,
        };
        Failure::new(code, error.to_string())
    }
}
