"""ask.py SUBJECT [BODY]: sends a request to the nats-server of this host, and prints the answer; exit code 1 if none comes."""

import pathlib
import sys
import types

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "Benchmarks" / "Directory"))
from nats import Client  # noqa: E402

PORT, INBOX, SECONDS = 4222, "_INBOX.chaos", 3


def main(subject, body=""):
    client = Client(types.SimpleNamespace(port=PORT))
    client.socket.settimeout(SECONDS)
    client.send(f"SUB {INBOX} 1\r\nPUB {subject} {INBOX} {len(body)}\r\n{body}\r\n")
    received = b""
    while True:
        received += client.socket.recv(1 << 20)
        line, end, rest = received.partition(b"\r\n")
        while end and not line.startswith((b"MSG ", b"HMSG ")):
            received = rest
            line, end, rest = received.partition(b"\r\n")
        if end and len(rest) >= int(line.split()[-1]):
            # No one who answers is told in headers alone.
            if line.startswith(b"HMSG "):
                sys.exit(1)
            print(rest[: int(line.split()[-1])].decode())
            return


try:
    main(*sys.argv[1:])
except OSError as error:
    sys.exit(f"ask.py: {error}")
