//! Writes that wait for a commit: what somebody waits for goes first, and no commit holds so much that what comes next
//! waits long for it.

use std::collections::VecDeque;
use std::time::Duration;

use super::batch::Command;
use super::row::{Priority, Want};

/// Urgent writes of one commit, at most.
const URGENT: usize = 192;

/// Others beside urgent ones: few, since somebody waits for the commit.
const BESIDE: usize = 64;

/// Bytes of one commit, about: a few milliseconds of writing. Beside urgent writes others get a quarter of it.
const BYTES: usize = 256 << 10;

/// How many commits after one for a person are kept brief, since whoever has asked may soon ask again.
const BRIEF_COMMITS: u32 = 32;

/// Beside what a person waits for, a brief commit holds other writes: one for each such part of the time that the last
/// commit took, since that many take about a quarter of it. On a fast disk these are few, for it is the processor that
/// bulk work would take from whoever waits; on a slow one they are more, and cost nobody anything.
const BRIEF_PART: Duration = Duration::from_micros(270);

/// So many at least.
const BRIEF: usize = 4;

/// Bytes for each of them, about.
const BRIEF_BYTES: usize = 2 << 10;

/// What a write takes besides its texts, about: rows and their places in indexes.
const ROW: usize = 256;

/// A page of a table or an index.
const PAGE: usize = 4 << 10;

/// Writes in the order in which they came, the urgent by themselves. Any order will do: nothing is written about a job
/// before the write that it follows from was answered, and what comes after its end does nothing.
#[derive(Default)]
pub struct Line {
    urgent: VecDeque<Command>,
    others: VecDeque<Command>,
    /// Commits that are yet to be brief.
    brief: u32,
}

impl Line {
    pub fn push(&mut self, command: Command) {
        if is_interactive(&command) {
            self.brief = BRIEF_COMMITS;
        }
        let lane = if is_urgent(&command) { &mut self.urgent } else { &mut self.others };
        lane.push_back(command);
    }

    pub fn len(&self) -> usize {
        self.urgent.len() + self.others.len()
    }

    /// What the next commit holds, after one that took so long: at least one write, if there is any.
    pub fn take(&mut self, last: Duration) -> Vec<Command> {
        let mut commands = Vec::new();
        move_some(&mut self.urgent, &mut commands, URGENT, BYTES);
        let (writes, bytes) = match (self.brief, commands.is_empty()) {
            (1.., _) => brief(last),
            (0, true) => (URGENT + BESIDE, BYTES),
            (0, false) => (BESIDE, BYTES / 4),
        };
        self.brief = self.brief.saturating_sub(1);
        move_some(&mut self.others, &mut commands, writes, bytes);
        commands
    }
}

/// The writes and bytes that nobody waits for of a brief commit.
fn brief(last: Duration) -> (usize, usize) {
    let parts = usize::try_from(last.as_micros() / BRIEF_PART.as_micros()).unwrap_or(usize::MAX);
    let writes = parts.clamp(BRIEF, BESIDE);
    (writes, (writes * BRIEF_BYTES).min(BYTES / 4))
}

/// At most so many writes, and no more once they have so many bytes.
fn move_some(from: &mut VecDeque<Command>, to: &mut Vec<Command>, writes: usize, most: usize) {
    let mut bytes = 0;
    for _ in 0..writes {
        let Some(command) = (bytes < most).then(|| from.pop_front()).flatten() else { return };
        bytes += bytes_of(&command);
        to.push(command);
    }
}

/// Whether a person waits for it.
fn is_interactive(command: &Command) -> bool {
    match command {
        Command::Submit(write) => write.input.job.priority == Priority::Interactive,
        Command::Finish(write) => write.input.1.priority == Priority::Interactive,
        _ => false,
    }
}

/// Whether somebody waits for it, or it is seldom and small.
fn is_urgent(command: &Command) -> bool {
    match command {
        Command::Submit(_) | Command::Finish(_) => is_interactive(command),
        Command::Append(_) | Command::Prune(_) | Command::Claim(_) => false,
        Command::Recover(_)
        | Command::Start(_)
        | Command::Cancel(_)
        | Command::CancelOverdue(_)
        | Command::Release(_)
        | Command::Renew(_)
        | Command::Promote(_) => true,
    }
}

/// What a write takes of a log of pages beyond its bytes, about: where a table is large, each of these is a place of its
/// own in an index.
pub fn scattered_bytes_of(command: &Command) -> usize {
    let places = match command {
        Command::Submit(write) => {
            usize::from(write.input.job.request_id.is_some()) + usize::from(write.input.job.due.is_some())
        }
        Command::Prune(write) => write.input.limit as usize,
        _ => 0,
    };
    PAGE * places
}

