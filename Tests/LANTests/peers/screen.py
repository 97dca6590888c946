"""A terminal with a person at it: a tmux that nobody else looks at. Argument: the folder for its socket.

Each line of standard input is a request, each line of standard output the answer to one: {"id", "lines", "isDone"}. A request is
{"id", "tmux": ARGUMENTS} for a command of tmux, {"id", "run": COMMAND} for another one, or
{"id", "shows": TEXTS, "without": TEXTS, "within": SECONDS} to wait until all of the first texts and none of the others stand on the
screen, or {"id", "scan": true} to read the QR code on it, as a camera does.
"""
import json
import re
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


def cells(line):
    """The characters of a line of `capture-pane -e`, each with whether its foreground and its background are light."""
    colours = {"foreground": True, "background": False}
    for codes, character in re.findall("\x1b\\[([0-9;]*)m|(.)", line):
        if character:
            yield character, colours["foreground"], colours["background"]
        elif codes in ("", "0", "39;49"):
            colours = {"foreground": True, "background": False}
        elif codes == "7":
            colours = {"foreground": False, "background": True}
        else:
            for layer, shade in re.findall("([34]8)(?:;5)?;([0-9]+)", codes):
                colours["foreground" if layer == "38" else "background"] = int(shade) > 200


def scan():
    """Draws the screen as a terminal does, and shows it to a program that reads codes."""
    lines, _ = run(TMUX + ["capture-pane", "-p", "-e"])
    scale, width, rows = 4, 0, []
    for line in lines:
        drawn = list(cells(line))
        width = max(width, len(drawn))
        for filled in ("█▀", "█▄"):
            rows.append([foreground if character in filled else background for character, foreground, background in drawn])
    pixels = b"".join(bytes((255 if light else 0) for light in row + [False] * (width - len(row)) for _ in range(scale)) * scale for row in rows)
    with open(f"{sys.argv[1]}/screen.pgm", "wb") as file:
        file.write(b"P5 %d %d 255\n" % (width * scale, len(rows) * scale) + pixels)
    return run(["zbarimg", "--quiet", "--raw", file.name])


try:
    for line in sys.stdin:
        request = json.loads(line)
        if "shows" in request:
            lines, is_done = shows(request["shows"], request["without"], request["within"])
        elif "scan" in request:
            lines, is_done = scan()
        else:
            lines, is_done = run(TMUX + request["tmux"] if "tmux" in request else request["run"])
        lines = [line for line in lines if line]
        print(json.dumps({"event": "reply", "id": request["id"], "lines": lines, "isDone": is_done}), flush=True)
finally:
    run(TMUX + ["kill-server"])
