"""A stranger who may write to a directory: puts false rooms there, beside those of others.

    directory.py ADDRESS REGION

Speaks the protocol of NATS, and says {"event": "done"} when the server has taken everything.
"""

import json
import socket
import sys
import uuid

address, region = sys.argv[1:]
server = socket.create_connection((address, 4222))
stream = server.makefile("rwb")
stream.readline()  # INFO
stream.write(b'CONNECT {"verbose":false,"pedantic":false}\r\n')


def token(text):
    return "".join(
        chr(byte) if chr(byte) in "abcdefghijklmnopqrstuvwxyz0123456789-" else f"={byte:02X}"
        for byte in "".join(c.lower() if c.isascii() else c for c in text).encode())


def shard(name):
    number = 2166136261
    for byte in name.encode():
        number = (number ^ byte) * 16777619 % 2**32
    return number % 64


def put(name, value, at=None):
    place = token(at or name)
    value = value if isinstance(value, bytes) else json.dumps(value, ensure_ascii=False).encode()
    stream.write(f"PUB $KV.bonjourish.{region}.twentyfour_tcp.{shard(place):02}.{place} {len(value)}\r\n".encode() + value + b"\r\n")


def room(name, **changes):
    txt = ["v=3", f"id={uuid.uuid4()}", "players=1", "max=16", "state=waiting", "lock=open"]
    return {"v": 1, "name": name, "type": "_twentyfour._tcp", "port": 4242, "host": "x", "addresses": ["10.77.0.3"], "txt": txt,
            "owner": "00000000000000ff"} | changes


put("Oversized", room("Oversized", txt=["x=" + "y" * 250] * 34))
put("Malformed", b'{"v":1,"name":"Malformed",')
put("Deep", b"[" * 8000)
put("Bytes", bytes(range(256)) * 8)
put("Misplaced", room("Misplaced"), at="Another place")
put("Elsewhere", room("Elsewhere", port=70000))
put("Loop", room("Loop", addresses=["127.0.0.1", "fe80::1", "224.0.0.251"]))
put("Ad\u0430's game", room("Ad\u0430's game"))  # the Cyrillic letter
put("\u202eemag s'adA", room("\u202eemag s'adA"))
put("Named\u200b", room("Named\u200b", host="\x1b[31m"))
for number in range(200):
    put(f"Flood {number}", room(f"Flood {number}", txt=["v=2"]))
put("Zoe's game", room("Zoe's game"))
stream.write(b"PING\r\n")
stream.flush()
while not (line := stream.readline()).startswith(b"PONG"):
    if not line or line.startswith(b"-ERR"):
        sys.exit(f"the server says {line}")
print(json.dumps({"event": "done"}), flush=True)
