//! Who goes first in a process, alone and beside a store of a few lines.

use std::collections::BTreeMap;

use super::*;
use crate::engine::solve::{Mode, SolveOptions};
use crate::jobs::job::JobSpec;
use crate::jobs::live;
use crate::jobs::live::tests::rating;
use crate::puzzle::formats;

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
    assert!(queue.take_place(live("new", Priority::Normal)));
    take(&queue, Duty::Any);
    assert_eq!(queue.appetite().0, [0, 8, 0]);
    assert_eq!(admit(&busy, 370).last(), Some(&Place::Store));
    assert_eq!(queue.admit(&busy, Priority::Interactive, false), Err(Refusal::OverQuota));
    queue.withdraw(&busy, Priority::Normal, Place::Store);
    assert_eq!(queue.admit(&busy, Priority::Interactive, false), Ok(Place::Here));
}

/// The store in a few lines: jobs of one priority by their turns.
#[derive(Default)]
struct Shelf {
    jobs: BTreeMap<(i64, u64), usize>,
    number: u64,
}

impl Shelf {
    fn store(&mut self, client: usize) {
        let front = self.jobs.keys().next().map_or(0, |(turn, _)| *turn);
        let own = self.jobs.iter().filter(|(_, other)| **other == client);
        let last = own.map(|((turn, _), _)| turn + 1).max().unwrap_or(0);
        self.number += 1;
        self.jobs.insert((last.max(front), self.number), client);
    }

    fn claim(&mut self, count: u32) -> Vec<usize> {
        (0..count).map_while(|_| self.jobs.pop_first()).map(|(_, client)| client).collect()
    }
}

const NAMES: [&str; 4] = ["many", "some", "few", "one"];

/// What the queue has at every time is what came and has not gone; and whoever waits, here or in the store, sees no
/// other client served more than a few times before it is.
#[test]
fn clients_are_served_in_turn_whatever_comes() {
    for seed in 1..=200 {
        walk(seed);
    }
}

fn walk(seed: u64) {
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
    // first more comes than goes, then all of it goes
    for step in 0..2_000 {
        if step < 1_000 && next(3) > 0 {
            let client = [0, 0, 0, 0, 0, 1, 1, 1, 2, 2, 3][next(11) as usize];
            let count = if client == 0 { 1 + next(6) } else { 1 };
            for _ in 0..count {
                let name = ClientId(NAMES[client].into());
                match queue.admit(&name, Priority::Normal, false).expect("there is room") {
                    Place::Here => {
                        assert!(queue.take_place(live(NAMES[client], Priority::Normal)));
                        here += 1;
                    }
                    Place::Store => shelf.store(client),
                    Place::Later => panic!("it is due"),
                }
                if waiting[client] == 0 {
                    seen[client] = [0; 4];
                }
                waiting[client] += 1;
            }
        } else if here > 0 {
            let begun = take(&queue, Duty::Any);
            let client = NAMES.iter().position(|name| **name == *begun.client.0).expect("one of them");
            (here, waiting[client], seen[client]) = (here - 1, waiting[client] - 1, [0; 4]);
            for other in (0..4).filter(|other| *other != client && waiting[*other] > 0) {
                seen[other][client] += 1;
                assert!(seen[other][client] <= 8, "seed {seed}, step {step}: {seen:?}, {waiting:?}");
            }
        }
        let (wants, _) = queue.appetite();
        for client in shelf.claim(wants[Priority::Normal.index()]) {
            let name = ClientId(NAMES[client].into());
            let (id, priority, wait) = (crate::store::JobId(1), Priority::Normal, Wait::Claim);
            queue.note_gone(&Waiting { id, client: name, priority, wait });
            assert!(queue.push(live(NAMES[client], Priority::Normal)));
            here += 1;
        }
        assert_eq!(queue.waiting(), waiting.iter().sum::<usize>(), "seed {seed}, step {step}");
        for (name, count) in NAMES.iter().zip(waiting) {
            let counts = queue.lock().tallies.of(&ClientId((*name).into()));
            assert_eq!(counts.all(), count as u64, "seed {seed}, step {step}: {name}");
        }
    }
}
