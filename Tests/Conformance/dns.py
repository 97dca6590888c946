"""The wire format of DNS (RFC 1035) as mDNS uses it (RFC 6762, section 18): just what the conformance peer needs.

A name is a tuple of labels (bytes). Names are compared without regard to the case of ASCII letters; see `same`.
"""

import ipaddress
import struct
from dataclasses import dataclass, field

A, CNAME, PTR, HINFO, TXT, AAAA, SRV, NSEC, ANY = 1, 5, 12, 13, 16, 28, 33, 47, 255
TYPES = {A: "A", CNAME: "CNAME", PTR: "PTR", HINFO: "HINFO", TXT: "TXT", AAAA: "AAAA", SRV: "SRV", NSEC: "NSEC", ANY: "ANY"}
IN, TOP_BIT = 1, 0x8000
RESPONSE, AUTHORITATIVE, TRUNCATED = 0x8000, 0x0400, 0x0200


def dotted(text):
    """The name written with dots, such as "_http._tcp.local"."""
    return tuple(label.encode() for label in text.split("."))


def lowered(name):
    return tuple(label.lower() for label in name)


def same(one, other):
    return lowered(one) == lowered(other)


def shown(name):
    return ".".join(label.decode("utf-8", "backslashreplace").replace(".", "\\.") for label in name)


@dataclass
class Question:
    name: tuple
    type: int
    unicast: bool = False  # the QU bit
    cls: int = IN

    def __str__(self):
        return f"{shown(self.name)} {TYPES.get(self.type, self.type)} {'QU' if self.unicast else 'QM'}?"


@dataclass
class Record:
    """`data` is a name for PTR and CNAME, (priority, weight, port, target) for SRV, a text for addresses, the set of types for
    NSEC, and bytes for all others."""

    name: tuple
    type: int
    data: object
    ttl: int = 120
    flush: bool = False
    cls: int = IN

    def __str__(self):
        if self.type == SRV:
            data = " ".join([*map(str, self.data[:3]), shown(self.data[3])])
        elif self.type in (PTR, CNAME):
            data = shown(self.data)
        elif self.type == NSEC:
            data = "only " + " ".join(TYPES.get(kind, str(kind)) for kind in sorted(self.data))
        else:
            data = str(self.data)
        return f"{shown(self.name)} {TYPES.get(self.type, self.type)} {self.ttl}{' flush' if self.flush else ''} {data}"

    def identity(self):
        """Equal for two records that differ in the TTL and the cache-flush bit at most."""
        return lowered(self.name), self.type, self.cls, record_data(self, {}, None)


@dataclass
class Message:
    questions: list = field(default_factory=list)
    answers: list = field(default_factory=list)
    authorities: list = field(default_factory=list)
    additionals: list = field(default_factory=list)
    flags: int = 0
    id: int = 0
    compresses_srv: bool = False  # the data of an SRV record held a pointer

    @property
    def is_response(self):
        return bool(self.flags & RESPONSE)

    @property
    def is_truncated(self):
        return bool(self.flags & TRUNCATED)

    @property
    def records(self):
        return self.answers + self.authorities + self.additionals

    def asks(self, name, *types):
        return not self.is_response and any(same(q.name, name) and q.type in types for q in self.questions)

    def tells(self, name, *types):
        """The records of that name, and of one of these types if any are given, in a response."""
        if not self.is_response:
            return []
        return [r for r in self.answers + self.additionals if same(r.name, name) and (not types or r.type in types)]

    def proposes(self, name):
        """The records that a probe proposes for the name."""
        if self.is_response or not self.asks(name, ANY):
            return []
        return [r for r in self.authorities if same(r.name, name)]

    def __str__(self):
        parts = [str(q) for q in self.questions]
        for title, records in (("", self.answers), ("proposed ", self.authorities), ("additional ", self.additionals)):
            parts += [title + str(r) for r in records]
        return ("response: " if self.is_response else "query: ") + "; ".join(parts) + (" TC" if self.is_truncated else "")


def query(*questions, known=(), truncated=False, id=0):
    return Message(list(questions), list(known), flags=TRUNCATED if truncated else 0, id=id)


def probe(name, *proposed, unicast=False):
    return Message([Question(name, ANY, unicast)], authorities=list(proposed))


def response(*answers, additionals=()):
    return Message(answers=list(answers), additionals=list(additionals), flags=RESPONSE | AUTHORITATIVE)


# ---- Writing


def name_bytes(name, offsets, position):
    """With compression to what is in `offsets`, unless `position` is None."""
    out = b""
    for i in range(len(name)):
        rest = lowered(name[i:])
        if position is not None:
            if rest in offsets:
                return out + struct.pack("!H", 0xC000 | offsets[rest])
            if position + len(out) < 0x4000:
                offsets[rest] = position + len(out)
        out += bytes([len(name[i])]) + name[i]
    return out + b"\0"


