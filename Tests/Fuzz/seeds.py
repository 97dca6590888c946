"""seeds.py CAPTURE FOLDER: writes what fuzzing begins with, into FOLDER/message and FOLDER/engine.

CAPTURE is what the script `capture` wrote. To its datagrams come some made by hand: chains and loops of CNAME records, loops of
pointers, cut and lying messages, huge counts. Engine seeds are scripts as EngineCase reads them.
"""

import hashlib
import pathlib
import struct
import sys

TYPE = "_twentyfour._tcp.local"
A, NS, CNAME, PTR, HINFO, TXT, RP, AAAA, SRV, OPT, NSEC, ANY = 1, 2, 5, 12, 13, 16, 17, 28, 33, 41, 47, 255
FLUSH = 0x8001


def name(text):
    labels = [label.encode() for label in text.split(".") if label]
    return b"".join(bytes([len(label)]) + label for label in labels) + b"\0"


def question(text, kind, qclass=1):
    return name(text) + struct.pack(">HH", kind, qclass)


def record(text, kind, data, ttl=120, rrclass=FLUSH):
    owner = text if isinstance(text, bytes) else name(text)
    return owner + struct.pack(">HHIH", kind, rrclass, ttl, len(data)) + data


def message(questions=(), answers=(), authorities=(), additionals=(), flags=0x8400, counts=None, number=0):
    sections = [list(section) for section in (questions, answers, authorities, additionals)]
    counts = counts or [len(section) for section in sections]
    return struct.pack(">6H", number, flags, *counts) + b"".join(sum(sections, []))


def service(instance, host="h2.local", address=b"\x0a\x4d\x00\x02", ttl=120):
    full = f"{instance}.{TYPE}"
    return [
        record(TYPE, PTR, name(full), ttl * 37, 1),
        record(full, SRV, struct.pack(">HHH", 0, 0, 4242) + name(host), ttl),
        record(full, TXT, b"\x03v=1\x04flag", ttl * 37),
        record(host, A, address, ttl),
        record(host, AAAA, bytes.fromhex("fe80") + bytes(13) + b"\2", ttl),
        record(host, NSEC, name(host) + b"\0\4\x40\0\0\x08", ttl),
    ]


def cname(owner, target, **more):
    return record(owner, CNAME, name(target), **more)


