"""stuck_reader.py COMMAND ...: runs a program with a full pipe as its standard output, which nobody reads, and asks it to end.

Its standard error must say that avahi-daemon or the built-in engine is used (--verbose). Prints {"event":"ended","seconds":…,"code":…}.
"""

import json
import os
import signal
import subprocess
import sys
import time

reading, writing = os.pipe()
os.set_blocking(writing, False)
for size in (4096, 1):
    try:
        while True:
            os.write(writing, b"." * size)
    except BlockingIOError:
        pass
os.set_blocking(writing, True)
program = subprocess.Popen(sys.argv[1:], stdin=subprocess.DEVNULL, stdout=writing, stderr=subprocess.PIPE, text=True)
os.close(writing)
for line in program.stderr:
    if "discovery by" in line or "mDNS on" in line:
        break
time.sleep(1)
program.send_signal(signal.SIGTERM)
start = time.monotonic()
try:
    code = program.wait(10)
except subprocess.TimeoutExpired:
    program.kill()
    code = None
print(json.dumps({"event": "ended", "seconds": time.monotonic() - start, "code": code}), flush=True)
