//! What every call passes before its service sees it: deadline, limit of calls in flight, and the way out when the
//! daemon stops.
//!
//! tonic's own answer to a passed deadline is CANCELLED, it bounds no stream, knows no retry delay, calls a message
//! that is too large OUT_OF_RANGE, and waits for ever for streams when it shuts down. So [`Guard`] does all of it:
//! [`deadline`] reads the header, [`drain`] is the two flags of the way out, [`body`] ends a stream,
//! [`arrival`] sees whether a request comes in.

pub mod arrival;
pub mod body;
pub mod deadline;
pub mod drain;
pub mod guard;

pub use drain::Drain;
pub use guard::{Guard, Limits};
