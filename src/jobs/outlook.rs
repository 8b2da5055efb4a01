//! Where a waiting job stands, and how long it may still take: an estimate from how many wait, who goes first, and how
//! long runs took lately. It looks at no other job, so that it costs the same however many wait.

use std::time::{Duration, Instant, SystemTime};

use super::core::Core;
use super::error::JobsError;
use super::job::{Job, JobId, JobState};
use super::queue::Ahead;
use crate::store::StoreError;

/// Who is at the front of the store's queues is asked so often at most.
const FRESH: Duration = Duration::from_millis(200);

/// Where a waiting job stands. An estimate: others come, end early, or take longer than those before them.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Outlook {
    /// 1 for the job that is begun next; none while it waits for its time.
    pub place: Option<u64>,
    /// About how long it will wait until it is begun.
    pub wait: Duration,
}

/// The turns at the front of the store's queues, and when they were asked for.
pub type Fronts = Option<(Instant, [Option<i64>; 3])>;

/// What an outlook is read from.
#[derive(Debug)]
pub struct Prospect {
    fronts: [Option<i64>; 3],
    ahead: [Ahead; 3],
    /// The time in which one job of the queue is begun.
    pace: Duration,
    now: SystemTime,
}

impl Prospect {
    fn of_stored(&self, job: &Job, turn: i64) -> u64 {
        let lane = job.priority.index();
        let rounds = turn - self.fronts[lane].unwrap_or(turn);
        let ahead = &self.ahead[lane];
        ahead.before + ahead.crowd.within(u64::try_from(rounds).unwrap_or(0))
    }
}

impl Core {
    /// The prospect of jobs that wait now.
    pub async fn prospect(&self) -> Result<Prospect, StoreError> {
        let mut fronts = self.fronts.lock().await;
        let turns = match *fronts {
            Some((asked, turns)) if asked.elapsed() < FRESH => turns,
            _ => {
                let turns = self.store.fronts().await?;
                *fronts = Some((Instant::now(), turns));
                turns
            }
        };
        drop(fronts);
        let threads = self.settings.workers.max(1) as u64 * self.store.sharers().max(1);
        let pace = self.mean_run() / u32::try_from(threads).unwrap_or(u32::MAX);
        Ok(Prospect { fronts: turns, ahead: self.queue.crowds(), pace, now: self.store.clock() })
    }

    /// Where a job stands, if it waits.
    pub fn outlook(&self, job: &Job, prospect: &Prospect) -> Option<Outlook> {
        if job.state == JobState::Scheduled {
            let wait = job.due?.duration_since(prospect.now).unwrap_or_default();
            return Some(Outlook { place: None, wait });
        }
        if job.state != JobState::Queued {
            return None;
        }
        let here = self.find(job.id).map(|live| self.queue.ahead_of(&live).unwrap_or(0));
        let ahead = match (here, job.turn) {
            (Some(ahead), _) => ahead,
            (None, Some(turn)) => prospect.of_stored(job, turn),
            (None, None) => return None,
        };
        let times = u32::try_from(ahead).unwrap_or(u32::MAX);
        Some(Outlook { place: Some(ahead + 1), wait: prospect.pace.saturating_mul(times) })
    }

    /// Where a job stands now, if it waits.
    pub async fn outlook_of(&self, id: JobId) -> Result<Option<Outlook>, JobsError> {
        let job = self.job(id).await?;
        match job.state {
            JobState::Scheduled | JobState::Queued => Ok(self.outlook(&job, &self.prospect().await?)),
            _ => Ok(None),
        }
    }
}
