//! The real binary: exit codes, JSON, traces that verify, a daemon that serves without a word and stops on a signal.

use std::io::{BufRead, BufReader, Write};
use std::net::TcpListener;
use std::path::Path;
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

use serde_json::Value;

const CLASSIC: &str = "530070000600195000098000060800060003400803001700020006060000280000419005000080079";
const SOLVED: &str = "534678912672195348198342567859761423426853791713924856961537284287419635345286179";

/// Runs the binary in a bare environment.
fn sleuth(arguments: &[&str]) -> Output {
    sleuth_with_input(arguments, "")
}

fn sleuth_with_input(arguments: &[&str], input: &str) -> Output {
    let mut child = command(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the binary runs");
    // A command that does not read its input may have ended already.
    let _ = child.stdin.take().expect("piped").write_all(input.as_bytes());
    child.wait_with_output().expect("the binary ends")
}

fn command(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_sleuth"));
    for (name, _) in std::env::vars().filter(|(name, _)| name.starts_with("SLEUTH_")) {
        command.env_remove(name);
    }
    command.args(arguments);
    command
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).expect("UTF-8")
}

#[track_caller]
fn check_code(arguments: &[&str], code: i32) -> Output {
    let output = sleuth(arguments);
    assert_eq!(
        output.status.code(),
        Some(code),
        "{arguments:?}\n{}\n{}",
        text(&output.stdout),
        text(&output.stderr)
    );
    output
}

#[track_caller]
fn check_json(arguments: &[&str], code: i32) -> Value {
    let output = check_code(arguments, code);
    serde_json::from_slice(&output.stdout).expect("one JSON document")
}

fn free_port() -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    listener.local_addr().expect("an address").port()
}

#[test]
fn exit_codes_are_those_of_the_help() {
    let empty = ".".repeat(81);
    let impossible = format!("12345678.........9{}", ".".repeat(63));
    check_code(&["solve", "--local", CLASSIC], 0);
    check_code(&["solve", "--local", &impossible], 1);
    check_code(&["solve", "--local", &empty], 3);
    check_code(&["solve", "--local", "--mode", "logic", CLASSIC], 0);
    check_code(&["solve", "--local", "--mode", "logic", &empty], 3);
    check_code(&["solve", "--local", "--mode", "search", "--engine", "dlx", CLASSIC], 0);
    check_code(&["solve", "--local", "--work", "1", CLASSIC], 3);
    check_code(&["rate", "--local", CLASSIC], 0);
    check_code(&["rate", "--local", "--scale", "explainer", CLASSIC], 0);
    check_code(&["rate", "--local", &empty], 3);
    check_code(&["rate", "--local", &impossible], 1);
    check_code(&["generate", "--local", "--size", "4", "--seed", "1"], 0);
    check_code(&["generate", "--local", "--level", "extreme", "--size", "4", "--attempts", "3"], 1);
    check_code(&["hint", "--local", CLASSIC], 0);
    check_code(&["hint", "--local", SOLVED], 0);
    check_code(&["hint", "--local", CLASSIC, "--progress", &format!("531{}", &CLASSIC[3..])], 1);
    check_code(&["steps", "--local", CLASSIC], 0);
    check_code(&["steps", "--local", SOLVED], 1);
    check_code(&["steps", "--local", "--limit", "1", CLASSIC], 3);
    check_code(&["prove", "--local", CLASSIC, "r1c3=4"], 0);
    check_code(&["prove", "--local", CLASSIC, "r1c3<>4"], 1);
    check_code(&["prove", "--local", &empty, "r1c3<>4"], 3);
    check_code(&["check", "--local", CLASSIC], 0);
    check_code(&["check", "--local", &impossible], 1);
    check_code(&["check", "--local", &empty], 3);
    check_code(&["candidates", "--local", CLASSIC], 0);
    check_code(&["candidates", "--local", "--count", "5", &empty], 0);
    check_code(&["candidates", "--local", &impossible], 1);
    check_code(&["candidates", "--local", "--count", "1001", CLASSIC], 2);
    check_code(&["check", "--local", CLASSIC, "--progress", &format!("531{}", &CLASSIC[3..])], 1);
    check_code(&["techniques"], 0);
    check_code(&["--help"], 0);
    check_code(&["--version"], 0);
    for usage in [
        vec!["solve"],
        vec!["solve", "--local", "12x"],
        vec!["solve", "--local", "@/no/such/file"],
        vec!["solve", "--local", "--format", "no-such-format", CLASSIC],
        vec!["solve", "--local", "--deadline", "-1", CLASSIC],
        vec!["generate", "--local", "--size", "26"],
        vec!["generate", "--local", "--clues", "9..8"],
        vec!["verify", "--local", "/no/such/file"],
        vec!["rate", "--local", "--scale", "richter", CLASSIC],
        vec!["rate", "--local", "--scale", "explainer", "1234............"],
        vec!["prove", "--local", CLASSIC, "r1c3"],
        vec!["prove", "--local", CLASSIC, "r1c10=1"],
        vec!["steps", "--local", "--limit", "10001", CLASSIC],
        vec!["no-such-command"],
    ] {
        let output = check_code(&usage, 2);
        assert!(!output.stderr.is_empty() && output.stdout.is_empty(), "{usage:?}");
    }
}

