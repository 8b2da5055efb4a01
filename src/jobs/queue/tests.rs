//! Who goes first in a process, alone and beside a store of a few lines.

use std::collections::{BTreeMap, HashMap};
use std::time::UNIX_EPOCH;

use super::lanes::RUMOURED;
use super::*;
use crate::engine::solve::{Mode, SolveOptions};
use crate::jobs::job::JobSpec;
use crate::jobs::live;
use crate::jobs::live::tests::rating;
use crate::puzzle::formats;
use crate::store::ClientBacklog;

const BOUNDS: Bounds = Bounds { jobs: 1_000, jobs_of_client: 500, places: 128, calls: 9, is_shared: false };

fn live(client: &str, priority: Priority) -> Arc<Live> {
    Arc::new(rating(client, priority))
}

fn search(client: &str) -> Arc<Live> {
    let board = formats::json::from_str("{\"size\": 9, \"boxes\": \"3x3\"}").expect("readable");
    let puzzle = Arc::new(board.check().expect("a puzzle"));
    let options = SolveOptions { mode: Mode::SearchOnly, ..SolveOptions::default() };
    Arc::new(live::tests::live(client, Priority::Normal, JobSpec::Solve { puzzle, options }))
}

fn take(queue: &Queue, duty: Duty) -> Arc<Live> {
    match queue.next(duty, 1) {
        Some(Work::Jobs(mut jobs)) => jobs.remove(0),
        _ => panic!("there is a job"),
    }
}

#[test]
fn brief_jobs_are_taken_together_in_turns() {
    let queue = Queue::new(BOUNDS, &Backlog::default());
    for job in [search("a"), search("a"), search("a"), search("b"), live("b", Priority::Normal), search("c")]
    {
        assert!(queue.push(job));
    }
    let mut taken = Vec::new();
    while queue.waiting() > 0 {
        let Some(Work::Jobs(jobs)) = queue.next(Duty::Any, 4) else { panic!("there is a job") };
        taken.push(jobs.iter().map(|live| &*live.client.0).collect::<String>());
    }
    assert_eq!(taken, ["abca", "b", "a"]);
}

/// Each piece of work wakes one thread, if any sleeps that takes it.
#[test]
fn who_takes_little_else_is_woken_first() {
    let queue = Queue::new(BOUNDS, &Backlog::default());
    let mut lanes = queue.lock();
    lanes.idle = [1; 3];
    let woken: Vec<Option<Duty>> = (0..3).map(|_| lanes.wake(duties_of(Priority::Interactive))).collect();
    assert_eq!(woken, [Some(Duty::Interactive), Some(Duty::Any), None]);
    assert_eq!(lanes.wake(duties_of(Priority::Bulk)), None);
    assert_eq!(lanes.wake(&[Duty::Calls]), Some(Duty::Calls));
}

#[test]
fn no_priority_waits_for_ever() {
    let queue = Queue::new(BOUNDS, &Backlog::default());
    for priority in [Priority::Interactive, Priority::Normal, Priority::Bulk] {
        (0..100).for_each(|_| assert!(queue.push(live("a", priority))));
    }
    let taken: Vec<Priority> = (0..102).map(|_| take(&queue, Duty::Any).priority).collect();
    let places = |priority| {
        let places = taken.iter().enumerate().filter(move |(_, other)| **other == priority);
        places.map(|(place, _)| place).collect::<Vec<_>>()
    };
    assert_eq!(places(Priority::Normal)[..3], [16, 34, 52]);
    assert_eq!(places(Priority::Bulk)[..3], [17, 35, 53]);
    // whose duty it is takes nothing else
    assert!((0..5).all(|_| take(&queue, Duty::Interactive).priority == Priority::Interactive));
    assert_eq!(queue.waiting(), 300 - 102 - 5);
}

