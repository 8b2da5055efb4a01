//! What every store must do.

use std::sync::Arc;
use std::time::{Duration, SystemTime};

use sleuth::store::*;

use super::Open;

/// A store of its own for each promise.
pub async fn check(open: Open) {
    macro_rules! each {
        ($($promise:ident),+ $(,)?) => {$({
            let folder = tempfile::tempdir().expect("a folder");
            let store = open(folder.path()).await.expect("opens");
            $promise(store.clone()).await;
            store.close().await.expect("closes");
        })+};
    }
    each!(
        keeps_what_is_submitted,
        a_repeated_submit_is_the_same_job,
        claims_in_order_and_once,
        clients_take_turns,
        a_scheduled_job_waits_for_its_time,
        only_the_lease_may_write,
        the_end_is_one_write,
        an_end_that_comes_early_is_stored_with_its_job,
        a_waiting_job_is_cancelled,
        overdue_jobs_are_cancelled,
        a_released_job_is_claimed_again,
        a_released_job_overtakes_none_of_its_client,
        lists_come_in_pages,
        a_puzzle_is_kept_once,
        many_writers_share_commits,
        a_failing_write_harms_no_other,
        a_renewal_tells_what_is_lost,
        a_running_trace_is_read_on,
        what_is_old_is_forgotten,
    );
    survives_its_owner(open).await;
    fails_what_kills(open).await;
    let folder = tempfile::tempdir().expect("a folder");
    let store = open(folder.path()).await.expect("opens");
    store.close().await.expect("closes");
    assert_eq!(store.submit(job("a")).await, Err(StoreError::Closed));
    assert_eq!(store.job(JobId(1)).await, Err(StoreError::Closed));
}

pub fn job(client: &str) -> NewJob {
    let spec = Body { version: 1, text: "{\"what\": \"é\\\"\"}".into() };
    NewJob { work: 1_000, keep_trace: true, ..NewJob::plain(ClientId(client.into()), JobKind::Solve, spec) }
}

pub async fn submit(store: &Arc<dyn Store>, job: NewJob) -> JobId {
    match store.submit(job).await.expect("stored") {
        Stored::Fresh(id, _) => id,
        Stored::Ended(id, _) => panic!("{id} has ended"),
        Stored::Existing(row) => panic!("{} was there", row.id),
    }
}

pub fn finish(state: JobState) -> Finish {
    Finish {
        priority: Priority::Normal,
        state,
        reason: None,
        start_time: Some(SystemTime::UNIX_EPOCH + Duration::from_millis(1_234)),
        outcome: None,
        last_sequence: 4,
        trace: None,
        puzzle: None,
    }
}

/// What one client, `a`, has waiting.
fn backlog(ready: [u64; 3], suspects: u64) -> Backlog {
    let waiting = ClientBacklog { ready, scheduled: 0 };
    Backlog { clients: [(ClientId("a".into()), waiting)].into(), suspects }
}

fn chunk(attempt: u32, first: u64, count: u64) -> Chunk {
    Chunk { attempt, first, count, format: 1, body: vec![0, 255, b'\n', first as u8] }
}

async fn row(store: &Arc<dyn Store>, id: JobId) -> JobRow {
    store.job(id).await.expect("read").expect("is there")
}

async fn keeps_what_is_submitted(store: Arc<dyn Store>) {
    let deadline = SystemTime::UNIX_EPOCH + Duration::from_millis(5_000_000_000_123);
    let new = NewJob {
        deadline: Some(deadline),
        time_limit: Some(Duration::from_millis(86_400_007)),
        work_limit: Some(0),
        work: u64::MAX,
        request_id: Some("r'\"\0é".into()),
        ..job("ö")
    };
    let id = submit(&store, new.clone()).await;
    let row = row(&store, id).await;
    assert_eq!(
        (&row.client, &row.request_id, row.kind, row.priority),
        (&new.client, &new.request_id, new.kind, new.priority)
    );
    assert_eq!((row.state, row.attempt, row.deaths), (JobState::Queued, 0, 0));
    assert_eq!(
        (row.deadline, row.keep_trace, &row.spec, row.outcome),
        (Some(deadline), true, &new.spec, None)
    );
    assert_eq!((row.time_limit, row.work_limit), (new.time_limit, new.work_limit));
    assert_eq!((row.start_time, row.end_time, row.reason, row.last_sequence), (None, None, None, 0));
    assert_eq!(row.work, i64::MAX as u64, "what the column can hold");
    assert_eq!(store.job(JobId(id.0 + 1)).await, Ok(None));
}

