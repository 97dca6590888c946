"""web_seeds.py FOLDER: writes what fuzzing of WebSockets begins with, into FOLDER/websocket and http.

Each input for frames begins with the three bytes that its case in WebCases takes for itself.
"""

import pathlib
import struct
import sys

folder = pathlib.Path(sys.argv[1])
MASK = bytes([0x37, 0xFA, 0x21, 0x3D])


def write(fuzzer, name, data):
    path = folder / fuzzer / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(bytes(data))


def frame(first, payload=b"", masked=True, length=None):
    size = len(payload)
    if length is None:
        length = bytes([size]) if size < 126 else b"\x7e" + struct.pack(">H", size)
    if not masked:
        return bytes([first]) + length + payload
    length = bytes([length[0] | 0x80]) + length[1:]
    return bytes([first]) + length + MASK + bytes(byte ^ MASK[index % 4] for index, byte in enumerate(payload))


def websocket():
    def streams(name, *frames):
        for masked in (True, False):
            data = b"".join(frame(*arguments[:2], masked, *arguments[2:]) for arguments in frames)
            for kinds in (0, 2, 4):
                write("websocket", f"{name}-{'server' if masked else 'client'}-{kinds}", bytes([kinds | (not masked), 200, 7]) + data)

    streams("messages", (0x81, "text, été".encode()), (0x82, bytes(range(200, 256))), (0x81, b""), (0x82, bytes(300)))
    streams("fragments", (0x01, b"\xf0\x9f"), (0x89, b"ping"), (0x00, b""), (0x80, b"\x98\x80"), (0x8A, b""))
    streams("too-large", (0x02, bytes(500)), (0x80, bytes(301)))
    streams("closed", (0x88, struct.pack(">H", 1000) + "tschüß".encode()), (0x81, b"late"))
    streams("codes", (0x88, struct.pack(">H", 1005)), (0x88, b""))
    streams("reserved", (0x81, b"a"), (0xC1, b"b"))
    streams("opcode", (0x83, b"a"))
    streams("not-shortest", (0x82, b"", b"\x7e\0\x7d"))
    streams("huge", (0x82, b"", b"\x7f\x7f" + b"\xff" * 7))
    streams("negative", (0x82, b"", b"\x7f\xff" + b"\xff" * 7))
    streams("not-utf8", (0x81, b"\xed\xa0\x80"))


HANDSHAKE = """GET /socket?token=a HTTP/1.1
Host: 10.0.0.1:80
Upgrade: websocket
Connection: keep-alive, Upgrade
Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==
Sec-WebSocket-Version: 13
Origin: http://10.0.0.1
Sec-WebSocket-Protocol: t, s
"""

HEADS = [
    "GET / HTTP/1.1\nHost: localhost\n", "HEAD /a.js?x HTTP/1.1\nHost: a\nIf-None-Match: \"x\", *\n",
    "GET /none HTTP/1.1\nHost: [::1]:80\nAccept: */*\n", "POST / HTTP/1.1\nHost: x.local\n", "GET / HTTP/1.1\nHost: evil.example\n",
    "GET / HTTP/1.1\nHost: a\nContent-Length: 3\n", "GET / HTTP/1.1\nHost: a\nTransfer-Encoding: chunked\n",
    "GET / HTTP/1.1\nHost: a\nHost: a\n", "GET / HTTP/1.1\nHost: a\nX: b\n c\n", "GET / HTTP/1.1\nHost : a\n",
    "GET / HTTP/1.0\nHost: a\n", "GET http://a/ HTTP/1.1\nHost: a\n",
    HANDSHAKE, HANDSHAKE.replace("13", "12"), HANDSHAKE.replace("Origin: http://10.0.0.1", "Origin: http://a"),
    HANDSHAKE.replace("ZQ==", "ZR=="), HANDSHAKE.replace("keep-alive, ", ""),
    "HTTP/1.1 101 Switching Protocols\nUpgrade: websocket\nConnection: Upgrade\n"
    "Sec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=\nSec-WebSocket-Protocol: s\n",
    "HTTP/1.1 403 Forbidden\nContent-Length: 0\n",
]


def http():
    for index, head in enumerate(HEADS):
        data = (head + "\n").replace("\n", "\r\n").encode()
        write("http", f"head-{index:02}", data)
        write("http", f"bare-{index:02}", (head + "\n").encode())
        write("http", f"followed-{index:02}", data + b"GET / HTTP/1.1\r\n")


websocket()
http()
