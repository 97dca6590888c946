"""Cases: what is asked, how often, and what is believed of the answers. The peer publishes, and the subject browses."""

import time

import dns
from dns import A, AAAA, PTR, SRV, TXT, Question, Record
from subject import lost, resolved
from trial import KIND, TYPE, case
from wire import Voice


class Published:
    """A service of the peer."""

    def __init__(self, t, name="Thing", host=b"peer-host", port=80, address="10.77.0.2", ttl=4500, host_ttl=120):
        self.name, self.service, self.host = name, (name.encode(), *TYPE), (host, b"local")
        self.ptr = Record(TYPE, PTR, self.service, ttl)
        self.srv = Record(self.service, SRV, (0, 0, port, self.host), host_ttl, True)
        self.txt = Record(self.service, TXT, b"\x03a=b", ttl, True)
        self.a = Record(self.host, A, address, host_ttl, True)
        self.records, self.t = [self.ptr, self.srv, self.txt, self.a], t

    def answers(self, message):
        """The records that the questions of the message ask for and that it does not know."""
        known = {record.identity() for record in message.answers}
        for question in message.questions:
            for record in self.records:
                if dns.same(question.name, record.name) and question.type in (record.type, dns.ANY):
                    if record.identity() not in known:
                        yield record


def serve(t, things, seconds, until=lambda: False):
    """Answers as a good responder would, for so long or until that is so."""
    deadline, at = time.monotonic() + seconds, t.capture.end
    while time.monotonic() < deadline and not until():
        found = t.wait(lambda p: not p.message.is_response and p.family == 4, 0.05, at)
        if not found:
            continue
        at = t.capture.packets.index(found, at) + 1
        if told := [record for thing in things for record in thing.answers(found.message)]:
            t.say(dns.response(*told))


def browse(t):
    """Starts a browser on a subject that knows nothing yet."""
    t.bench.stop_subject()
    t.subject.set_host_name(t.label)
    t.subject.start()
    if t.subject.is_daemon:
        t.subject.started()
        t.quiet(1.5)
    t.start = t.capture.end
    return t.subject.browse(KIND)


def browsing(t, start=None, family=4):
    return [p for p in t.packets(start) if p.family == family and p.message.asks(TYPE, PTR)]


def found_and_resolved(t, thing, seconds=8):
    browser = browse(t)
    serve(t, [thing], seconds, lambda: browser.wait(resolved(thing.name), 0))
    t.need(browser.wait(resolved(thing.name), 0), "5.2", f"{thing.name} is found and resolved", browser.events)
    return browser


@case("cold-cache", "5.2")
def cold_cache(t):
    """Questions of one who knows nothing: after 20 to 120 ms, then a second later, then ever more seldom."""
    browse(t)
    t.need(t.wait(lambda p: p.message.asks(TYPE, PTR), 5), "5.2", "a question for the type", t.told())
    time.sleep(8)
    asked = browsing(t)
    gaps = [later.time - earlier.time for earlier, later in zip(asked, asked[1:])]
    t.must(len(asked) >= 3, "5.2", "it goes on asking", gaps)
    t.must(all(gap >= 0.99 for gap in gaps), "5.2", "at least a second between questions", gaps)
    doubled = all(later >= 2 * earlier - 0.25 for earlier, later in zip(gaps, gaps[1:]))
    t.must(doubled, "5.2", "intervals at least double", gaps)
    t.must(not any(p.message.answers for p in asked), "7.1", "nothing is known yet", asked[:1])
    t.should(not any(q.unicast for p in asked[1:] for q in p.message.questions), "5.4", "QM questions from the second on", asked[1:2])
    t.note("intervals " + ", ".join(f"{gap:.2f}" for gap in gaps) + " s")