#[test]
fn a_client_with_nothing_waiting_gets_a_place() {
    let queue = Queue::new(BOUNDS, &Backlog::default());
    let (busy, new) = (ClientId("busy".into()), ClientId("new".into()));
    let admit = |client, count| -> Vec<Place> {
        (0..count).map(|_| queue.admit(client, Priority::Normal, false).expect("there is room")).collect()
    };
    let places = admit(&busy, 130);
    assert!(places[..BOUNDS.places].iter().all(|place| *place == Place::Here));
    assert_eq!(places[BOUNDS.places..], [Place::Store; 2]);
    assert_eq!(admit(&new, 2), [Place::Here, Place::Store]);
    assert_eq!(queue.admit(&new, Priority::Bulk, true), Ok(Place::Later));
    assert_eq!(queue.appetite().0, [0, 0, 0], "both have jobs here");
    // its only job here is begun: now one is wanted of each who has some in the store
    assert!(queue.take_place(live("new", Priority::Normal), Place::Here));
    take(&queue, Duty::Any);
    assert_eq!(queue.appetite().0, [0, 8, 0]);
    assert_eq!(admit(&busy, 370).last(), Some(&Place::Store));
    assert_eq!(queue.admit(&busy, Priority::Interactive, false), Err(Refusal::OverQuota));
    queue.withdraw(&busy, Priority::Normal, Place::Store);
    assert_eq!(queue.admit(&busy, Priority::Interactive, false), Ok(Place::Here));
}

/// A job of a client that is fetched.
fn stored(client: &str) -> Waiting {
    let (id, priority, wait) = (crate::store::JobId(1), Priority::Normal, Wait::Claim);
    Waiting { id, client: ClientId(client.into()), priority, wait }
}

/// The next of a client, without waiting for one.
fn take_number(queue: &Queue, jobs: &[Arc<Live>]) -> Option<usize> {
    let mut lanes = queue.lock();
    let (work, _) = lanes.take(Duty::Any, 1)?;
    let Work::Jobs(taken) = work else { panic!("there are no calls") };
    Some(jobs.iter().position(|job| Arc::ptr_eq(job, &taken[0])).expect("one of them"))
}

/// What has room here beside all that waits in the store is claimed at once, and begun after that.
#[test]
fn a_job_waits_here_for_those_before_it_in_the_store() {
    let queue = Queue::new(BOUNDS, &Backlog::default());
    let client = ClientId("a".into());
    let admit = || queue.admit(&client, Priority::Normal, false).expect("there is room");
    let jobs: Vec<Arc<Live>> = (0..BOUNDS.places + 4).map(|_| live("a", Priority::Normal)).collect();
    for job in &jobs[..BOUNDS.places] {
        assert!(queue.take_place(job.clone(), admit()));
    }
    assert_eq!([admit(), admit()], [Place::Store; 2]);
    assert_eq!((0..2).map(|_| take_number(&queue, &jobs)).collect::<Vec<_>>(), [Some(0), Some(1)]);
    assert_eq!((admit(), queue.appetite().0), (Place::Store, [0; 3]), "it would have no room behind two");
    let all: Vec<_> = (2..BOUNDS.places).map(|_| take_number(&queue, &jobs)).collect();
    assert_eq!(all, (2..BOUNDS.places).map(Some).collect::<Vec<_>>());
    let held = &jobs[BOUNDS.places + 3];
    assert_eq!(admit(), Place::Behind);
    assert!(queue.take_place(held.clone(), Place::Behind));
    assert_eq!((take_number(&queue, &jobs), queue.ahead_of(held)), (None, Some(3)));
    assert_eq!(queue.appetite().0, [0, 3, 0]);
    for job in &jobs[BOUNDS.places..BOUNDS.places + 3] {
        assert!(queue.push(job.clone()));
        queue.note_gone(&stored("a"), true);
    }
    let rest: Vec<_> = (0..4).map(|_| take_number(&queue, &jobs)).collect();
    assert_eq!(rest, (BOUNDS.places..BOUNDS.places + 4).map(Some).collect::<Vec<_>>());
    assert_eq!((queue.waiting(), admit()), (0, Place::Here));
}

