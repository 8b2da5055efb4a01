//! Floor 3: messages to values and back, status codes, deadlines, limits; and the client.
//!
//! [`proto`] is generated from `proto/`. Read [`convert`] (values), [`status`] (refusals), [`layers`] (what every
//! call passes), [`stream`] (traces as streams), then the services, each a thin
//! reading of the message, one call into floor 2 and a writing of what came of it. [`client`] is the other end.
//! Nothing below this floor knows tonic or a generated type.

pub mod archive;
mod caller;
pub mod client;
pub mod convert;
pub mod follow;
pub mod job;
pub mod layers;
mod pages;
mod pipeline;
pub mod proto;
pub mod solver;
pub mod status;
pub mod stream;
mod verify;