/// What a write takes, about.
pub fn bytes_of(command: &Command) -> usize {
    let rows = |count: u32| ROW * count as usize;
    match command {
        Command::Submit(write) => ROW + write.input.job.spec.text.len() + write.input.early.bytes(),
        Command::Append(write) => ROW + write.input.1.body.len(),
        Command::Finish(write) => ROW + write.input.1.bytes(),
        Command::Prune(write) => rows(write.input.limit),
        Command::Promote(write) => rows(write.input),
        Command::Claim(write) => match write.input {
            Want::Ready(_, limit) => rows(limit),
            Want::Suspect => ROW,
        },
        _ => ROW,
    }
}

#[cfg(test)]
mod tests {
    use super::super::Reply;
    use super::super::batch::{Submit, Write};
    use super::super::row::*;
    use super::*;

    /// A commit on a fast disk.
    const QUICK: Duration = Duration::from_millis(1);

    fn submit(priority: Priority, bytes: usize) -> Command {
        let spec = Body { version: Body::VERSION, text: "x".repeat(bytes) };
        let job = NewJob { priority, ..NewJob::plain(ClientId("a".into()), JobKind::Solve, spec) };
        let submit = Submit { job, early: Default::default(), end: None };
        Command::Submit(Write { input: Box::new(submit), reply: Reply::pair().0 })
    }

    fn count(commands: &[Command]) -> (usize, usize) {
        let urgent = commands.iter().filter(|command| is_urgent(command)).count();
        (urgent, commands.len() - urgent)
    }

    fn start() -> Command {
        Command::Start(Write { input: Lease { job: JobId(1), attempt: 1 }, reply: Reply::pair().0 })
    }

    #[test]
    fn the_urgent_go_first_and_leave_room() {
        let mut line = Line::default();
        for _ in 0..400 {
            line.push(submit(Priority::Bulk, 1));
            line.push(start());
        }
        assert_eq!(count(&line.take(QUICK)), (192, 64));
        assert_eq!(count(&line.take(QUICK)), (192, 64));
        assert_eq!(count(&line.take(QUICK)), (16, 64));
        assert_eq!(count(&line.take(QUICK)), (0, 208));
        assert_eq!(line.len(), 0);
        assert!(line.take(QUICK).is_empty());
    }

    #[test]
    fn no_commit_is_large_by_more_than_one_write() {
        let mut line = Line::default();
        (0..10).for_each(|_| line.push(submit(Priority::Normal, BYTES / 3)));
        assert_eq!(line.take(QUICK).len(), 3);
        line.push(start());
        assert_eq!(count(&line.take(QUICK)), (1, 1));
        assert_eq!(line.len(), 6);
    }

    /// Whoever waits for one that a person waits for, and for the next that the same person may ask for.
    #[test]
    fn commits_are_brief_while_a_person_waits() {
        let mut line = Line::default();
        (0..80).for_each(|_| line.push(submit(Priority::Bulk, 1)));
        (0..400).for_each(|_| line.push(submit(Priority::Interactive, 1)));
        for others in [(192, 4), (192, 4), (16, 4)] {
            assert_eq!(count(&line.take(QUICK)), others);
        }
        (3..32).for_each(|_| line.push(submit(Priority::Bulk, BYTES)));
        for _ in 3..20 {
            assert_eq!(count(&line.take(QUICK)), (0, 4));
        }
        for _ in 20..32 {
            assert_eq!(count(&line.take(QUICK)), (0, 1), "as large as it may be");
        }
        (0..300).for_each(|_| line.push(submit(Priority::Bulk, 1)));
        while line.len() > 300 {
            assert_eq!(line.take(QUICK).len(), 1);
        }
        assert_eq!(count(&line.take(QUICK)), (0, 256));
    }
    /// Where the disk is slow, what is written beside costs little.
    #[test]
    fn brief_commits_hold_more_where_each_takes_long() {
        for (millis, others) in [(0, 4), (1, 4), (2, 7), (10, 37), (100, 64), (10_000, 64)] {
            let mut line = Line::default();
            (0..400).for_each(|_| line.push(submit(Priority::Bulk, 1)));
            line.push(submit(Priority::Interactive, 1));
            assert_eq!(count(&line.take(Duration::from_millis(millis))), (1, others), "{millis} ms");
            assert_eq!(count(&line.take(Duration::from_millis(millis))), (0, others), "{millis} ms");
        }
    }
}