/// It is begun too when others have taken what it waited for, and is given back with the rest.
#[test]
fn what_is_held_back_is_let_go_given_up_or_given_back() {
    let queue = Queue::new(Bounds { is_shared: true, ..BOUNDS }, &Backlog::default());
    let client = ClientId("a".into());
    let hold = || {
        let job = live("a", Priority::Normal);
        assert_eq!(queue.admit(&client, Priority::Normal, false), Ok(Place::Behind));
        assert!(queue.take_place(job.clone(), Place::Behind));
        job
    };
    let backlog = Backlog {
        clients: [(client.clone(), ClientBacklog { ready: [0, 9, 0], scheduled: 0 })].into(),
        suspects: 0,
    };
    queue.set_backlog(&backlog, queue.arrivals());
    let first = [hold()];
    assert_eq!((take_number(&queue, &first), queue.appetite().0[1]), (None, 9));
    queue.note_exhausted(Priority::Normal, queue.arrivals());
    assert_eq!(take_number(&queue, &first), Some(0));
    queue.set_backlog(&backlog, queue.arrivals());
    let second = [hold()];
    queue.note_waiting();
    assert_eq!((take_number(&queue, &second), queue.appetite().0[1]), (None, 9 + RUMOURED as u32));
    queue.set_backlog(&Backlog::default(), Arrivals { is_settled: false, ..queue.arrivals() });
    assert_eq!(take_number(&queue, &second), Some(0), "whatever has come meanwhile");

    queue.set_backlog(&backlog, queue.arrivals());
    let jobs = [hold(), hold(), hold()];
    assert!(queue.remove(&jobs[0]) && !queue.remove(&jobs[0]));
    assert_eq!(queue.waiting(), 9 + 2);
    let given_back = queue.set_places(1);
    assert!(given_back.len() == 1 && Arc::ptr_eq(&given_back[0], &jobs[2]));
    queue.set_places(BOUNDS.places);
    let closed = queue.close();
    assert!(closed.len() == 1 && Arc::ptr_eq(&closed[0], &jobs[1]));
}

/// A count that was wrong is put right by looking, and keeps nobody waiting.
#[test]
fn what_is_counted_wrongly_is_put_right() {
    let queue = Queue::new(BOUNDS, &Backlog::default());
    // it is heard of as claimed before it is heard of at all
    queue.note_gone(&stored("a"), true);
    queue.note_promoted(&[stored("a")]);
    let job = live("a", Priority::Normal);
    assert_eq!(queue.admit(&job.client, Priority::Normal, false), Ok(Place::Behind));
    assert!(queue.take_place(job.clone(), Place::Behind));
    let jobs = [job];
    assert_eq!((take_number(&queue, &jobs), queue.appetite().0), (None, [0, 1, 0]));
    queue.note_exhausted(Priority::Normal, queue.arrivals());
    assert_eq!((take_number(&queue, &jobs), queue.waiting()), (Some(0), 0));
    // but one that is on its way to the store is there as soon as it is stored
    (0..BOUNDS.places).for_each(|_| assert!(queue.push(live("a", Priority::Normal))));
    assert_eq!(queue.admit(&jobs[0].client, Priority::Normal, false), Ok(Place::Store));
    let arrivals = queue.arrivals();
    queue.note_exhausted(Priority::Normal, arrivals);
    queue.note_stored();
    queue.note_exhausted(Priority::Normal, arrivals);
    assert_eq!(queue.waiting(), BOUNDS.places + 1);
    queue.note_exhausted(Priority::Normal, queue.arrivals());
    assert_eq!(queue.waiting(), BOUNDS.places);
}

/// A job that is held back waits for those before it, and not for one less because one after it is cancelled.
#[test]
fn what_comes_later_lets_nobody_go() {
    let id = |waiting: Waiting, number| Waiting { id: crate::store::JobId(number), ..waiting };
    let queue = Queue::new(BOUNDS, &Backlog::default());
    queue.note_promoted(&[stored("a"), stored("a"), stored("a")]);
    let held = live("a", Priority::Normal);
    assert!(held.be_born(Some(live::Birth { id: crate::store::JobId(10), time: UNIX_EPOCH })).is_none());
    assert_eq!(queue.admit(&held.client, Priority::Normal, false), Ok(Place::Behind));
    assert!(queue.take_place(held.clone(), Place::Behind));
    queue.note_promoted(&[stored("a"), stored("a")]);
    let jobs = [held];
    queue.note_gone(&id(stored("a"), 11), false);
    queue.note_gone(&id(stored("a"), 7), false);
    queue.note_gone(&id(stored("a"), 8), true);
    assert_eq!(take_number(&queue, &jobs), None);
    queue.note_gone(&id(stored("a"), 9), true);
    assert_eq!(take_number(&queue, &jobs), Some(0));
    assert_eq!(queue.waiting(), 1);
}

/// The store in a few lines: jobs of one priority by their turns.
#[derive(Default)]
struct Shelf {
    jobs: BTreeMap<(i64, u64), usize>,
}

impl Shelf {
    fn store(&mut self, client: usize, job: u64) {
        let front = self.jobs.keys().next().map_or(0, |(turn, _)| *turn);
        let own = self.jobs.iter().filter(|(_, other)| **other == client);
        let last = own.map(|((turn, _), _)| turn + 1).max().unwrap_or(0);
        self.jobs.insert((last.max(front), job), client);
    }

