"""A third-party client against the real daemon: stubs from the proto files, nothing of Sleuth's own code.

    python tests/clients/python/test_client.py

needs the packages of requirements.txt, and a binary (see daemon.py).
"""

import contextlib
import http.client
import inspect
import io
import os
import pathlib
import struct
import sys
import tempfile
import threading
import time
import traceback
import uuid

import grpc

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from daemon import ROOT, Daemon, make_stubs  # noqa: E402

stubs = make_stubs()

from google.rpc import error_details_pb2  # noqa: E402
from grpc_health.v1 import health_pb2, health_pb2_grpc  # noqa: E402
from grpc_reflection.v1alpha.proto_reflection_descriptor_database import (  # noqa: E402
    ProtoReflectionDescriptorDatabase,
)
from grpc_status import rpc_status  # noqa: E402
from sleuth.v1 import (  # noqa: E402
    archive_service_pb2,
    archive_service_pb2_grpc,
    job_pb2,
    job_service_pb2,
    job_service_pb2_grpc,
    puzzle_pb2,
    solver_service_pb2,
    solver_service_pb2_grpc,
)

CLASSIC = "530070000600195000098000060800060003400803001700020006060000280000419005000080079"
SOLVED = "534678912672195348198342567859761423426853791713924856961537284287419635345286179"
SERVICES = ["sleuth.v1.ArchiveService", "sleuth.v1.JobService", "sleuth.v1.SolverService"]
TIMEOUT = 30


class Client:
    """A connection of its own with all stubs."""

    def __init__(self, address):
        self.channel = grpc.insecure_channel(address, options=[("grpc.use_local_subchannel_pool", 1)])
        self.solver = solver_service_pb2_grpc.SolverServiceStub(self.channel)
        self.jobs = job_service_pb2_grpc.JobServiceStub(self.channel)
        self.archive = archive_service_pb2_grpc.ArchiveServiceStub(self.channel)
        self.health = health_pb2_grpc.HealthStub(self.channel)


def text(puzzle):
    return puzzle_pb2.PuzzleInput(text=puzzle)


def solve_spec(puzzle=CLASSIC, **options):
    solve = job_pb2.SolveSpec(puzzle=text(puzzle), options=job_pb2.SolveOptions(**options))
    return job_pb2.JobSpec(solve=solve)


def endless():
    """A job that does not end by itself: count the solutions of a board without a clue."""
    puzzle = puzzle_pb2.PuzzleInput(
        puzzle=puzzle_pb2.Puzzle(size=25, boxes=puzzle_pb2.BoxShape(rows=5, columns=5))
    )
    options = job_pb2.SolveOptions(mode=job_pb2.SOLVE_MODE_SEARCH_ONLY, solution_limit=2**62)
    return job_pb2.JobSpec(solve=job_pb2.SolveSpec(puzzle=puzzle, options=options))


def finished_job(client, job_id):
    """The job once it has ended."""
    events = client.jobs.WatchJob(job_service_pb2.WatchJobRequest(name=job_id), timeout=TIMEOUT)
    last = [response.event for response in events][-1]
    assert last.WhichOneof("event") == "finished", last
    return last.finished.job


def refused(call):
    """The error that a call ends with, and its details by type."""
    try:
        response = call()
        if hasattr(response, "__next__"):
            response = list(response)
    except grpc.RpcError as error:
        status = rpc_status.from_call(error)
        details = {}
        for any_detail in status.details if status else []:
            for kind in (
                error_details_pb2.BadRequest,
                error_details_pb2.ErrorInfo,
                error_details_pb2.ResourceInfo,
                error_details_pb2.RetryInfo,
            ):
                if any_detail.Is(kind.DESCRIPTOR):
                    message = kind()
                    any_detail.Unpack(message)
                    details[kind.DESCRIPTOR.name] = message
        return error, details
    raise AssertionError(f"not refused: {response}")


def violations(details):
    return {violation.field: violation.description for violation in details["BadRequest"].field_violations}


