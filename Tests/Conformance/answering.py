"""Cases: what is answered, how soon, and with what."""

import time

import dns
from dns import A, AAAA, ANY, HINFO, NSEC, PTR, SRV, TXT, Question
from trial import EARLY, TYPE, case, milliseconds
from wire import GROUPS

SERVICES = dns.dotted("_services._dns-sd._udp.local")
SUBTYPE = (b"_conformsub", b"_sub", *TYPE)
SECOND = 1.05  # a record goes out once a second (section 6), so that questions for it wait so long


def response_times(t, count, make, name, kind):
    """Asks so often, and gives how long each answer took."""
    times = []
    for _ in range(count):
        start, sent = t.ask(*make)
        found = t.answer(start, name, kind)
        if t.must(found, "6", f"an answer for {dns.shown(name)} {dns.TYPES[kind]}", t.told(start)):
            times.append(found.time - sent)
        time.sleep(SECOND)
    return times


def summary(times):
    return f"{milliseconds(min(times))} to {milliseconds(max(times))}, mean {milliseconds(sum(times) / len(times))}"


@case("unique-reply-timing", "6", "SIMPLE REPLY RESPONSE TIME")
def unique_reply_timing(t):
    """Apple's test warns beyond 10 ms and fails beyond 750 ms."""
    t.established()
    t.quiet(1.2)
    for name, kind in ((t.service, SRV), (t.service, TXT), (t.host, A)):
        times = response_times(t, 4, [Question(name, kind)], name, kind)
        for each in times:
            t.must(each <= 0.75, "6", f"an answer for {dns.TYPES[kind]} within 750 ms", milliseconds(each))
            t.should(each <= 0.01 + t.late, "6", f"an answer for {dns.TYPES[kind]} within 10 ms", milliseconds(each))
        if times:
            t.note(f"{dns.TYPES[kind]}: {summary(times)}")


@case("unique-reply-verification", "6, 6.2, 10.2", "SIMPLE REPLY VERIFICATION")
def unique_reply_verification(t):
    t.established()
    t.quiet(1.2)
    wanted = {
        (t.service, SRV): (0, 0, 4242, t.host), (t.service, TXT): b"\tkey=value", (t.host, A): "10.77.0.1", (t.host, AAAA): "2001:db8:77::1"
    }
    for (name, kind), data in wanted.items():
        start, _ = t.ask(Question(name, kind))
        found = t.need(t.answer(start, name, kind), "6", f"an answer for {dns.TYPES[kind]}", t.told(start)) and t.answer(start, name, kind)
        record = found.message.tells(name, kind)[0]
        t.must(record in found.message.answers, "6", f"{dns.TYPES[kind]} is in the answer section", found)
        t.must(record.data == data, "6", f"{dns.TYPES[kind]} is {data}", record)
        t.must(record.flush, "10.2", f"{dns.TYPES[kind]} has the cache-flush bit", record)
        if kind == SRV:
            t.should(found.message.tells(t.host, A), "RFC 6763 12.2", "addresses come along with SRV", found)
        if name == t.host:
            t.should(found.message.tells(t.host, A) and found.message.tells(t.host, AAAA), "6.2", "both families are told", found)
        time.sleep(SECOND)
    for name, kinds in ((t.service, {SRV, TXT}), (t.host, {A})):
        start, _ = t.ask(Question(name, ANY))
        found = t.answer(start, name)
        t.need(found, "6.5", f"an answer for {dns.shown(name)} ANY", t.told(start))
        t.quiet(0.2)
        told = {r.type for p in t.packets(start) for r in p.message.tells(name)}
        t.must(told >= kinds, "6.5", "all records of the name answer ANY", t.told(start))
        time.sleep(SECOND)


@case("additional-records", "RFC 6763 12.1, 12.3", "REQUIRED ADDITIONAL RECORDS IN ANSWERS", level="SHOULD")
def additional_records(t):
    t.established()
    t.quiet(1.2)
    start, _ = t.ask(Question(TYPE, PTR))
    found = t.need(t.answer(start, TYPE, PTR), "6", "an answer for the type", t.told(start)) and t.answer(start, TYPE, PTR)
    for name, kind in ((t.service, SRV), (t.service, TXT), (t.host, A)):
        t.should(found.message.tells(name, kind), "RFC 6763 12.1", f"{dns.TYPES[kind]} comes along with PTR", found)


@case("case-is-ignored", "16")
def case_is_ignored(t):
    t.established()
    t.quiet(1.2)
    name = tuple(label.swapcase() for label in t.service)
    start, _ = t.ask(Question(name, SRV))
    found = t.need(t.answer(start, name, SRV), "16", "an answer for the name in other case", t.told(start)) and t.answer(start, name, SRV)
    t.should(found.message.tells(name, SRV)[0].name == t.service, "16", "the answer has the name as it was published", found)


def check_uniform(t, times):
    inside = [each for each in times if 0.02 - EARLY <= each <= 0.125]
    for each in times:
        t.within(each, 0.02, 0.12, "6", "a shared answer's delay")
    if len(inside) >= 8:
        # Quarters of 25 ms; what came up to 5 ms after 120 ms counts for the last.
        def quarter(each):
            return min(3, max(0, int((each - 0.02) / 0.025)))

        quarters = [sum(quarter(each) == i for each in inside) for i in range(4)]
        spread = max(inside) - min(inside)
        t.must(spread > 0.0105, "6", "delays are not all within a tenth of the range", milliseconds(spread))
        # Of 20 delays at random more than 13 in one quarter is one run in 10,000.
        t.should(max(quarters) <= 0.65 * len(inside), "6", "delays are spread evenly over 20 to 120 ms", quarters)
        t.note(f"{len(times)} answers: {summary(times)}; by quarters {quarters}")


