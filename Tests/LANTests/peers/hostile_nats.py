"""hostile_nats.py WHAT: a NATS server that sends without end, on a port of the loopback interface that it writes first.

WHAT is `payload` (a message is announced as 1.5 GB), `headers` (the same with headers), `line` (a line that does not end) or
`honest` (a message of 900 KB for each subscription, at 1 MB a second). It sends at most 400 MB, says how much at the end of each
connection, and ends by itself after 30 s.
"""

import socket
import sys
import threading
import time

MOST = 400 << 20
CHUNK = b"x" * (1 << 20)


def serve(connection, what):
    info = b'INFO {"server_id":"h","version":"2.9.10","proto":1,"headers":true,"max_payload":%d,"jetstream":true}\r\n'
    connection.sendall(info % (1 << 20 if what == "honest" else 2_000_000_000))
    sent, buffer = 0, b""
    try:
        while b"SUB " not in buffer:
            data = connection.recv(65_536)
            if not data:
                return
            if b"PING\r\n" in data:
                connection.sendall(b"PONG\r\n" * data.count(b"PING\r\n"))
            buffer += data
        subject, number = buffer.split(b"SUB ", 1)[1].split(b"\r\n", 1)[0].split()[:2]
        if what == "honest":
            time.sleep(0.2)
            for _ in range(3):
                message = b"MSG %s %s %d\r\n" % (subject.replace(b"*", b"1"), number, 900_000) + CHUNK[:900_000] + b"\r\n"
                for start in range(0, len(message), 20_000):
                    sent += connection.send(message[start : start + 20_000])
                    time.sleep(0.02)
            return
        begin = {
            "payload": b"MSG %s %s 1500000000\r\n" % (subject, number),
            "headers": b"HMSG %s %s 1400000000 1500000000\r\nNATS/1.0\r\n" % (subject, number),
            "line": b"MSG ",
        }[what]
        connection.sendall(begin)
        while sent < MOST:
            sent += connection.send(CHUNK)
    except OSError:
        pass
    finally:
        print("sent", sent, flush=True)
        connection.close()


def main():
    listener = socket.create_server(("127.0.0.1", 0))
    listener.settimeout(1)
    print(listener.getsockname()[1], flush=True)
    end = time.monotonic() + 30
    while time.monotonic() < end:
        try:
            connection, _ = listener.accept()
        except TimeoutError:
            continue
        threading.Thread(target=serve, args=(connection, sys.argv[1]), daemon=True).start()


main()
