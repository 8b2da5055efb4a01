//! A seeded walk through everything a store can be asked, beside a model of a few lines that must agree.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use sleuth::store::*;

use super::Timed;
use super::suite::{finish, job};

#[derive(Clone, Debug)]
struct Model {
    client: usize,
    priority: Priority,
    /// None while it waits for its time.
    turn: Option<i64>,
    /// The day on which it is due.
    due: Option<u64>,
    /// The day on which its time is over.
    deadline: Option<u64>,
    request: Option<u64>,
    state: JobState,
    is_claimed: bool,
    is_suspect: bool,
    attempt: u32,
    deaths: u32,
}

impl Model {
    fn is_ready(&self) -> bool {
        self.state == JobState::Queued && !self.is_claimed && !self.is_suspect
    }

    fn wait(&self) -> Wait {
        match self.turn {
            None => Wait::Time,
            Some(_) if self.is_suspect => Wait::Trial,
            Some(_) => Wait::Claim,
        }
    }
}

/// The first turn that is ready at a priority.
fn front(jobs: &BTreeMap<JobId, Model>, priority: Priority) -> Option<i64> {
    jobs.values().filter(|job| job.is_ready() && job.priority == priority).filter_map(|job| job.turn).min()
}

/// The turn that the next job of a client gets.
fn next_turn(jobs: &BTreeMap<JobId, Model>, client: usize, priority: Priority) -> i64 {
    let own = jobs.values().filter(|job| job.is_ready() && job.priority == priority && job.client == client);
    let last = own.filter_map(|job| job.turn).max();
    last.map_or(0, |last| last + 1).max(front(jobs, priority).unwrap_or(0))
}

/// The turn of a job that is given back: that of the front, unless jobs of its client that came before it wait.
fn turn_back(jobs: &BTreeMap<JobId, Model>, id: JobId) -> Option<i64> {
    let job = &jobs[&id];
    let is_own =
        |other: &Model| other.is_ready() && other.priority == job.priority && other.client == job.client;
    let mut own: Vec<(Option<i64>, JobId)> =
        jobs.iter().filter(|(_, other)| is_own(other)).map(|(id, other)| (other.turn, *id)).collect();
    own.sort_unstable();
    match (own.first(), own.last()) {
        (Some((_, first)), Some((last, _))) if *first < id => {
            own.iter().find(|(_, other)| *other > id).map_or(*last, |(turn, _)| *turn)
        }
        _ => front(jobs, job.priority).or(job.turn),
    }
}

const CLIENTS: [&str; 3] = ["a", "b", "c"];
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

/// The time goes by days, so that what passes while the test runs is none.
const DAY: Duration = Duration::from_secs(86_400);

/// When the walk began, and how many days have passed.
struct Calendar {
    begin: SystemTime,
    days: u64,
}

impl Calendar {
    fn day(&self, day: u64) -> SystemTime {
        row::whole_millis(self.begin + DAY * day as u32)
    }
}

