"""Cases: unicast, names, and what holds for every packet that the subject has sent in any case."""

import time

import dns
from dns import A, AAAA, ANY, PTR, SRV, TXT, Question
from subject import ADDRESSES, instance
from trial import KIND, TYPE, case
from wire import PORT, Voice


def ask_legacy(t, address, message, seconds=1.0):
    """Asks from another port than 5353, as a simple resolver does; gives the port and the answer to it."""
    voice = Voice(address, 0)
    start, sent = t.say(message, voice)
    found = t.wait(lambda p: p.port == voice.port, seconds, start)
    voice.close()
    return start, sent, found


@case("unicast-interoperability", "6.7", "UNICAST INTEROPERABILITY")
def unicast_interoperability(t):
    """A resolver that knows nothing of mDNS asks the multicast address from a port of its own."""
    t.established()
    number = 4711
    for address in ("10.77.0.2", "fe80::2"):
        for name, kind in ((t.host, A if "." in address else AAAA), (t.service, SRV), (t.service, TXT), (TYPE, PTR)):
            t.quiet(0.3)
            number += 1
            question = Question(name, kind)
            start, _, found = ask_legacy(t, address, dns.query(question, id=number))
            title = f"{dns.TYPES[kind]} asked from {address}"
            if not t.must(found, "6.7", f"a unicast answer for {title}", t.told(start)):
                continue
            message = found.message
            t.must(message.id == number, "6.7", f"the ID is repeated for {title}", message.id)
            same = [q for q in message.questions if dns.same(q.name, name) and q.type == kind]
            t.must(len(same) == len(message.questions) == 1, "6.7", f"the question is repeated for {title}", found)
            t.must(any(r.type == kind and dns.same(r.name, name) for r in message.answers), "6.7", f"{title} is answered", found)
            t.must(not any(r.flush for r in message.records), "6.7, 10.2", f"no cache-flush bit for {title}", found)
            t.should(all(r.ttl <= 10 for r in message.records), "6.7", f"TTLs of at most 10 s for {title}", found)
            t.must(found.source_port == PORT, "6", f"the answer for {title} comes from port 5353", found.source_port)
            t.must(found.source == ADDRESSES[found.family], "11", f"the answer for {title} comes from the subject's address", found)
            multicast = t.wait(lambda p: p.is_multicast and p.message.is_response, 0, start)
            t.should(not multicast, "6.7", f"no multicast answer for {title}", multicast)


@case("unicast-of-several-questions", "6.7")
def unicast_several(t):
    t.established()
    t.quiet(0.3)
    query = dns.query(Question(t.service, SRV), Question(t.service, TXT), id=99)
    start, _, found = ask_legacy(t, "10.77.0.2", query)
    if t.must(found, "6.7", "a unicast answer", t.told(start)):
        told = {r.type for r in found.message.answers}
        t.must({SRV, TXT} <= told, "6.7", "both questions are answered", found)


@case("unicast-requested", "5.4")
def unicast_requested(t):
    """Questions with the QU bit: a unicast answer to port 5353, for the others have heard the records lately."""
    t.established()
    for voice in (t.peer, t.peer6):
        t.quiet(1.2)
        for name, kind in ((t.service, SRV), (TYPE, PTR), (t.host, A if voice is t.peer else AAAA)):
            start, _ = t.ask(Question(name, kind, unicast=True), voice=voice)
            found = t.wait(lambda p, name=name, kind=kind: p.message.tells(name, kind), 1.2, start)
            if t.must(found, "5.4", f"an answer for {dns.TYPES[kind]}", t.told(start)):
                t.should(found.destination == voice.address, "5.4", f"the answer for {dns.TYPES[kind]} is unicast", found)
                t.must(found.message.id == 0 and not found.message.questions, "18.1, 6", "no ID and no question", found)
            time.sleep(0.3)


@case("unicast-requested-long-after", "5.4", level="SHOULD")
def unicast_requested_late(t):
    """Nobody has heard the address for a quarter of its TTL: it must be multicast although unicast would do."""
    t.established()
    heard = [p.time for p in t.capture.packets if p.is_multicast and p.family == 4 and p.message and p.message.tells(t.host, A)]
    time.sleep(max(0.0, max(heard) + 31 - time.time()))
    start, _ = t.ask(Question(t.host, A, unicast=True))
    found = t.answer(start, t.host, A)
    t.should(found, "5.4", "a multicast answer", t.told(start))
    if not found:
        t.must(t.answer(start, t.host, A, seconds=0, multicast=False), "5.4", "an answer", t.told(start))


@case("direct-unicast-query", "5.5", level="SHOULD")
def direct_unicast(t):
    """A query that is sent to the subject's own address."""
    t.established()
    t.quiet(1.2)
    start, _ = t.say(dns.query(Question(t.service, SRV)), to=ADDRESSES[4])
    found = t.wait(lambda p: p.message.tells(t.service, SRV), 1.2, start)
    t.should(found, "5.5", "an answer to a query sent to the subject alone", t.told(start))