@case("shared-reply-timing", "6", "SHARED REPLY TIMING")
def shared_reply_timing(t):
    t.established()
    t.quiet(1.2)
    check_uniform(t, response_times(t, 20, [Question(TYPE, PTR)], TYPE, PTR))


@case("shared-reply-timing-many-questions", "6.3", "MULTIPLE QUESTIONS - SHARED REPLY TIMING")
def shared_reply_timing_many(t):
    """Several questions in one query: all answers wait, even those that are unique."""
    t.established()
    t.quiet(1.2)
    questions = [Question(TYPE, PTR), Question(t.service, SRV), Question(t.host, A), Question(dns.dotted("_no._tcp.local"), PTR)]
    check_uniform(t, response_times(t, 10, questions, TYPE, PTR))
    for _ in range(3):
        start, sent = t.ask(*questions[1:3])
        found = t.answer(start, t.service, SRV)
        if t.must(found, "6.3", "an answer for SRV", t.told(start)):
            t.within(found.time - sent, 0.02, 0.12, "6.3", "delay of a unique answer to a query of several questions", t.should)
        time.sleep(SECOND)


@case("reply-aggregation", "6.4", "REPLY AGGREGATION")
def reply_aggregation(t):
    """Two queries for shared records, one right after the other: one response with both answers."""
    t.established()
    for first, second in ((TYPE, SERVICES), (SUBTYPE, SERVICES)):
        t.quiet(1.2)
        start, _ = t.ask(Question(first, PTR))
        t.ask(Question(second, PTR))
        for name in (first, second):
            t.need(t.answer(start, name, PTR), "6", f"an answer for {dns.shown(name)}", t.told(start))
        t.quiet(0.3)
        found = [p for p in t.packets(start) if p.family == 4 and p.message.is_response]
        t.must(len(found) == 1, "6.4", "one response with both answers", t.told(start))


@case("one-second-between-answers", "6")
def one_second(t):
    """However often it is asked for, a record is multicast once a second."""
    t.established()
    t.quiet(1.2)
    start = t.capture.end
    for _ in range(25):
        t.ask(Question(t.host, A), Question(TYPE, PTR))
        time.sleep(0.1)
    for name, kind in ((t.host, A), (TYPE, PTR)):
        times = [p.time for p in t.packets(start) if p.family == 4 and p.is_multicast and p.message.tells(name, kind)]
        gaps = [later - earlier for earlier, later in zip(times, times[1:])]
        t.must(times, "6", f"an answer for {dns.TYPES[kind]}", t.told(start))
        t.must(all(gap >= 1 - EARLY for gap in gaps), "6", f"a second between answers for {dns.TYPES[kind]}", gaps)
        t.note(f"{dns.TYPES[kind]}: asked 25 times in 2.5 s, told {len(times)} times")


@case("denial-of-existence", "6.1")
def denial_of_existence(t):
    t.established()
    t.quiet(1.2)
    for name, has in ((t.host, {A, AAAA}), (t.service, {SRV, TXT})):
        start, _ = t.ask(Question(name, HINFO))
        found = t.answer(start, name, NSEC)
        if t.must(found, "6.1", f"an NSEC record of {dns.shown(name)} says that there is no HINFO", t.told(start)):
            record = found.message.tells(name, NSEC)[0]
            t.must(HINFO not in record.data and record.data >= has, "6.1", "NSEC names the types that are there", record)
    start, _ = t.ask(Question(dns.dotted("nobody-at-all.local"), A))
    found = t.wait(lambda p: p.message.is_response, 0.7, start)
    t.must(not found, "6", "nothing is said of names that are not the subject's", t.told(start))


@case("ttls", "10", level="SHOULD")
def ttls(t):
    t.established()
    t.quiet(1.2)
    for name, kind, ttl in ((t.host, A, 120), (t.service, SRV, 120), (t.service, TXT, 4500), (TYPE, PTR, 4500)):
        start, _ = t.ask(Question(name, kind))
        found = t.answer(start, name, kind)
        if t.must(found, "6", f"an answer for {dns.TYPES[kind]}", t.told(start)):
            seen = found.message.tells(name, kind)[0].ttl
            t.should(seen == ttl, "10", f"the TTL of {dns.TYPES[kind]} is {ttl} s", seen)
        time.sleep(SECOND)


@case("mixed-network-families", "6, 20")
def mixed_families(t):
    """What is asked over IPv6 is answered over IPv6, and what is asked over IPv4 over IPv4."""
    t.established()
    for voice, family in ((t.peer, 4), (t.peer6, 6)):
        t.quiet(1.2)
        for name, kind in ((t.service, SRV), (t.host, A), (t.host, AAAA), (TYPE, PTR)):
            start, _ = t.ask(Question(name, kind), voice=voice)
            found = t.answer(start, name, kind)
            check = t.should if (family, kind) in ((4, AAAA), (6, A)) else t.must
            if check(found, "6", f"an answer for {dns.TYPES[kind]} over IPv{family}", t.told(start)):
                ends = (found.family, found.destination)
                t.must(ends == (family, GROUPS[family]), "6", f"the answer goes out over IPv{family}", found)
            time.sleep(SECOND)


@case("mixed-network-link-local", "11")
def mixed_link_local(t):
    """A peer on the same link that has a link-local address (169.254/16) only, while the subject has another."""
    t.established()
    for name, kind in ((TYPE, PTR), (t.service, SRV), (t.host, A)):
        t.quiet(1.2)
        start, _ = t.ask(Question(name, kind), voice=t.stranger)
        found = t.answer(start, name, kind)
        t.must(found, "11", f"a multicast answer for {dns.TYPES[kind]} to a peer of another subnet", t.told(start))
