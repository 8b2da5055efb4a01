//! A real daemon on a free port with a database of its own, in this process or as one of its own.

use std::io::{BufRead, BufReader};
use std::net::SocketAddr;
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

use sleuth::api::client::Client;
use sleuth::api::proto as pb;
use sleuth::api::proto::archive_service_client::ArchiveServiceClient;
use sleuth::api::proto::job_service_client::JobServiceClient;
use sleuth::api::proto::solver_service_client::SolverServiceClient;
use sleuth::config::Config;
use sleuth::server::{ServeError, Server};
use sleuth::store::{DatabaseUrl, Durability};
use tempfile::TempDir;
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;
use tonic::transport::{Channel, Endpoint};

/// The classic puzzle that every test knows.
pub const CLASSIC: &str = "530070000600195000098000060800060003400803001700020006060000280000419005000080079";
/// Its solution.
pub const CLASSIC_SOLUTION: &str =
    "534678912672195348198342567859761423426853791713924856961537284287419635345286179";

/// A daemon.
pub struct Daemon {
    pub address: SocketAddr,
    pub url: String,
    folder: TempDir,
    stop: CancellationToken,
    task: JoinHandle<Result<(), ServeError>>,
}

impl Daemon {
    /// With a fresh database.
    pub async fn start() -> Daemon {
        Daemon::start_with(|_| {}).await
    }

    /// The same, after a change of its configuration.
    pub async fn start_with(change: impl FnOnce(&mut Config)) -> Daemon {
        Daemon::start_in(TempDir::new().expect("a folder"), change).await
    }

    /// On a database that may be there already.
    pub async fn start_in(folder: TempDir, change: impl FnOnce(&mut Config)) -> Daemon {
        let mut config = Config {
            listen: "127.0.0.1:0".parse().expect("an address"),
            database: DatabaseUrl::Sqlite(folder.path().join("sleuth.sqlite")),
            durability: Durability::Normal,
            ..Config::default()
        };
        change(&mut config);
        let server = Server::bind(config).await.expect("a daemon");
        let address = server.local_addr();
        let stop = CancellationToken::new();
        let task = tokio::spawn(server.run(stop.clone().cancelled_owned()));
        Daemon { address, url: format!("http://{address}"), folder, stop, task }
    }

    /// A connection of its own.
    pub async fn channel(&self) -> Channel {
        Endpoint::from_shared(self.url.clone()).expect("an address").connect().await.expect("a connection")
    }

    pub async fn solver(&self) -> SolverServiceClient<Channel> {
        SolverServiceClient::new(self.channel().await)
    }

    pub async fn jobs(&self) -> JobServiceClient<Channel> {
        JobServiceClient::new(self.channel().await)
    }

    pub async fn archive(&self) -> ArchiveServiceClient<Channel> {
        ArchiveServiceClient::new(self.channel().await)
    }

    pub async fn client(&self) -> Client {
        Client::connect(&self.url).await.expect("a connection")
    }

    /// Tells it to stop, without waiting.
    pub fn tell_to_stop(&self) {
        self.stop.cancel();
    }

    /// Stops it, and gives its folder back.
    pub async fn stop(self) -> TempDir {
        self.stop.cancel();
        let ended = tokio::time::timeout(Duration::from_secs(20), self.task).await;
        ended.expect("it stops within its limits").expect("it does not panic").expect("it stops in order");
        self.folder
    }
}

/// A daemon in a process of its own: the binary as it ships.
pub struct Process {
    pub url: String,
    child: Child,
}

impl Process {
    /// On a free port, with a database in this folder.
    pub fn start(folder: &Path) -> Process {
        Process::start_on(&folder.join("sleuth.sqlite").display().to_string(), &[])
    }

    /// On a free port, with this database and these options.
    pub fn start_on(database: &str, options: &[&str]) -> Process {
        let mut child = Command::new(env!("CARGO_BIN_EXE_sleuth"))
            .args([
                "serve",
                "--listen",
                "127.0.0.1:0",
                "--durability",
                "normal",
                "--log",
                "warn",
                "--database",
            ])
            .arg(database)
            .args(options)
            .stdout(Stdio::piped())
            .spawn()
            .expect("the binary starts");
        let mut line = String::new();
        let output = child.stdout.take().expect("its output");
        BufReader::new(output).read_line(&mut line).expect("it says where it serves");
        let url = line.split_whitespace().find(|word| word.starts_with("http://"));
        let url = url.unwrap_or_else(|| panic!("no address in {line:?}")).to_owned();
        Process { url, child }
    }

