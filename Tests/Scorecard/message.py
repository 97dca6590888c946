"""message.py: nanoseconds that python-zeroconf needs for a message like that of its own benchmark, and the message as digits.

A TXT record as the answer, and SRV, TXT, A and NSEC of three HomeKit accessories as additional records: 13 in all.
"""

import json
import pathlib
import statistics
import sys
import timeit

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "Conformance"))

import dns  # noqa: E402
from dns import A, NSEC, SRV, TXT, Record  # noqa: E402

TYPE = dns.dotted("_hap._tcp.local")
ACCESSORIES = (b"Bridge of room 1 A1B2C3", b"Bridge of room 2 D4E5F6", b"Bridge of room 3 789ABC")


def text(label, number):
    parts = (b"md=" + label[:16], b"pv=1.0", b"id=0%d:6B:30:FF:51:37" % number, b"c#=12", b"s#=1", b"ff=0", b"ci=2", b"sf=0", b"sh=L0m0aQ==")
    return b"".join(bytes([len(part)]) + part for part in parts)


def message():
    names = [(label, *TYPE) for label in ACCESSORIES]
    more = []
    for number, name in enumerate(names):
        more += [
            Record(name, SRV, (0, 0, 51830 + number, name), 120, True), Record(name, TXT, text(name[0], number), 4500, True),
            Record(name, A, "192.168.208.5", 120, True), Record(name, NSEC, {TXT, SRV}, 4500, True),
        ]
    return dns.encoded(dns.response(Record(names[0], TXT, text(names[0][0], 0), 4500, True), additionals=more))


def zeroconf_times():
    """Parse and write, the medians of five rounds."""
    import zeroconf

    data, count = message(), 2000

    def written():
        out = zeroconf.DNSOutgoing(0x8400)
        for index, record in enumerate(records):
            if index == 0:
                out.add_answer_at_time(record, 0)
            else:
                out.add_additional_answer(record)
        return out.packets()

    def parsed():
        incoming = zeroconf.DNSIncoming(data)
        answers = incoming.answers  # a method in some versions
        return answers() if callable(answers) else answers

    records = parsed()
    assert len(records) == 13 and written()

    def nanoseconds(function):
        return round(statistics.median(timeit.repeat(function, number=count, repeat=5)) / count * 1e9)

    return {"version": zeroconf.__version__, "parse": nanoseconds(parsed), "write": nanoseconds(written)}


if __name__ == "__main__":
    found = {"message": message().hex()}
    try:
        found["zeroconf"] = zeroconf_times()
    except ImportError:
        pass
    print(json.dumps(found))
