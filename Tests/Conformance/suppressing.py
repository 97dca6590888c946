"""Cases: answers that are held back because they are known already."""

import time

import dns
from dns import A, PTR, SRV, Question, Record
from trial import TYPE, Undecided, case

SECOND = 1.05
OTHER = dns.dotted("_other._tcp.local")


def known(t, ttl):
    return Record(TYPE, PTR, t.service, ttl)


def true_ttl(t):
    """The TTL that the subject gives its PTR record."""
    t.established()
    t.quiet(1.2)
    start, _ = t.ask(Question(TYPE, PTR))
    found = t.answer(start, TYPE, PTR)
    t.need(found, "6", "an answer for the type", t.told(start))
    time.sleep(SECOND)
    return found.message.tells(TYPE, PTR)[0].ttl


def suppression(t, ask, section, timeout):
    """Tells the answer as known with ever shorter TTLs: it must come once less than half of the true one is left, no sooner."""
    ttl = true_ttl(t)
    for share, answered in ((1, False), (0.8, False), (0.55, False), (0.45, True), (0.1, True)):
        start, title = ask(int(ttl * share)), f"known with {share * 100:.0f} % of its TTL"
        found = t.answer(start, TYPE, PTR, seconds=timeout)
        t.must(bool(found) == answered, section, f"{'an' if answered else 'no'} answer when it is {title}", found or "nothing")
        time.sleep(SECOND)


@case("known-answers", "7.1", "DUPLICATE SUPPRESSION")
def known_answers(t):
    suppression(t, lambda ttl: t.ask(Question(TYPE, PTR), known=[known(t, ttl)])[0], "7.1", 0.6)


@case("known-answers-many-questions", "7.1", "MULTIPLE QUESTIONS - DUPLICATE SUPPRESSION")
def known_answers_many(t):
    """What is known is left out, what else was asked for is answered."""
    t.established()
    for _ in range(3):
        t.quiet(1.2)
        start, _ = t.ask(Question(TYPE, PTR), Question(t.service, SRV), Question(OTHER, PTR), known=[known(t, 4500)])
        t.must(t.answer(start, t.service, SRV), "7.1", "an answer for SRV", t.told(start))
        t.must(not t.answer(start, TYPE, PTR, seconds=0.4), "7.1", "none for PTR, which is known", t.told(start))


@case("known-answers-of-others-names", "7.1")
def known_answers_others(t):
    """That another instance is known suppresses nothing."""
    t.established()
    t.quiet(1.2)
    start, _ = t.ask(Question(TYPE, PTR), known=[Record(TYPE, PTR, (b"Another", *TYPE), 4500)])
    t.must(t.answer(start, TYPE, PTR), "7.1", "an answer", t.told(start))


@case("known-answers-several-packets", "7.2", "DISTRIBUTED DUPLICATE SUPPRESSION")
def known_answers_several(t):
    """The query has the TC bit, and what is known comes in a second packet."""

    def ask(ttl):
        start, _ = t.ask(Question(TYPE, PTR), truncated=True, known=[Record(TYPE, PTR, (b"Another", *TYPE), 4500)])
        t.ask(known=[known(t, ttl)])
        return start

    suppression(t, ask, "7.2", 0.9)


@case("known-answers-that-never-come", "7.2", "DISTRIBUTED DUPLICATE SUPPRESSION")
def known_answers_missing(t):
    """A query with the TC bit is answered 400 to 500 ms later if nothing follows."""
    t.established()
    for voice in (t.peer, t.peer6):
        t.quiet(1.2)
        start, sent = t.ask(Question(TYPE, PTR), truncated=True, voice=voice)
        found = t.answer(start, TYPE, PTR)
        if t.must(found, "7.2", "an answer after all", t.told(start)):
            t.within(found.time - sent, 0.4, 0.5, "7.2", "delay of an answer to a query with the TC bit")


@case("known-answers-of-another-host", "7.2")
def known_answers_another(t):
    """What one host knows does not suppress the answer to another."""
    t.established()
    t.quiet(1.2)
    start, _ = t.ask(Question(TYPE, PTR), truncated=True)
    t.ask(known=[known(t, 4500)], voice=t.second)
    t.must(t.answer(start, TYPE, PTR), "7.2", "an answer for who does not know it", t.told(start))


@case("duplicate-answer-suppression", "7.4", level="SHOULD")
def duplicate_answer(t):
    """Another responder says the same with the same TTL while the subject still waits: it need not say it again."""
    t.established()
    ttl, silent, tried = true_ttl(t), 0, 0
    for _ in range(6):
        start, asked = t.ask(Question(TYPE, PTR))
        _, told = t.say(dns.response(known(t, ttl)), t.second)
        if told - asked > 0.015:
            continue
        tried += 1
        silent += not t.answer(start, TYPE, PTR, seconds=0.4)
        time.sleep(SECOND)
    if not tried:
        raise Undecided("the peer could not answer soon enough")
    t.should(silent == tried, "7.4", f"silence in {tried} of {tried} cases", f"silence in {silent}")


@case("twin-with-a-shorter-ttl", "6.6, 7.4")
def twin(t):
    """Another responder says the same with less than half of the TTL: the subject must say it again with the true one."""
    t.established()
    t.quiet(1.2)
    ttl = true_ttl(t)
    start, _ = t.say(dns.response(known(t, ttl // 4)), t.second)
    found = t.wait(lambda p: any(r.ttl == ttl for r in p.message.tells(TYPE, PTR)), 2, start)
    t.must(found, "6.6", "the record with its true TTL", t.told(start))


@case("known-answer-of-a-unique-record", "7.1")
def known_unique(t):
    t.established()
    t.quiet(1.2)
    start, _ = t.ask(Question(t.host, A), known=[Record(t.host, A, "10.77.0.1", 120)])
    t.must(not t.answer(start, t.host, A, seconds=0.4), "7.1", "no answer for an address that is known", t.told(start))
    time.sleep(SECOND)
    start, _ = t.ask(Question(t.host, A), known=[Record(t.host, A, "10.77.0.55", 120)])
    t.must(t.answer(start, t.host, A), "7.1", "an answer when another address is known", t.told(start))