def by_hand():
    """Names and datagrams."""
    full = f"Ada.{TYPE}"
    yield "service", message(answers=service("Ada"))
    yield "goodbye", message(answers=service("Ada", ttl=0))
    yield "twin", message(answers=service("Ours", host="host.local", address=b"\x0a\x4d\x00\x01"))
    yield "conflict", message(answers=service("Ours"))
    yield "host-conflict", message(answers=[record("host.local", A, b"\x0a\x4d\x00\x09")])
    probed = record(f"Ours.{TYPE}", SRV, b"\xff" * 6 + name("zzz.local"), rrclass=1)
    yield "probe", message([question(f"Ours.{TYPE}", ANY, FLUSH)], authorities=[probed], flags=0)
    # What ends avahi-core: answers that are chains and loops of CNAME records, to themselves too.
    yield "cname-loop", message(answers=[cname("h2.local", "h2.local")])
    yield "cname-pair", message(answers=[cname("h2.local", "h3.local"), cname("h3.local", "h2.local")])
    yield "cname-chain", message(answers=[cname(f"c{i}.local", f"c{i + 1}.local") for i in range(40)])
    yield "cname-of-type", message(answers=[cname(TYPE, full), cname(full, TYPE)])
    yield "cname-goodbye", message(answers=[cname("h2.local", "h2.local", ttl=0)])
    yield "cname-flood", message(answers=[cname("h2.local", f"t{i}.local") for i in range(60)])
    yield "cname-asked", message([question("h2.local", CNAME), question("h2.local", ANY)], flags=0)
    # Pointers: to itself, to each other, forward, into the header, to the last byte, a long ladder of them.
    head = message(counts=[1, 0, 0, 0], flags=0)
    yield "pointer-itself", head + b"\xc0\x0c\0\x0c\0\1"
    yield "pointer-pair", head + b"\xc0\x0e\xc0\x0c\0\x0c\0\1"
    yield "pointer-label-loop", head + b"\1a\xc0\x0c\0\x0c\0\1"
    yield "pointer-forward", head + b"\xc0\x20\0\x0c\0\1"
    yield "pointer-header", head + b"\xc0\0\0\x0c\0\1"
    yield "pointer-beyond", head + b"\xff\xff\0\x0c\0\1"
    yield "pointer-cut", head + b"\xc0"
    ladder = b"\0" + b"".join(struct.pack(">H", 0xC000 | (12 if i == 0 else 11 + 2 * i)) for i in range(120))
    yield "pointer-ladder", message(flags=0) + ladder
    yield "pointer-ladder-asked", head + ladder + b"\0\x0c\0\1"
    # What ended python-zeroconf (CVE-2026-47180): 1,500 pointers in a row, in the data of a text, and a record whose name they are.
    for title, target in (("backward", lambda i: 23 + 2 * i if i else 12), ("forward", lambda i: 27 + 2 * i), ("itself", lambda i: 25 + 2 * i)):
        chain = b"".join(struct.pack(">H", 0xC000 | target(i)) for i in range(1500))
        ends = [record(struct.pack(">H", 0xC000 | place), A, b"\1\2\3\4") for place in (25, 25 + 2 * 1499)]
        yield f"pointer-chain-{title}", message(answers=[record("a", TXT, chain), *ends, *service("Ada")])
    # What led python-zeroconf astray (CVE-2026-48487): data that end within a name, and data after which a record is hidden.
    hidden = record("evil.local", A, b"\6\6\6\6")
    for title, data in (("within", b"\x3f"), ("after", name("a") + hidden)):
        yield f"length-{title}", message(answers=[record(TYPE, PTR, data), *service("Ada")])
    # What ended Avahi: CVE-2025-68468, -68471, avahi/avahi#684, #679, #581; and systemd/systemd#30392.
    types = "_services._dns-sd._udp.local"
    yield "cname-brief", message(answers=[cname("h2.local", "h3.local", ttl=0), cname("h2.local", "h4.local", ttl=1)])
    yield "cname-types", message(answers=[cname(types, types), record(types, 39, name(types)), record("local", 39, name("local"))])
    yield "pointer-types", message(answers=[record(types, PTR, name(target), 4500, 1) for target in (types, "bogus.service.local", TYPE)])
    yield "pointer-elsewhere", message(
        answers=[record(TYPE, PTR, name(target), 4500, 1) for target in ("Q._woot._tcp.local", TYPE, "h2.local", "local")])
    # Lengths and counts that lie.
    yield "counts-huge", message([question(TYPE, PTR)], flags=0, counts=[65535] * 4)
    yield "counts-answers", message(answers=service("Ada"), counts=[0, 65535, 65535, 65535])
    yield "length-long", message(answers=[name(TYPE) + struct.pack(">HHIH", PTR, 1, 120, 65535) + name(full)])
    yield "length-short", message(answers=[name(TYPE) + struct.pack(">HHIH", PTR, 1, 120, 1) + name(full)])
    yield "length-none", message(answers=[record("h2.local", kind, b"") for kind in (A, PTR, SRV, TXT, HINFO, NSEC, AAAA)])
    yield "label-reserved", head + b"\x40a\0\0\x0c\0\1"
    yield "label-not-text", head + b"\2\xff\xfe\0\0\x0c\0\1"
    yield "label-controls", head + b"\6\x1b[2J\x07\0\0\0\x0c\0\1"
    yield "name-longest", head + (b"\x3f" + b"a" * 63) * 3 + b"\x3d" + b"b" * 61 + b"\0\0\x0c\0\1"
    yield "name-too-long", head + (b"\x3f" + b"a" * 63) * 4 + b"\0\0\x0c\0\1"
    yield "operation", message([question(TYPE, PTR)], flags=0x2800)
    yield "response-code", message(answers=service("Ada"), flags=0x8403)
    yield "ttl-top-bit", message(answers=[record("h2.local", A, b"\1\2\3\4", ttl=0xFFFFFFFF)])
    yield "ttl-longest", message(answers=[record("h2.local", A, b"\1\2\3\4", ttl=0x7FFFFFFF)])
    yield "txt-long", message(answers=[record(full, TXT, (b"\xff" + b"k" * 255) * 4)])
    yield "txt-lying", message(answers=[record(full, TXT, b"\xffabc")])
    yield "nsec-pointer", message(answers=[record("h2.local", NSEC, b"\xc0\x0c\0\4\x40\0\0\x08")])
    yield "nsec-windows", message(answers=[record("h2.local", NSEC, name("h2.local") + b"\0\1\x40\1\1\x40")])
    yield "nsec-bad-name", message(answers=[record("h2.local", NSEC, b"\xc0\xff\0\1\x40")])
    yield "other-types", message(
        answers=[
            record("h2.local", NS, b"\xc0\x0c"),
            record("h2.local", RP, b"\xc0\x0c\xc0\x0c"),
            record("h2.local", HINFO, b"\3ARM\5Linux"),
            record("h2.local", 65535, b"anything"),
            record(b"\0", OPT, b"", rrclass=1440),
        ]
    )
    yield "any", message([question(f"Ours.{TYPE}", ANY), question("host.local", ANY)], flags=0)
    yield "unicast", message([question(TYPE, PTR, FLUSH), question("host.local", AAAA, FLUSH)], flags=0)
    yield "legacy", message([question(TYPE, PTR), question("host.local", A)], flags=0x0100, number=0x1234)
    known = [record(TYPE, PTR, name(f"Ours.{TYPE}"), 4500, 1)]
    yield "known", message([question(TYPE, PTR)], known, flags=0)
    yield "truncated", message([question(TYPE, PTR)], known, flags=0x0200)
    yield "more-known", message(answers=known, flags=0)
    yield "types", message([question("_services._dns-sd._udp.local", PTR)], flags=0)


