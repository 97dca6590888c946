"""Three nats-servers that are one directory, on three hosts."""

import json
import pathlib
import shutil
import threading
import time

from clock import now
from lab import LabError, address, control

HOSTS = ("h4", "h5", "h6")
URL = ",".join(f"nats://{address(host)}:4222" for host in HOSTS)
MATCHES = "KV_bonjourish-matches"


class Cluster:
    def __init__(self, lab):
        self.lab, self.nodes = lab, {}
        self.kills = []  # when a leader was killed
        # One of three may be away: whoever takes one away holds this until it is back.
        self.lock = threading.Lock()

    def store(self, host):
        return self.lab.folder / "nats" / host

    def start(self, host):
        self.store(host).mkdir(parents=True, exist_ok=True)
        file = self.lab.folder / "nats" / f"{host}.conf"
        routes = ", ".join(f'"nats://{address(other)}:6222"' for other in HOSTS if other != host)
        file.write_text(
            f'server_name: {host}\nlisten: "0.0.0.0:4222"\njetstream {{ store_dir: "{self.store(host)}" }}\n'
            f'cluster {{ name: directory, listen: "{address(host)}:6222", routes: [{routes}], no_advertise: true }}\n', encoding="utf-8")
        self.nodes[host] = self.lab.start(f"nats-{host}", host, "/usr/sbin/nats-server", "-c", file)

    def open(self):
        for host in HOSTS:
            self.start(host)
        for host, node in self.nodes.items():
            if not node.wait(30, lambda _, source, text, __: source == "err" and "Server is ready" in text):
                raise LabError(f"the nats-server on {host} does not start, see its log")
        self.until(lambda: self.ask("$JS.API.STREAM.NAMES"), "JetStream does not answer")

    @staticmethod
    def until(condition, failure, seconds=30):
        end = time.monotonic() + seconds
        while not (value := condition()):
            if time.monotonic() > end:
                raise LabError(failure)
            time.sleep(0.5)
        return value

    def ask(self, subject, body=""):
        """The answer of any of the servers, or None."""
        script = str(pathlib.Path(__file__).with_name("ask.py"))
        for host in HOSTS:
            try:
                answer = json.loads(control("on", host, "/usr/bin/python3", "-B", script, subject, body))
            except (LabError, ValueError):
                continue
            if "error" not in answer:
                return answer
        return None

    def replicate(self):
        """Lets all three servers hold each bucket, as an operator of a cluster does."""
        self.until(lambda: self.ask(f"$JS.API.STREAM.INFO.{MATCHES}"), f"there is no {MATCHES}")
        for stream in self.ask("$JS.API.STREAM.NAMES")["streams"]:
            settings = self.ask(f"$JS.API.STREAM.INFO.{stream}")["config"] | {"num_replicas": len(HOSTS)}
            self.until(lambda: self.ask(f"$JS.API.STREAM.UPDATE.{stream}", json.dumps(settings)), f"{stream} cannot be replicated")
        self.until(self.is_whole, "the copies of the buckets do not become current")

    def is_whole(self):
        info = self.ask(f"$JS.API.STREAM.INFO.{MATCHES}")
        copies = info and info.get("cluster", {}).get("replicas", [])
        return bool(copies) and len(copies) == len(HOSTS) - 1 and all(copy.get("current") for copy in copies)

    def leader(self):
        info = self.ask(f"$JS.API.STREAM.INFO.{MATCHES}")
        return info and info.get("cluster", {}).get("leader")

    # ---- What happens to it

    def kill(self, host, is_wiped=False, seconds=2):
        self.nodes[host].signal("KILL")
        self.nodes[host].ended(10)
        if is_wiped:
            shutil.rmtree(self.store(host))
        time.sleep(seconds)
        self.start(host)
        self.wait_whole()

    def wait_whole(self, seconds=30):
        """Waits until another one may be taken away."""
        end = time.monotonic() + seconds
        while not self.is_whole() and time.monotonic() < end:
            time.sleep(0.5)

    def kill_leader(self):
        """Kills the server that leads the bucket of the matches. Returns which."""
        with self.lock:
            leader = self.leader()
            if leader:
                self.kills.append(now())
                self.kill(leader)
            return leader
