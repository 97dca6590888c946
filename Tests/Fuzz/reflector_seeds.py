"""reflector_seeds.py MESSAGES FOLDER: writes scripts as ReflectorCase reads them into FOLDER.

MESSAGES is a folder of datagrams, such as Corpus/message. To them come some about services that the rules of ReflectorCase let pass
or deny.
"""

import pathlib
import sys

from seeds import A, AAAA, ANY, CNAME, NSEC, PTR, SRV, TXT, message, name, question, record, step

TYPES = "_services._dns-sd._udp.local"


def service(instance, kind, host, address=b"\x0a\0\1\2", ttl=120):
    full = f"{instance}.{kind}"
    return [
        record(kind, PTR, name(full), ttl * 37, 1),
        record(full, SRV, bytes(4) + b"\x02\x77" + name(host), ttl),
        record(full, TXT, b"\0", ttl * 37),
        record(host, A, address, ttl),
        record(host, AAAA, bytes.fromhex("fe80") + bytes(13) + b"\2", ttl),
        record(host, NSEC, name(host) + b"\0\4\x40\0\0\x08", ttl),
    ]


def by_hand():
    ipp, ssh = "_ipp._tcp.local", "_ssh._tcp.local"
    allowed = service("Label", ipp, "printer.local")
    yield "allowed", message(answers=allowed)
    yield "goodbye", message(answers=service("Label", ipp, "printer.local", ttl=0))
    yield "denied-type", message(answers=service("Shell", ssh, "server.local") + allowed)
    yield "denied-name", message(answers=service("Secret one", ipp, "printer.local"))
    yield "denied-host", message(answers=service("Label", ipp, "hidden.local"))
    yield "listed", message(answers=[record(TYPES, PTR, name(kind), 4500, 1) for kind in (ipp, ssh)])
    yield "alias", message(answers=[record("www.local", CNAME, name("hidden.local")), record("w.local", CNAME, name("printer.local"))])
    yield "subtype", message(answers=[record("_x._sub." + ipp, PTR, name("Label." + ipp), 4500, 1)] + allowed)
    yield "questions", message([question(one, ANY) for one in (ipp, ssh, TYPES, "hidden.local", "Label." + ipp, "secret." + ipp)], flags=0)
    yield "unicast", message([question(ipp, PTR, 0x8001)], flags=0)
    yield "probe", message([question("Label." + ipp, ANY)], authorities=allowed[1:3], flags=0)
    yield "host-probe", message([question("printer.local", ANY)], authorities=allowed[3:4], flags=0)
    known = [record(ipp, PTR, name(f"Label {number}.{ipp}"), 4500, 1) for number in range(40)]
    yield "known", message([question(ipp, PTR)], known[:1], flags=0)
    yield "truncated", message([question(ipp, PTR)], known, flags=0x0200)
    yield "more-known", message(answers=known, flags=0)


def scripts(messages):
    made = dict(by_hand())
    for rules in range(3):
        for title, datagram in made.items():
            # Heard on one link, repeated, heard on the other, and from a host without port 5353.
            yield f"{title}-{rules}", bytes([rules]) + step(0, 0, datagram) + b"\x2c" + step(4, 1, datagram) + step(
                9, 1, made["questions"]) + step(2, 9, made["unicast"]) + step(3, 0, datagram) + b"\x9d\0" + step(
                10, 6, datagram) + b"\x0e\0\x6c" + step(3, 8, datagram)
    yield "split", b"\1" + step(0, 0, made["truncated"]) + step(2, 0, made["more-known"]) + step(1, 0, made["truncated"]) + step(
        8, 4, made["more-known"])
    for number, datagram in enumerate(messages):
        yield f"message-{number}", bytes([number % 3]) + step(0, number % 4, datagram) + step(5, (number + 1) % 4, datagram) + b"\x6c" + step(
            10, 8 + number % 4, datagram)


def main():
    folder = pathlib.Path(sys.argv[2])
    folder.mkdir(parents=True, exist_ok=True)
    messages = [path.read_bytes() for path in sorted(pathlib.Path(sys.argv[1]).iterdir())][:40]
    for title, script in scripts([one for one in messages if len(one) < 2000]):
        (folder / title).write_bytes(script)


main()
