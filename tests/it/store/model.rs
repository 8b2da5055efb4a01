//! A seeded walk through everything a store can be asked, beside a model of a few lines that must agree.

use std::collections::BTreeMap;
use std::sync::Arc;

use sleuth::store::*;

use super::Open;
use super::suite::{finish, job};

#[derive(Clone, Debug)]
struct Model {
    priority: Priority,
    request: Option<u64>,
    state: JobState,
    is_claimed: bool,
    is_suspect: bool,
    attempt: u32,
    deaths: u32,
}

const MAX_DEATHS: u32 = 3;
const OPERATIONS: usize = 120;

struct Random(u64);

impl Random {
    /// Below the bound.
    fn next(&mut self, bound: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) % bound
    }
}

pub async fn check(open: Open, seed: u64) {
    let folder = tempfile::tempdir().expect("a folder");
    let mut store = open(folder.path()).await.expect("opens");
    let mut random = Random(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15));
    let mut jobs: BTreeMap<JobId, Model> = BTreeMap::new();
    for operation in 0..OPERATIONS {
        match random.next(100) {
            0..30 => submit(&store, &mut jobs, &mut random).await,
            30..50 => claim(&store, &mut jobs, &mut random).await,
            50..60 => write(&store, &mut jobs, &mut random, Write::Start).await,
            60..80 => write(&store, &mut jobs, &mut random, Write::Finish).await,
            80..87 => write(&store, &mut jobs, &mut random, Write::Release).await,
            87..95 => cancel(&store, &mut jobs, &mut random).await,
            _ => {
                store.close().await.expect("closes");
                store = open(folder.path()).await.expect("opens");
                recover(&store, &mut jobs).await;
            }
        }
        compare(&store, &jobs, &format!("seed {seed}, operation {operation}")).await;
    }
    store.close().await.expect("closes");
}

async fn submit(store: &Arc<dyn Store>, jobs: &mut BTreeMap<JobId, Model>, random: &mut Random) {
    let request = (random.next(3) == 0).then(|| random.next(6));
    let priority = Priority::ALL[random.next(3) as usize];
    let claimed = random.next(2) == 0;
    let new = NewJob { request_id: request.map(|id| id.to_string()), priority, claimed, ..job("a") };
    let known = request.and_then(|request| jobs.iter().find(|(_, job)| job.request == Some(request)));
    match (store.submit(new).await.expect("stored"), known) {
        (Stored::Existing(row), Some((id, _))) => assert_eq!(row.id, *id),
        (Stored::Fresh(id, _), None) => {
            assert!(jobs.keys().all(|old| *old < id), "numbers rise");
            let model = Model {
                priority,
                request,
                state: JobState::Queued,
                is_claimed: claimed,
                is_suspect: false,
                attempt: u32::from(claimed),
                deaths: 0,
            };
            jobs.insert(id, model);
        }
        (stored, known) => panic!("{stored:?}, and the model knows {known:?}"),
    }
}

async fn claim(store: &Arc<dyn Store>, jobs: &mut BTreeMap<JobId, Model>, random: &mut Random) {
    let (want, limit) = match random.next(4) {
        3 => (Want::Suspect, 1),
        lane => (Want::Ready(Priority::ALL[lane as usize], 2), 2),
    };
    let is_wanted = |job: &&mut Model| {
        let is_waiting = job.state == JobState::Queued && !job.is_claimed;
        is_waiting
            && match want {
                Want::Suspect => job.is_suspect,
                Want::Ready(priority, _) => !job.is_suspect && job.priority == priority,
            }
    };
    let claimed: Vec<JobId> = store.claim(want).await.expect("claimed").iter().map(|row| row.id).collect();
    let mut expected = Vec::new();
    for (id, job) in jobs.iter_mut().filter(|(_, job)| is_wanted(job)).take(limit) {
        job.is_claimed = true;
        job.attempt += 1;
        if want == Want::Suspect {
            job.state = JobState::Running;
        }
        expected.push(*id);
    }
    assert_eq!(claimed, expected);
}

#[derive(Clone, Copy, PartialEq)]
enum Write {
    Start,
    Finish,
    Release,
}

/// A write under a lease that is good or stale.
async fn write(store: &Arc<dyn Store>, jobs: &mut BTreeMap<JobId, Model>, random: &mut Random, write: Write) {
    if jobs.is_empty() {
        return;
    }
    let place = random.next(jobs.len() as u64) as usize;
    let (id, job) = jobs.iter_mut().nth(place).expect("in range");
    let attempt = if random.next(4) == 0 { job.attempt.saturating_sub(1) } else { job.attempt };
    let lease = Lease { job: *id, attempt };
    let is_held = job.is_claimed && attempt == job.attempt;
    let was_written = match write {
        Write::Start => store.start(lease).await.expect("asked"),
        Write::Finish => store.finish(lease, finish(JobState::Succeeded)).await.expect("asked").is_some(),
        Write::Release => store.release(lease).await.expect("asked"),
    };
    assert_eq!(was_written, is_held);
    if is_held {
        job.state = match write {
            Write::Start => JobState::Running,
            Write::Finish => JobState::Succeeded,
            Write::Release => JobState::Queued,
        };
        job.is_claimed = write == Write::Start;
    }
}

async fn cancel(store: &Arc<dyn Store>, jobs: &mut BTreeMap<JobId, Model>, random: &mut Random) {
    if jobs.is_empty() {
        return;
    }
    let place = random.next(jobs.len() as u64) as usize;
    let (id, job) = jobs.iter_mut().nth(place).expect("in range");
    let is_waiting = job.state == JobState::Queued && !job.is_claimed;
    let waiting = Waiting { id: *id, priority: job.priority, suspect: job.is_suspect };
    assert_eq!(store.cancel(*id, "x".into()).await, Ok(is_waiting.then_some(waiting)));
    if is_waiting {
        job.state = JobState::Cancelled;
    }
}

async fn recover(store: &Arc<dyn Store>, jobs: &mut BTreeMap<JobId, Model>) {
    for job in jobs.values_mut().filter(|job| job.is_claimed) {
        job.is_claimed = false;
        job.is_suspect = true;
        job.deaths += u32::from(job.state == JobState::Running);
        let is_deadly = job.state == JobState::Running && job.deaths >= MAX_DEATHS;
        job.state = if is_deadly { JobState::Failed } else { JobState::Queued };
    }
    let backlog = store.recover(MAX_DEATHS).await.expect("recovers");
    let mut expected = Backlog::default();
    for job in jobs.values().filter(|job| job.state == JobState::Queued && !job.is_claimed) {
        if job.is_suspect {
            expected.suspects += 1;
        } else {
            expected.ready[job.priority.index()] += 1;
        }
    }
    assert_eq!(backlog, expected);
}

async fn compare(store: &Arc<dyn Store>, jobs: &BTreeMap<JobId, Model>, place: &str) {
    let page = Page { size: Page::MAX, token: None };
    let rows = store.jobs(JobFilter::default(), page).await.expect("read").items;
    let seen: Vec<_> = rows
        .iter()
        .rev()
        .map(|row| (row.id, row.state, row.attempt, row.deaths, row.end_time.is_some()))
        .collect();
    let expected: Vec<_> = jobs
        .iter()
        .map(|(id, job)| (*id, job.state, job.attempt, job.deaths, job.state.is_final()))
        .collect();
    assert_eq!(seen, expected, "{place}");
}
