//! The only place that knows which gRPC code says what, and the details that go with it.

use std::collections::HashMap;
use std::time::Duration;

use tonic::{Code, Status};
use tonic_types::{ErrorDetails, FieldViolation, StatusExt};

use super::convert::puzzle::write_fault;
use super::proto as pb;
use crate::engine::solve::SolveError;
use crate::jobs::JobsError;
use crate::puzzle::{Fault, Faults};
use crate::store::StoreError;

/// The domain of every `google.rpc.ErrorInfo`.
const DOMAIN: &str = "sleuth";
/// How many bytes of violations are sent as details. Clients refuse trailers of more than 8 KiB, base64 included;
/// what does not fit is counted.
const VIOLATION_BYTES: usize = 5_000;
/// How many bytes of the first fault are told in the message itself.
const MESSAGE_BYTES: usize = 200;

/// Why a request is not answered with what it asked for: a status in the making.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Refusal {
    code: Code,
    reason: &'static str,
    message: Box<str>,
    faults: Faults,
    retry: Option<Duration>,
    /// What else is told: few have any, and what is handed on by all calls is to be small.
    extra: Option<Box<Extra>>,
}

/// Further details.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
struct Extra {
    /// The kind and the name of what it is about.
    resource: Option<(&'static str, String)>,
    /// What the quota is that is used up.
    quota: Option<String>,
    /// For machines, beside the reason.
    fact: Option<(&'static str, String)>,
}

impl Refusal {
    fn new(code: Code, reason: &'static str, message: impl Into<Box<str>>) -> Refusal {
        let message = message.into();
        Refusal { code, reason, message, faults: Faults::none(), retry: None, extra: None }
    }

    /// One field is wrong.
    pub fn invalid(field: impl Into<String>, message: impl Into<String>) -> Refusal {
        Faults::one(Fault::new(field, message)).into()
    }

    /// A request that could not be read though no fault of it was named: a fault of this floor.
    pub fn unread() -> Refusal {
        tracing::error!("a request could not be read, though no fault of it was named");
        Refusal::new(Code::Internal, "INTERNAL", "the request could not be read")
    }

    /// There is no such thing, or it is somebody else's.
    pub fn not_found(kind: &'static str, name: impl Into<Box<str>>) -> Refusal {
        let name: Box<str> = name.into();
        let message = format!("there is no {name}");
        let extra = Extra { resource: Some((kind, name.into())), ..Extra::default() };
        Refusal { extra: Some(Box::new(extra)), ..Refusal::new(Code::NotFound, "NOT_FOUND", message) }
    }

    /// As many calls are in flight as may be.
    pub fn busy(retry: Duration) -> Refusal {
        let message = "as many calls are in flight as are taken on; try again later";
        Refusal { retry: Some(retry), ..Refusal::new(Code::ResourceExhausted, "TOO_MANY_CALLS", message) }
    }

    /// A message is larger than is read.
    pub fn too_large(limit: usize) -> Refusal {
        let message = format!("the message is larger than the {limit} bytes that are read");
        Refusal::new(Code::ResourceExhausted, "MESSAGE_TOO_LARGE", message)
    }

    /// A message is none of the call's, or is broken.
    pub fn unreadable(message: &str) -> Refusal {
        let message = format!("the request cannot be read: {}", cut(message, MESSAGE_BYTES));
        Refusal::new(Code::InvalidArgument, "MESSAGE_UNREADABLE", message)
    }

    /// The deadline of the call has passed.
    pub fn deadline() -> Refusal {
        Refusal::new(Code::DeadlineExceeded, "DEADLINE_EXCEEDED", "the deadline of the call has passed")
    }

    /// The request was not sent to its end.
    pub fn stalled() -> Refusal {
        Refusal::new(Code::DeadlineExceeded, "REQUEST_STALLED", "the request did not come in to its end")
    }

    /// The daemon is stopping.
    pub fn closing() -> Refusal {
        let message = "the daemon is stopping; accepted jobs are kept";
        Refusal {
            retry: Some(Duration::from_secs(1)),
            ..Refusal::new(Code::Unavailable, "STOPPING", message)
        }
    }

    /// The database cannot be reached, which others are to repair.
    fn no_database() -> Refusal {
        let message = "the database cannot be reached; accepted jobs are kept";
        Refusal {
            retry: Some(Duration::from_secs(1)),
            ..Refusal::new(Code::Unavailable, "DATABASE_UNAVAILABLE", message)
        }
    }

    /// The database has no room for more, which others are to make.
    fn no_room() -> Refusal {
        let message = "the database has no room for more; accepted jobs are kept";
        Refusal {
            retry: Some(Duration::from_secs(5)),
            ..Refusal::new(Code::Unavailable, "DATABASE_FULL", message)
        }
    }

    /// A fault of the daemon, which its log tells more about.
    fn internal(error: &dyn std::error::Error) -> Refusal {
        tracing::error!(error = %error, "a call failed: {error}");
        Refusal::new(Code::Internal, "INTERNAL", error.to_string())
    }

    /// What is stored is broken, and stays so.
    fn broken(error: &dyn std::error::Error) -> Refusal {
        tracing::error!(error = %error, "what is stored is broken: {error}");
        Refusal::new(Code::DataLoss, "DATA_BROKEN", error.to_string())
    }

    /// As one answer of many in a stream.
    pub fn into_message(self) -> pb::RequestError {
        pb::RequestError {
            code: self.code.into(),
            message: self.message.into(),
            faults: self.faults.list.iter().map(write_fault).collect(),
            retry_delay: self.retry.and_then(|retry| retry.try_into().ok()),
        }
    }
}

/// A request with faults: all of them are named, in the details or, past what a trailer may hold, by their number.
impl From<Faults> for Refusal {
    fn from(faults: Faults) -> Refusal {
        let count = faults.list.len() + faults.more;
        let first = faults.list.first().map(ToString::to_string).unwrap_or_default();
        let first = cut(&first, MESSAGE_BYTES);
        let message = match count {
            1 => first,
            _ => format!("{count} faults, the first: {first}"),
        };
        Refusal { faults, ..Refusal::new(Code::InvalidArgument, "INVALID_ARGUMENT", message) }
    }
}

impl From<SolveError> for Refusal {
    fn from(error: SolveError) -> Refusal {
        match error {
            SolveError::TooLargeForLogic { .. } => Refusal::invalid("puzzle", error.to_string()),
            SolveError::NotOnScale { .. } => Refusal::invalid("scale", error.to_string()),
        }
    }
}

impl From<StoreError> for Refusal {
    fn from(error: StoreError) -> Refusal {
        match error {
            StoreError::Token(error) => Refusal::invalid("page_token", error.to_string()),
            StoreError::Closed => Refusal::closing(),
            StoreError::Unavailable(_) => Refusal::no_database(),
            StoreError::NoRoom(_) => Refusal::no_room(),
            StoreError::Unreadable { .. } => Refusal::broken(&error),
            StoreError::Open { .. } | StoreError::InUse { .. } | StoreError::Failed(_) => {
                Refusal::internal(&error)
            }
        }
    }
}

impl From<JobsError> for Refusal {
    fn from(error: JobsError) -> Refusal {
        let message = error.to_string();
        match error {
            JobsError::NotFound(id) => Refusal::not_found("job", id.to_string()),
            JobsError::Refused(error) => error.into(),
            JobsError::Recipe(faults) => faults.into(),
            JobsError::Conflict { job, field } => Refusal {
                extra: Some(Box::new(Extra {
                    resource: Some(("job", job.to_string())),
                    fact: Some(("field", field.to_owned())),
                    ..Extra::default()
                })),
                ..Refusal::new(Code::AlreadyExists, "REQUEST_ID_USED", message)
            },
            JobsError::Full { retry_after } => Refusal {
                retry: Some(retry_after),
                ..Refusal::new(Code::ResourceExhausted, "QUEUE_FULL", message)
            },
            JobsError::OverQuota { limit, retry_after } => Refusal {
                retry: Some(retry_after),
                extra: Some(Box::new(Extra {
                    quota: Some(format!("at most {limit} jobs of a client may wait")),
                    ..Extra::default()
                })),
                ..Refusal::new(Code::ResourceExhausted, "CLIENT_QUOTA", message)
            },
            JobsError::NotKept(_) => Refusal::new(Code::OutOfRange, "TRACE_NOT_KEPT", message),
            JobsError::PastEnd(_) => Refusal::new(Code::OutOfRange, "CURSOR_PAST_END", message),
            JobsError::Panicked(_) => Refusal::internal(&error),
            JobsError::Closing => Refusal::closing(),
            JobsError::Store(error) => error.into(),
        }
    }
}

impl From<Refusal> for Status {
    fn from(refusal: Refusal) -> Status {
        let extra = refusal.extra.map(|extra| *extra).unwrap_or_default();
        let facts: HashMap<String, String> =
            extra.fact.into_iter().map(|(name, value)| (name.to_owned(), value)).collect();
        let mut details = ErrorDetails::with_error_info(refusal.reason, DOMAIN, facts);
        if !refusal.faults.is_empty() {
            details.set_bad_request(violations(&refusal.faults));
        }
        if refusal.retry.is_some() {
            details.set_retry_info(refusal.retry);
        }
        if let Some(description) = extra.quota {
            details.add_quota_failure_violation("client", description);
        }
        if let Some((kind, name)) = extra.resource {
            details.set_resource_info(kind, name, "", "");
        }
        Status::with_error_details(refusal.code, refusal.message, details)
    }
}

impl From<Faults> for Status {
    fn from(faults: Faults) -> Status {
        Refusal::from(faults).into()
    }
}

impl From<JobsError> for Status {
    fn from(error: JobsError) -> Status {
        Refusal::from(error).into()
    }
}

/// As many as a trailer holds; the last one counts the others.
fn violations(faults: &Faults) -> Vec<FieldViolation> {
    let mut violations = Vec::new();
    let mut bytes = 0;
    for fault in &faults.list {
        let message = cut(&fault.message, 2 * MESSAGE_BYTES);
        bytes += fault.field.len() + message.len() + 8;
        if bytes > VIOLATION_BYTES {
            break;
        }
        violations.push(FieldViolation::new(fault.field.clone(), message));
    }
    let more = faults.list.len() - violations.len() + faults.more;
    if more > 0 {
        let field = faults.list[0].field.clone();
        violations.push(FieldViolation::new(
            field,
            format!("and {more} faults more; Check lists those of a puzzle"),
        ));
    }
    violations
}

fn cut(text: &str, bytes: usize) -> String {
    if text.len() <= bytes {
        return text.to_owned();
    }
    let end = (0..=bytes).rev().find(|&end| text.is_char_boundary(end)).unwrap_or(0);
    format!("{}…", &text[..end])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::jobs::JobId;

    fn many(count: usize) -> Faults {
        let mut faults = Faults::none();
        for index in 0..count {
            faults.push(Fault::new(
                "puzzle.text.givens",
                format!("{index} is given twice in row 4: r4c3 and r4c6"),
            ));
        }
        faults
    }

    /// Forty conflicts are all named, and fit the 8 KiB that every client takes.
    #[test]
    fn forty_faults_are_all_named() {
        let status = Status::from(Refusal::from(many(40)));
        assert_eq!(status.code(), Code::InvalidArgument);
        let details = status.get_error_details();
        assert_eq!(details.bad_request().map(|bad| bad.field_violations.len()), Some(40));
        assert!(status.message().len() + status.details().len() * 4 / 3 < 7_500);
    }

    #[test]
    fn faults_past_a_trailer_are_counted() {
        let status = Status::from(Refusal::from(many(5_000)));
        assert!(status.message().len() + status.details().len() * 4 / 3 < 8_000);
        let details = status.get_error_details();
        let violations = &details.bad_request().expect("a bad request").field_violations;
        let named = violations.len() - 1;
        let last = &violations[named].description;
        assert!(last.contains(&format!("and {} faults more", 5_000 - named)), "{last}");
    }

    #[test]
    fn codes_and_details() {
        let status = Status::from(Refusal::from(JobsError::NotFound(JobId(7))));
        assert_eq!(status.code(), Code::NotFound);
        let details = status.get_error_details();
        assert_eq!(details.resource_info().map(|info| info.resource_name.as_str()), Some("jobs/7"));
        let full = JobsError::Full { retry_after: Duration::from_millis(1500) };
        let status = Status::from(Refusal::from(full));
        assert_eq!(status.code(), Code::ResourceExhausted);
        let details = status.get_error_details();
        assert_eq!(details.retry_info().and_then(|info| info.retry_delay), Some(Duration::from_millis(1500)));
        assert_eq!(details.error_info().map(|info| info.reason.as_str()), Some("QUEUE_FULL"));
    }

    #[test]
    fn what_is_stored_and_broken_is_lost_and_not_to_be_asked_for_again() {
        let what = "the trace of jobs/7".to_owned();
        let error = StoreError::Unreadable { what, reason: "it has 3 entries".to_owned() };
        let status = Status::from(Refusal::from(JobsError::Store(error)));
        let message = "the trace of jobs/7 cannot be read: it has 3 entries";
        assert_eq!((status.code(), status.message()), (Code::DataLoss, message));
        let details = status.get_error_details();
        assert_eq!(details.error_info().map(|info| info.reason.as_str()), Some("DATA_BROKEN"));
        assert!(details.retry_info().is_none());
    }

    #[test]
    fn a_huge_fault_is_cut() {
        let faults = Faults::one(Fault::new("text", "é".repeat(1 << 20)));
        let status = Status::from(Refusal::from(faults));
        assert!(status.message().len() + status.details().len() < 2_000);
    }
}
