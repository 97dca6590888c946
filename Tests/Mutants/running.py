"""Starts commands in the copy, and ends everything that they started."""

import os
import pathlib
import queue
import re
import signal
import subprocess
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
REACHED = WORK / "reached"


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
        while (left := deadline - time.monotonic()) > 0:
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

    def run(self, pattern, limit, mutant=0):
        """How a run fails, None if it does not; its seconds, its output, and the numbers of the mutants that it reached."""
        REACHED.write_bytes(bytes(MOST))
        start = time.monotonic()
        code, output = call(
            [self.program, "--testing-library", "swift-testing", "--filter", pattern], limit,
            {"MUTANT": str(mutant), "MUTANTS_REACHED": str(REACHED)}, FAILURE)
        seconds = time.monotonic() - start
        failed = next((match for match in map(FAILURE.match, output.splitlines()) if match), None)
        if failed:
            failure = failed[1].strip('"')
        elif code is None:
            failure = f"no end within {limit:.0f} s"
        elif code != 0:
            failure = f"a crash (signal {-code})" if code < 0 else f"exit code {code}"
        elif "Test run with 0 tests" in output:
            failure = "no test"
        else:
            failure = None
        return Run(failure, bool(failed), seconds, output, {number for number, byte in enumerate(REACHED.read_bytes()) if byte})


class Run:
    def __init__(self, failure, is_test, seconds, output, reached):
        self.failure, self.is_test, self.seconds, self.output, self.reached = failure, is_test, seconds, output, reached
