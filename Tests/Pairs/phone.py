"""phone.py ADDRESS NAME: a page of a browser in a room, as the address of a QR code leads it there.

Prints each message of the host as {"event": KIND, ...}, and {"event": "gone"} when the connection ends. It leaves when a line comes.
"""

import json
import os
import select
import socket
import struct
import sys


TEXT, CLOSE, PING, PONG = 1, 8, 9, 10


def frame(data, code=TEXT):
    """A masked frame (RFC 6455 §5.2)."""
    mask = os.urandom(4)
    length = struct.pack("!B", 0x80 | len(data)) if len(data) < 126 else struct.pack("!BH", 0x80 | 126, len(data))
    return bytes([0x80 | code]) + length + mask + bytes(byte ^ mask[i % 4] for i, byte in enumerate(data))


def exactly(stream, count):
    data = b""
    while len(data) < count:
        part = stream.read(count - len(data))
        if not part:
            raise EOFError
        data += part
    return data


def message(stream):
    """The operation code and the bytes of the next frame."""
    first, second = exactly(stream, 2)
    length = second & 127
    if length > 125:
        length = struct.unpack("!H" if length == 126 else "!Q", exactly(stream, 2 if length == 126 else 8))[0]
    return first & 15, exactly(stream, length)


def tell(event, **fields):
    print(json.dumps({"event": event} | fields), flush=True)


def main(address, name):
    base, _, token = address.partition("#")
    host = base.split("/")[2]
    machine, _, port = host.rpartition(":")
    server = socket.create_connection((machine, int(port)), timeout=10)
    server.settimeout(None)
    stream = server.makefile("rb", buffering=0)
    server.sendall((f"GET /socket HTTP/1.1\r\nHost: {host}\r\nOrigin: http://{host}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
                    "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n").encode())
    head = b""
    while not head.endswith(b"\r\n\r\n"):
        head += exactly(stream, 1)
    if not head.startswith(b"HTTP/1.1 101 "):
        sys.exit(f"phone.py: the host says {head!r}")
    hello = {"kind": "hello", "version": 3, "name": name} | ({"admission": token} if token else {})
    server.sendall(frame(json.dumps(hello).encode()))
    while True:
        ready, _, _ = select.select([server, sys.stdin], [], [])
        if sys.stdin in ready:
            sys.stdin.readline()
            server.sendall(frame(json.dumps({"kind": "leaving"}).encode()))
            return
        code, data = message(stream)
        if code == CLOSE:
            return
        if code == PING:
            server.sendall(frame(data, PONG))
        if code == TEXT:
            fields = json.loads(data)
            tell(fields.pop("kind"), **fields)


try:
    main(*sys.argv[1:])
except (EOFError, ConnectionError, TimeoutError, OSError) as error:
    tell("gone", reason=str(error))
else:
    tell("gone")