def record_data(record, offsets, position):
    kind, data = record.type, record.data
    if kind in (PTR, CNAME):
        return name_bytes(lowered(data) if position is None else data, offsets, position)
    if kind == SRV:
        target = lowered(data[3]) if position is None else data[3]
        return struct.pack("!HHH", *data[:3]) + name_bytes(target, offsets, None if position is None else position + 6)
    if kind in (A, AAAA):
        return ipaddress.ip_address(data).packed
    if kind == NSEC:
        bitmap = bytearray(32)
        for each in data:
            bitmap[each // 8] |= 0x80 >> each % 8
        bitmap = bytes(bitmap).rstrip(b"\0")
        return name_bytes(record.name, offsets, position) + bytes([0, len(bitmap)]) + bitmap
    return data


def tie_break_key(records):
    """What RFC 6762, section 8.2 compares: of each record class, type and uncompressed data, in order."""

    def exact(record):
        if record.type in (PTR, CNAME):
            return name_bytes(record.data, {}, None)
        if record.type == SRV:
            return struct.pack("!HHH", *record.data[:3]) + name_bytes(record.data[3], {}, None)
        return record_data(record, {}, None)

    return sorted((record.cls, record.type, exact(record)) for record in records)


class Forgetful(dict):
    """Offsets that are never remembered: names are not compressed."""

    def __setitem__(self, name, offset):
        pass


def encoded(message, compresses=True):
    sections = (message.answers, message.authorities, message.additionals)
    out = struct.pack("!6H", message.id, message.flags, len(message.questions), *map(len, sections))
    offsets = {} if compresses else Forgetful()
    for question in message.questions:
        out += name_bytes(question.name, offsets, len(out))
        out += struct.pack("!HH", question.type, question.cls | (TOP_BIT if question.unicast else 0))
    for record in (record for section in sections for record in section):
        out += name_bytes(record.name, offsets, len(out))
        data = record_data(record, offsets, len(out) + 10)
        out += struct.pack("!HHIH", record.type, record.cls | (TOP_BIT if record.flush else 0), record.ttl, len(data)) + data
    return out


# ---- Reading; whatever is wrong is a ValueError


def read_name(data, at):
    labels, end, jumps = [], None, 0
    while True:
        length = data[at]
        if length >= 0xC0:
            end = end or at + 2
            at = (length & 0x3F) << 8 | data[at + 1]
            jumps += 1
            if jumps > 128:
                raise ValueError("a name that never ends")
        elif length == 0:
            return tuple(labels), end or at + 1
        elif length > 63 or at + 1 + length > len(data):
            raise ValueError("a label of wrong length")
        else:
            labels.append(data[at + 1 : at + 1 + length])
            at += 1 + length


def read_record(data, at):
    name, at = read_name(data, at)
    kind, cls, ttl, length = struct.unpack_from("!HHIH", data, at)
    at += 10
    end, value = at + length, data[at : at + length]
    if end > len(data):
        raise ValueError("a record that was cut")
    if kind in (PTR, CNAME):
        value = read_name(data, at)[0]
    elif kind == SRV:
        value = (*struct.unpack_from("!HHH", data, at), read_name(data, at + 6)[0])
    elif kind in (A, AAAA):
        value = str(ipaddress.ip_address(value))
    elif kind == NSEC:
        at, value = read_name(data, at)[1], set()
        while at < end:
            window, size = data[at], data[at + 1]
            bits = data[at + 2 : at + 2 + size]
            value |= {256 * window + 8 * i + bit for i, byte in enumerate(bits) for bit in range(8) if byte & 0x80 >> bit}
            at += 2 + size
    return Record(name, kind, value, ttl, bool(cls & TOP_BIT), cls & ~TOP_BIT), end


def decoded(data):
    try:
        number, flags, *counts = struct.unpack_from("!6H", data)
        message, at = Message(id=number, flags=flags), 12
        for _ in range(counts[0]):
            name, at = read_name(data, at)
            kind, cls = struct.unpack_from("!HH", data, at)
            message.questions.append(Question(name, kind, bool(cls & TOP_BIT), cls & ~TOP_BIT))
            at += 4
        for count, section in zip(counts[1:], (message.answers, message.authorities, message.additionals)):
            for _ in range(count):
                start = at
                record, at = read_record(data, at)
                section.append(record)
                if record.type == SRV:
                    written = at - read_name(data, start)[1] - 16
                    message.compresses_srv |= written < len(name_bytes(record.data[3], {}, None))
        if at != len(data):
            raise ValueError("bytes after the end")
        return message
    except (IndexError, struct.error) as error:
        raise ValueError("a message that was cut") from error