@case("hot-cache", "7.1, 5.2")
def hot_cache(t):
    """What was answered is told as known with the next question, and not asked for again."""
    thing = Published(t)
    found_and_resolved(t, thing)
    heard = next(p.time for p in t.capture.packets[t.start :] if p.sent and p.message and p.message.tells(TYPE, PTR))
    start = t.capture.end
    serve(t, [thing], 7)
    again = browsing(t, start)
    t.need(again, "5.2", "a further question for the type", t.told(start))
    for packet in again:
        known = [r for r in packet.message.answers if r.identity() == thing.ptr.identity()]
        if t.must(known, "7.1", "the answer is told as known", packet):
            left = 4500 - (packet.time - heard)
            t.should(abs(known[0].ttl - left) <= 3, "7.1", f"with the TTL that is left, {left:.0f} s", known[0])
            t.must(not known[0].flush, "10.2", "without the cache-flush bit", known[0])
    resolving = [p for p in t.packets(start) if p.family == 4 and p.message.asks(thing.service, SRV, TXT)]
    t.must(not resolving, "5.2", "SRV and TXT, of one owner, are not asked for again", resolving[:1])


@case("known-answers-split", "7.2")
def known_answers_split(t):
    """More known answers than one packet holds: several packets, TC on all but the last."""
    browse(t)
    t.need(t.wait(lambda p: p.message.asks(TYPE, PTR), 5), "5.2", "a question for the type", t.told())
    names = [f"One of a great many services, all of them alike, number {i:03}" for i in range(120)]
    records = [Record(TYPE, PTR, (name.encode(), *TYPE), 4500) for name in names]
    for i in range(0, len(records), 15):
        t.say(dns.response(*records[i : i + 15]))
    start = t.capture.end
    first = t.wait(lambda p: p.family == 4 and p.message.asks(TYPE, PTR), 10, start)
    t.need(first, "5.2", "a further question", t.told(start))
    time.sleep(0.3)
    packets = [p for p in t.packets(start) if p.family == 4 and p.message.answers and 0 <= p.time - first.time < 0.3]
    told = {r.identity() for p in packets for r in p.message.answers}
    t.must(len(told & {r.identity() for r in records}) == 120, "7.1", "all 120 known answers are told", len(told))
    bits = [p.message.is_truncated for p in packets]
    t.must(len(packets) > 1 and all(bits[:-1]) and not bits[-1], "7.2", "the TC bit on all packets but the last", bits)
    t.must(all(p.size <= 1500 for p in packets), "7.2", "no packet is fragmented", [p.size for p in packets])


@case("duplicate-questions", "7.3", level="SHOULD")
def duplicate_questions(t):
    """Others ask the same just before the subject would: it need not."""
    browse(t)
    first = t.wait(lambda p: p.family == 4 and p.message.asks(TYPE, PTR), 5)
    t.need(first, "5.2", "a question for the type", t.told())
    time.sleep(max(0.0, first.time + 0.8 - time.time()))
    for voice in (t.peer, t.second):
        t.ask(Question(TYPE, PTR), voice=voice)
    start, sent = t.ask(Question(TYPE, PTR), voice=t.peer6)
    t.ask(Question(TYPE, PTR), voice=t.peer6)
    asked = t.wait(lambda p: p.family == 4 and p.message.asks(TYPE, PTR), 0.9, start)
    t.should(not asked, "7.3", "no question within the second after two others asked", asked)


@case("cache-flush", "10.2")
def cache_flush(t):
    """New records with the cache-flush bit take the place of the former ones: the new port is told, and a second after the new
    address the old one, though its TTL is not over, is gone."""
    thing = Published(t)
    browser = found_and_resolved(t, thing)
    serve(t, [thing], 1.5)
    thing.srv.data = (0, 0, 81, thing.host)
    t.say(dns.response(thing.srv))
    browser = asking_again(t, thing, browser)
    serve(t, [thing], 5, lambda: browser.wait(resolved(thing.name, 81), 0))
    t.must(browser.wait(resolved(thing.name, 81), 0), "10.2", "the new port is told", browser.events)
    old, thing.a.data = thing.a.data, "10.77.0.102"
    t.say(dns.response(thing.a))
    browser = asking_again(t, thing, browser)

    def addresses():
        told = [details["addresses"] for _, kind, name, details in browser.events if name == thing.name and details.get("addresses")]
        return told[-1] if told else []

    serve(t, [thing], 5, lambda: addresses() == [thing.a.data])
    t.must(thing.a.data in addresses(), "10.2", "the new address is told", browser.events)
    t.must(old not in addresses(), "10.2", "the old address is gone", addresses())


