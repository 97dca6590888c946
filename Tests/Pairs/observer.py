"""observer.py TYPE OWN-ADDRESS: an independent observer of the network: asks for the services of a type four times a second, as a
simple resolver does (RFC 6762 §6.7), and prints each name that is answered as {"event": "seen", "name": ...}.

It has no cache and no code in common with what it observes: what is there answers, and what is not does not.
"""

import json
import select
import socket
import struct
import sys
import time

GROUP, PTR, INTERVAL = ("224.0.0.251", 5353), 12, 0.25


def encoded(name):
    return b"".join(bytes([len(label)]) + label for label in name.encode().split(b".")) + b"\0"


def read_name(packet, place, depth=0):
    labels, end = [], None
    while packet[place]:
        if packet[place] >= 0xC0:
            end = end or place + 2
            place = (packet[place] & 63) << 8 | packet[place + 1]
            depth += 1
            if depth > 20:
                raise IndexError("a loop of pointers")
            continue
        labels.append(packet[place + 1 : place + 1 + packet[place]])
        place += 1 + packet[place]
    return labels, end or place + 1


def names(packet, service):
    questions, answers = struct.unpack_from("!HH", packet, 4)
    place = 12
    for _ in range(questions):
        place = read_name(packet, place)[1] + 4
    for _ in range(answers):
        owner, place = read_name(packet, place)
        kind, _, ttl, length = struct.unpack_from("!HHIH", packet, place)
        if kind == PTR and ttl and b".".join(owner).decode() == service:
            yield read_name(packet, place + 10)[0][0].decode("utf-8", "replace")
        place += 10 + length


def main(service, own):
    asker = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    asker.setsockopt(socket.IPPROTO_IP, socket.IP_MULTICAST_IF, socket.inet_aton(own))
    question, number, due = encoded(service) + struct.pack("!HH", PTR, 1), 0, time.monotonic()
    while True:
        if time.monotonic() >= due:
            number, due = (number + 1) & 0xFFFF, time.monotonic() + INTERVAL
            asker.sendto(struct.pack("!6H", number, 0, 1, 0, 0, 0) + question, GROUP)
            print(json.dumps({"event": "asked"}), flush=True)
        if select.select([asker], [], [], max(0, due - time.monotonic()))[0]:
            packet = asker.recv(9000)
            try:
                for name in names(packet, service):
                    print(json.dumps({"event": "seen", "name": name}), flush=True)
            except (struct.error, IndexError):
                print(json.dumps({"event": "malformed", "packet": packet.hex()}), flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
