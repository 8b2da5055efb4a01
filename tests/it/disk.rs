//! What goes wrong with the disk under the real daemon: full, read-only, another's file, a broken one, a lost one. It
//! says what is wrong and harms nothing.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use sleuth::api::proto as pb;
use sqlx::{Connection, SqliteConnection};
use tempfile::TempDir;
use tonic::Code;
use tonic_types::StatusExt;

use crate::harness::{CLASSIC, Process, solve_spec, until};
use crate::support::is_required;

/// A small file system of its own, gone with this.
struct Disk(TempDir);

impl Disk {
    /// Where it may not be mounted the test says that it is skipped, unless `$SLEUTH_REQUIRE` asks for it.
    fn mount(size: &str) -> Option<Disk> {
        let folder = tempfile::tempdir().expect("a folder");
        let disk = Disk(folder);
        if disk.remount(&format!("size={size}"), &["-t", "tmpfs", "tmpfs"]) {
            return Some(disk);
        }
        assert!(!is_required("mount"), "a file system must be mounted and cannot be");
        println!("skipped: no file system can be mounted here");
        None
    }

    fn remount(&self, options: &str, what: &[&str]) -> bool {
        let mut mount = Command::new("mount");
        mount.args(["-o", options]).args(what).arg(self.0.path());
        mount.output().is_ok_and(|output| output.status.success())
    }

    fn database(&self) -> PathBuf {
        self.0.path().join("sleuth.sqlite")
    }
}

impl Drop for Disk {
    fn drop(&mut self) {
        let gone = Command::new("umount").arg("-l").arg(self.0.path()).status();
        assert!(gone.is_ok() || std::thread::panicking(), "{gone:?}");
    }
}

fn create() -> pb::CreateJobRequest {
    pb::CreateJobRequest { spec: Some(solve_spec(CLASSIC)), ..Default::default() }
}

/// Jobs are refused while the disk is full, and accepted again once there is room; none that was accepted is lost.
#[tokio::test(flavor = "multi_thread")]
async fn a_full_disk_refuses_and_loses_nothing() {
    let Some(disk) = Disk::mount("3m") else { return };
    let daemon = Process::start_on(&disk.database().display().to_string(), &[]);
    let client = daemon.client().await;
    let mut jobs = client.jobs();
    let mut accepted = Vec::new();
    let refused = loop {
        match jobs.create_job(create()).await {
            Ok(answer) => accepted.push(answer.into_inner().job.expect("a job").name),
            Err(status) => break status,
        }
        assert!(accepted.len() < 50_000, "a disk of 3 MiB is full at some time");
    };
    let details = refused.get_error_details();
    assert_eq!(refused.code(), Code::Unavailable, "{refused:?}");
    assert_eq!(details.error_info().map(|info| info.reason.as_str()), Some("DATABASE_FULL"));
    assert!(details.retry_info().and_then(|info| info.retry_delay).is_some());
    // what is there can be read
    assert!(client.job(&accepted[0]).await.is_ok());
    assert!(disk.remount("remount,size=64m", &[]), "it can be made larger");
    let more = until("it accepts again", || {
        let mut jobs = jobs.clone();
        async move { jobs.create_job(create()).await.ok() }
    })
    .await;
    accepted.push(more.into_inner().job.expect("a job").name);
    for name in &accepted {
        until("it ends", async || {
            let job = client.job(name).await.expect("it was accepted");
            (job.state == sleuth::jobs::JobState::Succeeded).then_some(())
        })
        .await;
    }
    let ended = tokio::task::spawn_blocking(move || daemon.terminate()).await.expect("no panic");
    assert!(ended.success());
    assert_sound(&disk.database()).await;
}

async fn assert_sound(path: &Path) {
    let mut conn = SqliteConnection::connect(&format!("sqlite://{}", path.display())).await.expect("opens");
    let found: Vec<String> =
        sqlx::query_scalar("pragma integrity_check").fetch_all(&mut conn).await.expect("asked");
    assert_eq!(found, ["ok"]);
    conn.close().await.expect("closes");
}

/// A daemon that should not start.
fn start(database: &Path) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_sleuth"));
    command.args(["serve", "--listen", "127.0.0.1:0", "--log", "warn", "--database"]).arg(database);
    command.output().expect("the binary starts")
}