#[test]
fn no_daemon_is_a_code_of_its_own() {
    let server = format!("http://127.0.0.1:{}", free_port());
    for arguments in [
        vec!["solve", CLASSIC],
        vec!["rate", CLASSIC],
        vec!["hint", CLASSIC],
        vec!["check", CLASSIC],
        vec!["candidates", CLASSIC],
        vec!["steps", CLASSIC],
        vec!["prove", CLASSIC, "r1c3=4"],
        vec!["generate"],
        vec!["watch", "jobs/1"],
        vec!["jobs", "list"],
    ] {
        let output = check_code(&[arguments.as_slice(), &["--server", &server]].concat(), 4);
        assert!(text(&output.stderr).contains(&server), "{arguments:?}");
    }
    check_code(&["solve", CLASSIC, "--server", "not a URL"], 2);
}

#[test]
fn every_fault_has_a_line() {
    let output = check_code(&["check", "--local", &format!("55{}", &".".repeat(79))], 2);
    assert_eq!(
        text(&output.stderr),
        "sleuth: givens: 5 is given twice in row 1: r1c1 and r1c2\n\
         sleuth: givens: 5 is given twice in box 1: r1c1 and r1c2\n"
    );
    let output = check_code(&["generate", "--local", "--size", "10", "--level", "x", "--symmetry", "y"], 2);
    assert_eq!(text(&output.stderr).lines().count(), 3);
}

#[test]
fn puzzles_come_from_arguments_files_and_standard_input() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("puzzle.txt");
    let lines: Vec<&str> = (0..9).map(|row| &CLASSIC[9 * row..9 * row + 9]).collect();
    std::fs::write(&path, lines.join("\n")).expect("written");
    let from_file = check_json(&["solve", "--local", "--json", &format!("@{}", path.display())], 0);
    let from_input = sleuth_with_input(&["solve", "--local", "--json", "-"], &lines.join("\n"));
    let from_input: Value = serde_json::from_slice(&from_input.stdout).expect("JSON");
    let from_argument = check_json(&["solve", "--local", "--json", CLASSIC], 0);
    assert_eq!(from_file, from_argument);
    assert_eq!(from_input, from_argument);
}

#[test]
fn json_of_a_solve() {
    let solved = check_json(&["solve", "--local", "--json", CLASSIC], 0);
    assert_eq!(solved["verdict"], serde_json::json!({"kind": "one", "count": 1, "complete": true}));
    assert_eq!(solved["solutions"], serde_json::json!([SOLVED]));
    assert_eq!(solved["grid"], SOLVED);
    assert_eq!((&solved["path"], &solved["searched_cells"]), (&"solved".into(), &0.into()));
    assert!(solved["stopped"].is_null() && solved["nodes"].is_u64());
    let steps = solved["steps"].as_array().expect("steps");
    let placed = steps.iter().flat_map(|step| step["conclusions"].as_array().expect("conclusions"));
    assert_eq!(placed.filter(|text| text.as_str().is_some_and(|text| text.contains('='))).count(), 51);
    for step in steps {
        assert!(step["technique"].is_string() && step["explanation"].is_string(), "{step}");
        assert!(step["proof"].as_array().is_some_and(|lemmas| !lemmas.is_empty()), "{step}");
    }
    let chinese = check_json(&["solve", "--local", "--json", "--lang", "zh", CLASSIC], 0);
    let sentence = chinese["steps"][0]["explanation"].as_str().expect("a sentence");
    assert!(sentence.chars().any(|letter| letter > '\u{2e80}'), "{sentence}");
}

