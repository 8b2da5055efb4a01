//! Every call against a real daemon: what it answers, and what it refuses.

use std::time::{Duration, Instant};

use prost::Message;
use sleuth::api::proto as pb;
use sleuth::api::proto::hint_response::Advice;
use sleuth::api::proto::job_event::Event;
use sleuth::api::proto::job_result::Kind;
use sleuth::api::proto::list_steps_response::Event as ListEvent;
use sleuth::api::proto::prove_response::Finding;
use tonic::{Code, Status, Streaming};
use tonic_types::StatusExt;

use crate::harness::{
    CLASSIC, CLASSIC_SOLUTION, Daemon, empty, endless_spec, get_job, parts, solve_spec, text, until,
};

fn solve(puzzle: Option<pb::PuzzleInput>) -> pb::SolveRequest {
    pb::SolveRequest { puzzle, ..Default::default() }
}

async fn events(mut stream: Streaming<pb::SolveResponse>) -> Vec<pb::JobEvent> {
    let mut events = Vec::new();
    while let Some(response) = stream.message().await.expect("a whole stream") {
        events.push(response.event.expect("an event"));
    }
    events
}

fn finished(events: &[pb::JobEvent]) -> pb::Job {
    match events.last().and_then(|event| event.event.clone()) {
        Some(Event::Finished(finished)) => finished.job.expect("a job"),
        other => panic!("the last event is {other:?}"),
    }
}

fn solve_result(job: &pb::Job) -> pb::SolveResult {
    match job.result.clone().and_then(|result| result.kind) {
        Some(Kind::Solve(result)) => result,
        other => panic!("{other:?} of {job:?}"),
    }
}

fn steps(events: &[pb::JobEvent]) -> Vec<pb::Step> {
    events
        .iter()
        .filter_map(|event| match &event.event {
            Some(Event::Step(step)) => Some(pb::Step::decode(step.clone()).expect("a step")),
            _ => None,
        })
        .collect()
}

