"""Cases: probing, announcing, and the conflicts while a name is not established yet."""

import re
import time

import dns
from dns import A, AAAA, ANY, PTR, SRV, TXT, Question, Record
from trial import TYPE, Undecided, case

LATER = {TXT: b"\xfe" + 254 * b"z", SRV: (65535, 65535, 65535, (b"zzz", b"local")), A: "10.77.0.200", AAAA: "fe80::ffff"}
EARLIER = {TXT: b"\0", SRV: (0, 0, 0, (b"a", b"local")), A: "10.1.1.1", AAAA: "fd00::1"}


def kinds(t, name):
    return (A, AAAA) if dns.same(name, t.host) else (SRV, TXT)


def probes(t, name, family=4, start=None):
    return [p for p in t.packets(start) if p.family == family and p.message.proposes(name)]


def announcements(t, name, *types, family=4, start=None):
    return [
        p for p in t.packets(start)
        if p.family == family and p.is_multicast and any(r.ttl and r in p.message.answers for r in p.message.tells(name, *types))
    ]


def check_probes(t, found, name):
    title = f"probes for {dns.shown(name)}"
    t.need(len(found) == 3, "8.1", f"three {title}", f"{len(found)}")
    for one, other in zip(found, found[1:]):
        # When one is late because the machine is busy, the next need not be: 250 ms are meant, not between what went out.
        t.within(other.time - one.time, 0.25 - min(t.metronome.worst, 0.02), 0.25, "8.1", f"time between {title}")


@case("initial-probing", "8.1, 8.2", "INITIAL PROBING")
def initial_probing(t):
    t.publish("key=value")
    first = t.announced(t.service, SRV, seconds=10)
    for name, types in ((t.host, {A}), (t.service, {SRV, TXT})):
        found = probes(t, name)
        check_probes(t, found, name)
        proposed = found[0].message.proposes(name)
        t.must({r.type for r in proposed} >= types, "8.2", "all records of the name are proposed", found[0])
        t.must(not any(r.flush for p in found for r in p.message.proposes(name)), "18.13", "no cache-flush bit in probes", found[0])
        wants = [q.unicast for p in found for q in p.message.questions]
        if t.deviates("QM probes"):
            t.must(not any(wants), "8.1, deviation 1", "probes never ask for unicast answers, as is meant", found)
        else:
            t.should(all(wants), "8.1", "probes ask for unicast answers (QU)", "QM")
    for name in (t.host, t.service):
        early = [p for p in announcements(t, name) if p.time < probes(t, name)[-1].time + 0.245]
        t.must(not early, "8.1", f"{dns.shown(name)} is told only 250 ms after the last probe", early[:1])
    t.within(first.time - probes(t, t.service)[-1].time, 0.25, 0.25, "8.3", "last probe to announcement", t.should)


@case("announcing", "8.3, 10.2", "WINNING SIMULTANEOUS PROBES - ANNOUNCEMENTS")
def announcing(t):
    t.publish("key=value")
    t.announced(t.service, SRV, seconds=10)
    time.sleep(4)
    for name, kind, flush in ((t.host, A, True), (t.service, SRV, True), (t.service, TXT, True), (TYPE, PTR, False)):
        title = f"{dns.shown(name)} {dns.TYPES[kind]}"
        found = [(p, r) for p in announcements(t, name, kind) for r in p.message.answers if r.type == kind and dns.same(r.name, name)]
        t.must(2 <= len(found) <= 8, "8.3", f"{title} is announced 2 to 8 times", len(found))
        times = [p.time for p, _ in found]
        gaps = [later - earlier for earlier, later in zip(times, times[1:])]
        t.must(all(gap >= 0.99 for gap in gaps), "8.3", f"announcements of {title} are at least a second apart", gaps)
        if gaps:
            t.within(gaps[0], 1, 1.25, "8.3", f"time between the first two announcements of {title}")
        # Responses may be put off to go together with others, by up to half a second (section 6.4).
        doubled = all(later >= 2 * earlier - 0.5 for earlier, later in zip(gaps, gaps[1:]))
        t.must(doubled, "8.3", f"times between announcements of {title} at least double", gaps)
        bits = {r.flush for _, r in found}
        t.must(bits <= {flush}, "10.2", f"cache-flush bit of {title}: {'set' if flush else 'not set'}", bits)


