//! Exit codes that scripts can rely on, and failures as lines for standard error.

use std::process::ExitCode;

use crate::puzzle::Faults;

/// What `--help` says about exit codes.
pub const HELP: &str = "\
Exit codes:
  0  answered, and the answer is yes: one solution, rated, made, found, proved
  1  answered, and the answer is no: no solution, no step found, wrong entries, not proved, recipe not met
  2  bad usage, a puzzle that cannot be one, a job that is not there; every fault is on a line of its own
  3  answered, but undecided: several solutions, gave up, or logic alone got stuck
  4  the daemon cannot be reached, or refuses for now
  5  something failed: a file, a job, the service itself";

/// How a command ended that got its answer.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Outcome {
    /// The answer is yes.
    Yes,
    /// The answer is no.
    No,
    /// There is an answer, but it does not decide.
    Undecided,
}

impl Outcome {
    /// The code.
    pub const fn code(self) -> u8 {
        match self {
            Outcome::Yes => 0,
            Outcome::No => 1,
            Outcome::Undecided => 3,
        }
    }
}

/// Why a command got no answer. Every line is printed on its own.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Failure {
    /// What was asked makes no sense: bad usage, or text that is no puzzle.
    Invalid(Vec<String>),
    /// The work was broken off before it could answer.
    Undecided(Vec<String>),
    /// The daemon is not there, or refuses for now.
    Unreachable(Vec<String>),
    /// A file, a job or the service failed.
    Failed(Vec<String>),
    /// Whoever read standard output has gone: there is nobody to tell.
    Unheard,
}

impl Failure {
    /// One line of bad usage.
    pub fn invalid(line: impl Into<String>) -> Failure {
        Failure::Invalid(vec![line.into()])
    }

    /// One line of work broken off.
    pub fn undecided(line: impl Into<String>) -> Failure {
        Failure::Undecided(vec![line.into()])
    }

    /// One line of a daemon out of reach.
    pub fn unreachable(line: impl Into<String>) -> Failure {
        Failure::Unreachable(vec![line.into()])
    }

    /// One line of failure.
    pub fn failed(line: impl Into<String>) -> Failure {
        Failure::Failed(vec![line.into()])
    }

    /// The code.
    pub const fn code(&self) -> u8 {
        match self {
            Failure::Unheard => 0,
            Failure::Invalid(_) => 2,
            Failure::Undecided(_) => 3,
            Failure::Unreachable(_) => 4,
            Failure::Failed(_) => 5,
        }
    }

    /// What is printed.
    pub fn lines(&self) -> &[String] {
        match self {
            Failure::Invalid(lines)
            | Failure::Undecided(lines)
            | Failure::Unreachable(lines)
            | Failure::Failed(lines) => lines,
            Failure::Unheard => &[],
        }
    }
}

impl From<Faults> for Failure {
    fn from(faults: Faults) -> Failure {
        let mut lines: Vec<String> = faults.list.iter().map(ToString::to_string).collect();
        if faults.more > 0 {
            lines.push(format!("and {} more", faults.more));
        }
        Failure::Invalid(lines)
    }
}

/// Standard output could not be written.
impl From<std::io::Error> for Failure {
    fn from(error: std::io::Error) -> Failure {
        match error.kind() {
            std::io::ErrorKind::BrokenPipe => Failure::Unheard,
            _ => Failure::failed(format!("cannot write the answer: {error}")),
        }
    }
}

/// Prints what failed to standard error and gives the code of the process.
pub fn conclude(result: Result<Outcome, Failure>) -> ExitCode {
    match result {
        Ok(outcome) => ExitCode::from(outcome.code()),
        Err(failure) => {
            for line in failure.lines() {
                eprintln!("sleuth: {line}");
            }
            ExitCode::from(failure.code())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::puzzle::Fault;

    #[test]
    fn every_fault_has_a_line() {
        let mut faults = Faults::one(Fault::new("size", "size 26 is not between 2 and 25"));
        faults.push(Fault::new("givens", "r1c1 holds 30, of 1 to 9"));
        faults.more = 3;
        let failure = Failure::from(faults);
        assert_eq!(failure.code(), 2);
        assert_eq!(
            failure.lines(),
            ["size: size 26 is not between 2 and 25", "givens: r1c1 holds 30, of 1 to 9", "and 3 more"]
        );
    }

    #[test]
    fn codes_are_those_of_the_help() {
        let codes: Vec<u8> = [
            Outcome::Yes.code(),
            Outcome::No.code(),
            Failure::invalid("").code(),
            Outcome::Undecided.code(),
            Failure::unreachable("").code(),
            Failure::failed("").code(),
        ]
        .into();
        assert_eq!(codes, [0, 1, 2, 3, 4, 5]);
        for code in codes {
            assert!(HELP.contains(&format!("\n  {code}  ")), "{code} is not explained");
        }
    }
}