    fn claim(&mut self, count: u32) -> Vec<(usize, u64)> {
        (0..count).map_while(|_| self.jobs.pop_first()).map(|((_, job), client)| (client, job)).collect()
    }
}

const NAMES: [&str; 4] = ["many", "some", "few", "one"];

/// What the queue has at every time is what came and has not gone; and whoever waits, here or in the store, sees no
/// other client served more than a few times before it is. No client's jobs overtake one another.
#[test]
fn clients_are_served_in_turn_whatever_comes() {
    for seed in 1..=200 {
        walk(seed, 1);
    }
    let behind: usize = (1..=200).map(|seed| walk(seed, 20)).sum();
    assert!(behind > 500, "some were held back: {behind}");
}

/// Jobs are fetched in one of so many steps, about. Gives how many were held back.
fn walk(seed: u64, pause: u64) -> usize {
    let mut random = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15);
    let mut next = |bound: u64| {
        random ^= random << 13;
        random ^= random >> 7;
        random ^= random << 17;
        (random >> 11) % bound
    };
    let bounds = Bounds { jobs: 10_000, jobs_of_client: 10_000, ..BOUNDS };
    let (queue, mut shelf) = (Queue::new(bounds, &Backlog::default()), Shelf::default());
    let (mut waiting, mut here, mut seen) = ([0_usize; 4], 0, [[0_usize; 4]; 4]);
    // jobs by their numbers: which each one here is, and those of each client as they came
    let (mut came, mut numbers) = (0, HashMap::new());
    let mut orders: [VecDeque<u64>; 4] = Default::default();
    let mut behind = 0;
    // first more comes than goes, in bursts where what is fetched comes late, then all of it goes
    for step in 0..6_000 {
        let is_calm = pause > 1 && step % 300 > 60;
        if step < 1_000 && next(3) > u64::from(is_calm) {
            let client = [0, 0, 0, 0, 0, 1, 1, 1, 2, 2, 3][next(11) as usize];
            let count = if client == 0 { 1 + next(6) } else { 1 };
            for _ in 0..count {
                let name = ClientId(NAMES[client].into());
                came += 1;
                orders[client].push_back(came);
                match queue.admit(&name, Priority::Normal, false).expect("there is room") {
                    place @ (Place::Here | Place::Behind) => {
                        let job = live(NAMES[client], Priority::Normal);
                        numbers.insert(Arc::as_ptr(&job), came);
                        assert!(queue.take_place(job, place));
                        here += 1;
                        behind += usize::from(place == Place::Behind);
                    }
                    Place::Store => shelf.store(client, came),
                    Place::Later => panic!("it is due"),
                }
                if waiting[client] == 0 {
                    seen[client] = [0; 4];
                }
                waiting[client] += 1;
            }
        } else if queue.lock().jobs[Priority::Normal.index()].has_next() {
            let begun = take(&queue, Duty::Any);
            let client = NAMES.iter().position(|name| **name == *begun.client.0).expect("one of them");
            assert_eq!(
                numbers.remove(&Arc::as_ptr(&begun)),
                orders[client].pop_front(),
                "seed {seed}, step {step}"
            );
            (here, waiting[client], seen[client]) = (here - 1, waiting[client] - 1, [0; 4]);
            for other in (0..4).filter(|other| *other != client && waiting[*other] > 0) {
                seen[other][client] += 1;
                assert!(
                    pause > 1 || seen[other][client] <= 8,
                    "seed {seed}, step {step}: {seen:?}, {waiting:?}"
                );
            }
        }
        let (wants, _) = if next(pause) == 0 { queue.appetite() } else { Default::default() };
        let claimed = shelf.claim(wants[Priority::Normal.index()]);
        for (client, number) in &claimed {
            let job = live(NAMES[*client], Priority::Normal);
            numbers.insert(Arc::as_ptr(&job), *number);
            assert!(queue.push(job));
            queue.note_gone(&stored(NAMES[*client]), true);
            here += 1;
        }
        assert_eq!(queue.waiting(), waiting.iter().sum::<usize>(), "seed {seed}, step {step}");
        for (name, count) in NAMES.iter().zip(waiting) {
            let counts = queue.lock().tallies.of(&ClientId((*name).into()));
            assert_eq!(counts.all(), count as u64, "seed {seed}, step {step}: {name}");
        }
    }
    assert_eq!((shelf.jobs.len(), waiting), (0, [0; 4]), "seed {seed}: all of it is gone");
    behind
}
