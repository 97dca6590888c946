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


def rows(text):
    """The rows of cells of `capture-pane -e`: each with its character, and whether its foreground and its background are light."""
    row, foreground, background, is_reversed = [], True, False, False
    # Colours go on from one line to the next.
    for codes, character in re.findall("\x1b\\[([0-9;]*)m|(.|\n)", text):
        if character == "\n":
            yield row
            row = []
        elif character:
            row.append((character, background, foreground) if is_reversed else (character, foreground, background))
        # Of the colours, only those that codes are drawn with; the others do not matter.
        for code in re.findall("[34]8;5;[0-9]+|[0-9]+|^$", codes) if not character else []:
            if code in ("", "0"):
                foreground, background, is_reversed = True, False, False
            elif code in ("7", "27"):
                is_reversed = code == "7"
            elif code.startswith("38;5;") or code == "39":
                foreground = code == "39" or int(code[5:]) > 200
            elif code.startswith("48;5;") or code == "49":
                background = code != "49" and int(code[5:]) > 200


def scan():
    """Draws the screen as a terminal does, and shows it to a program that reads codes."""
    lines, _ = run(TMUX + ["capture-pane", "-p", "-e", "-J"])
    drawn, scale = list(rows("\n".join(lines) + "\n")), 4
    width = max(map(len, drawn))
    halves = [[(one if character in filled else other) for character, one, other in row] for row in drawn for filled in ("█▀", "█▄")]
    lights = (row + [False] * (width - len(row)) for row in halves)
    pixels = b"".join(bytes(255 * light for light in row for _ in range(scale)) * scale for row in lights)
    with open(f"{sys.argv[1]}/screen.pgm", "wb") as file:
        file.write(b"P5 %d %d 255\n" % (width * scale, len(halves) * scale) + pixels)
    return run(["zbarimg", "--quiet", "--nodbus", "--raw", file.name])


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