async fn a_repeated_submit_is_the_same_job(store: Arc<dyn Store>) {
    let new = NewJob { request_id: Some("r".into()), ..job("a") };
    // in one commit and in several
    let all: Vec<_> = (0..20)
        .map(|_| {
            tokio::spawn({
                let (store, new) = (store.clone(), new.clone());
                async move { store.submit(new).await }
            })
        })
        .collect();
    let mut ids = Vec::new();
    let mut fresh = 0;
    for one in all {
        match one.await.expect("no panic").expect("stored") {
            Stored::Fresh(id, _) => {
                fresh += 1;
                ids.push(id)
            }
            Stored::Ended(id, _) => panic!("{id} has ended"),
            Stored::Existing(row) => {
                assert_eq!(row.spec, new.spec);
                ids.push(row.id)
            }
        }
    }
    ids.dedup();
    assert_eq!((fresh, ids.len()), (1, 1));
    let known = store.job_of_request(new.client.clone(), "r".into()).await.expect("read");
    assert_eq!(known.map(|row| row.id), Some(ids[0]));
    for (client, request) in [("a", "s"), ("b", "r")] {
        assert_eq!(store.job_of_request(ClientId(client.into()), request.into()).await, Ok(None));
    }
    let other = submit(&store, NewJob { client: ClientId("b".into()), ..new }).await;
    assert!(!ids.contains(&other), "another client's request is another");
}

async fn claims_in_order_and_once(store: Arc<dyn Store>) {
    let mut normal = Vec::new();
    for _ in 0..5 {
        normal.push(submit(&store, job("a")).await);
    }
    let bulk = submit(&store, NewJob { priority: Priority::Bulk, ..job("a") }).await;
    let claimed = submit(&store, NewJob { claimed: true, ..job("a") }).await;
    assert_eq!(row(&store, claimed).await.attempt, 1);
    let first = store.claim(Want::Ready(Priority::Normal, 3)).await.expect("claimed");
    assert_eq!(first.iter().map(|row| row.id).collect::<Vec<_>>(), normal[..3]);
    assert!(first.iter().all(|row| row.attempt == 1 && row.spec == job("a").spec));
    let rest = store.claim(Want::Ready(Priority::Normal, 3)).await.expect("claimed");
    assert_eq!(rest.iter().map(|row| row.id).collect::<Vec<_>>(), normal[3..]);
    assert_eq!(store.claim(Want::Ready(Priority::Normal, 3)).await, Ok(vec![]));
    assert_eq!(store.claim(Want::Ready(Priority::Interactive, 3)).await, Ok(vec![]));
    assert_eq!(store.claim(Want::Suspect).await, Ok(vec![]));
    let last = store.claim(Want::Ready(Priority::Bulk, 3)).await.expect("claimed");
    assert_eq!(last.iter().map(|row| row.id).collect::<Vec<_>>(), [bulk]);
}

async fn claim(store: &Arc<dyn Store>, limit: u32) -> Vec<JobId> {
    let claimed = store.claim(Want::Ready(Priority::Normal, limit)).await.expect("claimed");
    claimed.iter().map(|row| row.id).collect()
}

/// However many jobs one has, and whoever came first.
async fn clients_take_turns(store: Arc<dyn Store>) {
    let many = async |client: &str, count: usize| {
        let mut ids = Vec::new();
        for _ in 0..count {
            ids.push(submit(&store, job(client)).await);
        }
        ids
    };
    let a = many("a", 6).await;
    assert_eq!(claim(&store, 2).await, a[..2]);
    assert_eq!(store.fronts().await, Ok([None, Some(2), None]));
    let (b, c) = (many("b", 3).await, many("c", 1).await);
    // other priorities are queues of their own
    let bulk = submit(&store, NewJob { priority: Priority::Bulk, ..job("b") }).await;
    assert_eq!(claim(&store, 4).await, [a[2], b[0], c[0], a[3]]);
    // put back at the front, before all others and in its order
    assert_eq!(store.release(Lease { job: a[3], attempt: 1 }).await, Ok(true));
    assert_eq!(store.release(Lease { job: a[0], attempt: 1 }).await, Ok(true));
    let late = many("c", 2).await;
    assert_eq!(claim(&store, 2).await, [a[0], a[3]]);
    assert_eq!(claim(&store, 9).await, [b[1], late[0], a[4], b[2], late[1], a[5]]);
    assert_eq!(store.fronts().await, Ok([None, None, Some(0)]));
    let claimed = store.claim(Want::Ready(Priority::Bulk, 9)).await.expect("claimed");
    assert_eq!(claimed.iter().map(|row| row.id).collect::<Vec<_>>(), [bulk]);
}

