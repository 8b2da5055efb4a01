"""Keeps a daemon under mixed load and watches what it holds: memory, file descriptors, threads, its files.

    python tests/clients/python/soak.py [MINUTES]

Clients of several names submit, follow, run in bulk, cancel, schedule, list, watch and ask for checks and hints. What
the daemon holds is noted every few seconds, and must be as flat at the end as after the first third: its memory within a
tenth, its descriptors and threads within a few. Old jobs are forgotten meanwhile, so that its file stops growing too.
Every job must end as it should.
"""

import collections
import datetime
import os
import pathlib
import random
import statistics
import sys
import tempfile
import threading
import time

import grpc

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from daemon import Daemon, make_stubs  # noqa: E402

stubs = make_stubs()

from google.protobuf import duration_pb2, timestamp_pb2  # noqa: E402
from sleuth.v1 import (  # noqa: E402
    job_pb2,
    job_service_pb2,
    job_service_pb2_grpc,
    puzzle_pb2,
    solver_service_pb2,
    solver_service_pb2_grpc,
)

EASY = "530070000600195000098000060800060003400803001700020006060000280000419005000080079"
HARD = "000000010400000000020000000000050407008000300001090000300400200050100000000806000"
TIMEOUT = 60
KEPT = 5000
SAMPLE = 5


def puzzle(text):
    return puzzle_pb2.PuzzleInput(text=text)


def solve_spec(text):
    return job_pb2.JobSpec(solve=job_pb2.SolveSpec(puzzle=puzzle(text)))


class Load:
    """One client, and what it has done."""

    def __init__(self, address, name, stop, counts, faults):
        self.channel = grpc.insecure_channel(address, options=[("grpc.use_local_subchannel_pool", 1)])
        self.jobs = job_service_pb2_grpc.JobServiceStub(self.channel)
        self.solver = solver_service_pb2_grpc.SolverServiceStub(self.channel)
        self.metadata = (("sleuth-client", name),)
        self.rng, self.stop, self.counts, self.faults = random.Random(name), stop, counts, faults
        self.last = None

    def run(self):
        calls = [self.solve, self.create, self.bulk, self.cancel, self.schedule, self.list, self.watch, self.ask, self.leave]
        while not self.stop.is_set():
            call = self.rng.choice(calls)
            try:
                call()
                self.counts[call.__name__] += 1
            except grpc.RpcError as error:
                self.faults.append(f"{call.__name__}: {error}")
            except AssertionError as error:
                self.faults.append(f"{call.__name__}: {error!r}")
        self.channel.close()

    def call(self, method, request):
        return method(request, timeout=TIMEOUT, metadata=self.metadata)

    def end_of(self, stream):
        return [response.event for response in stream][-1].finished.job

    def solve(self):
        """A solve, followed to its end."""
        request = solver_service_pb2.SolveRequest(puzzle=puzzle(self.rng.choice([EASY, HARD])))
        job = self.end_of(self.call(self.solver.Solve, request))
        assert job.state == job_pb2.JOB_STATE_SUCCEEDED, job

    def create(self):
        """A job that nobody follows, asked for twice."""
        options = job_pb2.JobOptions(request_id=f"{self.rng.getrandbits(64):x}", discard_trace=self.rng.random() < 0.5)
        request = job_service_pb2.CreateJobRequest(spec=solve_spec(EASY), options=options)
        first, second = (self.call(self.jobs.CreateJob, request) for _ in range(2))
        assert first.job.name == second.job.name and second.existed, (first, second)
        self.last = first.job.name

    def bulk(self):
        """Many over one stream."""
        options = job_pb2.JobOptions(priority=job_pb2.PRIORITY_BULK, discard_trace=True)
        view = job_pb2.EventView(omit_steps=True)
        count = self.rng.randrange(1, 100)
        requests = (
            job_service_pb2.RunJobsRequest(tag=str(tag), spec=solve_spec(EASY), options=options, view=view)
            for tag in range(count)
        )
        ended = 0
        for response in self.jobs.RunJobs(requests, timeout=TIMEOUT, metadata=self.metadata):
            assert response.WhichOneof("outcome") == "event", response
            ended += response.event.HasField("finished")
        assert ended == count, (ended, count)

    def cancel(self):
        """A job that would go on for ever."""
        options = job_pb2.SolveOptions(mode=job_pb2.SOLVE_MODE_SEARCH_ONLY, solution_limit=2**63)
        spec = job_pb2.JobSpec(solve=job_pb2.SolveSpec(puzzle=puzzle("." * 81), options=options))
        name = self.call(self.jobs.CreateJob, job_service_pb2.CreateJobRequest(spec=spec)).job.name
        job = self.call(self.jobs.CancelJob, job_service_pb2.CancelJobRequest(name=name)).job
        assert job.state == job_pb2.JOB_STATE_CANCELLED, job

    def schedule(self):
        """A job for the next second."""
        start = timestamp_pb2.Timestamp()
        start.FromDatetime(datetime.datetime.now(datetime.timezone.utc) + datetime.timedelta(milliseconds=300))
        limit = duration_pb2.Duration(seconds=30)
        options = job_pb2.JobOptions(start_time=start, time_limit=limit)
        request = job_service_pb2.CreateJobRequest(spec=solve_spec(EASY), options=options)
        name = self.call(self.jobs.CreateJob, request).job.name
        job = self.end_of(self.call(self.jobs.WatchJob, job_service_pb2.WatchJobRequest(name=name)))
        assert job.state == job_pb2.JOB_STATE_SUCCEEDED, job
        assert job.start_time.ToMilliseconds() >= start.ToMilliseconds(), job

    def list(self):
        """Its jobs, a page of them."""
        request = job_service_pb2.ListJobsRequest(page_size=self.rng.randrange(1, 200))
        self.call(self.jobs.ListJobs, request)

    def watch(self):
        """The trace of a job that ended, or has been forgotten since."""
        if self.last is None:
            return
        try:
            request = job_service_pb2.WatchJobRequest(name=self.last)
            job = self.end_of(self.call(self.jobs.WatchJob, request))
            assert job.state == job_pb2.JOB_STATE_SUCCEEDED, job
        except grpc.RpcError as error:
            if error.code() not in (grpc.StatusCode.NOT_FOUND, grpc.StatusCode.OUT_OF_RANGE):
                raise

    def ask(self):
        """Short calls."""
        self.call(self.solver.Check, solver_service_pb2.CheckRequest(puzzle=puzzle(HARD)))
        self.call(self.solver.Hint, solver_service_pb2.HintRequest(puzzle=puzzle(EASY)))

    def leave(self):
        """A solve whose caller goes away."""
        stream = self.call(self.solver.Solve, solver_service_pb2.SolveRequest(puzzle=puzzle(HARD)))
        next(stream)
        stream.cancel()