#[test]
fn json_of_the_other_commands() {
    let rated = check_json(&["rate", "--local", "--json", CLASSIC], 0);
    assert_eq!((&rated["rating"]["level"], &rated["rating"]["scale"]), (&"easy".into(), &"sleuth".into()));
    let rated = check_json(&["rate", "--local", "--json", "--scale", "explainer", CLASSIC], 0);
    let rating = &rated["rating"];
    assert!(rating["level"].is_null() && rating["scale"] == "explainer", "{rating}");
    assert_eq!(
        (&rating["score"], &rating["pearl"], &rating["diamond"]),
        (&12.into(), &12.into(), &12.into())
    );
    assert_eq!(rated["solution"], SOLVED);
    let made = check_json(&["generate", "--local", "--json", "--size", "6", "--seed", "7"], 0);
    assert_eq!(made["seed"], 7);
    let puzzle = made["puzzle"].as_str().expect("a puzzle");
    let again = check_json(&["generate", "--local", "--json", "--size", "6", "--seed", "7"], 0);
    assert_eq!(made, again);
    let solved = check_json(&["solve", "--local", "--json", puzzle], 0);
    assert_eq!(solved["solutions"][0], made["solution"]);
    let hint = check_json(&["hint", "--local", "--json", CLASSIC], 0);
    assert_eq!(hint["advice"], "step");
    assert!(hint["step"]["conclusions"].is_array());
    let progress = format!("531{}", &CLASSIC[3..]);
    let wrong = check_json(&["hint", "--local", "--json", CLASSIC, "--progress", &progress], 1);
    assert_eq!(
        (&wrong["advice"], &wrong["wrong"][0]["cells"]),
        (&"correct".into(), &serde_json::json!(["r1c3"]))
    );
    let checked = check_json(&["check", "--local", "--json", &".".repeat(16)], 3);
    assert_eq!(checked["verdict"]["kind"], "several");
    assert_eq!(checked["solutions"].as_array().map(Vec::len), Some(2));
    let techniques = check_json(&["techniques", "--json"], 0);
    assert!(techniques.as_array().is_some_and(|rows| rows.iter().any(|row| row["slug"] == "naked-single")));
}

