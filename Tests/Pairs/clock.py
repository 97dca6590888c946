"""Limits that a busy machine does not break.

The promises are about a machine that has time for the program. Where other work keeps the processors busy, the kernel tells how long
the threads of this run were ready and waited for one (/proc/PID/task/TID/schedstat, the second number): that much later counts as
in time. A program that hangs waits for no processor, so it gains nothing by it.
"""

import contextlib
import glob
import time

now = time.monotonic


def processor_wait():
    """Seconds that all threads of the private LAN have waited for a processor; 0 where the kernel does not count."""
    waited = 0
    for path in glob.glob("/proc/[0-9]*/task/[0-9]*/schedstat"):
        with contextlib.suppress(OSError, ValueError, IndexError), open(path, encoding="ascii") as file:
            waited += int(file.read().split()[1])
    return waited / 1e9


class Limit:
    """A time from now on, longer by what the run waits for processors."""

    def __init__(self, seconds):
        self.seconds, self.start, self.waited = seconds, now(), processor_wait()

    def elapsed(self):
        return now() - self.start

    def stalled(self):
        return max(0, processor_wait() - self.waited)

    def left(self):
        """The seconds that are left, at least a moment in which what is there already is read."""
        return max(0.1, self.seconds - self.elapsed() + self.stalled())

    def is_over(self):
        return self.elapsed() > self.seconds and self.elapsed() - self.stalled() > self.seconds

    def __str__(self):
        return f"{self.elapsed():.1f} s, {self.stalled():.1f} s of it for want of a processor"
