//! Writes that share a commit. What arrives while a commit is under way shares the next one, so that many clients
//! share the cost of making things durable; each is answered after the commit.
//!
//! Writes of a batch are applied kind by kind, in an order that keeps every cause before its effect. If any of
//! them fails the whole batch is undone and each is done again by itself, so that none fails for its neighbours.

use std::future::Future;
use std::time::SystemTime;

use tokio::sync::{mpsc, oneshot};

use super::StoreError;
use super::line::Line;
use super::row::*;

/// Writes that may wait for the next commit; further ones wait to be let in.
pub const BACKLOG: usize = 4096;

/// Something to write, and whom to tell.
pub struct Write<I, T> {
    pub input: I,
    pub reply: oneshot::Sender<Result<T, StoreError>>,
}

impl<I, T> Write<I, T> {
    fn answer(self, result: Result<T, StoreError>) {
        // whoever asked may have gone; the write stands
        let _ = self.reply.send(result);
    }
}

/// The end of a job to write.
pub type FinishWrite = Write<(Lease, Box<Finish>), Option<Ended>>;

/// Leases to renew.
pub type RenewWrite = Write<Vec<Lease>, Vec<(Lease, Standing)>>;

/// Everything that can be written.
pub enum Command {
    Recover(Write<u32, u64>),
    Submit(Write<Box<NewJob>, Stored>),
    Start(Write<Lease, bool>),
    Append(Write<(Lease, Chunk), bool>),
    Finish(FinishWrite),
    Cancel(Write<(JobId, String), Option<Waiting>>),
    CancelOverdue(Write<(SystemTime, String), Vec<Waiting>>),
    Release(Write<Lease, bool>),
    Renew(RenewWrite),
    Prune(Write<Prune, Pruned>),
    Promote(Write<u32, Vec<Waiting>>),
    Claim(Write<Want, Vec<JobRow>>),
}

/// Writes of one commit, by kind, in the order in which they are applied.
#[derive(Default)]
pub struct Batch {
    pub recovers: Vec<Write<u32, u64>>,
    pub submits: Vec<Write<Box<NewJob>, Stored>>,
    pub starts: Vec<Write<Lease, bool>>,
    pub appends: Vec<Write<(Lease, Chunk), bool>>,
    pub finishes: Vec<FinishWrite>,
    pub cancels: Vec<Write<(JobId, String), Option<Waiting>>>,
    pub overdue: Vec<Write<(SystemTime, String), Vec<Waiting>>>,
    pub releases: Vec<Write<Lease, bool>>,
    pub renewals: Vec<RenewWrite>,
    pub prunes: Vec<Write<Prune, Pruned>>,
    pub promotes: Vec<Write<u32, Vec<Waiting>>>,
    pub claims: Vec<Write<Want, Vec<JobRow>>>,
}

/// What to answer, in the same order.
#[derive(Default)]
pub struct Answers {
    pub recovers: Vec<u64>,
    pub submits: Vec<Stored>,
    pub starts: Vec<bool>,
    pub appends: Vec<bool>,
    pub finishes: Vec<Option<Ended>>,
    pub cancels: Vec<Option<Waiting>>,
    pub overdue: Vec<Vec<Waiting>>,
    pub releases: Vec<bool>,
    pub renewals: Vec<Vec<(Lease, Standing)>>,
    pub prunes: Vec<Pruned>,
    pub promotes: Vec<Vec<Waiting>>,
    pub claims: Vec<Vec<JobRow>>,
}

impl Batch {
    fn of(commands: impl IntoIterator<Item = Command>) -> Batch {
        let mut batch = Batch::default();
        for command in commands {
            match command {
                Command::Recover(write) => batch.recovers.push(write),
                Command::Submit(write) => batch.submits.push(write),
                Command::Start(write) => batch.starts.push(write),
                Command::Append(write) => batch.appends.push(write),
                Command::Finish(write) => batch.finishes.push(write),
                Command::Cancel(write) => batch.cancels.push(write),
                Command::CancelOverdue(write) => batch.overdue.push(write),
                Command::Release(write) => batch.releases.push(write),
                Command::Renew(write) => batch.renewals.push(write),
                Command::Prune(write) => batch.prunes.push(write),
                Command::Promote(write) => batch.promotes.push(write),
                Command::Claim(write) => batch.claims.push(write),
            }
        }
        batch
    }

