"""Starts the real binary, and makes client stubs from the published proto files."""

import importlib
import os
import pathlib
import re
import select
import signal
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[3]


def make_stubs():
    """Generates stubs into a folder of their own and puts it on the path; nothing generated is kept."""
    from grpc_tools import protoc

    folder = tempfile.TemporaryDirectory(prefix="stubs-")
    files = sorted((ROOT / "proto").rglob("*.proto"))
    well_known = str(pathlib.Path(importlib.import_module("grpc_tools").__file__).parent / "_proto")
    code = protoc.main(
        ["protoc", f"-I{ROOT / 'proto'}", f"-I{well_known}"]
        + [f"--python_out={folder.name}", f"--grpc_python_out={folder.name}"]
        + [str(file) for file in files]
    )
    if code != 0:
        raise RuntimeError(f"protoc failed with {code}")
    sys.path.insert(0, folder.name)
    return folder


def binary():
    """The binary under test: $SLEUTH_BIN, or the one that `cargo test` has built."""
    path = os.environ.get("SLEUTH_BIN") or str(ROOT / "target" / "debug" / "sleuth")
    if not os.access(path, os.X_OK):
        raise RuntimeError(f"{path} is not there: run `cargo build` first, or set SLEUTH_BIN")
    return path


class Daemon:
    """A daemon on a free port of the loopback address, with a database file of the caller's, perhaps under a program."""

    def __init__(self, database, *options, under=()):
        self.log = tempfile.TemporaryFile(prefix="daemon-log-")
        self.process = subprocess.Popen(
            [*under, binary(), "serve", "--listen", "127.0.0.1:0", "--database", str(database), *options],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=self.log,
        )
        self.address = self._read_address(time.monotonic() + 30)

    def _read_address(self, limit):
        text = b""
        while True:
            found = re.search(rb"http://(\S+:\d+)", text)
            if found and b"\n" in text[found.end() :]:
                return found.group(1).decode()
            ready, _, _ = select.select([self.process.stdout], [], [], max(0, limit - time.monotonic()))
            piece = os.read(self.process.stdout.fileno(), 4096) if ready else b""
            if not piece:
                self.process.kill()
                self.process.wait()
                raise RuntimeError(f"the daemon told no address: {text!r}, log: {self.read_log()}")
            text += piece

    def read_log(self):
        self.log.seek(0)
        return self.log.read().decode(errors="replace")

    def kill(self):
        """SIGKILL: what has not been stored is gone."""
        self.process.kill()
        self.process.wait()
        self.process.stdout.close()

    def stop(self, seconds=30):
        """SIGTERM, and the exit code."""
        self.process.send_signal(signal.SIGTERM)
        try:
            return self.process.wait(seconds)
        except subprocess.TimeoutExpired:
            self.kill()
            raise RuntimeError(f"the daemon did not end within {seconds} s of SIGTERM") from None
        finally:
            self.process.stdout.close()
