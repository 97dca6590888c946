"""intruder.py HOST PORT TRICK ...: does to the page of a room what nobody should, one trick after the other.

Prints for each {"event": "done", "trick": …, "status": …, "codes": …, "ended": …}: the statuses of HTTP that came, the codes of `closed`
that came, and whether the host has ended all connections within the time allowed.
"""

import base64
import contextlib
import json
import os
import secrets
import select
import socket
import struct
import sys
import time

import peer

address, port = sys.argv[1], int(sys.argv[2])
TIMEOUT = 12


def dial():
    line = socket.create_connection((address, port), timeout=TIMEOUT)
    line.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    return line


def head(path="/socket", host=None, method="GET", upgrade=True, **fields):
    lines = [f"{method} {path} HTTP/1.1", f"Host: {host or f'{address}:{port}'}"]
    if upgrade:
        key = base64.b64encode(os.urandom(16)).decode()
        lines += ["Upgrade: websocket", "Connection: Upgrade", f"Sec-WebSocket-Key: {key}", "Sec-WebSocket-Version: 13"]
    lines += [f"{name.replace('_', '-')}: {value}" for name, value in fields.items()]
    return ("\r\n".join(lines) + "\r\n\r\n").encode()


def rest(line):
    """What comes until the host ends the connection, and whether it does."""
    data = b""
    try:
        while part := line.recv(65536):
            data += part
        return data, True
    except ConnectionResetError:
        return data, True
    except TimeoutError:
        return data, False


def status(data):
    return int(data.split(b" ", 2)[1]) if data.startswith(b"HTTP/1.1 ") else None


def codes(data):
    """The codes of `closed` among the frames after a handshake, as far as they are whole."""
    found, frames = [], data.partition(b"\r\n\r\n")[2]
    while len(frames) >= 2:
        size, start = frames[1] & 0x7F, 2
        if size == 126:
            size, start = struct.unpack(">H", frames[2:4])[0], 4
        body, frames = frames[start : start + size], frames[start + size :]
        if body.startswith(b"{"):
            found.append(json.loads(body).get("code"))
    return [code for code in found if code]


def frame(text, opcode=1, masked=True, final=True):
    data = text if isinstance(text, bytes) else text.encode()
    first = (0x80 if final else 0) | opcode
    size = len(data)
    length = bytes([size | (0x80 if masked else 0)]) if size < 126 else struct.pack(">BH", 126 | (0x80 if masked else 0), size)
    mask = os.urandom(4) if masked else b""
    body = bytes(byte ^ mask[i % 4] for i, byte in enumerate(data)) if masked else data
    return bytes([first]) + length + mask + body


def hello(**fields):
    return json.dumps({"kind": "hello", "version": 3, "name": "Eve", **fields})


def request(data, then=b""):
    """Sends bytes, and others after the answer to the first; reads what comes back."""
    line = dial()
    line.sendall(data)
    answer = line.recv(65536) if then else b""
    if then:
        with contextlib.suppress(OSError):
            line.sendall(then)
    data, ended = rest(line)
    answer += data
    return {"status": [status(answer)], "codes": codes(answer), "ended": ended}


def after_upgrade(*frames):
    return request(head(), b"".join(frames))


def crowd(count, greeting=b""):
    """Connections, as far as they are taken."""
    lines = []
    for _ in range(count):
        with contextlib.suppress(OSError):
            line = dial()
            line.sendall(greeting)
            lines.append(line)
    return lines


def slow_loris():
    """Heads that come byte by byte, on many connections."""
    lines = crowd(50)
    text = head()
    end = time.monotonic() + 8
    for byte in range(len(text)):
        for line in lines:
            with contextlib.suppress(OSError):
                line.sendall(text[byte : byte + 1])
        if time.monotonic() > end:
            break
        time.sleep(0.1)
    results = [rest(line) for line in lines]
    return {"status": sorted({status(data) or 0 for data, _ in results}), "codes": [], "ended": all(ended for _, ended in results)}