async fn a_scheduled_job_waits_for_its_time(store: Arc<dyn Store>) {
    let now = store.clock();
    let soon = row::whole_millis(now + Duration::from_millis(400));
    assert_eq!(store.next_due().await, Ok(None));
    let later = NewJob { due: Some(now + Duration::from_secs(3_600)), ..job("a") };
    let never = submit(&store, later.clone()).await;
    let mut due = Vec::new();
    for client in ["a", "a", "b"] {
        due.push(submit(&store, NewJob { due: Some(soon), ..job(client) }).await);
    }
    let past = submit(&store, NewJob { due: Some(now - Duration::from_secs(1)), ..job("b") }).await;
    let state = async |id| row(&store, id).await.state;
    assert_eq!((state(due[0]).await, state(past).await), (JobState::Scheduled, JobState::Queued));
    assert_eq!((row(&store, due[0]).await.due, row(&store, due[0]).await.turn), (Some(soon), None));
    assert_eq!(store.next_due().await, Ok(Some(soon)));
    let counted = store.backlog().await.expect("read");
    let waiting = ["a", "b"].map(|client| counted.clients[&ClientId(client.into())]);
    assert_eq!(waiting.map(|waiting| waiting.scheduled), [3, 1]);
    assert_eq!(waiting.map(|waiting| waiting.ready), [[0; 3], [0, 1, 0]]);
    assert_eq!(claim(&store, 9).await, [past]);
    // nobody may claim it, and whoever wants to may cancel it
    assert_eq!(store.promote(9).await, Ok(vec![]));
    let cancelled = store.cancel(never, "x".into()).await.expect("written").expect("it waited");
    assert_eq!((cancelled.id, cancelled.wait), (never, Wait::Time));
    let promoted = async {
        let mut all = Vec::new();
        while all.len() < 3 {
            all.extend(store.promote(2).await.expect("written"));
        }
        all
    };
    let promoted = tokio::time::timeout(Duration::from_secs(30), promoted).await.expect("its time comes");
    assert!(store.clock() >= soon);
    assert_eq!(promoted.iter().map(|job| job.id).collect::<Vec<_>>(), due);
    assert_eq!(store.next_due().await, Ok(None));
    assert_eq!(claim(&store, 9).await, [due[0], due[2], due[1]], "clients take turns");
    let late = submit(&store, NewJob { deadline: Some(now + Duration::from_secs(7_200)), ..later }).await;
    assert_eq!(
        store.cancel_overdue(now + Duration::from_secs(7_300), "late".into()).await.map(|all| all.len()),
        Ok(1)
    );
    assert_eq!(state(late).await, JobState::Cancelled);
}

async fn only_the_lease_may_write(store: Arc<dyn Store>) {
    let id = submit(&store, job("a")).await;
    for attempt in 0..3 {
        let lease = Lease { job: id, attempt };
        assert_eq!(store.start(lease).await, Ok(false), "{attempt}");
        assert_eq!(store.append(lease, chunk(attempt, 1, 1)).await, Ok(false));
        assert_eq!(store.finish(lease, finish(JobState::Succeeded)).await, Ok(None));
        assert_eq!(store.release(lease).await, Ok(false));
    }
    store.claim(Want::Ready(Priority::Normal, 1)).await.expect("claimed");
    let (good, bad) = (Lease { job: id, attempt: 1 }, Lease { job: id, attempt: 2 });
    assert_eq!(store.append(bad, chunk(2, 1, 1)).await, Ok(false));
    assert_eq!(store.finish(bad, finish(JobState::Succeeded)).await, Ok(None));
    assert_eq!(row(&store, id).await.state, JobState::Queued);
    assert_eq!(store.start(good).await, Ok(true));
    assert_eq!(row(&store, id).await.state, JobState::Running);
    assert!(store.finish(good, finish(JobState::Failed)).await.expect("written").is_some());
    // the end is the end
    assert_eq!(store.finish(good, finish(JobState::Succeeded)).await, Ok(None));
    assert_eq!(store.append(good, chunk(1, 1, 1)).await, Ok(false));
    assert_eq!(store.release(good).await, Ok(false));
    assert_eq!(store.cancel(id, "x".into()).await, Ok(None));
    assert_eq!(row(&store, id).await.state, JobState::Failed);
    assert_eq!(store.trace(id).await, Ok(vec![]));
}