def denial(t, get_name, number, types=None):
    """Denies the name at its probe `number`: it must be given up, and another one be probed for and announced."""
    t.publish("key=value")
    name = get_name(t)
    t.await_probe(name)
    deadline = time.monotonic() + 3
    while len(probes(t, name)) < number and time.monotonic() < deadline:
        time.sleep(0.003)
    start, sent = t.say(dns.response(*t.conflict(name, *(types or kinds(t, name)))))
    if sent - probes(t, name)[0].time > 0.25 * number - 0.02:
        raise Undecided("the denial came too late")
    found, new = t.new_name(name == t.service, 5, start, [name])
    t.need(found, "9", f"another name is probed for after {dns.shown(name)} was denied", t.told(start))
    t.announced(new, SRV if name == t.service else A, seconds=8)
    check_probes(t, probes(t, new), new)
    told = [p for p in announcements(t, name, SRV, A, AAAA, start=start)]
    t.must(not told, "8.1", "the name denied is not told", told[:1])
    t.note(f"{dns.shown(name)} became {dns.shown(new)}")
    return new


@case("probe-denial-service", "8.1, 9", "PROBING: PROBE DENIALS")
def probe_denial_service(t):
    denial(t, lambda t: t.service, 1)


@case("probe-denial-host", "8.1, 9", "PROBING: PROBE DENIALS")
def probe_denial_host(t):
    new = denial(t, lambda t: t.host, 1)
    found = t.announced(t.service, SRV, seconds=8)
    target = found.message.tells(t.service, SRV)[0].data[3]
    t.must(dns.same(target, new), "9", f"the service is announced at {dns.shown(new)}", found)
    legal = all(byte in b"abcdefghijklmnopqrstuvwxyz0123456789-" for byte in new[0].lower())
    t.must(legal and b"-" not in (new[0][:1], new[0][-1:]), "RFC 1034 3.5", "a host name of letters, digits and hyphens", new)


@case("probe-denial-last", "8.1", "PROBING: PROBE DENIALS")
def probe_denial_last(t):
    denial(t, lambda t: t.service, 3)


@case("probe-denial-by-text-alone", "8.1")
def probe_denial_text(t):
    """Any record of the name is a conflict, whatever its type."""
    denial(t, lambda t: t.service, 1, [TXT])


def simultaneous(t, name, data):
    """Probes for the name just after the subject, with the data; gives when, and where in the capture."""
    first = t.await_probe(name)
    theirs = first.message.proposes(name)
    decides = min(record.type for record in theirs)  # the type that is compared first
    ours = [Record(name, decides, data[decides])]
    start, sent = t.say(dns.probe(name, *ours))
    if sent - first.time > 0.2:
        raise Undecided("the peer's probe came too late to be simultaneous")
    return start, sent, dns.tie_break_key(ours) > dns.tie_break_key(theirs)


def losing(t, name):
    t.publish("key=value")
    name = name(t)
    start, sent, wins = simultaneous(t, name, LATER)
    if not wins:
        raise Undecided("the subject proposes data that the peer cannot beat")
    again = t.await_probe(name, 4, start)
    t.within(again.time - sent, 1, 1.25, "8.2", "time from the lost tie-break to the next probe")
    t.announced(name, seconds=5, start=start)
    found = probes(t, name, again.family, start)
    check_probes(t, found, name)
    t.must(not t.new_name(name == t.service, 0, t.start, [name])[0], "8.2", "the name is kept, for nobody defends it", t.told())


@case("losing-simultaneous-probe-service", "8.2", "PROBING: SIMULTANEOUS PROBE CONFLICT")
def losing_service(t):
    losing(t, lambda t: t.service)


@case("losing-simultaneous-probe-host", "8.2", "PROBING: SIMULTANEOUS PROBE CONFLICT")
def losing_host(t):
    losing(t, lambda t: t.host)


@case("losing-to-one-who-stays", "8.2, 9", "PROBING: SIMULTANEOUS PROBE CONFLICT")
def losing_for_good(t):
    t.publish("key=value")
    start, _, wins = simultaneous(t, t.service, LATER)
    if not wins:
        raise Undecided("the subject proposes data that the peer cannot beat")
    again = t.await_probe(t.service, 4, start)
    start, _ = t.say(dns.response(*t.conflict(t.service, SRV, TXT)))
    t.need(again and t.new_name(True, 5, start, [t.service])[0], "9", "another name once the winner answers", t.told(start))