def half_open():
    """A thousand handshakes without their ends."""
    lines = crowd(1_000, head()[:-2])
    end = time.monotonic() + TIMEOUT
    waiting = set(lines)
    while waiting and time.monotonic() < end:
        readable, _, _ = select.select(list(waiting), [], [], 1)
        for line in readable:
            try:
                if not line.recv(65536):
                    waiting.discard(line)
            except OSError:
                waiting.discard(line)
    return {"status": [], "codes": [], "ended": not waiting}


def guesses():
    """Tokens, as fast as they can be tried."""
    found = []
    for _ in range(150):
        token = base64.b32encode(secrets.token_bytes(16)).decode().rstrip("=").lower()
        line = dial()
        line.sendall(head())
        data = line.recv(65536)
        line.sendall(frame(hello(admission=token)))
        while not codes(data) and (part := line.recv(65536)):
            data += part
        found += codes(data)
        line.close()
    return {"status": [], "codes": sorted(set(found)), "ended": True}


def native_peer():
    """A program that plays natively, at the port for pages: nothing would be encrypted."""
    text = hello().encode()
    line = dial()
    line.sendall(struct.pack(">I", len(text)) + text)
    data, ended = rest(line)
    return {"status": [len(data)], "codes": [], "ended": ended}


def smuggled():
    """Requests that two readers could understand in two ways."""
    get = head("/", upgrade=False)
    tries = [
        get + get,
        head("/", upgrade=False, Content_Length=len(get)) + get,
        head("/", upgrade=False, Transfer_Encoding="chunked") + b"0\r\n\r\n" + get,
        get.replace(b"\r\n\r\n", b"\r\nHost: other\r\n\r\n"),
        get.replace(b"\r\nHost", b"\r\n Host"),
        get.replace(b"Host:", b"Host :"),
        get.replace(b" HTTP/1.1", b" HTTP/1.1 HTTP/1.1"),
        get.replace(b"\r\n", b"\r"),
        head("/../../etc/passwd", upgrade=False),
        head("//etc/passwd", upgrade=False),
    ]
    results = [request(data) for data in tries]
    return {"status": [one["status"][0] for one in results], "codes": [], "ended": all(one["ended"] for one in results)}


TRICKS = {
    "crossSite": lambda: request(head(Origin="http://evil.example")),
    "otherPort": lambda: request(head(Origin=f"http://{address}:1")),
    "rebinding": lambda: request(head("/", host=f"evil.example:{port}", upgrade=False)),
    "rebindingSocket": lambda: request(head(host=f"evil.example:{port}", Origin=f"http://evil.example:{port}")),
    "hugeHead": lambda: request(head(Cookie="x" * 70_000)),
    "manyFields": lambda: request(head(**{f"X_{number}": "1" for number in range(500)})),
    "post": lambda: request(head("/", method="POST", upgrade=False)),
    "unmasked": lambda: after_upgrade(frame(hello(), masked=False)),
    "badOpcode": lambda: after_upgrade(frame(hello(), opcode=5)),
    "binary": lambda: after_upgrade(frame(hello(), opcode=2)),
    "notUTF8": lambda: after_upgrade(frame(b"\xff\xfe{}")),
    "hugeFrame": lambda: after_upgrade(b"\x81\xff" + struct.pack(">Q", 1 << 40) + b"\0\0\0\0"),
    "noToken": lambda: after_upgrade(frame(hello())),
    "answerBeforeHello": lambda: after_upgrade(
        frame(json.dumps({"kind": "act", "number": 1, "action": {"giveUp": {}}}))),
    "silent": lambda: after_upgrade(),
    "nativePeer": native_peer,
    "smuggled": smuggled,
    "guesses": guesses,
    "slowLoris": slow_loris,
    "halfOpen": half_open,
}

for trick in sys.argv[3:]:
    if trick.startswith("token="):
        peer.tell("done", trick="token", **after_upgrade(frame(hello(admission=trick[6:]))))
    elif trick.startswith("secret="):
        room, player, secret = trick[7:].split(",")
        claim = {"room": room, "player": int(player), "secret": secret}
        peer.tell("done", trick="secret", **after_upgrade(frame(hello(seat=claim))))
    else:
        peer.tell("done", trick=trick, **TRICKS[trick]())
