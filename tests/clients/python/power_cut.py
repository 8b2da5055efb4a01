"""Cuts the power, again and again, at moments of a daemon's life, and looks at what the disk would hold.

    python tests/clients/python/power_cut.py [CUTS]

The daemon runs under load once, with every write and every flush of its database and of the log beside it noted by
strace. For each cut a moment is drawn, and the two files are made as a disk might hold them that lost its power then:
what was flushed before is there; of what was written since, each sector of 512 bytes is there or not, by lot. SQLite
must find such a file whole, and every job acknowledged before the moment must be in it: stored, or ended if its end was
told. Some of the files are given to a daemon, which must end all that is left. Then the same with `--durability normal`,
where acknowledged jobs may be missing (and some are, or the cuts prove nothing), but the file must be whole all the same.

What this shows: that nothing is told before it was flushed, and that torn and missing writes are recovered from. What it
takes for granted: that a flush means what it says, all the way down to the disk, that a file once made has its name, and
that sectors are whole. Skipped, with a word, where strace is absent or may not trace.
"""

import os
import pathlib
import random
import re
import shutil
import sqlite3
import subprocess
import sys
import tempfile
import threading
import time

import grpc

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from daemon import Daemon, make_stubs  # noqa: E402

stubs = make_stubs()

from sleuth.v1 import (  # noqa: E402
    job_pb2,
    job_service_pb2,
    job_service_pb2_grpc,
    puzzle_pb2,
    solver_service_pb2,
    solver_service_pb2_grpc,
)

PUZZLE = "530070000600195000098000060800060003400803001700020006060000280000419005000080079"
SECTOR = 512
SECONDS = 4
TIMEOUT = 30


def has_strace():
    try:
        return subprocess.run(["strace", "-o", os.devnull, "true"], capture_output=True, check=False).returncode == 0
    except FileNotFoundError:
        return False


class Acknowledgements:
    """What clients were told, and when: (time, name of the job, whether it had ended)."""

    def __init__(self):
        self.lock = threading.Lock()
        self.told = []

    def note(self, name, ended):
        now = time.time()
        with self.lock:
            self.told.append((now, name, ended))


def create(told, address, limit):
    with grpc.insecure_channel(address, options=[("grpc.use_local_subchannel_pool", 1)]) as channel:
        jobs = job_service_pb2_grpc.JobServiceStub(channel)
        spec = job_pb2.JobSpec(solve=job_pb2.SolveSpec(puzzle=puzzle_pb2.PuzzleInput(text=PUZZLE)))
        while time.monotonic() < limit:
            answer = jobs.CreateJob(job_service_pb2.CreateJobRequest(spec=spec), timeout=TIMEOUT)
            told.note(answer.job.name, False)


def follow(told, address, limit):
    with grpc.insecure_channel(address, options=[("grpc.use_local_subchannel_pool", 1)]) as channel:
        solver = solver_service_pb2_grpc.SolverServiceStub(channel)
        request = solver_service_pb2.SolveRequest(puzzle=puzzle_pb2.PuzzleInput(text=PUZZLE), detached=True)
        while time.monotonic() < limit:
            for response in solver.Solve(request, timeout=TIMEOUT):
                kind = response.event.WhichOneof("event")
                if kind in ("accepted", "finished"):
                    told.note(response.event.job, kind == "finished")