@case("legal-characters", "16, RFC 6763 4.1.1", "LEGAL CHARACTERS IN ADDRESS RECORD NAMES")
def legal_characters(t):
    """Names in UTF-8 with spaces, dots and quotes go over the wire as they are, up to 63 bytes."""
    for name in ("Büro. \\ 北京 \"1\" 🙂", "é" * 31 + "x"):
        t.publish("key=value", name=name)
        service = instance(name, KIND)
        found = t.announced(service, SRV, seconds=10)
        t.must(found.message.tells(service, SRV)[0].name[0] == name.encode(), "16", f"{name} byte by byte", found)
        target = found.message.tells(service, SRV)[0].data[3]
        legal = all(byte in b"abcdefghijklmnopqrstuvwxyz0123456789-" for byte in target[0].lower())
        t.must(legal, "RFC 6763 4.1.3", "the host name has letters, digits and hyphens only", dns.shown(target))
        t.quiet(1.2)
        start, _ = t.ask(Question(service, SRV))
        t.must(t.answer(start, service, SRV), "16", f"an answer for {name}", t.told(start))


@case("chattiness", "8.3", "CHATTINESS")
def chattiness(t):
    """A subject that nobody asks is silent."""
    t.established()
    time.sleep(6)
    said = t.packets()
    t.must(not said, "8.3", "nothing is said within 6 s in which nobody asks", t.told())


def hygiene(t, packets):
    """What must hold for whatever is sent over mDNS: of each rule the packets that break it."""
    random_names = t.bench.random_names
    responses = [p for p in packets if p.message and p.message.is_response]
    to_mdns = [p for p in responses if p.port == PORT]
    queries = [p for p in packets if p.message and not p.message.is_response]
    probes = [p for p in queries if p.message.authorities]
    legacy = [p for p in responses if p.port != PORT]

    def doubled(message):
        parts = (("answer", message.answers + message.additionals), ("proposed", message.authorities))
        found = [(title, record.identity()) for title, part in parts for record in part]
        return len(set(found)) != len(found)

    shared, unique = (PTR,), (SRV, TXT, A, AAAA)
    reverse = (b"ip6", b"in-addr")
    return (
        ("18", "every packet can be read", [p for p in packets if not p.message]),
        ("11", "IP TTL 255", [p for p in packets if p.ttl != 255]),
        ("6", "sent from port 5353", [p for p in packets if p.source_port != PORT]),
        ("17", "no packet longer than the MTU of 1500", [p for p in packets if p.size > 1500]),
        ("18.1", "ID 0", [p for p in to_mdns + queries if p.message.id]),
        ("6", "no questions in responses", [p for p in to_mdns if p.message.questions]),
        ("18.4", "the AA bit in responses", [p for p in responses if not p.message.flags & dns.AUTHORITATIVE]),
        ("18.11", "no error codes", [p for p in responses if p.message.flags & 15]),
        ("7.4", "no record twice in a packet", [p for p in responses + probes if doubled(p.message)]),
        ("10.2", "the cache-flush bit of unique records",
         [p for p in to_mdns
          if any(r.type in unique and not r.flush and dns.lowered(r.name) not in random_names for r in p.message.records)]),
        ("10.2", "no cache-flush bit of shared records",
         [p for p in to_mdns if any(r.type in shared and r.flush and r.name[-2] not in reverse for r in p.message.records)]),
        ("10.2", "no cache-flush bit in queries", [p for p in queries if any(r.flush for r in p.message.records)]),
        ("10.2", "no cache-flush bit in answers to simple resolvers", [p for p in legacy if any(r.flush for r in p.message.records)]),
        ("18.14", "SRV data is not compressed for simple resolvers", [p for p in legacy if p.message.compresses_srv]),
        ("8.1", "probes ask for ANY", [p for p in probes if any(q.type != ANY for q in p.message.questions)]),
    )


@case("every-packet", "6, 10.2, 11, 17, 18", "NO DUPLICATE RECORDS IN PACKETS; mDNS IP TTL CHECK; CACHE FLUSH BIT ...")
def every_packet(t):
    """All that the subject has sent since the peer began; at least what it says while it is announced and asked."""
    t.established()
    t.quiet(1.2)
    for question in (Question(TYPE, PTR), Question(t.host, ANY), Question(t.service, ANY, unicast=True)):
        t.ask(question)
        time.sleep(0.2)
    ask_legacy(t, "10.77.0.2", dns.query(Question(t.host, A), id=7))
    subjects = set(ADDRESSES.values())
    packets = [p for p in t.capture.since(0) if p.source in subjects]
    for section, rule, broken in hygiene(t, packets):
        t.must(not broken, section, rule, f"{len(broken)} of {len(packets)} packets, first {broken[0] if broken else ''}")
    longer = [p for p in packets if p.message and p.port == PORT and len(p.data) > len(dns.encoded(p.message))]
    t.should(not longer, "18.14", "names are compressed wherever they can be",
             f"{len(longer)} of {len(packets)} packets, first {longer[0] if longer else ''}")
    t.note(f"{len(packets)} packets")
