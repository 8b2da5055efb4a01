//! Writes that share a commit. What arrives while a commit is under way shares the next one, so that many clients
//! share the cost of making things durable; each is answered after the commit.
//!
//! Writes of a batch are applied kind by kind, in an order that keeps every cause before its effect. If any of
//! them fails the whole batch is undone and each is done again by itself, so that none fails for its neighbours.

use std::future::Future;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant, SystemTime};

use tokio::sync::mpsc;

use super::line::{Line, bytes_of, scattered_bytes_of};
use super::row::*;
use super::{Answer, EarlyEnd, Reply, StoreError};

/// Something to write, and whom to tell.
pub struct Write<I, T> {
    pub input: I,
    pub reply: Reply<T>,
}

/// A job to store.
pub struct Submit {
    pub job: NewJob,
    /// Where its end may come from until it is in a batch.
    pub early: EarlyEnd,
    /// Its end, if that came before.
    pub end: Option<Arc<Finish>>,
}

/// A job to write.
pub type SubmitWrite = Write<Box<Submit>, Stored>;

/// The end of a job to write.
pub type FinishWrite = Write<(Lease, Arc<Finish>), Option<Ended>>;

/// Leases to renew.
pub type RenewWrite = Write<Vec<Lease>, Vec<(Lease, Standing)>>;

/// Everything that can be written.
pub enum Command {
    Recover(Write<u32, u64>),
    Submit(SubmitWrite),
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

/// The way to the task that writes, until the store closes. What waits in it is bounded by those who ask: each waits for
/// its answer, or has a place in a queue.
#[derive(Debug)]
pub struct Inlet(Mutex<Option<mpsc::UnboundedSender<Command>>>);

impl Inlet {
    pub fn new(sender: mpsc::UnboundedSender<Command>) -> Inlet {
        Inlet(Mutex::new(Some(sender)))
    }

    fn lock(&self) -> MutexGuard<'_, Option<mpsc::UnboundedSender<Command>>> {
        // nothing in here panics half-way
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Without a writer whoever asks hears that the store is closed.
    pub fn send(&self, command: Command) {
        let sender = self.lock().clone();
        if let Some(sender) = sender {
            drop(sender.send(command));
        }
    }

    /// The same, for an answer to be waited for.
    pub fn ask<'a, I, T: Send + 'static>(
        &self,
        input: I,
        command: fn(Write<I, T>) -> Command,
    ) -> Answer<'a, T> {
        let (reply, answer) = Reply::pair();
        self.send(command(Write { input, reply }));
        answer
    }

    /// Stores a job, whose end may come before.
    pub fn submit(&self, job: NewJob, early: EarlyEnd, reply: Reply<Stored>) {
        let input = Box::new(Submit { job, early, end: None });
        self.send(Command::Submit(Write { input, reply }));
    }

    /// Nothing more is written than what was sent.
    pub fn close(&self) {
        drop(self.lock().take());
    }
}

/// Writes of one commit, by kind, in the order in which they are applied.
#[derive(Default)]
pub struct Batch {
    pub recovers: Vec<Write<u32, u64>>,
    pub submits: Vec<SubmitWrite>,
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
    /// What they add to a log of pages, about.
    pub bytes: usize,
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
            batch.bytes += bytes_of(&command) + scattered_bytes_of(&command);
            match command {
                Command::Recover(write) => batch.recovers.push(write),
                Command::Submit(mut write) => {
                    // what came in time for an earlier try stands
                    write.input.end = write.input.end.take().or_else(|| write.input.early.take());
                    batch.submits.push(write);
                }
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

    /// The ends to write: those of jobs that were stored just now, and then the others.
    pub fn ends(&self, stored: &[Stored]) -> Vec<(Lease, &Finish)> {
        let early =
            stored.iter().zip(&self.submits).filter_map(|(stored, write)| match (stored, &write.input.end) {
                (Stored::Fresh(job, _), Some(end)) => Some((Lease { job: *job, attempt: 1 }, &**end)),
                _ => None,
            });
        let others = self.finishes.iter().map(|write| (write.input.0, &*write.input.1));
        early.chain(others).collect()
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
            writes.into_iter().zip(answers).for_each(|(write, answer)| write.reply.tell(Ok(answer)));
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
            writes.into_iter().for_each(|write| write.reply.tell(Err(error.clone())));
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

impl Answers {
    /// What came of [`Batch::ends`].
    pub fn take_ended(&mut self, batch: &Batch, mut ended: Vec<Option<Ended>>) {
        let others = ended.split_off(ended.len() - batch.finishes.len());
        let early = self.submits.iter_mut().zip(&batch.submits).filter_map(|(stored, write)| match stored {
            Stored::Fresh(job, _) if write.input.end.is_some() => Some((*job, stored)),
            _ => None,
        });
        for ((job, stored), ended) in early.zip(ended) {
            if let Some(ended) = ended {
                *stored = Stored::Ended(job, ended);
            }
        }
        self.finishes = others;
    }
}

/// Makes batches durable: all of one, or nothing of it.
pub trait Transact: Send {
    /// Applies a batch, commits it, and gives what to answer.
    fn transact(&mut self, batch: &Batch) -> impl Future<Output = Result<Answers, StoreError>> + Send;
}

/// Batches that were written and wait to be told, at most.
const UNTOLD: usize = 2;

/// Writes what arrives, until every sender is gone. Those who asked are told by a task of its own, so that the next
/// commit need not wait for what they do about it.
pub async fn write_all(to: &mut impl Transact, mut receiver: mpsc::UnboundedReceiver<Command>) {
    let (teller, mut written) = mpsc::channel::<Written>(UNTOLD);
    let telling = tokio::spawn(async move {
        while let Some(written) = written.recv().await {
            written.tell();
        }
    });
    let (mut arrived, mut line, mut last) = (Vec::new(), Line::default(), Duration::ZERO);
    loop {
        if line.len() == 0 {
            receiver.recv_many(&mut arrived, usize::MAX).await;
        } else {
            arrived.extend(std::iter::from_fn(|| receiver.try_recv().ok()));
        }
        arrived.drain(..).for_each(|command| line.push(command));
        if line.len() == 0 {
            break;
        }
        let began = Instant::now();
        write(to, Batch::of(line.take(last)), &teller).await;
        last = began.elapsed();
    }
    drop(teller);
    if telling.await.is_err() {
        tracing::error!("whoever waited for the last commits was not told of them: a reply panicked");
    }
}

/// A batch, and what came of it.
struct Written {
    batch: Batch,
    result: Result<Answers, StoreError>,
}

impl Written {
    fn tell(self) {
        match self.result {
            Ok(answers) => self.batch.succeed(answers),
            Err(error) => self.batch.fail(&error),
        }
    }
}

async fn write(to: &mut impl Transact, batch: Batch, teller: &mpsc::Sender<Written>) {
    let tell = async |batch, result| {
        // without the task its replies hear that the store is closed
        drop(teller.send(Written { batch, result }).await);
    };
    let error = match to.transact(&batch).await {
        Ok(answers) => return tell(batch, Ok(answers)).await,
        Err(error) => error,
    };
    let commands = batch.into_commands();
    if commands.len() == 1 || !error.is_of_one_write() {
        return tell(Batch::of(commands), Err(error)).await;
    }
    tracing::warn!(%error, writes = commands.len(), "a shared commit failed, its writes are done one by one");
    for command in commands {
        let batch = Batch::of([command]);
        let result = to.transact(&batch).await;
        tell(batch, result).await;
    }
}
