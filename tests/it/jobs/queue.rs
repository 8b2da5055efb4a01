//! Who goes first, who may wait, and when: clients in turn, quotas, start times, places in the queue.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, SystemTime};

use sleuth::jobs::{
    ClientId, JobFilter, JobId, JobState, JobsError, Outlook, Priority, Settings, Submission,
};
use sleuth::store::{Clock, Page};

use super::*;

/// Whatever becomes of scheduled jobs about their time, clients are counted what they have waiting and no more, and what
/// they submit next is begun.
#[tokio::test(flavor = "multi_thread")]
async fn jobs_cancelled_about_their_time_leave_nothing_behind() {
    let settings = Settings { workers: 1, client_limit: 1, ..Settings::default() };
    let bench = Bench::scripted(settings).await;
    let clients: Vec<_> = (0..60)
        .map(|number| {
            let jobs = bench.jobs.clone();
            tokio::spawn(async move {
                let client = ClientId(format!("client {number}").into());
                let submission = Submission { client: client.clone(), ..scripted_job(script::QUICK) };
                for round in 0..20 {
                    let due = SystemTime::now() + Duration::from_millis(20);
                    let later = Submission { due: Some(due), ..submission.clone() };
                    let id = jobs.submit(later).await.expect("there is room").job.id;
                    tokio::time::sleep(Duration::from_micros(18_000 + 1_000 * (number + round) % 6_000))
                        .await;
                    let ended = jobs.cancel(Some(&client), id).await.expect("it ends");
                    assert!(ended.state.is_final());
                    let next = jobs.submit(submission.clone()).await.expect("nothing else waits").job.id;
                    until_final(&jobs, next).await;
                }
            })
        })
        .collect();
    for client in clients {
        client.await.expect("no panic");
    }
    bench.close().await;
}

async fn until_final(jobs: &Jobs, id: JobId) {
    crate::harness::until("the job ends", async || {
        jobs.job(None, id).await.expect("it is there").state.is_final().then_some(())
    })
    .await;
}

/// A submission of a client by its number: the digit of its puzzle.
fn job_of(number: u8) -> Submission {
    let options = SolveOptions { limit: script::QUICK, ..SolveOptions::default() };
    let client = ClientId(number.to_string().into());
    Submission::new(client, JobSpec::Solve { puzzle: small(number), options })
}

/// A door through which so many jobs go.
#[derive(Clone, Default)]
struct Turnstile(Arc<(Mutex<usize>, Condvar)>);

impl Turnstile {
    fn let_through(&self, count: usize) {
        *self.0.0.lock().expect("no panic") += count;
        self.0.1.notify_all();
    }

    fn pass(&self) {
        let left = self.0.0.lock().expect("no panic");
        *self.0.1.wait_while(left, |left| *left == 0).expect("no panic") -= 1;
    }
}

/// Jobs that note whose was begun, one after the other, as they are let through.
struct Ledger {
    jobs: Jobs,
    store: Arc<dyn Store>,
    door: Turnstile,
    begun: Arc<Mutex<Vec<u8>>>,
    #[expect(dead_code, reason = "it is kept until the end")]
    folder: TempDir,
}

impl Ledger {
    async fn open(settings: Settings) -> Ledger {
        let folder = tempfile::tempdir().expect("a folder");
        let store = open_store(folder.path()).await;
        let (door, begun) = (Turnstile::default(), Arc::new(Mutex::new(Vec::new())));
        let (at, book, play) = (door.clone(), begun.clone(), scripted(Gate::default()));
        let execute = move |spec: &JobSpec, budget: &mut Budget, each: &mut dyn FnMut(TraceEvent)| {
            at.pass();
            let first = spec.puzzle().and_then(|puzzle| puzzle.givens()[0]).expect("a digit");
            book.lock().expect("no panic").push(first.value());
            play(spec, budget, each)
        };
        let jobs = Jobs::start_with(store.clone(), settings, Arc::new(execute)).await.expect("starts");
        Ledger { jobs, store, door, begun, folder }
    }