pub async fn check(timed: Timed, seed: u64) {
    let Timed { open, set } = timed;
    let folder = tempfile::tempdir().expect("a folder");
    set(folder.path(), Duration::ZERO).await.expect("set");
    let mut calendar = Calendar { begin: SystemTime::now(), days: 0 };
    let mut store = open(folder.path()).await.expect("opens");
    let mut random = Random(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15));
    let mut jobs: BTreeMap<JobId, Model> = BTreeMap::new();
    for operation in 0..OPERATIONS {
        match random.next(100) {
            0..30 => submit(&store, &mut jobs, &mut random, &calendar).await,
            30..50 => claim(&store, &mut jobs, &mut random).await,
            50..60 => write(&store, &mut jobs, &mut random, Write::Start).await,
            60..80 => write(&store, &mut jobs, &mut random, Write::Finish).await,
            80..87 => write(&store, &mut jobs, &mut random, Write::Release).await,
            87..90 => cancel(&store, &mut jobs, &mut random).await,
            90..93 => promote(&store, &mut jobs, &mut random, &calendar).await,
            93..95 => cancel_overdue(&store, &mut jobs, &calendar).await,
            95..97 => {
                calendar.days += 1;
                set(folder.path(), DAY * calendar.days as u32).await.expect("set");
            }
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

async fn submit(
    store: &Arc<dyn Store>,
    jobs: &mut BTreeMap<JobId, Model>,
    random: &mut Random,
    calendar: &Calendar,
) {
    let request = (random.next(3) == 0).then(|| random.next(6));
    let priority = Priority::ALL[random.next(3) as usize];
    let client = random.next(3) as usize;
    let claimed = random.next(5) < 2;
    // today is at once
    let due = (!claimed && random.next(2) == 0).then(|| calendar.days + random.next(4));
    let deadline = (random.next(4) == 0).then(|| calendar.days + 1 + random.next(4));
    let request_id = request.map(|id| id.to_string());
    let (due_time, deadline_time) = (due.map(|day| calendar.day(day)), deadline.map(|day| calendar.day(day)));
    let new = NewJob {
        request_id,
        priority,
        claimed,
        due: due_time,
        deadline: deadline_time,
        ..job(CLIENTS[client])
    };
    let is_same = |job: &Model| job.request == request && job.client == client;
    let known = request.and_then(|_| jobs.iter().find(|(_, job)| is_same(job)));
    match (store.submit(new).await.expect("stored"), known) {
        (Stored::Existing(row), Some((id, _))) => assert_eq!(row.id, *id),
        (Stored::Fresh(id, _), None) => {
            assert!(jobs.keys().all(|old| *old < id), "numbers rise");
            let is_due = due.is_none_or(|day| day <= calendar.days);
            let turn = if claimed { 0 } else { next_turn(jobs, client, priority) };
            let model = Model {
                client,
                priority,
                turn: is_due.then_some(turn),
                due,
                deadline,
                request,
                state: if is_due { JobState::Queued } else { JobState::Scheduled },
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
    let mut wanted: Vec<_> = jobs.iter_mut().filter(|(_, job)| is_wanted(job)).collect();
    if want != Want::Suspect {
        wanted.sort_by_key(|(id, job)| (job.turn, **id));
    }
    for (id, job) in wanted.into_iter().take(limit) {
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
    let id = *jobs.keys().nth(place).expect("in range");
    let turn = turn_back(jobs, id);
    let job = jobs.get_mut(&id).expect("it is there");
    let attempt = if random.next(4) == 0 { job.attempt.saturating_sub(1) } else { job.attempt };
    let lease = Lease { job: id, attempt };
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
        if write == Write::Release {
            job.turn = turn;
        }
    }
}

async fn cancel(store: &Arc<dyn Store>, jobs: &mut BTreeMap<JobId, Model>, random: &mut Random) {
    if jobs.is_empty() {
        return;
    }
    let place = random.next(jobs.len() as u64) as usize;
    let (id, job) = jobs.iter_mut().nth(place).expect("in range");
    let is_waiting = matches!(job.state, JobState::Scheduled | JobState::Queued) && !job.is_claimed;
    let client = ClientId(CLIENTS[job.client].into());
    let waiting = Waiting { id: *id, client, priority: job.priority, wait: job.wait() };
    assert_eq!(store.cancel(*id, "x".into()).await, Ok(is_waiting.then_some(waiting)));
    if is_waiting {
        job.state = JobState::Cancelled;
    }
}

async fn recover(store: &Arc<dyn Store>, jobs: &mut BTreeMap<JobId, Model>) {
    let claimed = jobs.values().filter(|job| job.is_claimed).count();
    for job in jobs.values_mut().filter(|job| job.is_claimed) {
        job.is_claimed = false;
        job.is_suspect = true;
        job.deaths += u32::from(job.state == JobState::Running);
        let is_deadly = job.state == JobState::Running && job.deaths >= MAX_DEATHS;
        job.state = if is_deadly { JobState::Failed } else { JobState::Queued };
    }
    assert_eq!(store.recover(MAX_DEATHS).await, Ok(claimed as u64));
}

/// The time of some jobs has come: those that were due first.
async fn promote(
    store: &Arc<dyn Store>,
    jobs: &mut BTreeMap<JobId, Model>,
    random: &mut Random,
    calendar: &Calendar,
) {
    let limit = 1 + random.next(4);
    let is_due = |job: &&Model| job.state == JobState::Scheduled && job.due <= Some(calendar.days);
    let mut due: Vec<(Option<u64>, JobId)> =
        jobs.iter().filter(|(_, job)| is_due(job)).map(|(id, job)| (job.due, *id)).collect();
    due.sort_unstable();
    due.truncate(limit as usize);
    let promoted = store.promote(limit as u32).await.expect("written");
    assert_eq!(
        promoted.iter().map(|job| job.id).collect::<Vec<_>>(),
        due.iter().map(|(_, id)| *id).collect::<Vec<_>>()
    );
    // their turns begin where they stood before the first of them was queued
    let mut next: BTreeMap<(usize, Priority), i64> = BTreeMap::new();
    for (_, id) in &due {
        let (client, priority) = (jobs[id].client, jobs[id].priority);
        next.entry((client, priority)).or_insert_with(|| next_turn(jobs, client, priority));
    }
    for (_, id) in due {
        let job = jobs.get_mut(&id).expect("is there");
        let turn = next.get_mut(&(job.client, job.priority)).expect("just now");
        (job.state, job.turn) = (JobState::Queued, Some(*turn));
        *turn += 1;
    }
}

async fn cancel_overdue(store: &Arc<dyn Store>, jobs: &mut BTreeMap<JobId, Model>, calendar: &Calendar) {
    let overdue = store.cancel_overdue(calendar.day(calendar.days), "x".into()).await.expect("written");
    let mut ids: Vec<JobId> = overdue.iter().map(|job| job.id).collect();
    ids.sort_unstable();
    let mut expected = Vec::new();
    for (id, job) in jobs.iter_mut() {
        let waits = matches!(job.state, JobState::Scheduled | JobState::Queued) && !job.is_claimed;
        if waits && job.deadline.is_some_and(|day| day <= calendar.days) {
            job.state = JobState::Cancelled;
            expected.push(*id);
        }
    }
    assert_eq!(ids, expected);
}

async fn compare_books(store: &Arc<dyn Store>, jobs: &BTreeMap<JobId, Model>, place: &str) {
    let mut expected = Backlog::default();
    for job in jobs.values() {
        let client = ClientId(CLIENTS[job.client].into());
        match job.wait() {
            Wait::Time if job.state == JobState::Scheduled => {
                expected.clients.entry(client).or_default().scheduled += 1;
            }
            Wait::Claim if job.is_ready() => {
                expected.clients.entry(client).or_default().ready[job.priority.index()] += 1;
            }
            Wait::Trial if job.state == JobState::Queued && !job.is_claimed => expected.suspects += 1,
            _ => {}
        }
    }
    assert_eq!(store.backlog().await, Ok(expected), "{place}");
    assert_eq!(store.fronts().await, Ok(Priority::ALL.map(|priority| front(jobs, priority))), "{place}");
}

async fn compare(store: &Arc<dyn Store>, jobs: &BTreeMap<JobId, Model>, place: &str) {
    let page = Page { size: Page::MAX, token: None };
    let rows = store.jobs(JobFilter::default(), page).await.expect("read").items;
    let seen: Vec<_> = rows
        .iter()
        .rev()
        .map(|row| (row.id, row.state, row.turn, row.attempt, row.deaths, row.end_time.is_some()))
        .collect();
    let expected: Vec<_> = jobs
        .iter()
        .map(|(id, job)| (*id, job.state, job.turn, job.attempt, job.deaths, job.state.is_final()))
        .collect();
    assert_eq!(seen, expected, "{place}");
    compare_books(store, jobs, place).await;
}
