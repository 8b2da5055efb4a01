//! How the daemon is to run, and the check that names everything that does not go together.

use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::path::PathBuf;
use std::time::Duration;

use crate::jobs::Settings;
use crate::puzzle::{Fault, Faults};
use crate::store::{DatabaseUrl, Durability, Options};

/// How the daemon is to run.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Config {
    /// Where it listens. Port 0 takes a free one.
    pub listen: SocketAddr,
    /// Whoever reaches the address may use the daemon: there is no encryption and there are no tokens. Needed for
    /// every address that is not of this machine alone.
    pub open_to_everybody: bool,
    /// The database.
    pub database: DatabaseUrl,
    /// How long a daemon may be silent before others take its jobs, where several share a database.
    pub lease: Duration,
    /// What an acknowledged job survives.
    pub durability: Durability,
    /// Workers and queues.
    pub jobs: Settings,
    /// How many calls may be in flight, streams included.
    pub call_limit: usize,
    /// How many streams one connection may have.
    pub stream_limit: u32,
    /// How many bytes a message may have that is read.
    pub message_limit: usize,
    /// How long a request that is on its way may bring nothing.
    pub request_patience: Duration,
    /// How long running jobs may go on when the daemon is told to stop.
    pub grace: Duration,
    /// How long after that connections may take to close.
    pub close_limit: Duration,
}

impl Default for Config {
    fn default() -> Config {
        Config {
            listen: SocketAddr::new(IpAddr::V4(Ipv4Addr::LOCALHOST), 7353),
            open_to_everybody: false,
            database: DatabaseUrl::Sqlite(PathBuf::from("sleuth.sqlite")),
            lease: Options::default().lease,
            durability: Durability::default(),
            jobs: Settings::default(),
            call_limit: 4_096,
            stream_limit: 128,
            message_limit: 4 << 20,
            request_patience: Duration::from_secs(30),
            grace: Duration::from_secs(2),
            close_limit: Duration::from_secs(2),
        }
    }
}

impl Config {
    /// The configuration, or every fault.
    pub fn check(self) -> Result<Config, Faults> {
        let mut faults = Faults::none();
        if !self.listen.ip().is_loopback() && !self.open_to_everybody {
            let message = format!(
                "{} is reached from other machines, and there is neither encryption nor a token yet: say that it \
                 may be open to everybody, or listen on 127.0.0.1",
                self.listen
            );
            faults.push(Fault::new("listen", message));
        }
        let counts = [
            ("workers", self.jobs.workers),
            ("queue_limit", self.jobs.queue_limit),
            ("client_limit", self.jobs.client_limit),
            ("call_limit", self.call_limit),
            ("stream_limit", self.stream_limit as usize),
        ];
        for (field, _) in counts.iter().filter(|(_, count)| *count == 0) {
            faults.push(Fault::new(*field, "at least 1 is needed"));
        }
        if !(64 << 10..=64 << 20).contains(&self.message_limit) {
            faults.push(Fault::new("message_limit", "a message has from 64 KiB to 64 MiB"));
        }
        if self.lease < Duration::from_secs(2) {
            faults.push(Fault::new("lease", "a daemon must be allowed to be silent for 2 seconds"));
        }
        faults.into_result()?;
        Ok(self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn other_addresses_need_a_word() {
        for (address, is_allowed) in
            [("127.0.0.1:0", true), ("[::1]:7353", true), ("0.0.0.0:7353", false), ("192.168.1.2:80", false)]
        {
            let listen = address.parse().expect("an address");
            let config = Config { listen, ..Config::default() };
            assert_eq!(config.clone().check().is_ok(), is_allowed, "{address}");
            assert!(Config { open_to_everybody: true, ..config }.check().is_ok(), "{address}");
        }
    }

    #[test]
    fn every_fault_at_once() {
        let config = Config {
            listen: "0.0.0.0:1".parse().expect("an address"),
            call_limit: 0,
            message_limit: 1,
            lease: Duration::ZERO,
            ..Config::default()
        };
        let faults = config.check().expect_err("faults");
        let fields: Vec<&str> = faults.list.iter().map(|fault| fault.field.as_str()).collect();
        assert_eq!(fields, ["listen", "call_limit", "message_limit", "lease"]);
    }
}