def record(folder, durability):
    """Runs the daemon under load; gives what was written, what was told, and the database."""
    database, log = folder / "power.sqlite", folder / "strace.log"
    log_beside = f"{database}-wal"
    trace = "pwrite64,write,pwritev,writev,fsync,fdatasync,ftruncate"
    under = ["strace", "-D", "-f", "-qq", "-ttt", "-y", "-xx", "-s", "1048576", "-e", f"trace={trace}"]
    under += ["-e", "signal=none", "-P", str(database), "-P", log_beside, "-o", str(log)]
    # made beforehand, so that its names are there before the first cut
    Daemon(database).kill()
    shutil.copy(database, folder / "first.sqlite")
    first_log = pathlib.Path(log_beside).read_bytes() if os.path.exists(log_beside) else b""
    daemon = Daemon(database, "--durability", durability, under=under)
    told, limit = Acknowledgements(), time.monotonic() + SECONDS
    threads = [threading.Thread(target=call, args=(told, daemon.address, limit)) for call in (create, create, follow)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    daemon.kill()
    time.sleep(0.5)
    events = list(read_events(log, {str(database): 0, log_beside: 1}))
    return (folder / "first.sqlite").read_bytes(), first_log, events, told.told


CALL = re.compile(
    r"^(\d+) +(\d+\.\d+) (\w+)\((\d+)<([^>]*)>(?:, (.*))?(?:\) += (-?\d+)| <unfinished \.\.\.>$)"
)
RESUMED = re.compile(r"^(\d+) +(\d+\.\d+) <\.\.\. (\w+) resumed>(.*)\) += (-?\d+)")
TEXT = re.compile(r'"((?:\\x[0-9a-f]{2})*)"')


def unhex(text):
    return bytes.fromhex(text.replace("\\x", ""))


def read_events(log, files):
    """(time, file, kind, place, bytes) of each write, flush and cut of the files; a flush counts when it is done."""
    pending = {}
    with open(log, encoding="ascii", errors="replace") as lines:
        for line in lines:
            resumed = RESUMED.match(line)
            if resumed:
                thread, when, _, rest, result = resumed.groups()
                call = pending.pop(thread, None)
                if call is None:
                    continue
                _, kind, path, arguments = call
                arguments = (arguments or "") + rest
            else:
                match = CALL.match(line)
                if not match:
                    continue
                thread, when, kind, _, path, arguments, result = match.groups()
                if result is None:
                    pending[thread] = (when, kind, path, arguments)
                    continue
            path = unhex(path).decode() if path.startswith("\\x") else path
            if path not in files or int(result) < 0:
                continue
            file, when = files[path], float(when)
            if kind in ("fsync", "fdatasync"):
                yield when, file, "flush", 0, b""
            elif kind == "ftruncate":
                yield when, file, "size", int(arguments.rsplit(", ", 1)[-1]), b""
            elif kind == "pwrite64":
                data, place = unhex(TEXT.search(arguments).group(1)), int(arguments.rsplit(", ", 1)[-1])
                yield when, file, "write", place, data[: int(result)]
            else:
                raise RuntimeError(f"SQLite is not known to {kind}: {line[:200]}")


class Disk:
    """A file: what is flushed, and what is not."""

    def __init__(self, content):
        self.flushed = bytearray(content)
        self.pending = []

    def take(self, kind, place, data):
        if kind != "flush":
            self.pending.append((kind, place, data))
            return
        for change in self.pending:
            apply(self.flushed, *change)
        self.pending.clear()

    def image(self, rng):
        """What might be there: of what is not flushed, each sector or none. Mostly some, at times all or nothing."""
        image = bytearray(self.flushed)
        share = rng.choice([0.0, 0.3, 0.5, 0.7, 0.95, 1.0])
        for kind, place, data in self.pending:
            if kind == "size":
                if rng.random() < share:
                    apply(image, kind, place, data)
                continue
            begin = 0
            while begin < len(data):
                end = min(len(data), begin + SECTOR - (place + begin) % SECTOR)
                if rng.random() < share:
                    apply(image, kind, place + begin, data[begin:end])
                begin = end
        return bytes(image)


def apply(content, kind, place, data):
    if kind == "size":
        del content[place:]
        content.extend(bytes(place - len(content)))
    else:
        content.extend(bytes(max(0, place + len(data) - len(content))))
        content[place : place + len(data)] = data


def look(folder, image, log, expected):
    """What is wrong with a file: whether it is broken, and which jobs are missing or not ended."""
    database = folder / "cut.sqlite"
    for beside in ("-wal", "-shm"):
        pathlib.Path(f"{database}{beside}").unlink(missing_ok=True)
    database.write_bytes(image)
    if log:
        pathlib.Path(f"{database}-wal").write_bytes(log)
    connection = sqlite3.connect(database)
    try:
        found = connection.execute("pragma integrity_check").fetchall()
        states = dict(connection.execute("select id, state from jobs"))
    finally:
        connection.close()
    broken = [] if found == [("ok",)] else found
    lost = [name for name, _ in expected if int(name.split("/")[1]) not in states]
    final = ("succeeded", "failed", "cancelled")
    undone = [name for name, ended in expected if ended and states.get(int(name.split("/")[1])) not in final]
    return broken, lost, undone


def resume(database, expected):
    """A daemon takes up what is left and ends it; what is wrong."""
    faults = []
    daemon = Daemon(database)
    with grpc.insecure_channel(daemon.address) as channel:
        jobs = job_service_pb2_grpc.JobServiceStub(channel)
        for name in {name for name, _ in expected}:
            events = [r.event for r in jobs.WatchJob(job_service_pb2.WatchJobRequest(name=name), timeout=TIMEOUT)]
            if events[-1].finished.job.state != job_pb2.JOB_STATE_SUCCEEDED:
                faults.append(f"{name} ended as {events[-1]}")
    if daemon.stop() != 0:
        faults.append(f"the daemon did not end well: {daemon.read_log()[-2000:]}")
    return faults


def cut(durability, cuts, seed):
    faults, lost_in_all = [], 0
    rng = random.Random(seed)
    with tempfile.TemporaryDirectory(prefix="sleuth-power-") as name:
        folder = pathlib.Path(name)
        first, first_log, events, told = record(folder, durability)
        disks = [Disk(first), Disk(first_log)]
        flushes = sum(kind == "flush" for _, _, kind, _, _ in events)
        if len(events) < 100 or len(told) < 50:
            faults.append(f"only {len(events)} writes and {len(told)} acknowledgements: that is no load")
        places = sorted(rng.randrange(len(events)) for _ in range(cuts))
        expected, seen = [], 0
        told.sort()
        for number, (when, file, kind, place, data) in enumerate(events):
            disks[file].take(kind, place, data)
            while places and places[0] == number:
                places.pop(0)
                # what clients were told before the next write began
                while seen < len(told) and told[seen][0] < when:
                    expected.append(told[seen][1:])
                    seen += 1
                images = [disk.image(rng) for disk in disks]
                broken, lost, undone = look(folder, *images, expected)
                lost_in_all += len(lost) + len(undone)
                if broken:
                    faults.append(f"cut at write {number}: the file is broken: {broken[:3]}")
                if durability == "full" and (lost or undone):
                    faults.append(f"cut at write {number}: lost {lost[:5]}, end lost {undone[:5]}")
                if durability == "full" and len(places) % 100 == 0:
                    look(folder, *images, [])
                    faults += resume(folder / "cut.sqlite", expected[-100:])
        if durability == "normal" and not lost_in_all:
            faults.append("nothing was lost with durability normal: the cuts prove nothing")
        print(
            f"{durability}: {cuts} cuts among {len(events)} writes and {flushes} flushes, {len(told)} acknowledgements, "
            f"{lost_in_all} of them missing after a cut, {len(faults)} faults",
            flush=True,
        )
    return faults


def main():
    cuts = int(sys.argv[1]) if len(sys.argv) > 1 else 200
    if not has_strace():
        print("skipped: strace is absent or may not trace\n0 passed, 0 failed", flush=True)
        return
    faults = cut("full", cuts, 1) + cut("normal", max(20, cuts // 4), 2)
    for fault in faults[:50]:
        print(f"FAILED  {fault}")
    print(f"{0 if faults else 1} passed, {1 if faults else 0} failed", flush=True)
    sys.exit(1 if faults else 0)


if __name__ == "__main__":
    main()
