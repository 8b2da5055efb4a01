//! Work spread over the cores of this machine.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

/// How often progress is told.
const EVERY: Duration = Duration::from_secs(10);

/// Does something to so many numbered things, each thread with a state of its own; what comes of it, in order.
pub fn each<S, R: Send>(
    name: &str,
    count: usize,
    state: impl Fn() -> S + Sync,
    work: impl Fn(&mut S, usize) -> R + Sync,
) -> Vec<R> {
    let next = AtomicUsize::new(0);
    let told = Mutex::new(Instant::now());
    let worker = || {
        let mut state = state();
        let mut results = Vec::new();
        loop {
            let number = next.fetch_add(1, Ordering::Relaxed);
            if number >= count {
                return results;
            }
            results.push((number, work(&mut state, number)));
            let mut told = told.lock().unwrap_or_else(PoisonError::into_inner);
            if told.elapsed() > EVERY {
                eprintln!("{name}: {number} of {count}");
                *told = Instant::now();
            }
        }
    };
    let threads = thread::available_parallelism().map_or(1, usize::from);
    let mut results: Vec<(usize, R)> = thread::scope(|scope| {
        let workers: Vec<_> = (0..threads).map(|_| scope.spawn(worker)).collect();
        workers.into_iter().flat_map(|worker| worker.join().expect("no panic")).collect()
    });
    results.sort_by_key(|(number, _)| *number);
    results.into_iter().map(|(_, result)| result).collect()
}
