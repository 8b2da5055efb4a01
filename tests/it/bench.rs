//! `sleuth bench`: what it prints, and peers that keep the protocol or break it.

use std::fs;
use std::path::Path;
use std::process::{Command, Output};
use std::time::{Duration, Instant};

use serde_json::Value;
use sleuth::bench::signature::Signature;
use sleuth::bench::{BenchError, Contender, Line, PuzzleSet, peer::Peer};
use sleuth::engine::search::classic::Instructions;

/// Over the built-in sets, with any instructions: a change that moves it says so in its commit.
const SIGNATURE: Signature = Signature { nodes: 2512, hash: 0x0811_0625_81ab_e933 };

#[test]
fn the_signature_is_the_recorded_one() {
    for instructions in Instructions::ALL {
        match Signature::of(instructions) {
            Some(signature) => assert_eq!(signature, SIGNATURE, "{instructions:?}: {signature}"),
            None => println!("skipped: this processor has not got {instructions:?}"),
        }
    }
}

fn bench(arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_sleuth"));
    command.args(["bench", "--puzzles", "10", "--passes", "3"]).args(arguments);
    command.output().expect("the binary runs")
}

/// A peer in shell: `answer` is run for every request, with the request in `$n` and its lines read.
fn script(folder: &Path, answer: &str) -> String {
    let path = folder.join("peer.sh");
    let loop_ = format!(
        "while read -r n rest; do\n case $n in generate) ;; *) i=0; while [ $i -lt $n ]; do read -r line; i=$((i+1)); done;; esac\n {answer}\ndone\n"
    );
    fs::write(&path, loop_).expect("written");
    format!("sh {}", path.display())
}

fn three() -> Vec<Line> {
    PuzzleSet::built_in()[0].lines[..3].to_vec()
}

#[test]
fn every_engine_agrees_on_the_built_in_sets() {
    let engines = ["portable", "batch", "general", "dlx"].map(|engine| ["--engine", engine]);
    let output = bench(&[&["--json"], engines.as_flattened()].concat());
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    let report: Value = serde_json::from_slice(&output.stdout).expect("one JSON document");
    assert_eq!(report["signature"], SIGNATURE.to_string());
    let sets = report["sets"].as_array().expect("sets");
    assert_eq!(sets.len(), 5);
    for set in sets {
        let rows = set["rows"].as_array().expect("rows");
        assert_eq!(rows.len(), 4);
        for row in rows {
            assert!(row["agrees"] == true && row["puzzles"] == 10, "{row}");
            assert!(row["puzzles_per_second"].as_f64().expect("a number") > 1.0, "{row}");
        }
    }
}

#[test]
fn a_peer_takes_turns_and_is_told_apart() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("some.txt");
    let easy: String = three().iter().map(|line| String::from_utf8_lossy(line).into_owned() + "\n").collect();
    fs::write(&file, format!("# three puzzles\n{easy}")).expect("written");
    let file = file.to_str().expect("text");
    let peer = |answer: &str| format!("shell={}", script(folder.path(), answer));
    let good = peer("[ $n = generate ] && echo '5000 10 240' || echo \"9000000 0 $n 0 7\"");
    let output = bench(&["--engine", "portable", "--peer", &good, "--generate", "10", file]);
    let text = String::from_utf8_lossy(&output.stdout);
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    let row = text.lines().find(|line| line.contains("shell")).expect("its row");
    // 12 puzzles in 9 ms.
    assert!(row.contains("1,333") && row.contains("750,000") && row.contains("0.58"), "{row}");
    assert!(
        text.lines().filter(|line| line.contains("shell") && line.contains("24.00")).count() == 1,
        "{text}"
    );
    // It counts otherwise: the answer is no.
    let output = bench(&["--engine", "portable", "--peer", &peer("echo \"9000000 $n 0 0 -\""), file]);
    assert_eq!(output.status.code(), Some(1), "{output:?}");
    assert!(String::from_utf8_lossy(&output.stdout).contains("counts otherwise: 12 without solution"));
}

#[test]
fn peers_that_break_the_protocol_are_told() {
    let folder = tempfile::tempdir().expect("a folder");
    let count = |command: &str| {
        Peer::start("it", command, Duration::from_millis(300)).and_then(|mut peer| {
            peer.count(&three())?;
            // What it says unasked may come late.
            std::thread::sleep(Duration::from_millis(200));
            peer.count(&three())
        })
    };
    let fault = |answer: &str| count(&script(folder.path(), answer)).expect_err("a fault");
    for answer in [
        "echo nonsense",
        "echo",
        "echo 5 0 3",
        "echo 5 0 3 0 x",
        "echo 5 0 3 0 1 1",
        "echo 5 0 4 0 1",
        "echo -5 0 3 0 1",
        "echo 0 0 3 0 1",
        "echo 5 18446744073709551615 4 0 1",
        "printf '%300s\\n' x",
        "echo 5 0 3 0 1; echo 5 0 3 0 1",
    ] {
        let error = fault(answer);
        assert!(matches!(error, BenchError::Nonsense { .. }), "{answer}: {error}");
    }
    assert!(matches!(fault("exit 3"), BenchError::Ended { status, .. } if status.contains('3')));
    assert!(matches!(count("/no/such/program"), Err(BenchError::Start { .. })));
    assert!(matches!(count("true"), Err(BenchError::Ended { .. })));
    // It and what it started are ended when it takes too long, though it has read little of what it was sent.
    let begin = Instant::now();
    let mut silent =
        Peer::start("it", "sh -c sleep${IFS}60;true", Duration::from_millis(300)).expect("it runs");
    let error = silent.count(&vec![[b'.'; 81]; 100_000]).expect_err("a fault");
    assert!(matches!(error, BenchError::Silent { .. } | BenchError::Ended { .. }), "{error}");
    assert!(matches!(silent.count(&three()), Err(BenchError::Ended { .. })));
    drop(silent);
    assert!(begin.elapsed() < Duration::from_secs(20));
}

#[test]
fn bad_usage_is_told() {
    for arguments in [
        vec!["/no/such/file"],
        vec!["--data", "/no/such/folder"],
        vec!["--peer", "nothing"],
        vec!["--peer", "it=/no/such/program"],
        vec!["--puzzles", "0"],
        vec!["--engine", "none"],
    ] {
        let output = Command::new(env!("CARGO_BIN_EXE_sleuth")).arg("bench").args(&arguments).output();
        let output = output.expect("the binary runs");
        assert_eq!(output.status.code(), Some(2), "{arguments:?} {output:?}");
    }
}
