"""A terminal with a person at it: a tmux that nobody else looks at. Argument: the folder for its socket.

Each line of standard input is a request, each line of standard output the answer to one: {"id", "lines", "isDone"}. A request is
{"id", "tmux": ARGUMENTS} for a command of tmux, {"id", "run": COMMAND} for another one, or
{"id", "shows": TEXTS, "without": TEXTS, "within": SECONDS} to wait until all of the first texts and none of the others stand on the
screen.
"""
import json
import subprocess
import sys
import time

TMUX = ["tmux", "-S", f"{sys.argv[1]}/tmux", "-f", "/dev/null"]


def run(command):
    result = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    return result.stdout.split("\n"), result.returncode == 0


def shows(texts, others, limit):
    deadline = time.monotonic() + limit
    while True:
        lines, _ = run(TMUX + ["capture-pane", "-p"])
        if all(any(text in line for line in lines) for text in texts) and not any(text in line for line in lines for text in others):
            return lines, True
        if time.monotonic() > deadline:
            return lines, False
        time.sleep(0.03)


try:
    for line in sys.stdin:
        request = json.loads(line)
        if "shows" in request:
            lines, is_done = shows(request["shows"], request["without"], request["within"])
        else:
            lines, is_done = run(TMUX + request["tmux"] if "tmux" in request else request["run"])
        lines = [line for line in lines if line]
        print(json.dumps({"event": "reply", "id": request["id"], "lines": lines, "isDone": is_done}), flush=True)
finally:
    run(TMUX + ["kill-server"])
