"""Kills the daemon under load, again and again, and audits afterwards what it had acknowledged.

    python tests/clients/python/kill_loop.py [KILLS]

Every client writes down what it was told. After the last kill: every acknowledged job has ended, once, with the
right result; what a client had seen of a result is still so; no puzzle is missing; and a submit of which no answer
came is, when repeated, one job.
"""

import pathlib
import random
import sys
import tempfile
import threading
import time

import grpc

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from daemon import Daemon, make_stubs  # noqa: E402

stubs = make_stubs()

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
SUBMITTERS, STREAMERS = 4, 2
TIMEOUT = 30
GONE = (grpc.StatusCode.UNAVAILABLE, grpc.StatusCode.CANCELLED, grpc.StatusCode.UNKNOWN)


class Notes:
    """What clients were told, by request_id."""

    def __init__(self):
        self.lock = threading.Lock()
        self.sent = {}  # request_id -> (puzzle, solution); None for a puzzle that is to be made
        self.requests = {}  # request_id -> the call and the request, to repeat
        self.acknowledged = {}  # request_id -> name of the job
        self.finished = {}  # request_id -> the job as a client saw it end
        self.faults = []

    def acknowledge(self, request_id, name):
        with self.lock:
            other = self.acknowledged.setdefault(request_id, name)
            if other != name:
                self.faults.append(f"{request_id} is {other} and {name}")

    def fault(self, text):
        with self.lock:
            self.faults.append(text)


def face(rng):
    """The puzzle with its digits, rows and columns in another order, and its solution: puzzles that differ."""
    digits = "".join(rng.sample("123456789", 9))
    order = lambda: [3 * band + line for band in rng.sample(range(3), 3) for line in rng.sample(range(3), 3)]  # noqa: E731
    rows, columns = order(), order()

    def change(grid):
        cells = (grid[9 * row + column] for row in rows for column in columns)
        return "".join(cell if cell == "0" else digits[int(cell) - 1] for cell in cells)

    return change(CLASSIC), change(SOLVED)


def create(notes, channel, request):
    """Submits a job and leaves it alone."""
    jobs = job_service_pb2_grpc.JobServiceStub(channel)
    notes.acknowledge(request.options.request_id, jobs.CreateJob(request, timeout=TIMEOUT).job.name)


def follow(notes, channel, request):
    """Submits a solve, detached, and follows it."""
    solver = solver_service_pb2_grpc.SolverServiceStub(channel)
    for response in solver.Solve(request, timeout=TIMEOUT):
        if response.event.HasField("accepted"):
            notes.acknowledge(request.job.request_id, response.event.job)
        if response.event.HasField("finished"):
            with notes.lock:
                notes.finished[request.job.request_id] = response.event.finished.job


def new_request(rng, call, request_id):
    """A solve; of those that are not followed, every tenth makes a puzzle instead, which takes far longer."""
    options = job_pb2.JobOptions(request_id=request_id)
    if call is create and rng.randrange(10) == 0:
        recipe = job_pb2.GenerateSpec(size=9, seed=rng.randrange(2**32))
        return None, job_service_pb2.CreateJobRequest(spec=job_pb2.JobSpec(generate=recipe), options=options)
    sent = face(rng)
    puzzle = puzzle_pb2.PuzzleInput(text=sent[0])
    if call is follow:
        return sent, solver_service_pb2.SolveRequest(puzzle=puzzle, job=options, detached=True)
    spec = job_pb2.JobSpec(solve=job_pb2.SolveSpec(puzzle=puzzle))
    return sent, job_service_pb2.CreateJobRequest(spec=spec, options=options)


def load(notes, rng, channel, call, stop, label):
    """Asks for one job after the other until the daemon is gone."""
    number = 0
    while not stop.is_set():
        request_id = f"{label}-{number}"
        number += 1
        sent, request = new_request(rng, call, request_id)
        with notes.lock:
            notes.sent[request_id] = sent
            notes.requests[request_id] = (call, request)
        try:
            call(notes, channel, request)
        except grpc.RpcError as error:
            if error.code() not in GONE:
                notes.fault(f"{call.__name__}: {error}")
            return