def asking_again(t, thing, browser):
    """The browser, or another one that asks the same cache if the subject's browsers resolve a service just once."""
    if t.subject.tells_updates:
        return browser
    serve(t, [thing], 1.5)
    return t.subject.browse(KIND)


@case("goodbye-received", "10.1")
def goodbye_received(t):
    """A record with TTL 0 is gone a second later."""
    thing = Published(t)
    browser = found_and_resolved(t, thing)
    serve(t, [thing], 1)
    said = time.monotonic()
    t.say(dns.response(Record(TYPE, PTR, thing.service, 0)))
    event = browser.wait(lost(thing.name), 5)
    if t.must(event, "10.1", "the service is lost", browser.events):
        t.within(event[0] - said, 0.9, 1.5, "10.1", "time from the goodbye to the loss")


@case("expiry", "5.2, 10")
def expiry(t):
    """A record that nobody renews is asked for at 80, 85, 90 and 95 % of its life, and then gone."""
    thing = Published(t, ttl=20, host_ttl=120)
    browser = found_and_resolved(t, thing)
    heard = [p.time for p in t.capture.packets if p.sent and p.message and p.message.tells(TYPE, PTR)][-1]
    born = time.monotonic() - (time.time() - heard)
    event = browser.wait(lost(thing.name), 32)
    if t.must(event, "10", "the service is lost after its TTL", browser.events):
        t.within(event[0] - born, 20, 21.5, "10", "time from the record to its loss")
    due = [p.time - heard for p in browsing(t) if p.time - heard >= 15.9]
    for share in (0.8, 0.85, 0.9, 0.95):
        low, high = 20 * share - 0.1, 20 * (share + 0.02) + 0.15 + t.late
        t.must(any(low <= each <= high for each in due), "5.2", f"a question at {share * 100:.0f} to {share * 100 + 2:.0f} % of the TTL",
               [f"{each / 0.2:.1f} %" for each in due])


@case("renewal", "5.2")
def renewal(t):
    """A record that is renewed when it is asked for stays."""
    thing = Published(t, ttl=10, host_ttl=10)
    browser = found_and_resolved(t, thing)
    serve(t, [thing], 13)
    t.must(not browser.wait(lost(thing.name), 0), "5.2", "the service stays", browser.events)


@case("responses-from-other-ports", "6")
def other_ports(t):
    """Responses that do not come from port 5353 must be ignored."""
    browser = browse(t)
    thing, stranger = Published(t), Published(t, name="Stranger", host=b"stranger")
    t.need(t.wait(lambda p: p.message.asks(TYPE, PTR), 5), "5.2", "a question for the type", t.told())
    voice = Voice("10.77.0.2", 0)
    t.say(dns.response(*stranger.records), voice)
    voice.close()
    t.say(dns.response(*thing.records))
    serve(t, [thing], 6, lambda: browser.wait(resolved(thing.name), 0))
    t.need(browser.wait(resolved(thing.name), 0), "6", "the true service is found", browser.events)
    believed = browser.wait(lambda kind, name, _: kind == "found" and name == "Stranger", 1)
    t.must(not believed, "6", "what comes from another port is not believed", browser.events)


@case("only-ipv6", "20")
def only_ipv6(t):
    """A service that speaks over IPv6 only, and has an IPv6 address only."""
    browser = browse(t)
    thing = Published(t)
    thing.records[3] = Record(thing.host, AAAA, "fe80::2", 120, True)
    t.need(t.wait(lambda p: p.message.asks(TYPE, PTR), 5), "5.2", "a question for the type", t.told())
    for _ in range(8):
        t.say(dns.response(*thing.records), t.peer6)
        if event := browser.wait(resolved(thing.name), 1):
            break
    t.must(event and any("fe80::2" in address for address in event[3]["addresses"]), "20", "it is resolved", browser.events)