def winning(t, name, data=None):
    t.publish("key=value")
    name = name(t)
    if data:
        start, _, wins = simultaneous(t, name, data)
        if wins:
            raise Undecided("the subject proposes data that the peer cannot lose to")
    else:
        first = t.await_probe(name)
        start, _ = t.say(dns.probe(name, *first.message.proposes(name)))
    t.announced(name, seconds=3, start=start)
    check_probes(t, probes(t, name), name)
    t.must(not t.new_name(name == t.service, 0, t.start, [name])[0], "8.2", "the name is kept", t.told())


@case("winning-simultaneous-probe-service", "8.2", "WINNING SIMULTANEOUS PROBES")
def winning_service(t):
    winning(t, lambda t: t.service, EARLIER)


@case("winning-simultaneous-probe-host", "8.2", "WINNING SIMULTANEOUS PROBES")
def winning_host(t):
    winning(t, lambda t: t.host, EARLIER)


@case("identical-simultaneous-probe", "8.2.1")
def identical_probe(t):
    winning(t, lambda t: t.service)


@case("conflict-before-the-first-probe", "8.1")
def early_conflict(t):
    """Responses that came before the first probe are of old, and must be ignored."""
    for _ in range(3):
        t.publish("key=value")
        deadline = time.monotonic() + 8
        while not probes(t, t.service) and time.monotonic() < deadline:
            start, _ = t.say(dns.response(*t.conflict(t.service, SRV, TXT)))
            time.sleep(0.02)
        first = t.await_probe(t.service)
        if t.capture.time_sent(start) < first.time:
            break
        time.sleep(0.5)
    else:
        raise Undecided("each time the peer spoke once more after the probe")
    t.announced(t.service, SRV)


@case("srv-probing-after-host-denials", "8.1, 9", "SRV PROBING/ANNOUNCEMENTS")
def srv_after_host_denials(t):
    """The host name is denied three times, then the service: both must end well, the service at the last host name."""
    t.publish("key=value")
    name, start = t.host, t.start
    denied = []
    for _ in range(3):
        t.await_probe(name, 8, start)
        denied.append(name)
        start, _ = t.say(dns.response(*t.conflict(name, A, AAAA)))
        found, name = t.new_name(False, 8, start, denied)
        t.need(found, "9", f"a name after {dns.shown(denied[-1])} was denied", t.told(start))
    t.await_probe(t.service, 10, t.start)
    probe = t.wait(lambda p: p.message.proposes(t.service), 8, start)
    if probe is None:
        probe = t.need(announcements(t, t.service), "8.1", "the service is probed for", t.told(start)) and None
    start, _ = t.say(dns.response(*t.conflict(t.service, SRV, TXT)))
    found, new = t.new_name(True, 8, start, [t.service])
    t.need(found, "9", "a new probe for the service after it was denied", t.told(start))
    told = t.announced(new, SRV, seconds=10, start=start)
    target = told.message.tells(new, SRV)[0].data[3]
    t.must(dns.same(target, name), "9", f"the service is announced at {dns.shown(name)}", told)
    wrong = [p for old in denied for p in announcements(t, old, A, AAAA)]
    t.must(not wrong, "8.1", "no denied host name is told", wrong[:1])
    every = [r for p in t.packets() if p.message.is_response for r in p.message.records if r.type == SRV and r.ttl]
    wrong = [r for r in every if not dns.same(r.data[3], name)]
    t.must(not wrong, "8.1", "no service is told at a host name that was denied", wrong[:1])


def rate_limiting(t, is_service):
    """Every name is denied: after fifteen conflicts within ten seconds each attempt must be five seconds after the last,
    unless the subject is known to take a name that nobody can dispute before that."""
    t.publish("key=value")
    deny_all(t, is_service, t.start)


CONFLICTS_BEFORE_RANDOM = 8
RANDOM_END = re.compile(rb"[ #-]+[abcdefghijkmnpqrstuvwxyz23456789]{8}$")  # 40 bits


def deny_all(t, is_service, start):
    if t.deviates("random names"):
        deny_until_random(t, is_service, start)
    else:
        deny_until_slow(t, is_service, start)


