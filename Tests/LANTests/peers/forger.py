"""forger.py MODE ...: a stranger on the link who answers for others; says {"event":"forging"} when at work.

forger.py claim TYPE ADDRESS PORT COUNT [KEY=VALUE ...]
    announces COUNT services "False 0", "False 1", ..., each on a host of its own with that address. A port that ends in + goes up by
    one for each.
forger.py move NAME TYPE HOST ADDRESS PORT
    announces that a service is on another host now, as if it had moved there.
forger.py named TYPE ADDRESS PORT [KEY=VALUE ...]
    announces a service for each line of standard input, which is its name: JSON text.
forger.py dispute answers|probes
    has every name that somebody probes for, and says so: by answers, or by probes of its own that always win.

All but `dispute` go on for ever, twice a second.
"""

import json
import socket
import struct
import sys
import time

import peer

GROUP = ("224.0.0.251", 5353)
IN, FLUSH, A, PTR, TXT, SRV, ANY = 1, 0x8001, 1, 12, 16, 33, 255


def name(*labels):
    return b"".join(bytes([len(label.encode())]) + label.encode() for label in labels) + b"\0"


def record(owner, kind, form, data, seconds=4500):
    return owner + struct.pack(">HHIH", kind, form, seconds, len(data)) + data


def response(*records):
    return struct.pack(">HHHHHH", 0, 0x8400, 0, len(records), 0, 0) + b"".join(records)


def strings(items):
    return b"".join(bytes([len(item.encode())]) + item.encode() for item in items) or b"\0"


def location(port, host):
    return struct.pack(">HHH", 0, 0, port) + host


def link():
    found = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    found.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    found.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1)
    found.setsockopt(socket.IPPROTO_IP, socket.IP_MULTICAST_TTL, 255)
    own = next(address for address in peer.own_addresses() if len(address) == 4)
    found.setsockopt(socket.IPPROTO_IP, socket.IP_MULTICAST_IF, own)
    found.setsockopt(socket.IPPROTO_IP, socket.IP_ADD_MEMBERSHIP, socket.inet_aton(GROUP[0]) + own)
    found.setsockopt(socket.IPPROTO_IP, socket.IP_MULTICAST_LOOP, 0)
    found.bind(("", 5353))
    return found


def repeat(messages):
    peer.tell("forging")
    while True:
        for message in messages:
            network.sendto(message, GROUP)
            time.sleep(0.001)
        time.sleep(0.5)


def claim(kind, address, port, count, *items):
    labels = tuple(kind.split(".")) + ("local",)
    messages = []
    for number in range(int(count)):
        instance = name(f"False {number}", *labels)
        host = name(f"false-{number}", "local")
        place = int(port.rstrip("+")) + (number if port.endswith("+") else 0)
        messages.append(response(
            record(name(*labels), PTR, IN, instance), record(instance, SRV, FLUSH, location(place, host)),
            record(instance, TXT, FLUSH, strings(items)), record(host, A, FLUSH, socket.inet_aton(address)),
        ))
    repeat(messages)


def named(kind, address, port, *items):
    labels = tuple(kind.split(".")) + ("local",)
    host = name("named", "local")
    messages = []
    for line in sys.stdin:
        instance = name(json.loads(line), *labels)
        messages.append(response(
            record(name(*labels), PTR, IN, instance), record(instance, SRV, FLUSH, location(int(port), host)),
            record(instance, TXT, FLUSH, strings(items)), record(host, A, FLUSH, socket.inet_aton(address)),
        ))
    repeat(messages)


def move(instance, kind, host, address, port):
    labels = tuple(kind.split(".")) + ("local",)
    host = name(*host.split("."))
    repeat([response(
        record(name(instance, *labels), SRV, FLUSH, location(int(port), host)),
        record(host, A, FLUSH, socket.inet_aton(address)),
    )])


def end_of_name(message, place):
    while True:
        length = message[place]
        if length == 0:
            return place + 1
        if length >= 0xC0:
            return place + 2
        place += length + 1


def whole_name(message, place):
    """A name without compression."""
    found = b""
    for _ in range(128):
        length = message[place]
        if length == 0:
            return found + b"\0"
        if length >= 0xC0:
            place = (length & 0x3F) << 8 | message[place + 1]
        else:
            found += message[place : place + length + 1]
            place += length + 1
    raise ValueError("a name without end")


def probed(message):
    """The names that a message probes for."""
    (flags, questions, _, authorities) = struct.unpack(">HHHH", message[2:10])
    if flags & 0x8000 or not authorities:
        return
    place = 12
    for _ in range(questions):
        yield whole_name(message, place)
        place = end_of_name(message, place) + 4


def dispute(manner):
    peer.tell("forging")
    while True:
        message, sender = network.recvfrom(9000)
        for owner in probed(message):
            if manner == "answers":
                data = location(0xFFFF, name("zzz", "local"))
                network.sendto(response(record(owner, SRV, FLUSH, data, 120)), GROUP)
            else:
                # Of the last type, so that it wins each tie-break.
                proposal = record(owner, 0xFFFE, IN, b"\xff" * 8, 120)
                question = owner + struct.pack(">HH", ANY, IN)
                network.sendto(struct.pack(">HHHHHH", 0, 0, 1, 0, 1, 0) + question + proposal, GROUP)


network = link()
{"claim": claim, "named": named, "move": move, "dispute": dispute}[sys.argv[1]](*sys.argv[2:])