#[test]
fn a_saved_trace_is_proved_and_a_forged_one_is_not() {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("trace.json");
    let name = path.to_str().expect("a name");
    check_code(&["solve", "--local", "--quiet", "--trace", name, CLASSIC], 0);
    let verified = check_json(&["verify", "--local", "--json", name], 0);
    assert_eq!((&verified["proved"], &verified["steps_proved"]), (&true.into(), &verified["steps"]));
    assert!(verified["steps"].as_u64().is_some_and(|steps| steps >= 51));

    let saved = std::fs::read_to_string(&path).expect("a trace");
    let lines: Vec<&str> = saved.lines().collect();
    assert_eq!(lines.last(), Some(&r#"{"end":"solved"}"#));

    // A step that belongs elsewhere: the first four are proved, it is not.
    let mut forged = lines.clone();
    forged[5] = lines[45];
    std::fs::write(&path, forged.join("\n")).expect("written");
    let refused = check_json(&["verify", "--local", "--json", name], 1);
    assert_eq!((&refused["proved"], &refused["steps_proved"]), (&false.into(), &4.into()));
    assert!(refused["reason"].is_string());

    // A trace that stops early, and says that it does not.
    let short = [&lines[..30], &lines[lines.len() - 1..]].concat();
    std::fs::write(&path, short.join("\n")).expect("written");
    let refused = check_json(&["verify", "--local", "--json", name], 1);
    assert_eq!((&refused["proved"], &refused["steps_proved"]), (&false.into(), &29.into()));

    for text in ["", "{}", "no JSON"] {
        std::fs::write(&path, text).expect("written");
        check_code(&["verify", "--local", name], 2);
    }
}

#[test]
fn no_colours_outside_a_terminal() {
    for arguments in [["solve", "--local", CLASSIC], ["hint", "--local", CLASSIC]] {
        let output = check_code(&arguments, 0);
        assert!(!output.stdout.contains(&0x1b), "{arguments:?}");
    }
}

#[test]
fn nobody_reading_is_no_failure() {
    let mut child = command(&["solve", "--local", CLASSIC])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the binary runs");
    drop(child.stdout.take());
    let output = child.wait_with_output().expect("the binary ends");
    assert_eq!((output.status.code(), text(&output.stderr).as_str()), (Some(0), ""));
}

/// A daemon of its own folder, started with no argument at all.
struct Daemon {
    child: Child,
    lines: Vec<String>,
    server: String,
}

impl Daemon {
    fn start(folder: &Path) -> Daemon {
        let mut child = command(&[])
            .current_dir(folder)
            .env("SLEUTH_LISTEN", "127.0.0.1:0")
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .expect("the binary runs");
        let mut reader = BufReader::new(child.stdout.take().expect("piped"));
        let lines: Vec<String> = (0..2)
            .map(|_| {
                let mut line = String::new();
                reader.read_line(&mut line).expect("a line");
                line.trim().to_owned()
            })
            .collect();
        let server = lines[0].split_whitespace().find(|word| word.starts_with("http://"));
        let server = server.unwrap_or_else(|| panic!("no address in {lines:?}")).to_owned();
        Daemon { child, lines, server }
    }

    /// SIGTERM, and the exit code.
    fn stop(mut self) -> Option<i32> {
        let pid = self.child.id().to_string();
        let sent = Command::new("kill").args(["-TERM", &pid]).status().expect("kill runs");
        assert!(sent.success());
        let limit = Instant::now() + Duration::from_secs(20);
        loop {
            if let Some(status) = self.child.try_wait().expect("a child") {
                return status.code();
            }
            assert!(Instant::now() < limit, "still running 20 s after SIGTERM");
            std::thread::yield_now();
        }
    }
}

/// A test that fails leaves no daemon behind.
impl Drop for Daemon {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[test]
fn without_arguments_it_serves_and_a_signal_ends_it() {
    let folder = tempfile::tempdir().expect("a folder");
    let daemon = Daemon::start(folder.path());
    assert!(folder.path().join("sleuth.sqlite").exists());
    let line = daemon.lines[1].split_once("sleuth ").expect("a client line").1;
    let arguments: Vec<&str> = line.split_whitespace().collect();
    assert_eq!(arguments[0], "solve", "{line}");
    let output = check_code(&arguments, 0);
    assert!(text(&output.stdout).contains("exactly one solution"));
    assert_eq!(daemon.stop(), Some(0));
}

#[test]
fn a_daemon_answers_as_the_engines_do() {
    let folder = tempfile::tempdir().expect("a folder");
    let daemon = Daemon::start(folder.path());
    let server = daemon.server.as_str();
    let progress = format!("531{}", &CLASSIC[3..]);
    let empty = ".".repeat(81);
    for (arguments, code) in [
        (vec!["solve", "--json", CLASSIC], 0),
        (vec!["solve", "--json", &empty], 3),
        (vec!["solve", "--json", "--mode", "search", "--engine", "dlx", CLASSIC], 0),
        (vec!["rate", "--json", CLASSIC], 0),
        (vec!["rate", "--json", "--scale", "explainer", CLASSIC], 0),
        (vec!["generate", "--json", "--size", "6", "--symmetry", "half-turn", "--seed", "3"], 0),
        (vec!["hint", "--json", CLASSIC], 0),
        (vec!["hint", "--json", CLASSIC, "--progress", &progress], 1),
        (vec!["check", "--json", CLASSIC, "--progress", &progress], 1),
        (vec!["candidates", "--json", CLASSIC], 0),
        (vec!["candidates", "--json", "--count", "4", &empty], 0),
        (vec!["steps", "--json", "--lang", "zh", CLASSIC], 0),
        (vec!["steps", "--json", "--limit", "2", CLASSIC], 3),
        (vec!["steps", "--json", CLASSIC, "--progress", &progress], 1),
        (vec!["prove", "--json", CLASSIC, "r5c5=5"], 0),
        (vec!["prove", "--json", CLASSIC, "r1c3=1"], 1),
        (vec!["prove", "--json", &empty, "r1c3=1"], 3),
        (vec!["prove", "--json", CLASSIC, "r1c4=6", "--progress", &progress], 1),
    ] {
        let local = check_json(&[arguments.as_slice(), &["--local"]].concat(), code);
        let remote = check_json(&[arguments.as_slice(), &["--server", server]].concat(), code);
        assert_eq!(local, remote, "{arguments:?}");
    }
    let path = folder.path().join("trace.json");
    let name = path.to_str().expect("a name");
    check_code(&["solve", "--quiet", "--trace", name, "--server", server, CLASSIC], 0);
    let local = check_json(&["verify", "--json", "--local", name], 0);
    let remote = check_json(&["verify", "--json", "--server", server, name], 0);
    assert_eq!(local, remote);
    assert_eq!(daemon.stop(), Some(0));
}

#[test]
fn jobs_are_listed_watched_and_cancelled() {
    let folder = tempfile::tempdir().expect("a folder");
    let daemon = Daemon::start(folder.path());
    let server = daemon.server.as_str();
    check_code(&["solve", "--quiet", "--server", server, CLASSIC], 0);
    let jobs = check_json(&["jobs", "list", "--json", "--server", server], 0);
    let jobs = jobs.as_array().expect("jobs");
    assert_eq!((jobs.len(), &jobs[0]["state"]), (1, &"succeeded".into()));
    let job = jobs[0]["name"].as_str().expect("a name");
    assert_eq!(check_json(&["jobs", "get", job, "--json", "--server", server], 0)["name"], job);

    let events = |arguments: &[&str]| -> Vec<Value> {
        let output = check_code(arguments, 0);
        text(&output.stdout)
            .lines()
            .map(|line| serde_json::from_str(line).expect("one event a line"))
            .collect()
    };
    let whole = events(&["watch", job, "--json", "--server", server]);
    assert_eq!(whole.last().map(|event| &event["event"]), Some(&"finished".into()));
    let cursor = whole[10]["cursor"].as_str().expect("a cursor");
    let rest = events(&["watch", job, "--json", "--after", cursor, "--server", server]);
    assert_eq!(rest, whole[11..]);

    check_code(&["jobs", "cancel", job, "--server", server], 1);
    check_code(&["jobs", "get", "jobs/999999", "--server", server], 2);
    assert_eq!(daemon.stop(), Some(0));
}

/// Work left to the daemon, now and for a later time.
#[test]
fn work_is_left_to_the_daemon() {
    let folder = tempfile::tempdir().expect("a folder");
    let daemon = Daemon::start(folder.path());
    let server = daemon.server.as_str();
    let output = check_code(&["solve", CLASSIC, "--detach", "--server", server], 0);
    let job = text(&output.stdout);
    let job = job.trim();
    check_code(&["watch", job, "--server", server], 0);
    let later = ["solve", CLASSIC, "--detach", "--start-at", "12h", "--json", "--server", server];
    let job = check_json(&later, 0)["job"].as_str().expect("a name").to_owned();
    let seen = check_json(&["jobs", "get", &job, "--json", "--server", server], 0);
    assert_eq!(seen["state"], "scheduled");
    assert!(seen["schedule_time"].is_string() && seen["outlook"]["place"].is_null());
    let wait = seen["outlook"]["expected_ms"].as_u64().expect("a number");
    assert!((43_000_000..=43_200_000).contains(&wait), "{wait}");
    let told = text(&check_code(&["jobs", "get", &job, "--server", server], 0).stdout);
    assert!(told.contains("not before") && told.contains("begins in"), "{told}");
    let other = command(&["jobs", "get", &job, "--server", server]).env("SLEUTH_CLIENT", "other").output();
    assert_eq!(other.expect("the binary runs").status.code(), Some(2), "it is another client's");
    check_code(&["jobs", "cancel", &job, "--server", server], 0);
    check_code(&["solve", "--local", CLASSIC, "--start-at", "12h"], 2);
    check_code(&["solve", CLASSIC, "--start-at", "noon"], 2);
    assert_eq!(daemon.stop(), Some(0));
}