def test_solve_streams_its_steps(client):
    request = solver_service_pb2.SolveRequest(puzzle=text(CLASSIC))
    events = [response.event for response in client.solver.Solve(request, timeout=TIMEOUT)]
    kinds = [event.WhichOneof("event") for event in events]
    assert kinds.count("accepted") == 1 and kinds.count("started") == 1, kinds
    assert kinds.count("verdict") == 1 and kinds[-1] == "finished", kinds
    steps = [event.step for event in events if event.WhichOneof("event") == "step"]
    placed = {}
    for step in steps:
        assert step.explanation and step.notation and step.proof.lemmas, step
        for conclusion in step.conclusions:
            if conclusion.kind == 1:
                placed[conclusion.cell] = conclusion.digit
    assert len(placed) == 51, len(placed)
    assert all(str(digit) == SOLVED[cell] for cell, digit in placed.items())
    sequences = [event.sequence for event in events if event.sequence]
    assert sequences == list(range(1, len(sequences) + 1)), sequences
    result = events[-1].finished.job.result.solve
    assert result.verdict.kind == puzzle_pb2.VERDICT_KIND_ONE
    assert [grid.text for grid in result.solutions] == [SOLVED]
    assert result.searched_cells == 0 and result.steps == len(steps)


def test_language_and_omissions(client):
    view = job_pb2.EventView(language="zh", omit_proofs=True)
    request = solver_service_pb2.SolveRequest(puzzle=text(CLASSIC), view=view)
    steps = [r.event.step for r in client.solver.Solve(request, timeout=TIMEOUT) if r.event.HasField("step")]
    assert steps and not any(step.HasField("proof") for step in steps)
    assert any(ord(letter) > 0x2E80 for letter in steps[0].explanation), steps[0].explanation
    request.view.omit_steps = True
    events = [r.event.WhichOneof("event") for r in client.solver.Solve(request, timeout=TIMEOUT)]
    assert "step" not in events and events[-1] == "finished", events


def test_outcomes_are_answers(client):
    def solve(puzzle):
        request = solver_service_pb2.SolveRequest(puzzle=text(puzzle))
        job = list(client.solver.Solve(request, timeout=TIMEOUT))[-1].event.finished.job
        assert job.state == job_pb2.JOB_STATE_SUCCEEDED, job
        return job.result.solve

    several = solve("." * 81)
    assert several.verdict.kind == puzzle_pb2.VERDICT_KIND_SEVERAL and len(several.solutions) == 2, several
    none = solve("12345678." + "........9" + "." * 63)
    assert none.verdict.kind == puzzle_pb2.VERDICT_KIND_NONE and not none.solutions, none


def test_faults_of_a_puzzle_are_an_answer_of_check(client):
    request = solver_service_pb2.CheckRequest(puzzle=text("55" + "." * 79))
    checked = client.solver.Check(request, timeout=TIMEOUT)
    assert {(fault.message.split(":")[0], tuple(fault.cells)) for fault in checked.faults} == {
        ("5 is given twice in row 1", (0, 1)),
        ("5 is given twice in box 1", (0, 1)),
    }, checked
    assert not checked.HasField("verdict"), checked


def test_rate(client):
    request = solver_service_pb2.RateRequest(puzzle=text(CLASSIC))
    last = list(client.solver.Rate(request, timeout=TIMEOUT))[-1].event
    rating = last.finished.job.result.rate.rating
    assert rating.scale == "sleuth" and rating.level == puzzle_pb2.LEVEL_EASY, rating
    assert rating.score > 0 and sum(count.count for count in rating.counts) > 0, rating


def test_generate_is_a_function_of_its_seed(client):
    def make(seed):
        recipe = job_pb2.GenerateSpec(size=6, symmetry=job_pb2.SYMMETRY_HALF_TURN, seed=seed)
        request = solver_service_pb2.GenerateRequest(recipe=recipe)
        last = list(client.solver.Generate(request, timeout=TIMEOUT))[-1].event
        generated = last.finished.job.result.generate.generated
        assert len(generated.solution.digits) == 36, last
        return generated.puzzle.text

    assert make(7) == make(7)
    assert make(7) != make(8)