def deny_until_random(t, is_service, start):
    """A deviation that is meant: after just eight conflicts a name with 40 random bits. No host has it by chance and nobody may
    dispute it: its records are shared ones, which are neither probed for nor defended, and have no cache-flush bit."""
    title, kind = ("service", SRV) if is_service else ("host", A)
    name, types = (t.service, (SRV, TXT)) if is_service else (t.host, (A, AAAA))
    denied, told = [], None
    t.await_probe(name, 8, start)
    while True:
        denied.append(name)
        start, _ = t.say(dns.response(*t.conflict(name, *types)))
        if len(denied) == CONFLICTS_BEFORE_RANDOM:
            break
        found, name = t.new_name(is_service, 8, start, denied)
        t.need(found, "8.1", f"a name is probed for after {len(denied)} were denied, {CONFLICTS_BEFORE_RANDOM} in all", t.told(start))
        t.must(not RANDOM_END.search(name[0]), "8.1", f"no random name after {len(denied)} conflicts", name)

    def fresh(packet):
        for record in packet.message.answers if packet.message.is_response else ():
            suits = dns.same(record.name[1:], TYPE) if is_service else len(record.name) == 2
            if record.type == kind and record.ttl and suits and not any(dns.same(record.name, old) for old in denied):
                return record.name
        return None

    told = t.wait(fresh, 8, start)
    t.need(told, "8.1", f"a {title} with a random name is told after {CONFLICTS_BEFORE_RANDOM} conflicts", t.told(start))
    name = fresh(told)
    t.bench.random_names.add(dns.lowered(name))
    t.must(RANDOM_END.search(name[0]), "8.1", "the name ends in eight characters of 40 random bits", name)
    start, _ = t.say(dns.response(*t.conflict(name, *types)))
    again, other = t.new_name(is_service, 2, start, denied)
    t.must(not again, "9", "shared records are not in conflict: no other name is probed for", other)
    where, _ = t.ask(Question(name, kind))
    found = t.answer(where, name, kind)
    t.must(found, "6", f"{dns.shown(name)} is still answered for", t.told(where))
    packets = t.packets()
    t.must(not any(p.message.proposes(name) for p in packets), "8.1", "the random name is never probed for", name)
    flushed = [p for p in packets if p.message.is_response and any(dns.same(r.name, name) and r.flush for r in p.message.records)]
    t.must(not flushed, "10.2", "records of a random name have no cache-flush bit", flushed[:1])
    t.note(f"{dns.shown(denied[0])} became {dns.shown(name)} after {len(denied)} conflicts")


def deny_until_slow(t, is_service, start):
    name = t.service if is_service else t.host
    t.await_probe(name, 8, start)
    denied, conflicts, gaps = [], [], []
    while len(conflicts) < 19:
        denied.append(name)
        start, sent = t.say(dns.response(*t.conflict(name, *((SRV, TXT) if is_service else (A, AAAA)))))
        conflicts.append(sent)
        found, name = t.new_name(is_service, 25, start, denied)
        t.need(found, "8.1", f"another name after {len(denied)} were denied", t.told(start))
        gaps.append(found.time - sent)
        if min(gaps[-3:]) > 1 and len(gaps) > 2 and len(gaps) < 15:
            t.note(f"slower than any limit: attempts {', '.join(f'{gap:.2f}' for gap in gaps)} s after the conflicts")
            return
    limited = next((i for i in range(14, 19) if conflicts[i] - conflicts[i - 14] <= 10), None)
    if limited is None:
        t.note("never had fifteen conflicts within ten seconds")
        return
    after = gaps[limited:]
    shown = ", ".join(f"{gap:.2f}" for gap in after)
    t.must(all(gap >= 4.99 for gap in after), "8.1", "five seconds before each attempt after 15 conflicts", f"{shown} s")
    t.note(f"15 conflicts in {conflicts[limited] - conflicts[limited - 14]:.1f} s, then attempts after {shown} s")


@case("rate-limiting-service", "8.1", "PROBING: RATE LIMITING")
def rate_limiting_service(t):
    rate_limiting(t, True)


@case("rate-limiting-host", "8.1", "PROBING: RATE LIMITING")
def rate_limiting_host(t):
    rate_limiting(t, False)
