"""vandal.py HOST PORT MISDEED ...: does to a room what nobody should, one misdeed after the other, each on connections of its own.

Prints for each {"event":"done","misdeed":…,"kinds":[…],"code":…,"hungUp":…}: the kinds of the messages that came, the code of the
last `closed` or null, and whether the host ended the connection within the time allowed.
"""

import json
import socket
import struct
import sys
import threading
import time

import peer
import room

HELLO = room.hello("Vandal")
# Refused with a message, for there is no such round.
QUESTION = {"kind": "act", "number": 0, "action": {"answer": {"expression": "4*6"}}}
# The host waits five seconds for hello.
TIMEOUT = 8


class Line(room.Line):
    """A connection to the room."""

    def __init__(self, receive_buffer=None):
        super().__init__(host, port, TIMEOUT, receive_buffer)

    def hear_of(self, kind):
        while self.hear()["kind"] != kind:
            pass

    def listen(self):
        """All that comes until the host hangs up, or nothing comes for a while."""
        heard = []
        try:
            while True:
                heard.append(self.hear())
        except (EOFError, ConnectionResetError):
            return heard, True
        except TimeoutError:
            return heard, False

    def leave(self):
        self.say({"kind": "leaving"})


def result(line):
    heard, hung_up = line.listen()
    refusals = [message["code"] for message in heard if message["kind"] == "closed"]
    return {
        "kinds": [message["kind"] for message in heard],
        "code": refusals[-1] if refusals else None,
        "hungUp": hung_up,
    }


def frame(body):
    """A frame instead of hello."""
    line = Line()
    line.throw(body)
    return result(line)


def said(*messages):
    line = Line()
    for message in messages:
        line.say(message)
    return result(line)


def raw(data):
    line = Line()
    line.raw(data)
    line.socket.shutdown(socket.SHUT_WR)
    return result(line)


def quickly_oversized():
    """The whole of a frame that is one byte too long, and more after it."""
    line = Line()
    line.throw(b" " * 65_537 + b"{}" * 1000)
    return result(line)


def oversized_inside():
    line = Line()
    line.say(HELLO)
    line.hear_of("welcome")
    line.raw(b"\xff\xff\xff\xff")
    return result(line)


def unknown_kind():
    """To be ignored, before hello and after."""
    line = Line()
    line.say({"kind": "dance", "partner": None})
    line.say(HELLO)
    line.hear_of("welcome")
    line.say({"kind": "dance"})
    line.say(QUESTION)
    line.hear_of("refused")
    line.leave()
    return result(line)


def silent_crowd():
    """200 connections that say nothing; the result is that of all, and how many of them were sent away as soon as they came."""
    lines, at_once = [], 0
    for _ in range(200):
        try:
            lines.append(Line())
        except ConnectionResetError:
            at_once += 1
    # All but those who may stay for a while have gone by now.
    time.sleep(1)
    for line in lines[:]:
        line.socket.setblocking(False)
        try:
            at_once += not line.socket.recv(1)
            lines.remove(line)
        except BlockingIOError:
            line.socket.settimeout(TIMEOUT)
        except ConnectionResetError:
            at_once += 1
            lines.remove(line)
    results = [result(line) for line in lines]
    return {
        "kinds": sorted({kind for one in results for kind in one["kinds"]}),
        "hungUp": all(one["hungUp"] for one in results),
        "atOnce": at_once,
    }


def question_flood():
    """Answered as long as there are few; then the host closes the connection."""
    count = 1_500
    line = Line()
    line.say(HELLO)
    line.hear_of("welcome")
    question = json.dumps(QUESTION).encode()
    flood = (struct.pack(">I", len(question)) + question) * count
    threading.Thread(target=line.raw, args=[flood], daemon=True).start()
    return result(line)


def deaf():
    """Asks for more and more answers and takes none of them."""
    line = Line(receive_buffer=4096)
    line.say(HELLO)
    line.hear_of("welcome")
    question = json.dumps(QUESTION).encode()
    flood = (struct.pack(">I", len(question)) + question) * 1000
    end = time.monotonic() + 30
    try:
        while time.monotonic() < end:
            line.socket.sendall(flood)
    except (BrokenPipeError, ConnectionResetError):
        return {"hungUp": True}
    except TimeoutError:
        pass
    return {"hungUp": False}


MISDEEDS = {
    "oversized": lambda: raw(struct.pack(">I", 65_537)),
    "hugelyOversized": lambda: raw(b"\xff\xff\xff\xff"),
    "quicklyOversized": quickly_oversized,
    "oversizedInside": oversized_inside,
    "truncatedLength": lambda: raw(b"\0\0"),
    "truncatedBody": lambda: raw(struct.pack(">I", 100) + b'{"kind":"hel'),
    "empty": lambda: frame(b""),
    "notUTF8": lambda: frame(b'{"kind":"hello","version":3,"name":"\xff\xfe"}'),
    "notJSON": lambda: frame(b"GET / HTTP/1.1"),
    "noObject": lambda: frame(b"[]"),
    "deep": lambda: frame(b"[" * 60_000),
    "deepInside": lambda: frame(b'{"kind":"hello","version":3,"name":' + b"[" * 30_000 + b"]" * 30_000 + b"}"),
    "unusableField": lambda: said({"kind": "hello", "version": "one", "name": "Vandal"}),
    "unusableName": lambda: said({"kind": "hello", "version": 3, "name": "\u202eVandal"}),
    "otherVersion": lambda: said({"kind": "hello", "version": 1, "name": "Vandal"}),
    "answerBeforeHello": lambda: said(QUESTION),
    "secondHello": lambda: said(HELLO, HELLO),
    "hostsMessage": lambda: said(HELLO, {"kind": "closed", "code": "finished", "text": "All over."}),
    "unknownKind": unknown_kind,
    "silentCrowd": silent_crowd,
    "questionFlood": question_flood,
    "deaf": deaf,
}

host, port = sys.argv[1], int(sys.argv[2])
for misdeed in sys.argv[3:]:
    peer.tell("done", misdeed=misdeed, **MISDEEDS[misdeed]())