async fn the_end_is_one_write(store: Arc<dyn Store>) {
    let id = submit(&store, NewJob { claimed: true, ..job("a") }).await;
    let lease = Lease { job: id, attempt: 1 };
    assert_eq!(store.append(lease, chunk(1, 1, 2)).await, Ok(true));
    assert_eq!(store.append(lease, chunk(1, 3, 1)).await, Ok(true));
    assert_eq!(store.trace(id).await, Ok(vec![chunk(1, 1, 2), chunk(1, 3, 1)]));
    let outcome = Body { version: 1, text: "[1]".into() };
    let end = Finish {
        outcome: Some(outcome.clone()),
        trace: Some(chunk(1, 1, 3)),
        puzzle: Some(puzzle("p")),
        reason: Some("because".into()),
        ..finish(JobState::Succeeded)
    };
    let ended = store.finish(lease, end).await.expect("written").expect("held");
    let row = row(&store, id).await;
    assert_eq!(
        (row.state, row.end_time, row.outcome),
        (JobState::Succeeded, Some(ended.time), Some(outcome))
    );
    assert_eq!((row.puzzle, row.last_sequence, row.reason), (ended.puzzle, 4, Some("because".into())));
    assert_eq!(store.trace(id).await, Ok(vec![chunk(1, 1, 3)]), "chunks are folded");
    let kept = store.puzzle(ended.puzzle.expect("kept")).await.expect("read").expect("is there");
    assert_eq!((kept.known, kept.job), (puzzle("p"), Some(id)));
}

async fn an_end_that_comes_early_is_stored_with_its_job(store: Arc<dyn Store>) {
    let known = submit(&store, NewJob { claimed: true, ..job("a") }).await;
    let end = Finish { puzzle: Some(puzzle("p")), ..finish(JobState::Succeeded) };
    let first = store.finish(Lease { job: known, attempt: 1 }, end).await.expect("written").expect("held");
    let outcome = Body { version: 1, text: "[1]".into() };
    // one puzzle that is known, one that is new, and none
    for (text, is_known) in [(Some("p"), true), (Some("q"), false), (None, false)] {
        let end = Finish {
            outcome: Some(outcome.clone()),
            trace: Some(chunk(1, 1, 3)),
            puzzle: text.map(puzzle),
            reason: Some("because".into()),
            ..finish(JobState::Succeeded)
        };
        let early = EarlyEnd::default();
        assert!(early.hand_in(Arc::new(end)));
        let (reply, answer) = Reply::pair();
        store.submit_early(NewJob { claimed: true, ..job("a") }, early.clone(), reply);
        let Ok(Stored::Ended(id, ended)) = answer.await else { panic!("it has ended") };
        assert!(!early.hand_in(Arc::new(finish(JobState::Failed))), "the commit has gone");
        let lease = Lease { job: id, attempt: 1 };
        assert_eq!(store.finish(lease, finish(JobState::Failed)).await, Ok(None));
        let row = row(&store, id).await;
        assert_eq!((row.state, row.attempt, row.outcome), (JobState::Succeeded, 1, Some(outcome.clone())));
        assert_eq!((row.create_time, row.end_time), (ended.time, Some(ended.time)));
        assert_eq!(row.start_time, finish(JobState::Succeeded).start_time);
        assert_eq!((row.puzzle, row.last_sequence, row.reason), (ended.puzzle, 4, Some("because".into())));
        assert_eq!(store.trace(id).await, Ok(vec![chunk(1, 1, 3)]));
        assert_eq!(ended.puzzle == first.puzzle, is_known);
        let kept = match ended.puzzle {
            Some(puzzle) => store.puzzle(puzzle).await.expect("read").map(|row| row.known.text),
            None => None,
        };
        assert_eq!(kept.as_deref(), text);
    }
    assert_eq!(store.backlog().await, Ok(Backlog::default()));
}

async fn a_waiting_job_is_cancelled(store: Arc<dyn Store>) {
    let id = submit(&store, job("a")).await;
    let waiting = Waiting { id, client: ClientId("a".into()), priority: Priority::Normal, wait: Wait::Claim };
    assert_eq!(store.cancel(id, "no need".into()).await, Ok(Some(waiting)));
    assert_eq!(store.cancel(id, "again".into()).await, Ok(None));
    let row = row(&store, id).await;
    assert_eq!((row.state, row.reason, row.last_sequence), (JobState::Cancelled, Some("no need".into()), 1));
    assert!(row.end_time.is_some());
    assert_eq!(store.claim(Want::Ready(Priority::Normal, 9)).await, Ok(vec![]));
    assert_eq!(store.cancel(JobId(99), "x".into()).await, Ok(None));
}

