//! Another program as a contender: a process that is asked on its standard input and answers on its standard
//! output, one line a request, timing its own work.
//!
//! | asked | answer |
//! |---|---|
//! | `N`, then N lines of 81 characters (`1` to `9`, `.`) | `CPU_NS NONE ONE SEVERAL GUESSES` |
//! | `generate N SEED` | `CPU_NS PUZZLES CLUES` |
//!
//! `CPU_NS` is the CPU time that counting took, from the text on, without reading the request; then how many lines
//! have no solution, one, and several; `GUESSES` of all lines, or `-`. A peer that makes no puzzles answers
//! `-` to `generate`. It ends when its input does.

use std::io::{self, BufRead, BufReader, Read, Write};
use std::os::unix::process::CommandExt;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, TryRecvError, sync_channel};
use std::thread;
use std::time::Duration;

use rustix::process::{Pid, Signal, kill_process_group};

use super::{BenchError, Contender, Line, Made, Tally};

/// The longest line that is an answer.
const MAX_ANSWER: u64 = 200;

/// A running peer. Dropping it ends the process and what it started.
pub struct Peer {
    name: String,
    child: Child,
    input: ChildStdin,
    /// What it says; closed at its end.
    answers: Receiver<io::Result<String>>,
    patience: Duration,
}

impl Peer {
    /// Starts a command: a program and its arguments, blanks between. Each answer may take as long as `patience`.
    pub fn start(name: &str, command: &str, patience: Duration) -> Result<Peer, BenchError> {
        let failed =
            |reason: String| BenchError::Start { name: name.to_owned(), command: command.to_owned(), reason };
        let mut words = command.split_whitespace();
        let program = words.next().ok_or_else(|| failed("there is no command".to_owned()))?;
        // A group of its own, so that what it starts is ended with it.
        let mut child = Command::new(program)
            .args(words)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .process_group(0)
            .spawn()
            .map_err(|error| failed(error.to_string()))?;
        let (input, output) = (child.stdin.take().expect("piped"), child.stdout.take().expect("piped"));
        let (sender, answers) = sync_channel(1);
        thread::spawn(move || listen(output, &sender));
        Ok(Peer { name: name.to_owned(), child, input, answers, patience })
    }

    /// Asks, and waits for one line.
    fn ask(&mut self, request: &[u8]) -> Result<String, BenchError> {
        match self.answers.try_recv() {
            Err(TryRecvError::Empty) => {}
            Err(TryRecvError::Disconnected) => return Err(self.ended()),
            Ok(_) => return Err(self.nonsense("says more than it was asked".to_owned())),
        }
        let (input, answers, child) = (&mut self.input, &self.answers, &mut self.child);
        let patience = self.patience;
        // It may not read while we write, or answer before it has read all: so both happen at once.
        let answer = thread::scope(|scope| {
            scope.spawn(move || {
                // A peer that reads no further is known by its answer, or by none.
                let _ = input.write_all(request).and_then(|()| input.flush());
            });
            let answer = answers.recv_timeout(patience);
            if answer.is_err() {
                // The writing ends with the process.
                kill(child);
            }
            answer
        });
        match answer {
            Ok(Ok(line)) => Ok(line),
            Ok(Err(error)) => Err(self.nonsense(error.to_string())),
            Err(RecvTimeoutError::Timeout) => {
                Err(BenchError::Silent { name: self.name.clone(), seconds: patience.as_secs() })
            }
            Err(RecvTimeoutError::Disconnected) => Err(self.ended()),
        }
    }

    fn ended(&mut self) -> BenchError {
        kill(&mut self.child);
        let status = self.child.wait().map_or_else(|error| error.to_string(), |status| status.to_string());
        BenchError::Ended { name: self.name.clone(), status }
    }

    fn nonsense(&self, fault: String) -> BenchError {
        BenchError::Nonsense { name: self.name.clone(), fault }
    }

    /// The numbers of an answer, as many as wanted.
    fn numbers<const N: usize>(&self, answer: &str, wanted: &str) -> Result<[u64; N], BenchError> {
        let numbers: Option<Vec<u64>> = answer.split_whitespace().map(|word| word.parse().ok()).collect();
        numbers
            .and_then(|numbers| numbers.try_into().ok())
            .ok_or_else(|| self.nonsense(format!("answers `{answer}` where `{wanted}` was wanted")))
    }
}

impl Drop for Peer {
    fn drop(&mut self) {
        kill(&mut self.child);
        let _ = self.child.wait();
    }
}

/// Ends the process and its group; one that has ended already does not mind.
fn kill(child: &mut Child) {
    let _ = kill_process_group(Pid::from_child(child), Signal::KILL);
    let _ = child.kill();
}

/// Hands on every line until the end, or until nobody listens.
fn listen(output: ChildStdout, answers: &SyncSender<io::Result<String>>) {
    let mut output = BufReader::new(output);
    loop {
        let mut line = String::new();
        let answer = match (&mut output).take(MAX_ANSWER).read_line(&mut line) {
            Ok(0) => return,
            Ok(_) if !line.ends_with('\n') => {
                Err(io::Error::other(format!("its answer is longer than {MAX_ANSWER} bytes, or breaks off")))
            }
            Ok(_) => Ok(line.trim().to_owned()),
            Err(error) => Err(error),
        };
        let is_last = answer.is_err();
        if answers.send(answer).is_err() || is_last {
            return;
        }
    }
}

impl Contender for Peer {
    fn name(&self) -> &str {
        &self.name
    }

    fn count(&mut self, lines: &[Line]) -> Result<Tally, BenchError> {
        const WANTED: &str = "CPU_NS NONE ONE SEVERAL GUESSES";
        let mut request = format!("{}\n", lines.len()).into_bytes();
        for line in lines {
            request.extend_from_slice(line);
            request.push(b'\n');
        }
        let answer = self.ask(&request)?;
        let (counts, guesses) = answer.rsplit_once(' ').unwrap_or((&answer, ""));
        let [time, none, one, several] = self.numbers(counts, WANTED)?;
        let nodes = match guesses {
            "-" => None,
            number => Some(self.numbers::<1>(number, WANTED)?[0]),
        };
        if none.checked_add(one).and_then(|sum| sum.checked_add(several)) != Some(lines.len() as u64) {
            return Err(self.nonsense(format!("counts {none} + {one} + {several} of {} lines", lines.len())));
        }
        if time == 0 {
            return Err(self.nonsense("has taken no time at all".to_owned()));
        }
        Ok(Tally { time: Duration::from_nanos(time), solutions: [none, one, several], nodes })
    }

    fn generate(&mut self, count: u64, seed: u64) -> Result<Option<Made>, BenchError> {
        let answer = self.ask(format!("generate {count} {seed}\n").as_bytes())?;
        if answer == "-" {
            return Ok(None);
        }
        let [time, puzzles, clues] = self.numbers(&answer, "CPU_NS PUZZLES CLUES")?;
        if time == 0 || puzzles == 0 {
            return Err(self.nonsense("has made nothing, or in no time at all".to_owned()));
        }
        Ok(Some(Made { time: Duration::from_nanos(time), puzzles, clues }))
    }
}
