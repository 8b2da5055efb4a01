//! Servers in processes of their own.

use std::fs::File;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use sleuth::store::Durability;

use crate::{Arguments, Fault};

/// A server that answers; killed if it is dropped before it is stopped.
pub struct Process {
    child: Child,
    url: String,
}

/// How a daemon is to run.
pub struct Daemon<'a> {
    /// Its database, and beside it what it logs.
    pub database: &'a Path,
    /// `normal` or `full`.
    pub durability: &'a str,
    /// Calls in flight at a time, if not the usual number.
    pub calls: Option<usize>,
}

impl Process {
    /// The daemon, once it answers.
    pub fn start_daemon(arguments: &Arguments, daemon: &Daemon<'_>) -> Result<Process, Fault> {
        let beside = || -> Result<PathBuf, Fault> {
            let example = std::env::current_exe()?;
            let folder = example.parent().and_then(Path::parent).ok_or("this program is nowhere")?;
            Ok(folder.join("sleuth"))
        };
        let binary = arguments.sleuth.clone().map_or_else(beside, Ok)?;
        let mut command = Command::new(&binary);
        command.args(["serve", "--listen", "127.0.0.1:0", "--durability", daemon.durability]);
        command.args(["--log", &arguments.log]).arg("--database").arg(daemon.database);
        if let Some(calls) = daemon.calls {
            command.arg("--call-limit").arg(calls.to_string());
        }
        command.stderr(File::create(daemon.database.with_extension("log"))?);
        Process::start(command).map_err(|error| format!("{}: {error}", binary.display()).into())
    }

    /// The bare server with these answers, which stores jobs or not.
    pub fn start_bare(
        arguments: &Arguments,
        answers: &Path,
        stored: Option<Durability>,
    ) -> Result<Process, Fault> {
        let mut command = this_program(arguments)?;
        command.arg("--bare").arg(answers);
        if let Some(durability) = stored {
            command.args(["--stored", durability.word()]);
        }
        Process::start(command)
    }

    /// A client that keeps the daemon at this address busy with bulk jobs.
    pub fn start_bulk(url: &str, arguments: &Arguments) -> Result<Process, Fault> {
        let mut command = this_program(arguments)?;
        command.args(["--bulk", url]);
        Process::start(command)
    }

    /// The first line that it prints has an address.
    fn start(mut command: Command) -> Result<Process, Fault> {
        let mut child = command.stdin(Stdio::null()).stdout(Stdio::piped()).spawn()?;
        let output = child.stdout.take().ok_or("it has no output")?;
        let mut process = Process { child, url: String::new() };
        let mut line = String::new();
        BufReader::new(output).read_line(&mut line)?;
        let url = line.split_whitespace().find(|word| word.starts_with("http://"));
        process.url = url.ok_or("it did not start, its log says why")?.to_owned();
        Ok(process)
    }

    /// Where it answers, or whom it asks.
    pub fn url(&self) -> &str {
        &self.url
    }

    /// What it holds in memory, in bytes.
    pub fn memory(&self) -> Result<u64, Fault> {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.child.id()))?;
        let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
        let kilobytes = line.and_then(|line| line.trim().strip_suffix(" kB")).ok_or("no VmRSS is told")?;
        Ok(kilobytes.trim().parse::<u64>()? << 10)
    }

    /// The time that it has had of processors.
    pub fn busy(&self) -> Result<Duration, Fault> {
        busy(&self.child.id().to_string())
    }

    /// Tells it to stop, and waits.
    pub fn stop(mut self) -> Result<(), Fault> {
        let process = rustix::process::Pid::from_child(&self.child);
        rustix::process::kill_process(process, rustix::process::Signal::TERM)?;
        self.child.wait()?;
        Ok(())
    }
}

/// This program in another part, with as many jobs under way.
fn this_program(arguments: &Arguments) -> std::io::Result<Command> {
    let mut command = Command::new(std::env::current_exe()?);
    command.args(["--streams", &arguments.streams.to_string()]);
    command.args(["--in-flight", &arguments.in_flight.to_string()]);
    Ok(command)
}

/// The time that a process, or this one if it is `self`, has had of processors: to a hundredth of a second.
pub fn busy(process: &str) -> Result<Duration, Fault> {
    let line = std::fs::read_to_string(format!("/proc/{process}/stat"))?;
    // the name before it may hold anything
    let fields = line.rsplit(')').next().unwrap_or_default().split_whitespace();
    let ticks: Vec<u64> = fields.skip(11).take(2).map(str::parse).collect::<Result<_, _>>()?;
    Ok(Duration::from_millis(10 * ticks.iter().sum::<u64>()))
}

impl Drop for Process {
    fn drop(&mut self) {
        // it fails for one that has stopped, and then nothing is to be done
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