async fn overdue_jobs_are_cancelled(store: Arc<dyn Store>) {
    let at = |seconds| Some(SystemTime::UNIX_EPOCH + Duration::from_secs(seconds));
    assert_eq!(store.next_deadline().await, Ok(None));
    let early = submit(&store, NewJob { deadline: at(100), ..job("a") }).await;
    submit(&store, NewJob { deadline: at(200), ..job("a") }).await;
    submit(&store, job("a")).await;
    submit(&store, NewJob { deadline: at(50), claimed: true, ..job("a") }).await;
    assert_eq!(store.next_deadline().await, Ok(at(100)), "claimed jobs are their owner's business");
    let overdue = store.cancel_overdue(at(150).expect("a time"), "late".into()).await.expect("written");
    assert_eq!(overdue.iter().map(|waiting| waiting.id).collect::<Vec<_>>(), [early]);
    assert_eq!(row(&store, early).await.state, JobState::Cancelled);
    assert_eq!(store.next_deadline().await, Ok(at(200)));
}

async fn a_released_job_is_claimed_again(store: Arc<dyn Store>) {
    let id = submit(&store, NewJob { claimed: true, ..job("a") }).await;
    assert_eq!(store.append(Lease { job: id, attempt: 1 }, chunk(1, 1, 1)).await, Ok(true));
    assert_eq!(store.release(Lease { job: id, attempt: 1 }).await, Ok(true));
    assert_eq!(row(&store, id).await.state, JobState::Queued);
    let again = store.claim(Want::Ready(Priority::Normal, 9)).await.expect("claimed");
    assert_eq!((again[0].id, again[0].attempt, again[0].deaths), (id, 2, 0));
    assert_eq!(store.trace(id).await, Ok(vec![]), "the trace is the last attempt's");
    assert_eq!(store.finish(Lease { job: id, attempt: 1 }, finish(JobState::Succeeded)).await, Ok(None));
}

/// What was claimed as it was stored may have come after jobs of its client that wait.
async fn a_released_job_overtakes_none_of_its_client(store: Arc<dyn Store>) {
    let lease = |job| Lease { job, attempt: 1 };
    // the turns of the queue have risen by then
    let (other, gone) = (submit(&store, job("b")).await, submit(&store, job("b")).await);
    let first = submit(&store, NewJob { claimed: true, ..job("a") }).await;
    let mut stored = Vec::new();
    for _ in 0..3 {
        stored.push(submit(&store, job("a")).await);
    }
    let behind = submit(&store, NewJob { claimed: true, ..job("a") }).await;
    let next = submit(&store, NewJob { claimed: true, ..job("a") }).await;
    let after = submit(&store, job("a")).await;
    let last = submit(&store, NewJob { claimed: true, ..job("a") }).await;
    assert!(store.cancel(gone, "no".into()).await.expect("written").is_some());
    for id in [next, first, last, behind] {
        assert_eq!(store.release(lease(id)).await, Ok(true));
    }
    let claimed = store.claim(Want::Ready(Priority::Normal, 99)).await.expect("claimed");
    let own: Vec<JobId> = claimed.iter().map(|row| row.id).filter(|id| *id != other).collect();
    assert_eq!(own, [first, stored[0], stored[1], stored[2], behind, next, after, last]);
    assert!(claimed[..2].iter().any(|row| row.id == other), "who came first is not made to wait");
    // with nothing of its client before it a job goes to the front
    let waiting = submit(&store, job("a")).await;
    assert_eq!(store.release(Lease { job: stored[1], attempt: 2 }).await, Ok(false));
    assert_eq!(store.release(lease(stored[1])).await, Ok(true));
    assert_eq!(claim(&store, 9).await, [stored[1], waiting]);
}