def sample(daemon, database):
    """What the daemon holds now."""
    folder = pathlib.Path("/proc") / str(daemon.process.pid)
    status = dict(line.split(":", 1) for line in (folder / "status").read_text().splitlines())
    beside = pathlib.Path(f"{database}-wal")
    return {
        "memory KiB": int(status["VmRSS"].split()[0]),
        "descriptors": len(os.listdir(folder / "fd")),
        "threads": int(status["Threads"]),
        "file KiB": database.stat().st_size // 1024,
        "log KiB": beside.stat().st_size // 1024 if beside.exists() else 0,
    }


def check(samples, minutes, faults):
    """The middle third against the last one."""
    third = len(samples) // 3
    print(f"{'':>12} {'first third':>12} {'middle':>12} {'last':>12} {'most':>12}")
    slack = {"memory KiB": (1.10, 4096), "descriptors": (1.0, 12), "threads": (1.0, 4), "log KiB": (1.5, 8192)}
    if minutes >= 10:
        slack["file KiB"] = (1.10, 4096)
    for name in samples[0]:
        column = [one[name] for one in samples]
        parts = [column[:third], column[third : 2 * third], column[2 * third :]]
        first, middle, last = (statistics.median(part) for part in parts)
        print(f"{name:>12} {first:>12.0f} {middle:>12.0f} {last:>12.0f} {max(column):>12}")
        if name in slack and last > middle * slack[name][0] + slack[name][1]:
            faults.append(f"{name} grows: {middle:.0f} in the middle third, {last:.0f} in the last")


def main():
    minutes = float(sys.argv[1]) if len(sys.argv) > 1 else 30.0
    stop, counts, faults, samples = threading.Event(), collections.Counter(), [], []
    with tempfile.TemporaryDirectory(prefix="sleuth-soak-") as folder:
        database = pathlib.Path(folder) / "soak.sqlite"
        daemon = Daemon(database, "--keep-most", str(KEPT), "--log", "warn")
        loads = [Load(daemon.address, f"client-{number}", stop, counts, faults) for number in range(6)]
        threads = [threading.Thread(target=load.run) for load in loads]
        for thread in threads:
            thread.start()
        limit = time.monotonic() + 60 * minutes
        while time.monotonic() < limit and daemon.process.poll() is None:
            time.sleep(SAMPLE)
            samples.append(sample(daemon, database))
            if len(samples) % 12 == 0:
                print(samples[-1], dict(counts), f"{len(faults)} faults", flush=True)
        stop.set()
        for thread in threads:
            thread.join()
        check(samples, minutes, faults)
        if daemon.stop() != 0:
            faults.append("the daemon did not end well")
        log = daemon.read_log()
        if "panicked" in log or "ERROR" in log:
            faults.append(f"its log: {log[-2000:]}")
        left = sorted(path.name for path in pathlib.Path(folder).iterdir())
        if left != ["soak.sqlite", "soak.sqlite.lock"]:
            faults.append(f"a clean stop left {left}")
    for fault in faults[:50]:
        print(f"FAILED  {fault}")
    print(f"{minutes:g} minutes, {sum(counts.values())} calls {dict(counts)}, {len(faults)} faults")
    print(f"{0 if faults else 1} passed, {1 if faults else 0} failed", flush=True)
    # grpcio's threads have been seen to hold up the end of the interpreter: there is nothing left to do
    os._exit(1 if faults else 0)


if __name__ == "__main__":
    main()