def run_until_killed(database, notes, seed, round_number):
    """One life of the daemon: load from all sides, then SIGKILL in the middle of it."""
    rng = random.Random(seed * 1000 + round_number)
    daemon = Daemon(database)
    stop, threads, channels = threading.Event(), [], []
    known = len(notes.acknowledged)
    for worker in range(SUBMITTERS + STREAMERS):
        channel = grpc.insecure_channel(daemon.address, options=[("grpc.use_local_subchannel_pool", 1)])
        channels.append(channel)
        call = create if worker < SUBMITTERS else follow
        arguments = (notes, random.Random(rng.random()), channel, call, stop, f"k{round_number}-{worker}")
        threads.append(threading.Thread(target=load, args=arguments))
        threads[-1].start()
    wanted, limit = rng.randrange(5, 150), time.monotonic() + 10
    while len(notes.acknowledged) - known < wanted and time.monotonic() < limit:
        time.sleep(0.002)
    daemon.kill()
    stop.set()
    for thread in threads:
        thread.join()
    for channel in channels:
        channel.close()
    log = daemon.read_log()
    if "panicked" in log:
        notes.fault(f"a thread panicked: {log[-2000:]}")
    return len(notes.acknowledged) - known


def repeat_unanswered(notes, channel):
    """A client whose request was not answered sends it again: it may or may not have been stored."""
    for request_id in sorted(set(notes.sent) - set(notes.acknowledged)):
        call, request = notes.requests[request_id]
        call(notes, channel, request)


def wait_until_idle(jobs, seconds):
    limit = time.monotonic() + seconds
    open_states = (job_pb2.JOB_STATE_QUEUED, job_pb2.JOB_STATE_RUNNING)
    while True:
        requests = [job_service_pb2.ListJobsRequest(page_size=1, state=state) for state in open_states]
        if not any(jobs.ListJobs(request, timeout=TIMEOUT).jobs for request in requests):
            return
        if time.monotonic() > limit:
            raise AssertionError(f"jobs are still open after {seconds} s")
        time.sleep(0.05)


def pages(call, request, field):
    while True:
        page = call(request, timeout=TIMEOUT)
        yield from getattr(page, field)
        if not page.next_page_token:
            return
        request.page_token = page.next_page_token


def audit_trace(notes, jobs, request_id, name):
    """The trace of a job is that of one run: dense, and ending once."""
    events = [r.event for r in jobs.WatchJob(job_service_pb2.WatchJobRequest(name=name), timeout=TIMEOUT)]
    kept = [event for event in events if event.sequence]
    kinds = [event.WhichOneof("event") for event in kept]
    if kinds.count("finished") != 1 or kinds[-1:] != ["finished"]:
        notes.fault(f"{name}: the trace ends with {kinds[-3:]}")
    if [event.sequence for event in kept] != list(range(1, len(kept) + 1)):
        notes.fault(f"{name}: the trace has gaps: {[event.sequence for event in kept]}")
    solution = notes.sent[request_id][1] if notes.sent[request_id] else ""
    for event in kept:
        for conclusion in event.step.conclusions:
            if conclusion.kind == 1 and str(conclusion.digit) != solution[conclusion.cell]:
                notes.fault(f"{name}: a step of another puzzle")


