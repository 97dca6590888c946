"""A nats-server on the loopback interface in a folder of its own, and many clients of it that understand next to nothing."""

import json
import os
import pathlib
import re
import resource
import selectors
import shutil
import signal
import socket
import subprocess
import tempfile
import threading
import time
import urllib.request

TICKS = os.sysconf("SC_CLK_TCK")


class Server:
    """A server whose data are gone when it ends."""

    def __init__(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="bench-directory-"))
        self.port = -1
        self.start()

    def start(self):
        """Starts it, on the port that it had before."""
        configuration = self.folder / "nats.conf"
        configuration.write_text(
            f'listen: "127.0.0.1:{self.port}"\nhttp: "127.0.0.1:-1"\nports_file_dir: "{self.folder}"\n'
            f'jetstream: {{ store_dir: "{self.folder}/store" }}\n',
            encoding="ascii",
        )
        program = shutil.which("nats-server") or "/usr/sbin/nats-server"
        self.process = subprocess.Popen([program, "-c", configuration, "-l", self.folder / "log"])
        ports = self.folder / f"nats-server_{self.process.pid}.ports"
        deadline = time.monotonic() + 10
        while not (ports.exists() and ports.stat().st_size):
            if time.monotonic() > deadline:
                raise SystemExit(f"nats-server does not start: {(self.folder / 'log').read_text(encoding='utf-8')}")
            time.sleep(0.02)
        time.sleep(0.05)
        said = json.loads(ports.read_text(encoding="ascii"))
        self.url, self.monitor = said["nats"][0], said["monitoring"][0]
        self.port = int(self.url.rsplit(":", 1)[1])

    def ask(self, what):
        with urllib.request.urlopen(f"{self.monitor}/{what}", timeout=20) as answer:
            return json.load(answer)

    def processor_seconds(self):
        fields = pathlib.Path(f"/proc/{self.process.pid}/stat").read_text(encoding="ascii").rsplit(")", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / TICKS

    def resident_bytes(self):
        status = pathlib.Path(f"/proc/{self.process.pid}/status").read_text(encoding="ascii")
        return 1024 * int(re.search(r"VmRSS:\s+(\d+)", status).group(1))

    def bucket(self):
        """The number of records, and their size as the server counts it."""
        detail = self.ask("jsz?streams=1&accounts=1")["account_details"]
        state = [stream["state"] for account in detail for stream in account.get("stream_detail", [])]
        return (state[0]["messages"], state[0]["bytes"]) if state else (0, 0)

    def load(self, seconds):
        """Messages in and out and processor time, each for a second, in the mean of some seconds."""
        before, processor, began = self.ask("varz"), self.processor_seconds(), time.monotonic()
        time.sleep(seconds)
        after, elapsed = self.ask("varz"), time.monotonic() - began
        return {
            "in": (after["in_msgs"] - before["in_msgs"]) / elapsed,
            "out": (after["out_msgs"] - before["out_msgs"]) / elapsed,
            "bytes in": (after["in_bytes"] - before["in_bytes"]) / elapsed,
            "bytes out": (after["out_bytes"] - before["out_bytes"]) / elapsed,
            "processor": (self.processor_seconds() - processor) / elapsed,
        }

    def kill(self):
        self.process.send_signal(signal.SIGKILL)
        self.process.wait()

    def end(self):
        self.kill()
        shutil.rmtree(self.folder, ignore_errors=True)


class Client:
    """One connection that speaks the protocol itself."""

    def __init__(self, server):
        self.socket = socket.create_connection(("127.0.0.1", server.port))
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.buffer = b""
        self.send('CONNECT {"verbose":false,"headers":true,"no_responders":true,"lang":"bench","version":"1"}\r\nPING\r\n')
        while b"PONG\r\n" not in self.buffer:
            self.buffer += self.socket.recv(65536)
        self.buffer = b""

    def send(self, text):
        self.socket.sendall(text.encode("ascii"))

    def watch(self, requests, which, number):
        """Asks for a consumer as the module does."""
        body = requests[which].replace("INBOX", f"_INBOX.watcher.{number}")
        self.send(
            f"SUB _INBOX.watcher.{number} {2 * number + 1}\r\nSUB _INBOX.answer.{number} {2 * number + 2}\r\n"
            f"PUB {requests['subject']} _INBOX.answer.{number} {len(body)}\r\n{body}\r\n"
        )

    def write(self, path):
        """Sends a file of commands, and waits until the server has read it."""
        with open(path, "rb") as file:
            self.socket.sendfile(file)
        self.send("PING\r\n")
        rest = b""
        while b"PONG\r\n" not in rest:
            rest = (rest + self.socket.recv(65536))[-200_000:]
            if b"\r\nPING\r\n" in rest:
                self.send("PONG\r\n")

    def list(self, requests, which, number):
        """The number of values that a listing brings and the seconds that it takes."""
        began = time.monotonic()
        self.watch(requests, which, number)
        # What still comes for a former listing has another number.
        own, count, rest = str(2 * number + 1).encode("ascii"), 0, b""
        while True:
            rest += self.socket.recv(1 << 20)
            while (end := rest.find(b"\r\n")) >= 0:
                words = rest[:end].split()
                if words[0] not in (b"MSG", b"HMSG"):
                    rest = rest[end + 2 :]
                    continue
                size = int(words[-1])
                if len(rest) < end + 4 + size:
                    break
                body, rest = rest[end + 2 : end + 2 + size], rest[end + 4 + size :]
                if words[2] == own and not body.startswith(b"NATS/1.0 100"):
                    count += 1
                    if words[3].endswith(b".0"):
                        took = time.monotonic() - began
                        self.send(f"UNSUB {2 * number + 1}\r\nUNSUB {2 * number + 2}\r\n")
                        return count, took
                elif body.startswith(b"NATS/1.0 100") and len(words) == 6:
                    self.send(f"PUB {words[3].decode('ascii')} 0\r\n\r\n")


class Watchers:
    """Many connections with a watch each. They count what comes, and let the delivery go on."""

    MARK = b" $JS.ACK."
    GO_ON = re.compile(rb" (\$JS\.FC\.\S+) \d+ \d+\r\nNATS/1\.0 100")

    def __init__(self, server, count):
        hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
        resource.setrlimit(resource.RLIMIT_NOFILE, (min(hard, 65_536), hard))
        self.clients = [Client(server) for _ in range(count)]
        self.messages = 0
        self.is_running = True
        self.thread = threading.Thread(target=self.read, daemon=True)
        self.thread.start()

    def watch(self, requests, which):
        for number, client in enumerate(self.clients):
            client.watch(requests, which, number)

    def read(self):
        selector = selectors.DefaultSelector()
        for client in self.clients:
            selector.register(client.socket, selectors.EVENT_READ, client)
        while self.is_running:
            # So that a socket has several messages: this machine has other things to do than to count.
            time.sleep(0.05)
            for key, _ in selector.select(0.2):
                client, data = key.data, key.data.socket.recv(1 << 20)
                # The end of the former piece is looked at again: shorter than a mark, and as long as a request to go on.
                self.messages += (client.buffer[1 - len(self.MARK) :] + data).count(self.MARK)
                known, text = len(client.buffer), client.buffer + data
                for found in self.GO_ON.finditer(text):
                    if found.end() > known:
                        client.send(f"PUB {found.group(1).decode('ascii')} 0\r\n\r\n")
                if text.find(b"PING\r\n", max(0, known - 5)) >= 0:
                    client.send("PONG\r\n")
                client.buffer = text[-256:]

    def end(self):
        self.is_running = False
        self.thread.join()
        for client in self.clients:
            client.socket.close()