fn violations(status: &Status) -> Vec<String> {
    let details = status.get_error_details();
    let bad = details.bad_request().unwrap_or_else(|| panic!("no bad request in {status:?}"));
    bad.field_violations.iter().map(|one| format!("{}: {}", one.field, one.description)).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_solve_is_streamed_step_by_step_and_every_step_is_proved() {
    let daemon = Daemon::start().await;
    let mut solver = daemon.solver().await;
    let events = events(solver.solve(solve(text(CLASSIC))).await.expect("a stream").into_inner()).await;
    let kinds: Vec<&str> = events
        .iter()
        .map(|event| match event.event.as_ref().expect("an event") {
            Event::Accepted(_) => "accepted",
            Event::Started(_) => "started",
            Event::Verdict(_) => "verdict",
            Event::Step(_) => "step",
            Event::Finished(_) => "finished",
            other => panic!("{other:?}"),
        })
        .collect();
    assert_eq!(kinds.iter().filter(|kind| **kind == "accepted").count(), 1);
    let traced: Vec<&str> = kinds.iter().copied().filter(|kind| *kind != "accepted").collect();
    assert_eq!(traced[..2], ["started", "verdict"]);
    assert_eq!(traced.last(), Some(&"finished"));
    let sequences: Vec<u64> =
        events.iter().map(|event| event.sequence).filter(|number| *number > 0).collect();
    assert_eq!(sequences, (1..=sequences.len() as u64).collect::<Vec<_>>(), "no gap, no repeat");

    let job = finished(&events);
    assert_eq!(job.state(), pb::JobState::Succeeded);
    let result = solve_result(&job);
    assert_eq!(result.solutions[0].text, CLASSIC_SOLUTION);
    assert_eq!(result.grid.expect("a grid").text, CLASSIC_SOLUTION);
    assert_eq!(result.verdict.expect("a verdict").kind(), pb::VerdictKind::One);
    let steps = steps(&events);
    let placed = steps.iter().flat_map(|step| &step.conclusions);
    assert_eq!(placed.filter(|one| one.kind() == pb::ConclusionKind::Place).count(), 51);
    assert!(steps.iter().all(|step| !step.explanation.is_empty() && step.proof.is_some()));

    let request = pb::VerifyRequest { puzzle: text(CLASSIC), steps: steps.clone(), assume_unique: false };
    let verified = solver.verify(request).await.expect("an answer").into_inner();
    assert!(verified.proved, "{}", verified.reason);
    assert_eq!(verified.grid.expect("a grid").text, CLASSIC_SOLUTION);

    let mut forged = steps.clone();
    let digit = &mut forged[3].conclusions[0].digit;
    *digit = *digit % 9 + 1;
    let request = pb::VerifyRequest { puzzle: text(CLASSIC), steps: forged, assume_unique: false };
    let verified = solver.verify(request).await.expect("an answer").into_inner();
    assert!(!verified.proved && !verified.reason.is_empty());
    assert_eq!(verified.steps_proved, 3);

    let mut garbled = steps;
    garbled[3].technique = "naked-centuple".to_owned();
    let repeated = garbled[5].conclusions[0];
    garbled[5].conclusions.push(repeated);
    let said = &garbled[5].notation;
    let faults = [
        "steps[3].technique: there is no technique `naked-centuple`".to_owned(),
        format!("steps[5].conclusions[1]: the step says {said} twice"),
    ];
    let request = pb::VerifyRequest { puzzle: text(CLASSIC), steps: garbled, assume_unique: false };
    let refused = solver.verify(request).await.expect_err("no steps of this version");
    assert_eq!((refused.code(), violations(&refused)), (Code::InvalidArgument, faults.to_vec()));
    daemon.stop().await;
}

/// What a view leaves out, and in which language it speaks.
#[tokio::test(flavor = "multi_thread")]
async fn views() {
    let daemon = Daemon::start().await;
    let mut solver = daemon.solver().await;
    let view = |language: &str, omit_steps, omit_proofs| {
        Some(pb::EventView { language: language.to_owned(), omit_steps, omit_proofs, ..Default::default() })
    };
    let request = pb::SolveRequest { view: view("zh", false, true), ..solve(text(CLASSIC)) };
    let chinese = events(solver.solve(request).await.expect("a stream").into_inner()).await;
    assert!(steps(&chinese).iter().all(|step| step.proof.is_none() && !step.explanation.is_ascii()));
    let request = pb::SolveRequest { view: view("", true, false), ..solve(text(CLASSIC)) };
    let short = events(solver.solve(request).await.expect("a stream").into_inner()).await;
    assert!(steps(&short).is_empty());
    assert_eq!(solve_result(&finished(&short)).solutions[0].text, CLASSIC_SOLUTION);
    let end_only = Some(pb::EventView { end_only: true, ..Default::default() });
    let request = pb::SolveRequest { view: end_only, ..solve(text(CLASSIC)) };
    let end = events(solver.solve(request).await.expect("a stream").into_inner()).await;
    assert_eq!(end.len(), 1, "{end:?}");
    assert_eq!(solve_result(&finished(&end)).solutions[0].text, CLASSIC_SOLUTION);
    assert!(!end[0].job.is_empty() && end[0].sequence > 3);
    let request = pb::SolveRequest { view: view("tlh", true, false), ..solve(None) };
    let refused = solver.solve(request).await.expect_err("two faults");
    assert_eq!(refused.code(), Code::InvalidArgument);
    let violations = violations(&refused);
    assert!(
        violations[0].starts_with("view.language: ") && violations[1].starts_with("puzzle: "),
        "{violations:?}"
    );
    daemon.stop().await;
}

/// The article's KenKen of size 4, by both engines.
#[tokio::test(flavor = "multi_thread")]
async fn cages_in_parts_by_both_engines() {
    let daemon = Daemon::start().await;
    let mut solver = daemon.solver().await;
    let cage = |cells: &[u32], operation: pb::Operation, target: i64| pb::Cage {
        cells: cells.to_vec(),
        operation: operation.into(),
        target: Some(target),
        distinct: false,
    };
    // 3 2 4 1 / 2 4 1 3 / 4 1 3 2 / 1 3 2 4
    use pb::Operation::{Add, Divide, Equal, Multiply, Subtract, Unknown};
    let puzzle = pb::Puzzle {
        size: 4,
        cages: vec![
            cage(&[0, 4], Add, 5),
            cage(&[1, 5], Divide, 2),
            cage(&[2, 3], Subtract, 3),
            cage(&[6, 7, 11], Multiply, 6),
            cage(&[8, 12], Divide, 4),
            cage(&[9, 13], Unknown, 3),
            cage(&[10, 14], Add, 5),
            cage(&[15], Equal, 4),
        ],
        ..Default::default()
    };
    for engine in ["general", "dlx"] {
        let request = pb::SolveRequest {
            puzzle: parts(puzzle.clone()),
            options: Some(pb::SolveOptions { engine: engine.to_owned(), ..Default::default() }),
            ..Default::default()
        };
        let events = events(solver.solve(request).await.expect("a stream").into_inner()).await;
        let result = solve_result(&finished(&events));
        assert_eq!(result.solutions[0].text, "3241241341321324", "by {engine}");
        assert_eq!(result.verdict.expect("a verdict").kind(), pb::VerdictKind::One, "by {engine}");
        assert!(engine != "dlx" || result.nodes > 0, "nodes are told");
    }
    daemon.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_rating_and_a_generation() {
    let daemon = Daemon::start().await;
    let mut solver = daemon.solver().await;
    let request = pb::RateRequest { puzzle: text(CLASSIC), ..Default::default() };
    let mut stream = solver.rate(request).await.expect("a stream").into_inner();
    let mut last = None;
    while let Some(response) = stream.message().await.expect("a whole stream") {
        last = response.event;
    }
    let job = finished(&[last.expect("an event")]);
    let Some(Kind::Rate(rated)) = job.result.and_then(|result| result.kind) else { panic!("a rating") };
    let rating = rated.rating.expect("a rating");
    assert_eq!((rating.level(), rating.scale.as_str()), (pb::Level::Easy, "sleuth"));
    assert_eq!(rated.solution.expect("a solution").text, CLASSIC_SOLUTION);

    let mut made = Vec::new();
    for _ in 0..2 {
        let recipe = pb::GenerateSpec { size: 4, seed: Some(11), ..Default::default() };
        let request = pb::GenerateRequest { recipe: Some(recipe), ..Default::default() };
        let mut stream = solver.generate(request).await.expect("a stream").into_inner();
        let mut last = None;
        while let Some(response) = stream.message().await.expect("a whole stream") {
            last = response.event;
        }
        let job = finished(&[last.expect("an event")]);
        let Some(Kind::Generate(result)) = job.result.and_then(|result| result.kind) else {
            panic!("a result")
        };
        assert_eq!(result.seed, 11);
        made.push(result.generated.expect("a puzzle").puzzle.expect("a puzzle").text);
    }
    assert_eq!(made[0], made[1], "the same seed gives the same puzzle");
    daemon.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn steps_are_listed_and_conclusions_proved() {
    let daemon = Daemon::start().await;
    let mut solver = daemon.solver().await;
    let request = pb::ListStepsRequest { puzzle: text(CLASSIC), omit_proofs: true, ..Default::default() };
    let mut stream = solver.list_steps(request).await.expect("a list").into_inner();
    let mut events = Vec::new();
    while let Some(response) = stream.message().await.expect("a whole stream") {
        events.push(response.event.expect("an event"));
    }
    let (Some(ListEvent::Survey(survey)), Some(ListEvent::End(end))) = (events.first(), events.last()) else {
        panic!("{events:?}")
    };
    assert_eq!(survey.verdict.expect("a verdict").kind(), pb::VerdictKind::One);
    assert!(end.complete && end.techniques.iter().all(|technique| technique.complete));
    let steps = &events[1..events.len() - 1];
    assert_eq!(end.techniques.iter().map(|technique| technique.steps as usize).sum::<usize>(), steps.len());
    for step in steps {
        let ListEvent::Step(step) = step else { panic!("{step:?}") };
        assert!(step.proof.is_none() && !step.explanation.is_empty() && !step.lesson.is_empty());
    }
    let request = pb::ListStepsRequest { puzzle: text(CLASSIC), max_steps: 10_001, ..Default::default() };
    let refused = solver.list_steps(request).await.expect_err("refused");
    assert_eq!(refused.code(), Code::InvalidArgument);

    let place = |cell, digit| pb::Conclusion { kind: pb::ConclusionKind::Place.into(), cell, digit };
    let prove = |conclusion| pb::ProveRequest { puzzle: text(CLASSIC), conclusion, ..Default::default() };
    let answer = solver.prove(prove(Some(place(2, 4)))).await.expect("an answer").into_inner();
    let Some(Finding::Proved(proof)) = answer.finding else { panic!("{answer:?}") };
    let assume_unique = true;
    let request = pb::VerifyRequest { puzzle: text(CLASSIC), steps: proof.steps, assume_unique };
    assert!(solver.verify(request).await.expect("an answer").into_inner().proved);
    let answer = solver.prove(prove(Some(place(2, 1)))).await.expect("an answer").into_inner();
    assert!(matches!(answer.finding, Some(Finding::Wrong(_))), "{answer:?}");
    for (conclusion, field) in [
        (None, "conclusion"),
        (Some(place(81, 1)), "conclusion.cell"),
        (Some(place(0, 10)), "conclusion.digit"),
        (Some(pb::Conclusion { kind: 0, cell: 2, digit: 1 }), "conclusion.kind"),
    ] {
        let refused = solver.prove(prove(conclusion)).await.expect_err("refused");
        let faults = refused.get_details_bad_request().expect("details").field_violations;
        assert_eq!(faults.iter().map(|fault| fault.field.as_str()).collect::<Vec<_>>(), [field]);
    }
    daemon.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn hints_and_checks() {
    let daemon = Daemon::start().await;
    let mut solver = daemon.solver().await;
    let hint = |entries: Vec<u32>| pb::HintRequest {
        puzzle: text(CLASSIC),
        position: Some(pb::PlayerPosition { entries, ..Default::default() }),
        ..Default::default()
    };
    let answer = solver.hint(hint(vec![])).await.expect("a hint").into_inner();
    assert!(matches!(answer.advice, Some(Advice::Step(step)) if !step.explanation.is_empty()));
    let mut entries = vec![0; 81];
    entries[2] = 1;
    let answer = solver.hint(hint(entries.clone())).await.expect("a hint").into_inner();
    let Some(Advice::Correct(wrong)) = answer.advice else { panic!("{answer:?}") };
    assert_eq!(wrong.entries[0].cells, [2]);
    let solution: Vec<u32> = CLASSIC_SOLUTION.bytes().map(|byte| u32::from(byte - b'0')).collect();
    let answer = solver.hint(hint(solution)).await.expect("a hint").into_inner();
    assert!(matches!(answer.advice, Some(Advice::Done(_))), "{answer:?}");

    let position = Some(pb::PlayerPosition { entries, ..Default::default() });
    let request = pb::CheckRequest { puzzle: text(CLASSIC), position, ..Default::default() };
    let checked = solver.check(request).await.expect("a check").into_inner();
    assert_eq!(checked.verdict.expect("a verdict").kind(), pb::VerdictKind::One);
    assert_eq!(checked.solutions[0].text, CLASSIC_SOLUTION);
    assert_eq!(checked.wrong_entries.len(), 1);
    let request = pb::CheckRequest { puzzle: parts(empty(9, 3)), ..Default::default() };
    let checked = solver.check(request).await.expect("a check").into_inner();
    assert_eq!(checked.verdict.expect("a verdict").kind(), pb::VerdictKind::Several);
    assert_eq!(checked.solutions.len(), 2);
    daemon.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn true_candidates() {
    let daemon = Daemon::start().await;
    let mut solver = daemon.solver().await;
    let ask = |puzzle, cap| pb::TrueCandidatesRequest { puzzle, cap, ..Default::default() };
    let found = solver.true_candidates(ask(text(CLASSIC), 0)).await.expect("an answer").into_inner();
    let solution: Vec<u32> = CLASSIC_SOLUTION.bytes().map(|byte| 1 << (byte - b'1')).collect();
    assert_eq!((found.candidates, found.counts, found.undecided), (solution, vec![], vec![]));
    let found = solver.true_candidates(ask(parts(empty(4, 2)), 1_000)).await.expect("an answer").into_inner();
    assert_eq!((found.candidates, found.counts), (vec![0xF; 16], vec![72; 64]));
    let found = solver.true_candidates(ask(parts(empty(9, 3)), 3)).await.expect("an answer").into_inner();
    assert_eq!(found.stop_reason(), pb::StopReason::Unspecified);
    assert_eq!((found.candidates, found.counts), (vec![0x1FF; 81], vec![3; 729]));
    let refused = solver.true_candidates(ask(text("12"), 1_001)).await.expect_err("two faults");
    assert_eq!(refused.code(), Code::InvalidArgument);
    assert!(violations(&refused).iter().any(|fault| fault.starts_with("cap: 1001")), "{refused:?}");
    assert!(violations(&refused).len() >= 2, "{refused:?}");
    daemon.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn techniques_in_pages_and_languages() {
    let daemon = Daemon::start().await;
    let mut solver = daemon.solver().await;
    let all =
        solver.list_techniques(pb::ListTechniquesRequest::default()).await.expect("a list").into_inner();
    assert!(all.techniques.len() > 15 && all.next_page_token.is_empty());
    let mut paged = Vec::new();
    let mut page_token = String::new();
    loop {
        let request = pb::ListTechniquesRequest { page_size: 4, page_token, language: "zh".to_owned() };
        let page = solver.list_techniques(request).await.expect("a page").into_inner();
        paged.extend(page.techniques);
        page_token = page.next_page_token;
        if page_token.is_empty() {
            break;
        }
    }
    let slugs = |list: &[pb::Technique]| list.iter().map(|one| one.slug.clone()).collect::<Vec<_>>();
    assert_eq!(slugs(&paged), slugs(&all.techniques));
    assert!(paged.iter().all(|one| !one.name.is_ascii()));
    let request =
        pb::ListTechniquesRequest { page_size: -1, page_token: "x".to_owned(), language: "xx".to_owned() };
    let refused = solver.list_techniques(request).await.expect_err("three faults");
    assert_eq!(violations(&refused).len(), 3);
    daemon.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn jobs_are_made_once_listed_watched_and_cancelled() {
    let daemon = Daemon::start().await;
    let mut jobs = daemon.jobs().await;
    let create = |spec: pb::JobSpec, request_id: &str| pb::CreateJobRequest {
        spec: Some(spec),
        options: Some(pb::JobOptions { request_id: request_id.to_owned(), ..Default::default() }),
        validate_only: false,
    };
    let first = jobs.create_job(create(solve_spec(CLASSIC), "one")).await.expect("a job").into_inner();
    assert!(!first.existed);
    let name = first.job.expect("a job").name;
    let again = jobs.create_job(create(solve_spec(CLASSIC), "one")).await.expect("a job").into_inner();
    assert!(again.existed);
    assert_eq!(again.job.expect("a job").name, name);
    let refused = jobs.create_job(create(endless_spec(), "one")).await.expect_err("another request");
    assert_eq!(refused.code(), Code::AlreadyExists);
    assert_eq!(
        refused.get_error_details().resource_info().map(|info| info.resource_name.clone()),
        Some(name.clone())
    );
    // a check sees what a submit would
    let mut check = async |request: pb::CreateJobRequest| {
        let answer = jobs.create_job(pb::CreateJobRequest { validate_only: true, ..request }).await?;
        let answer = answer.into_inner();
        assert!(answer.job.is_none());
        Ok::<bool, tonic::Status>(answer.existed)
    };
    assert!(!check(create(solve_spec(CLASSIC), "")).await.expect("an answer"));
    assert!(!check(create(solve_spec(CLASSIC), "two")).await.expect("an answer"));
    assert!(check(create(solve_spec(CLASSIC), "one")).await.expect("an answer"));
    let mut limited = create(solve_spec(CLASSIC), "one");
    limited.options.as_mut().expect("options").work_limit = 7;
    let refused = check(limited).await.expect_err("other limits");
    let details = refused.get_error_details();
    let field = details.error_info().and_then(|info| info.metadata.get("field").cloned());
    assert_eq!((refused.code(), field.as_deref()), (Code::AlreadyExists, Some("work_limit")));
    let solve = pb::SolveRequest {
        puzzle: text(CLASSIC),
        job: Some(pb::JobOptions { request_id: "one".to_owned(), ..Default::default() }),
        validate_only: true,
        ..Default::default()
    };
    let refused = daemon.solver().await.solve(solve).await.expect_err("another priority");
    assert_eq!(refused.code(), Code::AlreadyExists);

    let slow = jobs.create_job(create(endless_spec(), "")).await.expect("a job").into_inner();
    let slow = slow.job.expect("a job").name;
    let cancelled = jobs.cancel_job(pb::CancelJobRequest { name: slow.clone() }).await.expect("a job");
    assert_eq!(cancelled.into_inner().job.expect("a job").state(), pb::JobState::Cancelled);

    let job = until("the first job ends", || async {
        let job = get_job(&mut daemon.jobs().await, &name).await;
        (job.state() == pb::JobState::Succeeded).then_some(job)
    })
    .await;
    assert_eq!(solve_result(&job).solutions[0].text, CLASSIC_SOLUTION);
    assert!(job.spec.is_some() && job.end_time.is_some());

    let list = |page_size, page_token: &str, state: pb::JobState| pb::ListJobsRequest {
        page_size,
        page_token: page_token.to_owned(),
        state: state.into(),
        kind: 0,
    };
    let page = jobs.list_jobs(list(1, "", pb::JobState::Unspecified)).await.expect("a page").into_inner();
    assert_eq!(page.jobs[0].name, slow);
    let token = page.next_page_token;
    let page = jobs.list_jobs(list(1, &token, pb::JobState::Unspecified)).await.expect("a page").into_inner();
    assert_eq!(page.jobs[0].name, name);
    let refused = jobs.list_jobs(list(1, &token, pb::JobState::Failed)).await.expect_err("another list");
    assert_eq!(refused.code(), Code::InvalidArgument);
    daemon.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_archive_keeps_each_puzzle_once() {
    let daemon = Daemon::start().await;
    let mut solver = daemon.solver().await;
    let mut names = Vec::new();
    for puzzle in [CLASSIC, CLASSIC, "1...............", "1234341221434321"] {
        let events = events(solver.solve(solve(text(puzzle))).await.expect("a stream").into_inner()).await;
        names.push(finished(&events).result.expect("a result").puzzle);
    }
    assert_eq!(names[0], names[1]);
    let mut archive = daemon.archive().await;
    let kept = archive.get_puzzle(pb::GetPuzzleRequest { name: names[0].clone() }).await.expect("a puzzle");
    let kept = kept.into_inner().puzzle.expect("a puzzle");
    assert_eq!(kept.solution.as_ref().expect("a solution").text, CLASSIC_SOLUTION);
    assert_eq!(kept.puzzle.as_ref().expect("parts").houses.len(), 27);
    assert_eq!(kept.provenance(), pb::Provenance::Solved);
    let list = |size, page_token: &str| pb::ListPuzzlesRequest {
        page_size: 1,
        page_token: page_token.to_owned(),
        size,
        ..Default::default()
    };
    let page = archive.list_puzzles(list(4, "")).await.expect("a page").into_inner();
    assert_eq!(page.puzzles[0].name, names[3]);
    let page = archive.list_puzzles(list(4, &page.next_page_token)).await.expect("a page").into_inner();
    assert_eq!((page.puzzles[0].name.as_str(), page.next_page_token.as_str()), (names[2].as_str(), ""));
    for (name, code) in [("puzzles/999", Code::NotFound), ("jobs/1", Code::InvalidArgument)] {
        let refused = archive.get_puzzle(pb::GetPuzzleRequest { name: name.to_owned() }).await;
        assert_eq!(refused.expect_err("no puzzle").code(), code, "{name}");
    }
    daemon.stop().await;
}

/// What cannot be a puzzle is refused in one answer that names everything, and what can be is answered, all of it
/// in bounded time.
#[tokio::test(flavor = "multi_thread")]
async fn hostile_input() {
    let daemon = Daemon::start().await;
    let mut solver = daemon.solver().await;
    let began = Instant::now();
    let cage = |cells: &[u32], target| pb::Cage {
        cells: cells.to_vec(),
        operation: pb::Operation::Add.into(),
        target: Some(target),
        distinct: true,
    };
    let mut conflicts = empty(9, 3);
    conflicts.givens = vec![0; 81];
    for row in 0..9 {
        conflicts.givens[row * 9] = row as u32 % 2 + 1;
        conflicts.givens[row * 9 + 4] = row as u32 % 2 + 1;
        conflicts.givens[row * 9 + 8] = row as u32 % 2 + 1;
    }
    let cages = |list: Vec<pb::Cage>| pb::Puzzle { cages: list, ..empty(9, 3) };
    let size26 = pb::Puzzle { size: 26, ..Default::default() };
    let cases: Vec<(&str, Option<pb::PuzzleInput>, Vec<&str>)> = vec![
        ("size 26", parts(size26), vec!["size 26 is not between 2 and 25"]),
        ("a cage without cell", parts(cages(vec![cage(&[], 5)])), vec!["cage 1 covers no cell"]),
        (
            "cells twice, target negative, target too large",
            parts(cages(vec![cage(&[0, 1], 5), cage(&[1, 2], -4), cage(&[5, 6], 40)])),
            vec![
                "r1c2 is in cage 1 and in cage 2",
                "target -4 of cage 2 is negative",
                "target 40 of cage 3 cannot be met",
            ],
        ),
        ("a mebibyte of text", text(&"1".repeat(1 << 20)), vec![]),
        ("a mebibyte of nonsense", text(&"é".repeat(1 << 19)), vec![]),
        ("more than a mebibyte", text(&"1".repeat((1 << 20) + 1)), vec![]),
        ("nothing", text(""), vec![]),
        ("a logical solve of size 20", parts(empty(20, 4)), vec!["up to size 16", "size 20"]),
    ];
    for (what, puzzle, wanted) in cases {
        let began = Instant::now();
        let refused = solver.solve(solve(puzzle)).await.expect_err(what);
        assert_eq!(refused.code(), Code::InvalidArgument, "{what}: {refused:?}");
        let found = violations(&refused).join("\n");
        assert!(wanted.iter().all(|part| found.contains(part)), "{what}: {found}");
        assert!(began.elapsed() < Duration::from_secs(2), "{what} took {:?}", began.elapsed());
    }

    let refused = solver.solve(solve(parts(conflicts.clone()))).await.expect_err("conflicts");
    let found = violations(&refused);
    let request = pb::CheckRequest { puzzle: parts(conflicts), ..Default::default() };
    let checked = solver.check(request).await.expect("faults are data").into_inner();
    assert_eq!(found.len(), checked.faults.len(), "both name every conflict");
    assert!(checked.faults.len() >= 15 && checked.verdict.is_none());
    assert!(checked.faults.iter().all(|fault| fault.cells.len() >= 2));

    let several = |size, rows| pb::SolveRequest {
        options: Some(pb::SolveOptions { mode: pb::SolveMode::SearchOnly.into(), ..Default::default() }),
        ..solve(parts(empty(size, rows)))
    };
    for (size, rows) in [(9, 3), (16, 4), (20, 4), (25, 5)] {
        let stream = solver.solve(several(size, rows)).await.expect("a stream").into_inner();
        let result = solve_result(&finished(&events(stream).await));
        let verdict = result.verdict.expect("a verdict");
        assert_eq!((verdict.kind(), result.solutions.len()), (pb::VerdictKind::Several, 2), "size {size}");
    }
    let full = solver.solve(solve(parts(empty(9, 3)))).await.expect("a stream").into_inner();
    assert_eq!(solve_result(&finished(&events(full).await)).solutions.len(), 2);
    assert!(began.elapsed() < Duration::from_secs(60), "all took {:?}", began.elapsed());
    daemon.stop().await;
}