def test_hint_and_wrong_entries(client):
    request = solver_service_pb2.HintRequest(puzzle=text(CLASSIC))
    hint = client.solver.Hint(request, timeout=TIMEOUT)
    assert hint.WhichOneof("advice") == "step" and hint.step.conclusions and hint.step.explanation, hint
    entries = [0] * 81
    entries[2] = 1  # a 4 belongs there
    request.position.CopyFrom(solver_service_pb2.PlayerPosition(entries=entries))
    hint = client.solver.Hint(request, timeout=TIMEOUT)
    assert hint.WhichOneof("advice") == "correct", hint
    assert [list(entry.cells) for entry in hint.correct.entries] == [[2]], hint
    check = solver_service_pb2.CheckRequest(puzzle=text(CLASSIC), position=request.position)
    checked = client.solver.Check(check, timeout=TIMEOUT)
    assert [(list(entry.cells), entry.digit) for entry in checked.wrong_entries] == [([2], 1)], checked
    assert checked.verdict.kind == puzzle_pb2.VERDICT_KIND_ONE, checked


def test_verify_accepts_proofs_and_nothing_else(client):
    request = solver_service_pb2.SolveRequest(puzzle=text(CLASSIC))
    steps = [r.event.step for r in client.solver.Solve(request, timeout=TIMEOUT) if r.event.HasField("step")]
    verify = solver_service_pb2.VerifyRequest(puzzle=text(CLASSIC), steps=steps)
    verdict = client.solver.Verify(verify, timeout=TIMEOUT)
    assert verdict.proved and verdict.steps_proved == len(steps) and verdict.grid.text == SOLVED, verdict
    placement = verify.steps[3].conclusions[0]
    placement.digit = placement.digit % 9 + 1
    verdict = client.solver.Verify(verify, timeout=TIMEOUT)
    assert not verdict.proved and verdict.steps_proved == 3 and verdict.reason, verdict


def test_techniques(client):
    request = solver_service_pb2.ListTechniquesRequest(page_size=5)
    seen = []
    while True:
        page = client.solver.ListTechniques(request, timeout=TIMEOUT)
        assert 0 < len(page.techniques) <= 5
        seen += [technique.slug for technique in page.techniques]
        if not page.next_page_token:
            break
        request.page_token = page.next_page_token
    assert len(seen) == len(set(seen)) > 10 and "naked-single" in seen, seen


def test_watch_resumes_after_any_cursor(client):
    created = client.jobs.CreateJob(job_service_pb2.CreateJobRequest(spec=solve_spec()), timeout=TIMEOUT)
    job_id = created.job.name

    def watch(cursor="", at_most=None):
        call = client.jobs.WatchJob(
            job_service_pb2.WatchJobRequest(name=job_id, after_cursor=cursor), timeout=TIMEOUT
        )
        events = []
        for response in call:
            if response.event.WhichOneof("event") != "heartbeat":
                events.append(response.event)
            if at_most and len(events) == at_most:
                call.cancel()
                break
        return events

    first = watch(at_most=4)
    rest = watch(cursor=first[-1].cursor)
    whole = watch()
    assert [e.cursor for e in first + rest] == [e.cursor for e in whole]
    assert [e.WhichOneof("event") for e in first + rest] == [e.WhichOneof("event") for e in whole]
    assert whole[-1].WhichOneof("event") == "finished"
    assert len({e.cursor for e in whole}) == len(whole)
    for place in range(0, len(whole) - 1, 7):
        again = watch(cursor=whole[place].cursor)
        assert [e.cursor for e in again] == [e.cursor for e in whole[place + 1 :]], place
    error, _ = refused(lambda: watch(cursor="no cursor"))
    assert error.code() == grpc.StatusCode.INVALID_ARGUMENT, error


