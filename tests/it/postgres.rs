//! A PostgreSQL server of the tests' own: made in a folder of its own, reached through a socket in it, gone with the
//! process that made it. Or the one that `$SLEUTH_POSTGRES_URL` names.

use std::fs;
use std::os::unix::fs::{MetadataExt, chown};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::OnceLock;

use sqlx::{AssertSqlSafe, Connection, PgConnection};
use tempfile::TempDir;

use super::support::is_required;

/// A server.
pub struct Cluster {
    /// None if it is somebody else's.
    own: Option<Own>,
    /// Up to the name of the database, and what follows it.
    url: (String, String),
}

struct Own {
    folder: TempDir,
    tools: PathBuf,
    /// Who runs it, since it refuses to run as root.
    user: Option<(u32, u32)>,
    /// Waits for the end of this process, however it comes, and stops the server then.
    guard: Child,
}

impl Cluster {
    /// The server that tests share, each with databases of its own. Where there is none and none can be made, the test
    /// says that it was skipped, unless `$SLEUTH_REQUIRE` asks for it.
    pub fn shared() -> Option<&'static Cluster> {
        static SHARED: OnceLock<Option<Cluster>> = OnceLock::new();
        SHARED
            .get_or_init(|| Cluster::named().or_else(|| Cluster::start(&["fsync=off"])))
            .as_ref()
            .or_else(skip)
    }

    fn named() -> Option<Cluster> {
        let url = std::env::var("SLEUTH_POSTGRES_URL").ok()?;
        let (base, query) = match url.split_once('?') {
            Some((base, query)) => (base.to_owned(), format!("?{query}")),
            None => (url, String::new()),
        };
        let base = base.rsplit_once('/').map_or(base.clone(), |(base, _)| base.to_owned());
        Some(Cluster { own: None, url: (format!("{base}/"), query) })
    }

    /// A server that the caller alone has, and may stop. None where there are no tools.
    pub fn start(settings: &[&str]) -> Option<Cluster> {
        let tools = tools()?;
        let folder = TempDir::with_prefix("sleuth-pg-").expect("a folder");
        let user = owner();
        if user.is_none() && is_root() {
            return None;
        }
        if let Some((uid, gid)) = user {
            chown(folder.path(), Some(uid), Some(gid)).expect("given away");
        }
        let guard = guard(folder.path(), &tools, user);
        let own = Own { folder, tools, user, guard };
        own.run("initdb", &["--no-sync", "-A", "trust", "-U", "sleuth", "-E", "UTF8", "--locale=C"]);
        let socket = own.folder.path().display().to_string();
        let fixed = format!(
            "listen_addresses = ''\nunix_socket_directories = '{socket}'\nmax_connections = 200\n{}\n",
            settings.join("\n")
        );
        let data = own.folder.path().join("data");
        let mut config = fs::read_to_string(data.join("postgresql.conf")).expect("its configuration");
        config.push_str(&fixed);
        fs::write(data.join("postgresql.conf"), config).expect("written");
        own.run("pg_ctl", &["-s", "-w", "-l", &format!("{socket}/log"), "start"]);
        let url = ("postgres://sleuth@localhost/".to_owned(), format!("?host={socket}"));
        Some(Cluster { own: Some(own), url })
    }

    /// The URL of a database, which is made if it is not there.
    pub async fn database(&self, name: &str) -> String {
        let mut conn = PgConnection::connect(&self.url_of("postgres")).await.expect("connects");
        let made = sqlx::query(AssertSqlSafe(format!("create database \"{name}\""))).execute(&mut conn).await;
        if let Err(error) = made {
            let code = error.as_database_error().and_then(|error| error.code());
            assert_eq!(code.as_deref(), Some("42P04"), "{error}");
        }
        conn.close().await.expect("closes");
        self.url_of(name)
    }

    fn url_of(&self, name: &str) -> String {
        format!("{}{name}{}", self.url.0, self.url.1)
    }

    /// Stops the server as a crash would, in the middle of everything.
    pub fn crash(&self) {
        self.own().run("pg_ctl", &["-s", "-m", "immediate", "stop"]);
    }

    /// Starts it again.
    pub fn revive(&self) {
        let own = self.own();
        let log = own.folder.path().join("log").display().to_string();
        own.run("pg_ctl", &["-s", "-w", "-l", &log, "start"]);
    }

    fn own(&self) -> &Own {
        self.own.as_ref().expect("a server of the test's own")
    }
}

fn is_root() -> bool {
    fs::metadata("/proc/self").expect("this process").uid() == 0
}

/// Who runs a server of the tests' own, if that is somebody else: it refuses to run as root.
pub fn owner() -> Option<(u32, u32)> {
    is_root().then(|| find_user("postgres")).flatten()
}

/// Says that a test was skipped.
pub fn skip<T>() -> Option<T> {
    assert!(!is_required("postgres"), "PostgreSQL is required and absent");
    println!("skipped: PostgreSQL is absent");
    None
}

impl Own {
    fn run(&self, tool: &str, arguments: &[&str]) {
        let mut command = Command::new(self.tools.join(tool));
        command.arg("-D").arg(self.folder.path().join("data")).args(arguments);
        command.current_dir(self.folder.path()).stdin(Stdio::null()).stdout(Stdio::null());
        become_user(&mut command, self.user);
        let status = command.status().expect("the tool runs");
        assert!(status.success(), "{tool} {arguments:?}: {status}");
    }
}

impl Drop for Own {
    fn drop(&mut self) {
        // its input ends, and with it the server
        drop(self.guard.stdin.take());
        let ended = self.guard.wait();
        assert!(ended.is_ok() || std::thread::panicking(), "{ended:?}");
    }
}

fn guard(folder: &Path, tools: &Path, user: Option<(u32, u32)>) -> Child {
    let script = format!(
        "read -r _; '{}' -s -m immediate -D '{}/data' stop 2>/dev/null; cd /; rm -rf '{1}'",
        tools.join("pg_ctl").display(),
        folder.display(),
    );
    let mut command = Command::new("sh");
    command.args(["-c", &script]).stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null());
    // what interrupts the tests is for them, and not for it
    command.process_group(0).current_dir(folder);
    become_user(&mut command, user);
    command.spawn().expect("a shell")
}

fn become_user(command: &mut Command, user: Option<(u32, u32)>) {
    if let Some((uid, gid)) = user {
        command.uid(uid).gid(gid);
    }
}

/// Where the server's tools are: on the path, or where Debian keeps them.
fn tools() -> Option<PathBuf> {
    let mut folders: Vec<PathBuf> =
        std::env::var_os("PATH").map(|path| std::env::split_paths(&path).collect()).unwrap_or_default();
    if let Ok(versions) = fs::read_dir("/usr/lib/postgresql") {
        let mut versions: Vec<PathBuf> =
            versions.filter_map(|version| Some(version.ok()?.path().join("bin"))).collect();
        versions.sort();
        folders.extend(versions.into_iter().rev());
    }
    folders.into_iter().find(|folder| folder.join("initdb").exists() && folder.join("pg_ctl").exists())
}

fn find_user(name: &str) -> Option<(u32, u32)> {
    let users = fs::read_to_string("/etc/passwd").ok()?;
    let line = users.lines().find(|line| line.split(':').next() == Some(name))?;
    let mut fields = line.split(':').skip(2);
    Some((fields.next()?.parse().ok()?, fields.next()?.parse().ok()?))
}