def step(pause, place, datagram):
    return bytes([pause << 4 | place]) + struct.pack(">H", len(datagram)) + datagram


def scripts(captured, made):
    """Names and engine scripts. The first byte says how far the host is: 0, its links have just come up; 1, all is announced."""
    for title, datagram in made.items():
        # Before the probes, between them, and when all is announced; from a neighbour, ourselves, elsewhere and to us alone.
        script = b"\0" + step(0, 0, datagram) + step(8, 0, datagram) + step(10, 1, datagram) + b"\x8c\0"
        yield title, script + b"".join(step(6, place, datagram) for place in range(2, 12, 3)) + b"\xbe\1"
    for first in range(0, len(captured), 12):
        script = b"\1"
        before = captured[first][0]
        for when, address, port, datagram in captured[first : first + 12]:
            pause = min(8, max(0, int((when - before) * 40)))
            script += step(pause, (":" in address) + (0 if port == 5353 else 2), datagram)
            before = when
        yield f"captured-{first}", script
    yield "all-kinds-of-time", b"\1" + b"".join(step(pause, 0, made["service"][:500]) for pause in range(16))
    yield "links-and-records", bytes.fromhex("008d008d028e018e008e038e028d048d05bf00cf08af03")
    yield "loops-over-time", b"\1" + b"".join(step(9, 0, made[title]) for title in made if title.startswith("cname"))


def main():
    captured = []
    for line in open(sys.argv[1], encoding="ascii"):
        when, address, port, datagram = line.split()
        captured.append((float(when), address, int(port), bytes.fromhex(datagram)))
    made = dict(by_hand())
    folder = pathlib.Path(sys.argv[2])
    for kind in ("message", "engine"):
        (folder / kind).mkdir(parents=True, exist_ok=True)
    for title, datagram in made.items():
        (folder / "message" / title).write_bytes(datagram)
    for *_, datagram in captured:
        (folder / "message" / hashlib.sha1(datagram).hexdigest()[:16]).write_bytes(datagram)
    for title, script in scripts(captured, made):
        (folder / "engine" / title).write_bytes(script)


if __name__ == "__main__":
    main()