def test_request_id_makes_a_submit_safe_to_repeat(client):
    options = job_pb2.JobOptions(request_id=str(uuid.uuid4()))
    request = job_service_pb2.CreateJobRequest(spec=solve_spec(), options=options)
    first = client.jobs.CreateJob(request, timeout=TIMEOUT)
    second = client.jobs.CreateJob(request, timeout=TIMEOUT)
    assert not first.existed and second.existed and first.job.name == second.job.name
    other = job_service_pb2.CreateJobRequest(spec=solve_spec("." * 81), options=options)
    error, details = refused(lambda: client.jobs.CreateJob(other, timeout=TIMEOUT))
    assert error.code() == grpc.StatusCode.ALREADY_EXISTS, error
    assert details["ErrorInfo"].domain == "sleuth" and details["ErrorInfo"].reason, details
    assert details["ErrorInfo"].metadata["field"] == "puzzle", details


def test_cancel(client):
    created = client.jobs.CreateJob(job_service_pb2.CreateJobRequest(spec=endless()), timeout=TIMEOUT)
    call = client.jobs.WatchJob(job_service_pb2.WatchJobRequest(name=created.job.name), timeout=TIMEOUT)
    for response in call:
        if response.event.WhichOneof("event") == "started":
            break
    begin = time.monotonic()
    client.jobs.CancelJob(job_service_pb2.CancelJobRequest(name=created.job.name), timeout=TIMEOUT)
    last = list(call)[-1].event
    took = time.monotonic() - begin
    assert last.finished.job.state == job_pb2.JOB_STATE_CANCELLED and last.finished.job.reason, last
    assert took < 2, f"{took:.2f} s"
    again = client.jobs.CancelJob(job_service_pb2.CancelJobRequest(name=created.job.name), timeout=TIMEOUT)
    assert again.job.state == job_pb2.JOB_STATE_CANCELLED, again


def test_a_dropped_stream_cancels_its_job(client):
    call = client.solver.Solve(solver_service_pb2.SolveRequest(**attached(endless())), timeout=TIMEOUT)
    job_id = next(response.event.job for response in call if response.event.HasField("accepted"))
    call.cancel()
    assert finished_job(client, job_id).state == job_pb2.JOB_STATE_CANCELLED


def attached(spec):
    return {"puzzle": spec.solve.puzzle, "options": spec.solve.options}


def test_deadline(client):
    call = client.solver.Solve(solver_service_pb2.SolveRequest(**attached(endless())), timeout=0.5)
    begin, job_id = time.monotonic(), None
    try:
        for response in call:
            job_id = response.event.job or job_id
        raise AssertionError("the stream ended without a status")
    except grpc.RpcError as error:
        assert error.code() == grpc.StatusCode.DEADLINE_EXCEEDED, error
    assert time.monotonic() - begin < 3
    assert finished_job(client, job_id).state == job_pb2.JOB_STATE_CANCELLED


def test_time_limit_of_a_job(client):
    request = job_service_pb2.CreateJobRequest(spec=endless())
    request.options.time_limit.FromMilliseconds(300)
    created = client.jobs.CreateJob(request, timeout=TIMEOUT)
    begin = time.monotonic()
    job = finished_job(client, created.job.name)
    assert job.state == job_pb2.JOB_STATE_CANCELLED and job.reason, job
    assert time.monotonic() - begin < 5