async fn lists_come_in_pages(store: Arc<dyn Store>) {
    let mut mine = Vec::new();
    for number in 0..7 {
        let kind = if number % 2 == 0 { JobKind::Rate } else { JobKind::Solve };
        mine.push(submit(&store, NewJob { kind, ..job("a") }).await);
        submit(&store, job("b")).await;
    }
    mine.reverse();
    let filter = JobFilter { client: Some(ClientId("a".into())), ..JobFilter::default() };
    let mut seen = Vec::new();
    let mut page = Page { size: 3, token: None };
    loop {
        let paged = store.jobs(filter.clone(), page.clone()).await.expect("read");
        assert!(paged.items.len() <= 3);
        seen.extend(paged.items.iter().map(|row| row.id));
        page.token = paged.next;
        if page.token.is_none() {
            break;
        }
        let other = store.jobs(JobFilter::default(), page.clone()).await;
        assert_eq!(other, Err(StoreError::Token(TokenError)), "a token belongs to its filter");
    }
    assert_eq!(seen, mine);
    let rates = JobFilter { kind: Some(JobKind::Rate), ..filter };
    assert_eq!(store.jobs(rates.clone(), Page::default()).await.expect("read").items.len(), 4);
    let running = JobFilter { state: Some(JobState::Running), ..rates };
    assert_eq!(store.jobs(running, Page::default()).await.expect("read").items, []);
    assert_eq!(
        store.jobs(JobFilter::default(), Page { size: 5_000, token: None }).await.expect("read").items.len(),
        14
    );
}

fn puzzle(text: &str) -> NewPuzzle {
    NewPuzzle {
        text: text.into(),
        kind: "classic".into(),
        size: 9,
        givens: "1.2".into(),
        solutions: Some((1, true)),
        solution: Some("132".into()),
        rating: None,
        provenance: Provenance::Solved,
    }
}

async fn learn(store: &Arc<dyn Store>, puzzle: NewPuzzle) -> PuzzleId {
    let id = submit(store, NewJob { claimed: true, ..job("a") }).await;
    let end = Finish { puzzle: Some(puzzle), ..finish(JobState::Succeeded) };
    let ended = store.finish(Lease { job: id, attempt: 1 }, end).await.expect("written").expect("held");
    ended.puzzle.expect("kept")
}

async fn a_puzzle_is_kept_once(store: Arc<dyn Store>) {
    let unknown = NewPuzzle { solutions: None, solution: None, ..puzzle("p") };
    let id = learn(&store, unknown).await;
    assert_eq!(learn(&store, puzzle("p")).await, id);
    let rating = RatingColumns {
        scale: "sleuth".into(),
        version: 1,
        level: "hard".into(),
        score: 12,
        hardest: Some("x-wing".into()),
        techniques: "full-house:2 x-wing:1".into(),
        searched_cells: 0,
    };
    let rated = NewPuzzle { rating: Some(rating.clone()), provenance: Provenance::Rated, ..puzzle("p") };
    assert_eq!(learn(&store, rated).await, id);
    // what is known already is not unlearnt
    assert_eq!(learn(&store, NewPuzzle { solutions: None, solution: None, ..puzzle("p") }).await, id);
    let kept = store.puzzle(id).await.expect("read").expect("is there");
    assert_eq!(kept.known, NewPuzzle { rating: Some(rating), ..puzzle("p") });
    let other = learn(&store, NewPuzzle { kind: "killer".into(), size: 6, ..puzzle("q") }).await;
    assert_ne!(other, id);
    let list = async |filter| {
        let paged = store.puzzles(filter, Page::default()).await.expect("read");
        paged.items.iter().map(|row| row.id).collect::<Vec<_>>()
    };
    assert_eq!(list(PuzzleFilter::default()).await, [other, id]);
    assert_eq!(list(PuzzleFilter { kind: Some("killer".into()), ..PuzzleFilter::default() }).await, [other]);
    assert_eq!(list(PuzzleFilter { size: Some(9), ..PuzzleFilter::default() }).await, [id]);
    assert_eq!(list(PuzzleFilter { level: Some("hard".into()), ..PuzzleFilter::default() }).await, [id]);
    assert_eq!(store.puzzle(PuzzleId(99)).await, Ok(None));
}

async fn many_writers_share_commits(store: Arc<dyn Store>) {
    let tasks: Vec<_> = (0..300)
        .map(|_| {
            let store = store.clone();
            tokio::spawn(async move {
                let id = submit(&store, NewJob { claimed: true, ..job("a") }).await;
                let ended = store.finish(Lease { job: id, attempt: 1 }, finish(JobState::Succeeded)).await;
                assert!(ended.expect("written").is_some());
                id
            })
        })
        .collect();
    let mut ids = Vec::new();
    for task in tasks {
        ids.push(task.await.expect("no panic"));
    }
    ids.sort_unstable();
    ids.dedup();
    assert_eq!(ids.len(), 300);
}

