//! The threads that do all the work. Deep recursion is bounded by the engines; the stacks leave room for it.

use std::io;
use std::ops::ControlFlow;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::thread::{self, JoinHandle};

use tokio::sync::{Semaphore, mpsc};

use super::end::Room;
use super::live::Live;
use super::queue::{Duty, Queue, Work};
use super::runner::{Ending, Executor, panic_message};

/// Stack of a thread.
const STACK: usize = 16 << 20;

/// A run that has ended, with its room if it has one already.
pub type Ended = (Arc<Live>, Ending, Room);

/// What the threads share.
#[derive(Clone)]
pub struct Crew {
    pub queue: Arc<Queue>,
    pub executor: Executor,
    /// For ends under way to the store. It is bounded, so that solving never gets far ahead of storing.
    pub room: Arc<Semaphore>,
    /// Where ended runs go, bounded as well.
    pub ended: mpsc::Sender<Ended>,
}

impl Crew {
    /// Starts so many threads for any work, one for interactive work alone, and one for short calls alone.
    pub fn start(self, workers: usize) -> io::Result<Vec<JoinHandle<()>>> {
        let duties = std::iter::repeat_n(Duty::Any, workers.max(1)).chain([Duty::Interactive, Duty::Calls]);
        let spawn = |(number, duty): (usize, Duty)| {
            let crew = self.clone();
            thread::Builder::new()
                .name(format!("worker-{number}"))
                .stack_size(STACK)
                .spawn(move || crew.work(duty))
        };
        duties.enumerate().map(spawn).collect()
    }

    fn work(self, duty: Duty) {
        while let Some(work) = self.queue.next(duty, self.executor.at_once()) {
            match work {
                Work::Jobs(jobs) => {
                    let ran = self.executor.run(&jobs, &mut |live, ending| self.end(live, ending));
                    if ran.is_break() {
                        // whoever stores ends is gone only when all is over; the next start takes the jobs up
                        return;
                    }
                }
                Work::Call(call) => {
                    // the call answers its caller itself, a panic included; this guards the thread alone
                    if let Err(panic) = catch_unwind(AssertUnwindSafe(call)) {
                        tracing::error!(
                            panic = panic_message(&*panic),
                            "a call panicked outside its own guard"
                        );
                    }
                }
            }
        }
    }

    /// The end of a job that is not stored yet is handed in here, for the commit that stores the job. Any other goes to
    /// whoever stores ends.
    fn end(&self, live: &Arc<Live>, ending: Ending) -> ControlFlow<()> {
        let (ending, room) = match self.room.clone().try_acquire_owned() {
            Ok(room) => match live.end(ending, Some(room)) {
                Some((_, ending, room)) => (ending, room),
                None => return ControlFlow::Continue(()),
            },
            Err(_) => (ending, None),
        };
        match self.ended.blocking_send((live.clone(), ending, room)) {
            Ok(()) => ControlFlow::Continue(()),
            Err(_) => ControlFlow::Break(()),
        }
    }
}