def test_every_bad_field_is_named(client):
    puzzle = puzzle_pb2.Puzzle(size=9, boxes=puzzle_pb2.BoxShape(rows=3, columns=3))
    puzzle.givens.extend([5, 5] + [0] * 78 + [77])
    for cells, target in ([0, 1], -3), ([1, 2], 99), ([], 5):
        puzzle.cages.add(cells=cells, operation=puzzle_pb2.OPERATION_ADD, target=target, distinct=True)
    request = solver_service_pb2.SolveRequest(puzzle=puzzle_pb2.PuzzleInput(puzzle=puzzle))
    error, details = refused(lambda: client.solver.Solve(request, timeout=TIMEOUT))
    assert error.code() == grpc.StatusCode.INVALID_ARGUMENT, error
    found = [(violation.field, violation.description) for violation in details["BadRequest"].field_violations]
    for field, words in [
        ("givens", "row 1"),
        ("givens", "box 1"),
        ("givens", "r9c9"),
        ("cages[0].target", "negative"),
        ("cages[1].cells", "r1c2"),
        ("cages[1].target", "99"),
        ("cages[2].cells", "no cell"),
    ]:
        assert any(f.endswith(field) and words in d for f, d in found), (field, words, found)
    assert details["ErrorInfo"].domain == "sleuth", details


def test_bad_fields_of_a_request(client):
    request = solver_service_pb2.SolveRequest(
        puzzle=text(CLASSIC),
        options=job_pb2.SolveOptions(engine="no such engine"),
        job=job_pb2.JobOptions(request_id="x" * 1000),
        view=job_pb2.EventView(language="tlh"),
    )
    error, details = refused(lambda: client.solver.Solve(request, timeout=TIMEOUT))
    assert error.code() == grpc.StatusCode.INVALID_ARGUMENT, error
    fields = " ".join(violations(details))
    for field in ("engine", "request_id", "language"):
        assert field in fields, (field, fields)


def test_bad_text_and_size(client):
    for puzzle, word in ("12x", ""), ("[" * 500_000, ""), ("." * 676, "26"):
        request = solver_service_pb2.SolveRequest(puzzle=text(puzzle))
        error, details = refused(lambda request=request: client.solver.Solve(request, timeout=TIMEOUT))
        assert error.code() == grpc.StatusCode.INVALID_ARGUMENT, error
        assert word in " ".join(violations(details).values()), details


def test_large_boards_are_for_search(client):
    board = puzzle_pb2.PuzzleInput(
        puzzle=puzzle_pb2.Puzzle(size=20, boxes=puzzle_pb2.BoxShape(rows=4, columns=5))
    )
    request = solver_service_pb2.SolveRequest(puzzle=board)
    error, _ = refused(lambda: client.solver.Solve(request, timeout=TIMEOUT))
    assert error.code() == grpc.StatusCode.INVALID_ARGUMENT and "16" in error.details(), error
    request.options.mode = job_pb2.SOLVE_MODE_SEARCH_ONLY
    last = list(client.solver.Solve(request, timeout=TIMEOUT))[-1].event
    kind = last.finished.job.result.solve.verdict.kind
    assert kind == puzzle_pb2.VERDICT_KIND_SEVERAL, last


def test_unknown_job(client):
    request = job_service_pb2.GetJobRequest(name="jobs/999999999")
    error, details = refused(lambda: client.jobs.GetJob(request, timeout=TIMEOUT))
    assert error.code() == grpc.StatusCode.NOT_FOUND, error
    assert "jobs/999999999" in details["ResourceInfo"].resource_name, details


def test_lists_are_paged(client):
    for _ in range(3):
        client.jobs.CreateJob(job_service_pb2.CreateJobRequest(spec=solve_spec()), timeout=TIMEOUT)
    request = job_service_pb2.ListJobsRequest(page_size=2)
    first = client.jobs.ListJobs(request, timeout=TIMEOUT)
    assert len(first.jobs) == 2 and first.next_page_token
    request.page_token = first.next_page_token
    second = client.jobs.ListJobs(request, timeout=TIMEOUT)
    assert not {job.name for job in first.jobs} & {job.name for job in second.jobs}
    request.state = job_pb2.JOB_STATE_FAILED
    error, _ = refused(lambda: client.jobs.ListJobs(request, timeout=TIMEOUT))
    assert error.code() == grpc.StatusCode.INVALID_ARGUMENT, error
    error, _ = refused(
        lambda: client.jobs.ListJobs(job_service_pb2.ListJobsRequest(page_size=-1), timeout=TIMEOUT)
    )
    assert error.code() == grpc.StatusCode.INVALID_ARGUMENT, error


