#!/usr/bin/env python3
"""Publishes a service in a directory until SIGTERM or Ctrl-C, by the rules of the article "Records":
    publish.py HOST REGION NAME TYPE PORT [KEY=VALUE...]

It speaks the protocol of NATS itself, so that everything is seen here: no TLS, no password, and a lost connection is the end.
With a client of NATS for your language, token(), subject(), put(), write() and the loop remain."""
import json, random, re, secrets, signal, socket, sys, unicodedata

host, region, wanted, kind, port, *txt = (unicodedata.normalize("NFC", argument) for argument in sys.argv[1:])
inbox, owner, name, number, revision = f"_INBOX.{secrets.token_hex(16)}", secrets.token_hex(8), wanted, 2, 0

def request(subject, headers="", data=b""):  # Returns the headers and the data of the answer.
    head = f"NATS/1.0\r\n{headers}\r\n".encode()
    server.sendall(b"HPUB %b %b %d %d\r\n%b%b\r\n" % (subject.encode(), inbox.encode(), len(head), len(head + data), head, data))
    while (words := stream.readline().split()) and words[0] != b"-ERR":
        if words[0] == b"PING":
            server.sendall(b"PONG\r\n")
        if words[0] in (b"MSG", b"HMSG"):
            size, answer = int(words[-2]) if words[0] == b"HMSG" else 0, stream.read(int(words[-1]) + 2)[:-2]
            return answer[:size].decode(), answer[size:]
    sys.exit(f"the directory says: {b' '.join(words).decode() or 'nothing more'}")

def token(text):
    return re.sub(b"[^a-z0-9-]", lambda other: b"=%02X" % ord(other[0]), text.encode().lower()).decode()

def subject(name):
    shard, (service, transport) = 2166136261, kind.split(".")
    for byte in token(name).encode():
        shard = (shard ^ byte) * 16777619 % 2**32
    return f"$KV.bonjourish.{region}.{token(service[1:])}_{transport[1:]}.{shard % 64:02}.{token(name)}"

def put(subject, expected, headers="", data=b""):  # Returns the new revision; None if the last one is not as expected.
    answer = request(subject, f"Nats-Expected-Last-Subject-Sequence: {expected}\r\n{headers}", data)[1]
    answer = json.loads(answer or b'{"error": {"description": "there is no such bucket"}}')
    if (error := answer.get("error")) and error.get("err_code") != 10071:
        sys.exit(f"the directory says: {error['description']}")
    return None if error else answer["seq"]

def write(name, expected):  # Returns the revision of our record; None if somebody else has the name.
    record = {"v": 1, "name": name, "type": kind, "port": int(port), "host": socket.gethostname().split(".")[0][:63],
              "addresses": [server.getsockname()[0]], "txt": txt, "owner": owner}
    while not (revision := put(subject(name), expected, data=json.dumps(record).encode())):
        headers, data = request("$JS.API.DIRECT.GET.KV_bonjourish." + subject(name))
        if "Nats-Sequence" in headers and "KV-Operation" not in headers and owner.encode() not in data:
            return None
        expected = (re.findall(r"Nats-Sequence: (\d+)", headers) or [0])[0]  # Ours, or a mark of removal; or there is none.
    return revision

signal.pthread_sigmask(signal.SIG_BLOCK, ends := {signal.SIGINT, signal.SIGTERM})
try:
    stream = (server := socket.create_connection((host, 4222), timeout=5)).makefile("rb")
    server.sendall(f'CONNECT {{"verbose":false,"headers":true,"no_responders":true}}\r\nSUB {inbox} 1\r\n'.encode())
    while True:
        while not (revision := write(name, revision or 0)):
            name, number = wanted.encode()[:57].decode(errors="ignore") + f" #{number}", number + 1  # At most 63 bytes.
        print(json.dumps({"event": "written", "name": name, "revision": revision}), flush=True)
        if signal.sigtimedwait(ends, random.uniform(16, 20)):
            sys.exit(put(subject(name), revision, "KV-Operation: DEL\r\n") is None)
except OSError as error:  # Also when nothing is said for 5 s.
    sys.exit(print(f"the directory at {host} does not answer: {error}", file=sys.stderr) or 69)
