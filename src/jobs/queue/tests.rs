//! Who goes first in a process.

use std::time::SystemTime;

use super::*;
use crate::engine::rate::Scale;
use crate::engine::solve::{Mode, SolveOptions};
use crate::jobs::job::JobSpec;
use crate::jobs::live::Claimed;
use crate::jobs::log::Log;
use crate::puzzle::{PuzzleDraft, formats};

const BOUNDS: Bounds = Bounds { jobs: 1_000, jobs_of_client: 500, calls: 9, is_shared: false };

fn live(client: &str, priority: Priority) -> Arc<Live> {
    let puzzle = Arc::new(PuzzleDraft::latin(2).check().expect("a puzzle"));
    claimed(client, priority, JobSpec::Rate { puzzle, scale: Scale::Sleuth })
}

fn search(client: &str) -> Arc<Live> {
    let board = formats::json::from_str("{\"size\": 9, \"boxes\": \"3x3\"}").expect("readable");
    let puzzle = Arc::new(board.check().expect("a puzzle"));
    let options = SolveOptions { mode: Mode::SearchOnly, ..SolveOptions::default() };
    claimed(client, Priority::Normal, JobSpec::Solve { puzzle, options })
}

fn claimed(client: &str, priority: Priority, spec: JobSpec) -> Arc<Live> {
    Arc::new(Live::new(Claimed {
        client: ClientId(client.into()),
        request_id: None,
        spec,
        priority,
        attempt: 1,
        deaths: 0,
        work: 10_000,
        deadline: None,
        time_limit: None,
        work_limit: None,
        due: None,
        keep_trace: false,
        suspect: false,
        log: Arc::new(Log::new()),
        now: SystemTime::UNIX_EPOCH,
    }))
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
        taken.push(jobs.iter().map(|live| live.client.0.clone()).collect::<String>());
    }
    assert_eq!(taken, ["abca", "b", "a"]);
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
    assert!(places[..PLACES].iter().all(|place| *place == Place::Here));
    assert_eq!(places[PLACES..], [Place::Store; 2]);
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