/// It ends with the code of failures and names the file and the fault, and the file is as it was.
fn assert_refused(database: &Path, fault: &str) {
    let before = fs::read(database).ok();
    let output = start(database);
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(5), "{said}");
    assert!(said.contains(fault) && said.contains(&database.display().to_string()), "{said}");
    assert!(output.stdout.is_empty(), "no address is told");
    assert!(fs::read(database).ok() == before, "the file is as it was");
}

/// A database with some jobs, stopped in order.
async fn filled(folder: &Path) -> PathBuf {
    let database = folder.join("sleuth.sqlite");
    let daemon = Process::start(folder);
    let mut jobs = daemon.client().await.jobs();
    for _ in 0..30 {
        jobs.create_job(create()).await.expect("accepted");
    }
    let ended = tokio::task::spawn_blocking(move || daemon.terminate()).await.expect("no panic");
    assert!(ended.success());
    database
}

#[tokio::test(flavor = "multi_thread")]
async fn a_clean_stop_leaves_one_file() {
    let folder = tempfile::tempdir().expect("a folder");
    filled(folder.path()).await;
    let mut names: Vec<String> = fs::read_dir(folder.path())
        .expect("a folder")
        .map(|entry| entry.expect("an entry").file_name().to_string_lossy().into_owned())
        .collect();
    names.sort();
    assert_eq!(names, ["sleuth.sqlite", "sleuth.sqlite.lock"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_broken_file_is_told_and_left_alone() {
    let folder = tempfile::tempdir().expect("a folder");
    let database = filled(folder.path()).await;
    let whole = fs::read(&database).expect("read");
    assert!(whole.len() > 40_000, "{}", whole.len());

    // pages of which nothing is left, those of the tables or those of what is in them
    let page = whole.len() / 4_096 / 2 * 4_096;
    for lost in [4_096..page, 4_096..whole.len(), page..whole.len()] {
        let mut broken = whole.clone();
        broken[lost].fill(0xA5);
        fs::write(&database, &broken).expect("written");
        assert_refused(&database, "it is broken, and nothing was changed in it");
    }

    // half of it
    fs::write(&database, &whole[..page]).expect("written");
    assert_refused(&database, "");

    // no database at all
    fs::write(&database, "a letter to somebody. ".repeat(1_000)).expect("written");
    assert_refused(&database, "not a database");

    // a database of something else
    fs::remove_file(&database).expect("removed");
    let mut conn =
        SqliteConnection::connect(&format!("sqlite://{}?mode=rwc", database.display())).await.expect("made");
    sqlx::query("create table letters (text text)").execute(&mut conn).await.expect("made");
    conn.close().await.expect("closes");
    assert_refused(&database, "something else");

    // whole again, and all is well
    fs::write(&database, &whole).expect("written");
    let daemon = Process::start(folder.path());
    let (jobs, _) = daemon.client().await.list(&Default::default()).await.expect("a list");
    assert_eq!(jobs.len(), 30);
    daemon.client().await.jobs().create_job(create()).await.expect("accepted");
    daemon.kill();

    // its log of last commits without it: no new file may take its place
    let log = folder.path().join("sleuth.sqlite-wal");
    assert!(fs::metadata(&log).is_ok_and(|log| log.len() > 0), "a killed daemon leaves its log");
    let aside = folder.path().join("aside");
    fs::rename(&database, &aside).expect("renamed");
    assert_refused(&database, "put the file back");
    assert!(!database.exists() && log.exists());
    fs::rename(&aside, &database).expect("renamed");
    let daemon = Process::start(folder.path());
    let (jobs, _) = daemon.client().await.list(&Default::default()).await.expect("a list");
    assert_eq!(jobs.len(), 31);
    daemon.kill();
}

#[tokio::test(flavor = "multi_thread")]
async fn a_file_that_may_not_be_written_is_told() {
    let Some(disk) = Disk::mount("8m") else { return };
    fs::create_dir(disk.0.path().join("there")).expect("made");
    let database = filled(&disk.0.path().join("there")).await;
    assert!(disk.remount("remount,ro", &[]));
    assert_refused(&database, "Read-only file system");
    assert!(disk.remount("remount,rw", &[]));
    assert_sound(&database).await;
}