def audit(notes, channel):
    jobs = job_service_pb2_grpc.JobServiceStub(channel)
    archive = archive_service_pb2_grpc.ArchiveServiceStub(channel)
    repeat_unanswered(notes, channel)
    wait_until_idle(jobs, 60)
    listed = list(pages(jobs.ListJobs, job_service_pb2.ListJobsRequest(page_size=1000), "jobs"))
    names = [job.name for job in listed]
    if len(names) != len(set(names)):
        notes.fault("a job is listed twice")
    stored = {}
    for job in listed:
        if job.request_id in stored:
            notes.fault(f"{job.request_id} was stored twice: {stored[job.request_id]} and {job.name}")
        stored[job.request_id] = job.name
    for request_id, name in notes.acknowledged.items():
        if stored.get(request_id) != name:
            notes.fault(f"{request_id} was acknowledged as {name}, and is {stored.get(request_id)}")
    for request_id in set(stored) - set(notes.sent):
        notes.fault(f"nobody has sent {request_id}")
    kept = {
        puzzle.name: puzzle
        for puzzle in pages(archive.ListPuzzles, archive_service_pb2.ListPuzzlesRequest(page_size=1000), "puzzles")
    }
    puzzles, interrupted = {sent[0] for sent in notes.sent.values() if sent}, 0
    for place, (request_id, name) in enumerate(sorted(notes.acknowledged.items())):
        job = jobs.GetJob(job_service_pb2.GetJobRequest(name=name), timeout=TIMEOUT).job
        if job.state != job_pb2.JOB_STATE_SUCCEEDED:
            notes.fault(f"{name} ended as {job_pb2.JobState.Name(job.state)}: {job.reason}")
            continue
        if notes.sent[request_id]:
            solution = notes.sent[request_id][1]
            if [grid.text for grid in job.result.solve.solutions] != [solution]:
                notes.fault(f"{name} has another result: {job.result.solve.solutions}")
        else:
            solution = job.result.generate.generated.solution.text
            puzzles.add(job.result.generate.generated.puzzle.text)
        interrupted += job.attempt > 1
        told = notes.finished.get(request_id)
        if told and (told.result, told.attempt, told.end_time) != (job.result, job.attempt, job.end_time):
            notes.fault(f"{name} ended twice: a client was told {told}, and now it is {job}")
        puzzle_kept = kept.get(job.result.puzzle)
        if not puzzle_kept or puzzle_kept.solution.text != solution:
            notes.fault(f"{name}: its puzzle {job.result.puzzle} is not in the archive")
        if place % 10 == 0:
            audit_trace(notes, jobs, request_id, name)
    if len(kept) != len(puzzles):
        notes.fault(f"the archive holds {len(kept)} puzzles, of {len(puzzles)} different ones")
    return interrupted


def main():
    kills = int(sys.argv[1]) if len(sys.argv) > 1 else 20
    seed = 20
    begin = time.monotonic()
    notes = Notes()
    with tempfile.TemporaryDirectory(prefix="sleuth-kill-") as folder:
        database = pathlib.Path(folder) / "kill.sqlite"
        for round_number in range(kills):
            new = run_until_killed(database, notes, seed, round_number)
            print(f"kill {round_number + 1}: {new} jobs acknowledged, {len(notes.finished)} seen to end", flush=True)
        loaded = time.monotonic()
        daemon = Daemon(database)
        with grpc.insecure_channel(daemon.address) as channel:
            unanswered = len(set(notes.sent) - set(notes.acknowledged))
            interrupted = audit(notes, channel)
        if daemon.stop() != 0:
            notes.fault(f"the daemon did not end well: {daemon.read_log()[-2000:]}")
    if len(notes.acknowledged) < 5 * kills:
        notes.fault(f"only {len(notes.acknowledged)} jobs were acknowledged: that is no load")
    if not interrupted:
        notes.fault("no job was running when the daemon was killed: that is no load")
    for fault in notes.faults[:50]:
        print(f"FAILED  {fault}")
    print(
        f"{kills} kills in {loaded - begin:.1f} s, audit in {time.monotonic() - loaded:.1f} s: "
        f"{len(notes.acknowledged)} jobs acknowledged ({unanswered} of them repeated), "
        f"{interrupted} were running at a kill, {len(notes.finished)} seen to end, {len(notes.faults)} faults"
    )
    print(f"{0 if notes.faults else 1} passed, {1 if notes.faults else 0} failed", flush=True)
    sys.exit(1 if notes.faults else 0)


if __name__ == "__main__":
    main()