def test_archive_keeps_what_was_solved(client):
    created = client.jobs.CreateJob(job_service_pb2.CreateJobRequest(spec=solve_spec()), timeout=TIMEOUT)
    puzzle_id = finished_job(client, created.job.name).result.puzzle
    request = archive_service_pb2.GetPuzzleRequest(name=puzzle_id)
    kept = client.archive.GetPuzzle(request, timeout=TIMEOUT).puzzle
    assert kept.solution.text == SOLVED and kept.verdict.kind == puzzle_pb2.VERDICT_KIND_ONE, kept
    listed = client.archive.ListPuzzles(
        archive_service_pb2.ListPuzzlesRequest(page_size=1000, kind="classic", size=9), timeout=TIMEOUT
    )
    assert [puzzle.name for puzzle in listed.puzzles].count(puzzle_id) == 1, "kept once, however often solved"


def test_many_jobs_over_one_stream(client):
    def requests():
        for number in range(40):
            yield job_service_pb2.RunJobsRequest(tag=f"t{number}", spec=solve_spec())
        yield job_service_pb2.RunJobsRequest(tag="bad", spec=solve_spec("12x"))

    finished, errors = {}, {}
    for response in client.jobs.RunJobs(requests(), timeout=TIMEOUT):
        if response.HasField("error"):
            errors[response.tag] = response.error
        elif response.event.HasField("finished"):
            assert response.tag not in finished
            finished[response.tag] = response.event.finished.job
    assert set(finished) == {f"t{number}" for number in range(40)}
    assert all(job.result.solve.solutions[0].text == SOLVED for job in finished.values())
    assert set(errors) == {"bad"} and errors["bad"].code == grpc.StatusCode.INVALID_ARGUMENT.value[0]


def test_a_stalled_reader_holds_up_nobody(client):
    lazy = [
        client.solver.Solve(solver_service_pb2.SolveRequest(puzzle=text(CLASSIC), detached=True))
        for _ in range(20)
    ]
    begin = time.monotonic()
    for _ in range(10):
        request = solver_service_pb2.SolveRequest(puzzle=text(CLASSIC))
        assert list(client.solver.Solve(request, timeout=TIMEOUT))[-1].event.HasField("finished")
    assert time.monotonic() - begin < 20
    for call in lazy:
        assert [response.event for response in call][-1].HasField("finished")


def test_gzip(client):
    request = solver_service_pb2.SolveRequest(puzzle=text(CLASSIC))
    call = client.solver.Solve(request, timeout=TIMEOUT, compression=grpc.Compression.Gzip)
    assert list(call)[-1].event.HasField("finished")


def test_health(client):
    for service in ["", *SERVICES]:
        answer = client.health.Check(health_pb2.HealthCheckRequest(service=service), timeout=TIMEOUT)
        assert answer.status == health_pb2.HealthCheckResponse.SERVING, service
    error, _ = refused(lambda: client.health.Check(health_pb2.HealthCheckRequest(service="x"), timeout=TIMEOUT))
    assert error.code() == grpc.StatusCode.NOT_FOUND, error


def test_reflection(client):
    database = ProtoReflectionDescriptorDatabase(client.channel)
    assert set(SERVICES) <= set(database.get_services()), database.get_services()
    file = database.FindFileContainingSymbol("sleuth.v1.SolverService.Solve")
    assert file.package == "sleuth.v1", file


def test_grpc_web_on_the_same_port(client, address):
    message = solver_service_pb2.ListTechniquesRequest(page_size=3).SerializeToString()
    connection = http.client.HTTPConnection(address, timeout=TIMEOUT)
    connection.request(
        "POST",
        "/sleuth.v1.SolverService/ListTechniques",
        body=struct.pack(">BI", 0, len(message)) + message,
        headers={"content-type": "application/grpc-web+proto", "x-grpc-web": "1"},
    )
    response = connection.getresponse()
    body = response.read()
    flag, length = struct.unpack(">BI", body[:5])
    page = solver_service_pb2.ListTechniquesResponse.FromString(body[5 : 5 + length])
    assert response.status == 200 and flag == 0 and len(page.techniques) == 3, (response.status, body)
    assert b"grpc-status:0" in body[5 + length :].replace(b" ", b""), body[5 + length :]