    async fn submit(&self, number: u8, count: usize) -> Vec<JobId> {
        let mut ids = Vec::new();
        for _ in 0..count {
            ids.push(timely(self.jobs.submit(job_of(number))).await.expect("stored").job.id);
        }
        ids
    }

    /// Lets one job through; whose it is.
    async fn step(&self) -> u8 {
        let begun = || self.begun.lock().expect("no panic").clone();
        let before = begun().len();
        self.door.let_through(1);
        while begun().len() == before {
            tokio::task::yield_now().await;
        }
        begun()[before]
    }

    /// How many jobs of a client wait in the store.
    async fn stored(&self, number: u8) -> u64 {
        let backlog = self.store.backlog().await.expect("read");
        backlog
            .clients
            .get(&ClientId(number.to_string().into()))
            .map_or(0, |waiting| waiting.ready.iter().sum())
    }

    async fn close(self) -> Vec<u8> {
        self.door.let_through(1_000_000);
        while self.jobs.waiting() > 0 {
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
        timely(self.jobs.shutdown(Duration::from_secs(30))).await;
        self.store.close().await.expect("closes");
        self.begun.lock().expect("no panic").clone()
    }
}

/// One client has hundreds of jobs waiting, here and in the store. Others come later, with one job and with some.
#[tokio::test(flavor = "multi_thread")]
async fn a_client_with_many_jobs_starves_nobody() {
    let ledger = Ledger::open(one_worker()).await;
    ledger.submit(1, 400).await;
    ledger.submit(2, 1).await;
    ledger.submit(3, 6).await;
    let mut left = 6;
    for _ in 0..40 {
        left -= u64::from(ledger.step().await == 3);
        // all that is left of it is in the store: its next ones are fetched
        let fetched = async {
            while left > 0 && ledger.stored(3).await == left {
                tokio::task::yield_now().await;
            }
        };
        timely(fetched).await;
    }
    let begun = ledger.close().await;
    assert_eq!(begun.len(), 407);
    let place = |client: u8, nth: usize| {
        let mut places = begun.iter().enumerate().filter(|(_, number)| **number == client);
        places.nth(nth).map(|(place, _)| place).expect("all are begun")
    };
    // the first is at a worker, and one job of each other client comes before its own
    assert!(place(2, 0) <= 4, "{:?}", &begun[..20]);
    assert!(place(3, 0) <= 4, "{:?}", &begun[..20]);
    // some wait in the store, whence they are fetched as their turn comes
    assert!(place(3, 5) <= 30, "{:?}", &begun[..40]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_client_has_a_quota() {
    let ledger = Ledger::open(Settings { client_limit: 3, queue_limit: 5, ..one_worker() }).await;
    // one is begun
    ledger.submit(1, 1).await;
    while ledger.jobs.waiting() > 0 {
        tokio::time::sleep(Duration::from_millis(1)).await;
    }
    ledger.submit(1, 2).await;
    let later = Submission { due: Some(SystemTime::now() + Duration::from_secs(3_600)), ..job_of(1) };
    let later = timely(ledger.jobs.submit(later)).await.expect("stored").job;
    assert_eq!(later.state, JobState::Scheduled);
    match timely(ledger.jobs.submit(job_of(1))).await {
        Err(JobsError::OverQuota { limit: 3, retry_after }) => assert!(retry_after > Duration::ZERO),
        other => panic!("{other:?}"),
    }
    ledger.submit(2, 2).await;
    let full = timely(ledger.jobs.submit(job_of(3))).await;
    assert!(matches!(full, Err(JobsError::Full { .. })), "{full:?}");
    // what is cancelled counts no more
    timely(ledger.jobs.cancel(None, later.id)).await.expect("cancelled");
    ledger.submit(1, 1).await;
    assert_eq!(ledger.close().await.len(), 6);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_job_begins_at_its_time() {
    let bench = Bench::scripted(one_worker()).await;
    let due = SystemTime::now() + Duration::from_millis(300);
    let limit = Duration::from_secs(60);
    let wishes = Submission { due: Some(due), time_limit: Some(limit), ..scripted_job(script::QUICK) };
    let mut run = bench.jobs.run(wishes.clone()).expect("admitted");
    let accepted = follow_until(&mut run, |event| matches!(event, RunEvent::Accepted(_))).await;
    let Some(RunEvent::Accepted(accepted)) = accepted.first() else { panic!("nothing comes before") };
    let (id, due) = (accepted.job.id, accepted.job.due.expect("kept"));
    assert_eq!((accepted.job.state, accepted.job.deadline), (JobState::Scheduled, Some(due + limit)));
    let seen = timely(bench.jobs.job(None, id)).await.expect("is there");
    let outlook = seen.outlook.expect("it waits");
    assert_eq!((seen.state, outlook.place), (JobState::Scheduled, None));
    assert!(outlook.wait <= Duration::from_millis(300));
    // it keeps nobody waiting
    follow(&mut bench.jobs.run(scripted_job(script::QUICK)).expect("admitted")).await;
    let (_, job) = {
        let events = follow_until(&mut run, is_finished).await;
        let Some(RunEvent::Trace(last)) = events.last() else { panic!("it ends with its job") };
        (events.len(), super::job_of(std::slice::from_ref(last)))
    };
    let begun = job.start_time.expect("it ran");
    assert!(job.state == JobState::Succeeded && begun >= due);
    assert!(begun.duration_since(due).expect("later") < Duration::from_secs(2), "{job:?}");

    // the same under a request id, at another time
    let named = Submission { request_id: Some("r".into()), ..wishes };
    let first = timely(bench.jobs.submit(named.clone())).await.expect("stored").job.id;
    let moved = Submission { due: Some(due + Duration::from_secs(1)), ..named };
    let conflict = Err(JobsError::Conflict { job: first, field: "start_time" });
    assert_eq!(timely(bench.jobs.submit(moved)).await, conflict);

    // one that waits survives its process
    let soon = Submission {
        due: Some(SystemTime::now() + Duration::from_millis(200)),
        ..scripted_job(script::QUICK)
    };
    let far = Submission {
        due: Some(SystemTime::now() + Duration::from_secs(3_600)),
        time_limit: Some(Duration::from_millis(1)),
        ..scripted_job(script::QUICK)
    };
    let soon = timely(bench.jobs.submit(soon)).await.expect("stored").job.id;
    let far = timely(bench.jobs.submit(far)).await.expect("stored").job.id;
    let bench = Bench::on(bench.close().await, one_worker()).await;
    let watcher = timely(bench.jobs.watch(None, soon, None)).await.expect("live");
    let job = super::job_of(&watch_all(watcher).await.expect("whole"));
    assert_eq!((job.state, job.attempt, job.deaths), (JobState::Succeeded, 1, 0));
    let waiting = timely(bench.jobs.job(None, far)).await.expect("is there");
    assert_eq!(waiting.state, JobState::Scheduled, "its limit counts from its time");
    let cancelled = timely(bench.jobs.cancel(None, far)).await.expect("cancelled");
    assert_eq!((cancelled.state, bench.jobs.waiting()), (JobState::Cancelled, 0));
    bench.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_waiting_job_knows_its_place() {
    let ledger = Ledger::open(one_worker()).await;
    let first = ledger.submit(1, 1).await;
    while ledger.jobs.waiting() > 0 {
        tokio::time::sleep(Duration::from_millis(1)).await;
    }
    let many = ledger.submit(1, 300).await;
    let few = ledger.submit(2, 4).await;
    let bulk = Submission { priority: Priority::Bulk, ..job_of(1) };
    // claimed at once, since it has the queue of its priority for itself
    let bulk = timely(ledger.jobs.submit(bulk)).await.expect("stored").job.id;
    let place = async |id| {
        let job = timely(ledger.jobs.job(None, id)).await.expect("is there");
        job.outlook.and_then(|outlook| outlook.place)
    };
    assert_eq!(place(first[0]).await, None, "it runs");
    assert_eq!((place(many[0]).await, place(few[0]).await), (Some(1), Some(2)));
    assert_eq!(place(many[127]).await, Some(129), "one of the other client comes before");
    // in the store: about, for each has turns of its own there
    let last = place(many[299]).await.expect("it waits");
    assert!((300..=305).contains(&last), "{last}");
    let small = place(few[3]).await.expect("it waits");
    assert!((130..=140).contains(&small), "behind what is claimed, and not behind the others: {small}");
    assert_eq!(place(bulk).await, Some(1 + 128 + 1), "those of higher priority that are claimed");
    // a list tells the same
    let page = Page { size: Page::MAX, token: None };
    let listed = ledger.jobs.list(&JobFilter::default(), &page).await.expect("read").items;
    assert_eq!(listed.len(), 306);
    let of_last = listed.iter().find(|job| job.id == many[299]).and_then(|job| job.outlook);
    let Some(Outlook { place: Some(of_last), wait }) = of_last else { panic!("{of_last:?}") };
    assert!(of_last.abs_diff(last) <= 1 && wait > Duration::ZERO);
    assert_eq!(ledger.close().await.len(), 306);
}

/// The machine's clock is set an hour ahead, and back again. What runs goes on; what waits for its time begins by it.
#[tokio::test(flavor = "multi_thread")]
async fn a_clock_that_is_set_breaks_off_nothing() {
    let folder = tempfile::tempdir().expect("a folder");
    let ahead = Arc::new(AtomicU64::new(7_200));
    let clock = {
        let ahead = ahead.clone();
        Clock::new(move || SystemTime::now() + Duration::from_secs(ahead.load(Ordering::Relaxed)))
    };
    let path = folder.path().join("sleuth.db");
    let store: Arc<dyn Store> =
        Arc::new(SqliteStore::open_by(&path, Durability::Normal, clock).await.expect("opens"));
    let gate = Gate::default();
    let jobs = Jobs::start_with(store.clone(), one_worker(), scripted(gate.clone())).await.expect("starts");
    let limited = |script, limit| {
        let time_limit = Some(Duration::from_secs(limit));
        jobs.run(Submission { time_limit, ..scripted_job(script) }).expect("admitted")
    };
    let mut running = limited(script::GATED, 1_800);
    follow_until_busy(&mut running).await;
    let mut waiting = limited(script::QUICK, 1_800);
    let later =
        Submission { due: Some(store.clock() + Duration::from_secs(3_000)), ..scripted_job(script::QUICK) };
    let mut later = jobs.run(later).expect("admitted");
    follow_until(&mut later, |event| matches!(event, RunEvent::Accepted(_))).await;
    ahead.store(10_800, Ordering::Relaxed);
    tokio::time::sleep(Duration::from_millis(300)).await;
    gate.open();
    let events = follow_until(&mut running, is_finished).await;
    let Some(RunEvent::Trace(last)) = events.last() else { panic!("it ends with its job") };
    assert_eq!(super::job_of(std::slice::from_ref(last)).state, JobState::Succeeded);
    assert_eq!(follow(&mut waiting).await.1.state, JobState::Succeeded, "it is claimed: its time is counted");
    let events = follow_until(&mut later, is_finished).await;
    let Some(RunEvent::Trace(last)) = events.last() else { panic!("it ends with its job") };
    assert_eq!(super::job_of(std::slice::from_ref(last)).state, JobState::Succeeded);
    // and back, to before all of it
    ahead.store(0, Ordering::Relaxed);
    let (_, job) = follow(&mut limited(script::QUICK, 5)).await;
    assert_eq!(job.state, JobState::Succeeded);
    timely(jobs.shutdown(Duration::ZERO)).await;
    store.close().await.expect("closes");
}
