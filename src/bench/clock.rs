//! CPU time of this thread: what others do on the machine is not in it, though it slows the memory and the clock.

use std::time::Duration;

use rustix::time::{ClockId, clock_gettime};

/// The CPU time that this thread has used.
pub fn thread_cpu_time() -> Duration {
    let time = clock_gettime(ClockId::ThreadCPUTime);
    Duration::new(time.tv_sec.try_into().unwrap_or(0), time.tv_nsec.try_into().unwrap_or(0))
}

/// What comes out of the work, and the CPU time that it took.
pub fn timed<T>(work: impl FnOnce() -> T) -> (T, Duration) {
    let begin = thread_cpu_time();
    let result = work();
    (result, thread_cpu_time().saturating_sub(begin))
}
