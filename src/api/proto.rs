//! Generated from `proto/sleuth/v1`.
#![allow(missing_docs, clippy::all, clippy::pedantic, reason = "generated code")]

tonic::include_proto!("sleuth.v1");

/// The descriptors of all messages and services, for reflection.
pub const DESCRIPTORS: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/descriptor.bin"));