async fn a_failing_write_harms_no_other(store: Arc<dyn Store>) {
    let id = submit(&store, NewJob { claimed: true, ..job("a") }).await;
    let lease = Lease { job: id, attempt: 1 };
    assert_eq!(store.append(lease, chunk(1, 1, 1)).await, Ok(true));
    // the same place again cannot be; its neighbours can
    let (failing, one, other) = tokio::join!(
        store.append(lease, chunk(1, 1, 1)),
        store.submit(job("b")),
        store.append(lease, chunk(1, 2, 1)),
    );
    assert!(matches!(failing, Err(StoreError::Failed(_))), "{failing:?}");
    assert!(matches!(one, Ok(Stored::Fresh(..))), "{one:?}");
    assert_eq!(other, Ok(true));
    assert_eq!(store.trace(id).await, Ok(vec![chunk(1, 1, 1), chunk(1, 2, 1)]));
}

async fn a_renewal_tells_what_is_lost(store: Arc<dyn Store>) {
    let held = Lease { job: submit(&store, NewJob { claimed: true, ..job("a") }).await, attempt: 1 };
    let ended = Lease { job: submit(&store, NewJob { claimed: true, ..job("a") }).await, attempt: 1 };
    assert!(store.finish(ended, finish(JobState::Failed)).await.expect("written").is_some());
    let stale = Lease { attempt: 0, ..held };
    assert_eq!(store.renew(vec![held]).await, Ok(vec![]));
    let lost = store.renew(vec![ended, held]).await;
    assert_eq!(lost, Ok(vec![(ended, Standing::Lost)]));
    assert_eq!(store.renew(vec![stale]).await, Ok(vec![(stale, Standing::Lost)]));
    assert_eq!(store.renew(vec![]).await, Ok(vec![]));
    // whose job it is may cancel it, so nobody is asked to
    assert_eq!(store.cancel(held.job, "x".into()).await, Ok(None));
    assert_eq!(store.renew(vec![held]).await, Ok(vec![]));
}

async fn a_running_trace_is_read_on(store: Arc<dyn Store>) {
    let lease = Lease { job: submit(&store, NewJob { claimed: true, ..job("a") }).await, attempt: 1 };
    let waiting = submit(&store, job("a")).await;
    assert_eq!(store.chunks(lease, 0).await, Ok(vec![]));
    assert_eq!(store.append(lease, chunk(1, 1, 2)).await, Ok(true));
    assert_eq!(store.append(lease, chunk(1, 3, 4)).await, Ok(true));
    assert_eq!(store.chunks(lease, 0).await, Ok(vec![chunk(1, 1, 2), chunk(1, 3, 4)]));
    assert_eq!(store.chunks(lease, 2).await, Ok(vec![chunk(1, 3, 4)]));
    assert_eq!(store.chunks(lease, 6).await, Ok(vec![]));
    assert_eq!(store.chunks(Lease { attempt: 2, ..lease }, 0).await, Ok(vec![]));
    let mut stages = store.stages(vec![waiting, lease.job, JobId(99)]).await.expect("read");
    stages.sort_by_key(|(lease, _)| lease.job);
    let expected = [(lease, JobState::Running), (Lease { job: waiting, attempt: 0 }, JobState::Queued)];
    assert_eq!(stages, expected);
    assert_eq!(store.backlog().await, Ok(backlog([0, 1, 0], 0)));
    submit(&store, job("a")).await;
    assert_eq!(store.backlog().await, Ok(backlog([0, 2, 0], 0)));
}

