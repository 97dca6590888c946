"""Captures TCP on an interface, and tries to test passcodes against what it has captured.

usage: capture.py INTERFACE PORT PLAINTEXT...

Prints {"event":"ready"}. A line on standard input ends the capture. Then it prints {"event":"done", …}: the number of captured bytes,
the TLS records by type, how many of the PLAINTEXTs are in them, and how many of the passcodes 000000 to 999999 leave a trace: as
text, or as a hash or an authentication code of what else is on the wire (the random numbers and session IDs of the two hellos). Whoever
finds a trace could test guesses without the host.
"""

import hashlib
import hmac
import json
import socket
import struct
import sys
import threading


def payload(frame, port):
    """The TCP payload of a frame to or from a port, with its direction."""
    kind = struct.unpack("!H", frame[12:14])[0]
    if kind == 0x0800:
        start = 14 + (frame[14] & 15) * 4
        if frame[23] != 6:
            return None
        end = 14 + struct.unpack("!H", frame[16:18])[0]
    elif kind == 0x86DD:
        start = 54
        if frame[20] != 6:
            return None
        end = 54 + struct.unpack("!H", frame[18:20])[0]
    else:
        return None
    source, target, sequence = struct.unpack("!HHI", frame[start : start + 8])
    if port not in (source, target):
        return None
    return (frame[26:34] + frame[start : start + 4], sequence, frame[start + (frame[start + 12] >> 4) * 4 : end])


def streams(packets):
    """The bytes of each direction of each connection, in order and once."""
    parts = {}
    for flow, sequence, data in packets:
        if data:
            parts.setdefault(flow, {})[sequence] = data
    result = []
    for pieces in parts.values():
        stream, following = b"", None
        for sequence in sorted(pieces):
            data = pieces[sequence]
            if following is not None and sequence < following:
                data = data[following - sequence :]
            stream += data
            following = max(following or 0, sequence + len(pieces[sequence]))
        result.append(stream)
    return result


def records(stream):
    """The TLS records of a stream: type and body."""
    while len(stream) >= 5 and stream[0] in (20, 21, 22, 23):
        size = struct.unpack("!H", stream[3:5])[0]
        yield stream[0], stream[5 : 5 + size]
        stream = stream[5 + size :]


def main():
    interface, port, plaintexts = sys.argv[1], int(sys.argv[2]), sys.argv[3:]
    sniffer = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, socket.htons(3))
    sniffer.bind((interface, 0))
    sniffer.settimeout(0.2)
    packets, over = [], threading.Event()

    def sniff():
        while not over.is_set():
            try:
                frame = sniffer.recv(1 << 16)
            except TimeoutError:
                continue
            found = payload(frame, port)
            if found:
                packets.append(found)

    thread = threading.Thread(target=sniff)
    thread.start()
    print(json.dumps({"event": "ready"}), flush=True)
    sys.stdin.readline()
    over.set()
    thread.join()

    captured = streams(packets)
    everything = b"".join(captured)
    kinds, hellos = {}, []
    for stream in captured:
        for kind, body in records(stream):
            kinds[str(kind)] = kinds.get(str(kind), 0) + 1
            if kind == 22 and body[:1] in (b"\x01", b"\x02"):
                hellos += [body[6:38], body[39 : 39 + body[38]]]
    contexts = [context for context in hellos if context] + [b"".join(hellos)]
    # All pieces of eight bytes, so that a trace is found wherever it begins.
    pieces = {everything[at : at + 8] for at in range(len(everything) - 7)}
    traces = 0
    for number in range(1_000_000):
        code = b"%06d" % number
        tries = [hashlib.sha256(code).digest(), hashlib.sha512(code).digest()]
        tries += [hmac.digest(context, code, "sha256") for context in contexts[-1:]]
        tries += [hashlib.sha512(context + code).digest() for context in contexts[-1:]]
        if any(one[:8] in pieces for one in tries) or code in everything:
            traces += 1
    found = sum(text.encode() in everything for text in plaintexts)
    print(
        json.dumps({"event": "done", "bytes": len(everything), "records": kinds, "plaintexts": found, "traces": traces}),
        flush=True,
    )


main()
