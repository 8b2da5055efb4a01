//! Floor 3: messages to values and back, status codes, deadlines, limits; and the client.
//!
//! [`proto`] is generated from `proto/`. Read [`convert`] (values), [`status`] (refusals), [`layers`] (what every
//! call passes), `pull` and [`stream`] (traces as streams), then the services, each a thin
//! reading of the message, one call into floor 2 and a writing of what came of it. [`client`] is the other end.
//! Nothing below this floor knows tonic or a generated type.

pub mod archive;
mod caller;
mod candidates;
pub mod client;
mod codec;
pub mod convert;
pub mod follow;
pub mod job;
pub mod layers;
mod list_steps;
mod pages;
mod pipeline;
mod player;
pub mod proto;
mod pull;
pub mod solver;
pub mod status;
pub mod stream;
mod verify;

/// How many bytes of one stream may wait to be read. h2 closes a connection on which more small frames wait than a
/// share of its window allows. So that a peer who pipelines small requests is held up by its stream's window well
/// before that, this one is small and that of the connection large.
pub(crate) const STREAM_WINDOW: u32 = 64 << 10;
/// The same of a whole connection. Never full: its streams together have less.
pub(crate) const CONNECTION_WINDOW: u32 = 32 << 20;