def test_the_example_of_the_readme(client, address):
    readme = (ROOT / "README.md").read_text()
    code = readme.split("```python\n")[1].split("```")[0]
    assert "127.0.0.1:7353" in code
    said = io.StringIO()
    with contextlib.redirect_stdout(said):
        exec(compile(code.replace("127.0.0.1:7353", address), "README.md", "exec"), {})
    lines = said.getvalue().splitlines()
    assert lines[-1] == SOLVED and len(lines) > 51, lines


def check_shutdown(folder):
    """SIGTERM with a stream open and a job running: the stream gets a status, the process ends well, and the job
    is taken up again by the next one."""
    database = pathlib.Path(folder) / "shutdown.sqlite"
    daemon = Daemon(database)
    client = Client(daemon.address)
    request = job_service_pb2.CreateJobRequest(spec=endless())
    job_id = client.jobs.CreateJob(request, timeout=TIMEOUT).job.name
    call = client.jobs.WatchJob(job_service_pb2.WatchJobRequest(name=job_id), timeout=TIMEOUT)
    for response in call:
        if response.event.HasField("started"):
            break
    stopped = {}
    stopper = threading.Thread(target=lambda: stopped.update(code=daemon.stop()))
    stopper.start()
    try:
        list(call)
        raise AssertionError("the stream ended as if all were told")
    except grpc.RpcError as error:
        assert error.code() == grpc.StatusCode.UNAVAILABLE, error
    stopper.join()
    assert stopped.get("code") == 0, f"exit code {stopped.get('code')}: {daemon.read_log()}"
    daemon = Daemon(database)
    try:
        client = Client(daemon.address)
        job = client.jobs.GetJob(job_service_pb2.GetJobRequest(name=job_id), timeout=TIMEOUT).job
        assert job.state in (job_pb2.JOB_STATE_QUEUED, job_pb2.JOB_STATE_RUNNING), job
        client.jobs.CancelJob(job_service_pb2.CancelJobRequest(name=job_id), timeout=TIMEOUT)
        assert finished_job(client, job_id).state == job_pb2.JOB_STATE_CANCELLED
    finally:
        daemon.stop()


def main():
    wanted = sys.argv[1:]
    tests = {name: test for name, test in globals().items() if name.startswith("test_")}
    passed, failed = 0, 0
    with tempfile.TemporaryDirectory(prefix="sleuth-") as folder:
        daemon = Daemon(pathlib.Path(folder) / "client.sqlite")
        tests["check_shutdown"] = lambda _: check_shutdown(folder)
        for name, test in tests.items():
            if wanted and name not in wanted:
                continue
            begin = time.monotonic()
            try:
                client = Client(daemon.address)
                wants_address = len(inspect.signature(test).parameters) == 2
                test(client, daemon.address) if wants_address else test(client)
                client.channel.close()
                passed += 1
                print(f"ok      {name} ({time.monotonic() - begin:.2f} s)", flush=True)
            except Exception:  # a failing test must not hide the others
                failed += 1
                print(f"FAILED  {name}", flush=True)
                traceback.print_exc()
        code = daemon.stop()
        if code != 0 or failed:
            print(f"the daemon ended with {code}; its log ends with:\n{daemon.read_log()[-4000:]}", flush=True)
            failed += code != 0
    print(f"{passed} passed, {failed} failed", flush=True)
    # grpcio's threads have been seen to hold up the end of the interpreter: there is nothing left to do.
    sys.stdout.flush()
    os._exit(1 if failed else 0)


if __name__ == "__main__":
    main()
