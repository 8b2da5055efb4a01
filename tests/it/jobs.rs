//! Jobs from submit to end.

use std::sync::Arc;
use std::time::Duration;

use sleuth::engine::solve::SolveOptions;
use sleuth::jobs::{ClientId, JobSpec, JobState, Jobs, RunEvent, Settings, Submission, TraceEvent};
use sleuth::puzzle::{Puzzle, PuzzleDraft};
use sleuth::store::{Durability, SqliteStore};

fn puzzle() -> Arc<Puzzle> {
    let text = "530070000600195000098000060800060003400803001700020006060000280000419005000080079";
    let json = format!("{{\"size\": 9, \"boxes\": \"3x3\", \"givens\": \"{text}\"}}");
    let draft: PuzzleDraft = sleuth::puzzle::formats::json::from_str(&json).expect("readable");
    Arc::new(draft.check().expect("a puzzle"))
}

#[tokio::test(flavor = "multi_thread")]
async fn a_solve_is_stored_and_streamed() {
    let folder = tempfile::tempdir().expect("a folder");
    let store = SqliteStore::open(&folder.path().join("a.db"), Durability::Full).await.expect("opens");
    let jobs = Jobs::start(Arc::new(store), Settings::default()).await.expect("starts");
    let spec = JobSpec::Solve { puzzle: puzzle(), options: SolveOptions::default() };
    let mut run = jobs.run(Submission::new(ClientId("me".into()), spec)).expect("admitted");
    let mut events = Vec::new();
    while let Some(event) = run.next().await {
        events.push(event.expect("no fault"));
    }
    let steps = events
        .iter()
        .filter(|event| matches!(event, RunEvent::Trace(entry) if matches!(entry.event, TraceEvent::Step(_))))
        .count();
    assert_eq!(steps, 51, "{events:?}");
    let Some(RunEvent::Trace(last)) = events.last() else { panic!() };
    let TraceEvent::Finished(job) = &last.event else { panic!() };
    assert_eq!(job.state, JobState::Succeeded);
    assert_eq!(**job, jobs.job(None, job.id).await.expect("is there"));
    let mut watcher = jobs.watch(None, job.id, None).await.expect("kept");
    let mut seen = Vec::new();
    while let Some(entry) = watcher.next().await {
        seen.push(entry.expect("no fault"));
    }
    let live: Vec<_> = events
        .iter()
        .filter_map(|event| if let RunEvent::Trace(entry) = event { Some(entry.clone()) } else { None })
        .collect();
    assert_eq!(live, seen);
    jobs.shutdown(Duration::from_secs(1)).await;
}
