"""Starts commands in the copy, and ends everything that they started."""

import os
import pathlib
import queue
import re
import shutil
import signal
import subprocess
import tempfile
import threading
import time

from copying import MOST, TREE, WORK
from package import SWIFT

ENVIRONMENT = {
    "NO_COLOR": "1", "SWIFT_DETERMINISTIC_HASHING": "1",
    "SWT_EXPERIMENTAL_MAXIMUM_PARALLELIZATION_WIDTH": os.environ.get("SWT_EXPERIMENTAL_MAXIMUM_PARALLELIZATION_WIDTH", "8"),
    # Crashes are many; where they happen is known.
    "SWIFT_BACKTRACE": "enable=no",
}
BUILD_LIMIT = 3600
FAILURE = re.compile(r'^✘ Test (.*?)(?: with \d+ test cases?)? recorded an issue(.*)')
# Set when this program shall end: what runs is ended, too.
stopped = threading.Event()


def call(arguments, limit, environment=None, until=None):
    """The exit code and output of a command; the code is None if it was ended: after `limit` seconds, or at a line that `until`
    matches."""
    process = subprocess.Popen(
        [str(argument) for argument in arguments], cwd=TREE, env=os.environ | ENVIRONMENT | (environment or {}),
        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, start_new_session=True)
    lines, output, code, deadline = queue.Queue(), [], None, time.monotonic() + limit

    def read():
        for line in process.stdout:
            lines.put(line.decode(errors="replace"))
        lines.put(None)
    threading.Thread(target=read, daemon=True).start()
    try:
        while (left := deadline - time.monotonic()) > 0 and not stopped.is_set():
            try:
                line = lines.get(timeout=min(left, 1))
            except queue.Empty:
                # What a test left running may keep the output open.
                if process.poll() is None:
                    continue
                line = None
            if line is None:
                code = process.wait(max(deadline - time.monotonic(), 1))
                break
            output.append(line)
            if until and until.search(line):
                break
    except subprocess.TimeoutExpired:
        pass
    finally:
        end_session(process.pid)
        process.wait()
    return code, "".join(output)


def end_session(session):
    """Ends all processes of a session, such as servers that a test started."""
    for entry in pathlib.Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                fields = (entry / "stat").read_text().rpartition(")")[2].split()
                if int(fields[3]) == session:
                    os.kill(int(entry.name), signal.SIGKILL)
            except (OSError, IndexError):
                pass


def build():
    """Whether the copy builds, the places of errors, and the output."""
    code, output = call(
        [SWIFT, "build", "--build-tests", "-Xswiftc", "-continue-building-after-errors"], BUILD_LIMIT)
    errors = [(match[1], int(match[2])) for match in re.finditer(r"^(/[^:\n]+):(\d+):\d+: (?:fatal )?error:", output, re.M)]
    return code == 0, sorted(set(errors)), output


class Tests:
    """The program of all tests."""

    def __init__(self, package):
        code, output = call([SWIFT, "build", "--show-bin-path"], BUILD_LIMIT)
        self.package = package
        self.program = pathlib.Path(output.strip().splitlines()[-1]) / f"{package.name}PackageTests.xctest"

    def suites(self, module, without):
        """The suites of a module, as SwiftPM names them."""
        _, output = call([self.program, "--testing-library", "swift-testing", "--list-tests"], BUILD_LIMIT)
        names = (re.match(rf"{module}\.\w+(/\w+)*(?=/)", line) for line in output.splitlines())
        return sorted({name[0] for name in names if name and without not in name[0]})

    def filter(self, name):
        """A pattern for the tests of a module or of a suite."""
        module, _, suite = name.partition(".")
        module = self.package.targets[module].get("c99name", module.replace("-", "_"))
        return rf"^{module}\.{suite}/" if suite else rf"^{module}\."

    def run(self, pattern, limit, mutant=0):
        """How a run fails, None if it does not; its seconds, its output, and the numbers of the mutants that it reached. Several may run at
        a time: each has a folder of its own."""
        folder = pathlib.Path(tempfile.mkdtemp(prefix="m"))
        file = folder / "reached"
        file.write_bytes(bytes(MOST))
        start = time.monotonic()
        try:
            code, output = call(
                [self.program, "--testing-library", "swift-testing", "--filter", pattern], limit,
                {"MUTANT": str(mutant), "MUTANTS_REACHED": str(file), "TMPDIR": str(folder)}, FAILURE)
            reached = {number for number, byte in enumerate(file.read_bytes()) if byte}
        finally:
            shutil.rmtree(folder, ignore_errors=True)
        if stopped.is_set():
            raise SystemExit
        return Run(failure(code, output, limit), output, time.monotonic() - start, reached)


def failure(code, output, limit):
    """How a run failed, and whether a test said so; None if it did not fail."""
    if failed := next((match for match in map(FAILURE.match, output.splitlines()) if match), None):
        return failed[1].strip('"'), True
    if code is None:
        return f"no end within {limit:.0f} s", False
    if code:
        return f"a crash (signal {-code})" if code < 0 else f"exit code {code}", False
    return ("no test", False) if "Test run with 0 tests" in output else (None, False)


class Run:
    def __init__(self, failure, output, seconds, reached):
        (self.failure, self.is_test), self.output, self.seconds, self.reached = failure, output, seconds, reached