async fn what_is_old_is_forgotten(store: Arc<dyn Store>) {
    let mut ids = Vec::new();
    for number in 0..10 {
        let id = submit(&store, NewJob { claimed: true, ..job("a") }).await;
        let lease = Lease { job: id, attempt: 1 };
        // the fourth goes on
        if number != 3 {
            let outcome = Some(Body { version: 1, text: "1".into() });
            let end = Finish {
                trace: Some(chunk(1, 1, 3)),
                outcome,
                puzzle: Some(puzzle("p")),
                ..finish(JobState::Succeeded)
            };
            assert!(store.finish(lease, end).await.expect("written").is_some());
        }
        ids.push(id);
    }
    let later = store.clock() + Duration::from_secs(60);
    let prune = |what, before, upto| {
        let store = store.clone();
        async move {
            let (mut after, mut count) = (JobId(0), 0);
            loop {
                let pruned =
                    store.prune(Prune { what, before, upto, after, limit: 4 }).await.expect("written");
                count += pruned.count;
                let Some(next) = pruned.next else { return count };
                after = next;
            }
        }
    };
    // nothing is that old
    assert_eq!(prune(PruneWhat::Jobs, SystemTime::UNIX_EPOCH, JobId(0)).await, 0);
    assert_eq!(prune(PruneWhat::Traces, SystemTime::UNIX_EPOCH, ids[1]).await, 2);
    assert_eq!(store.trace(ids[1]).await, Ok(vec![]));
    assert_eq!(store.trace(ids[2]).await, Ok(vec![chunk(1, 1, 3)]));
    assert_eq!(row(&store, ids[1]).await.state, JobState::Succeeded);
    // too many
    assert_eq!(prune(PruneWhat::Jobs, SystemTime::UNIX_EPOCH, ids[4]).await, 4);
    assert_eq!(store.job(ids[0]).await, Ok(None));
    assert!(!row(&store, ids[3]).await.state.is_final(), "what goes on is never forgotten");
    assert_eq!(prune(PruneWhat::Traces, later, JobId(0)).await, 5);
    assert_eq!(prune(PruneWhat::Jobs, later, JobId(0)).await, 5);
    assert_eq!(store.job(ids[9]).await, Ok(None));
    let kept = store.puzzles(PuzzleFilter::default(), Page::default()).await.expect("read").items;
    assert_eq!(kept.len(), 1, "the archive forgets nothing");
}

async fn survives_its_owner(open: Open) {
    let folder = tempfile::tempdir().expect("a folder");
    let store = open(folder.path()).await.expect("opens");
    let waiting = submit(&store, job("a")).await;
    let claimed = submit(&store, NewJob { claimed: true, ..job("a") }).await;
    let started = submit(&store, NewJob { claimed: true, priority: Priority::Bulk, ..job("a") }).await;
    assert_eq!(store.append(Lease { job: started, attempt: 1 }, chunk(1, 1, 2)).await, Ok(true));
    let done = submit(&store, NewJob { claimed: true, ..job("a") }).await;
    assert!(
        store
            .finish(Lease { job: done, attempt: 1 }, finish(JobState::Succeeded))
            .await
            .expect("written")
            .is_some()
    );
    store.close().await.expect("closes");

    let store = open(folder.path()).await.expect("opens");
    assert_eq!(store.recover(3).await, Ok(2));
    assert_eq!(store.backlog().await, Ok(backlog([0, 1, 0], 2)));
    assert_eq!(row(&store, done).await.state, JobState::Succeeded);
    for (id, deaths) in [(waiting, 0), (claimed, 0), (started, 1)] {
        let row = row(&store, id).await;
        assert_eq!((row.state, row.deaths), (JobState::Queued, deaths), "{id}");
    }
    let ready = store.claim(Want::Ready(Priority::Normal, 9)).await.expect("claimed");
    assert_eq!(ready.iter().map(|row| row.id).collect::<Vec<_>>(), [waiting], "suspects come one by one");
    let suspect = store.claim(Want::Suspect).await.expect("claimed");
    assert_eq!(
        suspect.iter().map(|row| (row.id, row.attempt, row.state)).collect::<Vec<_>>(),
        [(claimed, 2, JobState::Running)]
    );
    // the dead owner's writes come too late
    assert_eq!(store.finish(Lease { job: claimed, attempt: 1 }, finish(JobState::Succeeded)).await, Ok(None));
    let new = submit(&store, job("a")).await;
    assert!(new > done, "numbers are not given twice");
    store.close().await.expect("closes");
}

async fn fails_what_kills(open: Open) {
    let folder = tempfile::tempdir().expect("a folder");
    let store = open(folder.path()).await.expect("opens");
    let id = submit(&store, NewJob { claimed: true, ..job("a") }).await;
    assert_eq!(store.append(Lease { job: id, attempt: 1 }, chunk(1, 1, 3)).await, Ok(true));
    store.close().await.expect("closes");
    for death in 1..=3 {
        let store = open(folder.path()).await.expect("opens");
        assert_eq!(store.recover(3).await, Ok(1));
        let suspects = store.backlog().await.expect("read").suspects;
        let now = row(&store, id).await;
        assert_eq!(now.deaths, death);
        if death < 3 {
            assert_eq!((now.state, suspects), (JobState::Queued, 1));
            assert_eq!(store.claim(Want::Suspect).await.expect("claimed").len(), 1);
        } else {
            assert_eq!((now.state, suspects), (JobState::Failed, 0));
            let reason = now.reason.expect("a reason");
            assert!(reason.contains("3 times"), "{reason}");
            assert_eq!(now.last_sequence, 1, "the last attempt stored nothing");
        }
        store.close().await.expect("closes");
    }
}