    fn into_commands(self) -> Vec<Command> {
        let mut commands = Vec::new();
        commands.extend(self.recovers.into_iter().map(Command::Recover));
        commands.extend(self.submits.into_iter().map(Command::Submit));
        commands.extend(self.starts.into_iter().map(Command::Start));
        commands.extend(self.appends.into_iter().map(Command::Append));
        commands.extend(self.finishes.into_iter().map(Command::Finish));
        commands.extend(self.cancels.into_iter().map(Command::Cancel));
        commands.extend(self.overdue.into_iter().map(Command::CancelOverdue));
        commands.extend(self.releases.into_iter().map(Command::Release));
        commands.extend(self.renewals.into_iter().map(Command::Renew));
        commands.extend(self.prunes.into_iter().map(Command::Prune));
        commands.extend(self.promotes.into_iter().map(Command::Promote));
        commands.extend(self.claims.into_iter().map(Command::Claim));
        commands
    }

    fn succeed(self, answers: Answers) {
        fn tell<I, T>(writes: Vec<Write<I, T>>, answers: Vec<T>) {
            writes.into_iter().zip(answers).for_each(|(write, answer)| write.answer(Ok(answer)));
        }
        tell(self.recovers, answers.recovers);
        tell(self.submits, answers.submits);
        tell(self.starts, answers.starts);
        tell(self.appends, answers.appends);
        tell(self.finishes, answers.finishes);
        tell(self.cancels, answers.cancels);
        tell(self.overdue, answers.overdue);
        tell(self.releases, answers.releases);
        tell(self.renewals, answers.renewals);
        tell(self.prunes, answers.prunes);
        tell(self.promotes, answers.promotes);
        tell(self.claims, answers.claims);
    }

    fn fail(self, error: &StoreError) {
        fn tell<I, T>(writes: Vec<Write<I, T>>, error: &StoreError) {
            writes.into_iter().for_each(|write| write.answer(Err(error.clone())));
        }
        tell(self.recovers, error);
        tell(self.submits, error);
        tell(self.starts, error);
        tell(self.appends, error);
        tell(self.finishes, error);
        tell(self.cancels, error);
        tell(self.overdue, error);
        tell(self.releases, error);
        tell(self.renewals, error);
        tell(self.prunes, error);
        tell(self.promotes, error);
        tell(self.claims, error);
    }
}

/// Makes batches durable: all of one, or nothing of it.
pub trait Transact: Send {
    /// Applies a batch, commits it, and gives what to answer.
    fn transact(&mut self, batch: &Batch) -> impl Future<Output = Result<Answers, StoreError>> + Send;
}

/// Writes what arrives, until every sender is gone.
pub async fn write_all(to: &mut impl Transact, mut receiver: mpsc::Receiver<Command>) {
    let (mut arrived, mut line) = (Vec::new(), Line::default());
    loop {
        let room = BACKLOG - line.len();
        if line.len() == 0 {
            receiver.recv_many(&mut arrived, room).await;
        } else {
            arrived.extend(std::iter::from_fn(|| receiver.try_recv().ok()).take(room));
        }
        arrived.drain(..).for_each(|command| line.push(command));
        if line.len() == 0 {
            return;
        }
        write(to, Batch::of(line.take())).await;
    }
}

async fn write(to: &mut impl Transact, batch: Batch) {
    let error = match to.transact(&batch).await {
        Ok(answers) => return batch.succeed(answers),
        Err(error) => error,
    };
    let commands = batch.into_commands();
    if commands.len() == 1 || !error.is_of_one_write() {
        Batch::of(commands).fail(&error);
        return;
    }
    tracing::warn!(%error, writes = commands.len(), "a shared commit failed, its writes are done one by one");
    for command in commands {
        let batch = Batch::of([command]);
        match to.transact(&batch).await {
            Ok(answers) => batch.succeed(answers),
            Err(error) => batch.fail(&error),
        }
    }
}