    pub async fn client(&self) -> Client {
        Client::connect(&self.url).await.expect("a connection")
    }

    fn signal(&self, signal: &str) {
        let told = Command::new("kill").args([signal, &self.child.id().to_string()]).status();
        assert!(told.is_ok_and(|status| status.success()), "it can be told {signal}");
    }

    /// Stops it where it stands, as a machine that hangs.
    pub fn freeze(&self) {
        self.signal("-STOP");
    }

    /// Lets it go on.
    pub fn thaw(&self) {
        self.signal("-CONT");
    }

    /// Ends it at once.
    pub fn kill(mut self) {
        self.child.kill().expect("it can be killed");
        self.child.wait().expect("it ends");
    }

    /// Sends SIGTERM and waits for its end.
    pub fn terminate(mut self) -> ExitStatus {
        self.signal("-TERM");
        let began = Instant::now();
        loop {
            if let Some(status) = self.child.try_wait().expect("its status") {
                return status;
            }
            assert!(began.elapsed() < Duration::from_secs(20), "it does not stop");
            std::thread::sleep(Duration::from_millis(5));
        }
    }
}

/// A test that fails leaves no daemon behind.
impl Drop for Process {
    fn drop(&mut self) {
        if let Ok(None) = self.child.try_wait() {
            let killed = self.child.kill().and_then(|()| self.child.wait());
            assert!(killed.is_ok() || std::thread::panicking(), "{killed:?}");
        }
    }
}

/// A job as it stands now.
pub async fn get_job(jobs: &mut JobServiceClient<Channel>, name: &str) -> pb::Job {
    let response = jobs.get_job(pb::GetJobRequest { name: name.to_owned() }).await.expect("a job");
    response.into_inner().job.expect("a job")
}

/// A puzzle as text.
pub fn text(text: &str) -> Option<pb::PuzzleInput> {
    let source = Some(pb::puzzle_input::Source::Text(text.to_owned()));
    Some(pb::PuzzleInput { source, format: String::new() })
}

/// A puzzle in parts.
pub fn parts(puzzle: pb::Puzzle) -> Option<pb::PuzzleInput> {
    let source = Some(pb::puzzle_input::Source::Puzzle(puzzle));
    Some(pb::PuzzleInput { source, format: String::new() })
}

/// An empty board of this size with boxes.
pub fn empty(size: u32, rows: u32) -> pb::Puzzle {
    let boxes = pb::BoxShape { rows, columns: size / rows };
    pb::Puzzle { size, regions: Some(pb::puzzle::Regions::Boxes(boxes)), ..Default::default() }
}

/// A solve that goes on until it is stopped: all solutions of an empty board.
pub fn endless() -> pb::SolveRequest {
    pb::SolveRequest {
        puzzle: parts(empty(25, 5)),
        options: Some(pb::SolveOptions {
            mode: pb::SolveMode::SearchOnly.into(),
            solution_limit: u64::MAX,
            ..Default::default()
        }),
        ..Default::default()
    }
}

/// The same as a job's specification.
pub fn endless_spec() -> pb::JobSpec {
    let request = endless();
    let spec = pb::SolveSpec { puzzle: request.puzzle, options: request.options };
    pb::JobSpec { kind: Some(pb::job_spec::Kind::Solve(spec)) }
}

/// A hard puzzle to check: a search that takes far longer than anybody waits.
pub fn endless_check() -> pb::CheckRequest {
    let mut puzzle = empty(25, 5);
    puzzle.windows = true;
    pb::CheckRequest { puzzle: parts(puzzle), ..Default::default() }
}

/// A solve of a text as a job's specification.
pub fn solve_spec(puzzle: &str) -> pb::JobSpec {
    let spec = pb::SolveSpec { puzzle: text(puzzle), options: None };
    pb::JobSpec { kind: Some(pb::job_spec::Kind::Solve(spec)) }
}

/// Waits, without more than a pause between looks, until something is so.
pub async fn until<T, F: Future<Output = Option<T>>>(what: &str, mut look: impl FnMut() -> F) -> T {
    let patience = Duration::from_secs(30);
    let found = tokio::time::timeout(patience, async {
        loop {
            if let Some(found) = look().await {
                return found;
            }
            tokio::time::sleep(Duration::from_millis(2)).await;
        }
    });
    found.await.unwrap_or_else(|_| panic!("{what}: not within {patience:?}"))
}
