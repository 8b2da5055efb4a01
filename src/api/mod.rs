//! Floor 3: messages to values and back, status codes, deadlines, limits; and the client.
//!
//! [`proto`] is generated from `proto/`. Nothing below this floor knows tonic or a generated type.

pub mod proto;
