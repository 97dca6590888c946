"""Cases: conflicts with names that are established, changes of name, and networks that come and go."""

import time

import dns
from dns import A, AAAA, ANY, PTR, SRV, TXT, Question, Record
from probing import LATER, announcements, check_probes, deny_all, probes
from subject import HOST, run
from trial import TYPE, Undecided, case


def settle(t):
    """Publishes, and waits until all is announced and a second has passed since."""
    t.publish("key=value")
    t.announced(t.service, SRV, seconds=10)
    t.quiet(2.3)


def contradict(t, name, types):
    """Contradicts what the subject has established; it must probe again at once."""
    start, sent = t.say(dns.response(*t.conflict(name, *types)))
    first = t.await_probe(name, 3, start)
    t.within(first.time - sent, 0, 0.25, "9", f"time from the conflict to the probe for {dns.shown(name)}")
    return start


def lose(t, is_service):
    """Contradicts what is established and denies the probe that follows: the name must be given up."""
    name, types = (t.service, (SRV, TXT)) if is_service else (t.host, (A,))
    start = contradict(t, name, types)
    t.say(dns.response(*t.conflict(name, *types)))
    found, new = t.new_name(is_service, 5, start, [name])
    t.need(found, "9", f"another name once the probe for {dns.shown(name)} was denied", t.told(start))
    t.announced(new, SRV if is_service else A, seconds=8, start=start)
    check_probes(t, probes(t, new, start=start), new)
    if not is_service:
        moved = t.wait(lambda p: any(dns.same(r.data[3], new) for r in p.message.tells(t.service, SRV) if r.ttl), 5, start)
        t.must(moved, "9", f"the service is announced at {dns.shown(new)}", t.told(start))
    t.quiet(1.2)
    where, _ = t.ask(Question(name, types[0]))
    t.must(not t.answer(where, name, types[0]), "9", "the name that was lost is no more answered for", t.told(where))


@case("subsequent-conflict-host", "9", "SUBSEQUENT CONFLICT - A")
def subsequent_host(t):
    settle(t)
    lose(t, False)


@case("subsequent-conflict-service", "9", "SUBSEQUENT CONFLICT - SRV")
def subsequent_service(t):
    settle(t)
    lose(t, True)


@case("subsequent-conflict-undefended", "9")
def subsequent_undefended(t):
    """The other does not answer the probes: the name is kept and announced again."""
    settle(t)
    start = contradict(t, t.service, (SRV, TXT))
    t.announced(t.service, SRV, seconds=4, start=start)
    check_probes(t, probes(t, t.service, start=start), t.service)
    t.must(not t.new_name(True, 0, start, [t.service])[0], "9", "the name is kept", t.told(start))


@case("identical-record-is-no-conflict", "9")
def identical_record(t):
    settle(t)
    known = announcements(t, t.service, SRV)[0].message.tells(t.service, SRV)
    start, _ = t.say(dns.response(*known))
    t.must(not t.wait(lambda p: p.message.proposes(t.service), 1, start), "9", "no probe after a record like ours", t.told(start))


@case("defence", "8.1, 6")
def defence(t):
    """Probes of others for names of the subject are answered at once, with all that the name has."""
    t.established()
    for name, types in ((t.service, {SRV, TXT}), (t.host, {A, AAAA})):
        for family, voice, least in ((4, t.peer, A), (6, t.peer6, AAAA)):
            least = {least} if name == t.host else types
            t.quiet(0.3)
            ours = [Record(name, kind, LATER[kind]) for kind in sorted(types)]
            start, sent = t.say(dns.probe(name, *ours), voice)
            found = t.wait(lambda p, name=name, family=family: p.family == family and p.message.tells(name), 1.5, start)
            title = f"defence of {dns.shown(name)} over IPv{family}"
            t.need(found, "8.1", f"a {title}", t.told(start))
            t.within(found.time - sent, 0, 0.25, "8.1", f"time to the {title}")
            told = {r.type for r in found.message.tells(name)}
            t.must(told >= least, "8.1", f"all records in the {title}", found)
            t.should(told >= types, "6.2", f"addresses of both families in the {title}", found)


@case("defence-again", "6")
def defence_again(t):
    """A record goes out once a second, but to defend it after 250 ms already."""
    t.established()
    t.quiet(1.2)
    times = []
    for _ in range(2):
        start, sent = t.say(dns.probe(t.service, Record(t.service, SRV, LATER[SRV])))
        found = t.answer(start, t.service, SRV)
        t.need(found, "8.1", "a defence", t.told(start))
        t.within(found.time - sent, 0, 0.25, "6", "time to the defence")
        times.append(found.time)
        time.sleep(max(0.0, sent + 0.3 - time.time()))


@case("manual-name-change", "10.1, 8", "MANUAL NAME CHANGE")
def manual_name_change(t):
    settle(t)
    new = (b"Renamed " + t.name.encode(), *TYPE)
    start = t.capture.end
    t.subject.withdraw()
    bye = t.wait(lambda p: any(not r.ttl and dns.same(r.data, t.service) for r in p.message.tells(TYPE, PTR)), 3, start)
    t.must(bye, "10.1", "a goodbye (TTL 0) for the PTR record of the former name", t.told(start))
    t.subject.publish("Renamed " + t.name, "_conform._tcp", 4242, "key=value")
    t.announced(new, SRV, seconds=8, start=start)
    check_probes(t, probes(t, new, start=start), new)
    t.quiet(1.2)
    where, _ = t.ask(Question(t.service, ANY), Question(TYPE, PTR))
    answer = t.answer(where, TYPE, PTR)
    t.need(answer, "6", "an answer for the type", t.told(where))
    t.must(not any(p.message.tells(t.service) for p in t.packets(where)), "10.1", "nothing about the former name", answer)


@case("goodbye", "10.1")
def goodbye(t):
    settle(t)
    start = t.capture.end
    t.subject.withdraw()
    bye = t.wait(lambda p: any(not r.ttl for r in p.message.tells(TYPE, PTR)), 3, start)
    t.must(bye, "10.1", "a goodbye (TTL 0) for the PTR record", t.told(start))
    late = [p for p in announcements(t, t.service, SRV, start=start)]
    t.must(not late, "10.1", "nothing but goodbyes of the service", late[:1])


def replug(t):
    """Pulls the subject's cable for some seconds; gives where in the capture it was plugged in again."""
    run("link", HOST, "down")
    time.sleep(3)
    start = t.capture.end
    run("link", HOST, "up")
    return start


@case("hot-plugging", "8", "HOT-PLUGGING")
def hot_plugging(t):
    settle(t)
    start = replug(t)
    for name in (t.host, t.service):
        t.await_probe(name, 8, start)
    t.announced(t.service, SRV, seconds=8, start=start)
    for name in (t.host, t.service):
        check_probes(t, probes(t, name, start=start), name)


@case("hot-plugging-denial-host", "8.1, 9", "HOT-PLUGGING: PROBING: PROBE DENIALS")
def hot_plugging_denial_host(t):
    """While the cable was out another host has taken the name."""
    settle(t)
    start = replug(t)
    t.await_probe(t.host, 8, start)
    start, _ = t.say(dns.response(*t.conflict(t.host, A)))
    found, new = t.new_name(False, 8, start, [t.host])
    t.need(found, "9", "another host name", t.told(start))
    t.announced(new, A, seconds=8, start=start)
    moved = t.wait(lambda p: any(dns.same(r.data[3], new) for r in p.message.tells(t.service, SRV) if r.ttl), 8, start)
    t.must(moved, "9", f"the service is announced at {dns.shown(new)}", t.told(start))


@case("hot-plugging-denial-service", "8.1, 9", "HOT-PLUGGING: PROBING: PROBE DENIALS")
def hot_plugging_denial_service(t):
    settle(t)
    start = replug(t)
    t.await_probe(t.service, 8, start)
    start, _ = t.say(dns.response(*t.conflict(t.service, SRV)))
    found, new = t.new_name(True, 8, start, [t.service])
    t.need(found, "9", "another name", t.told(start))
    t.announced(new, SRV, seconds=8, start=start)


@case("hot-plugging-rate-limiting", "8.1", "HOT-PLUGGING: PROBING: RATE LIMITING")
def hot_plugging_rate_limiting(t):
    settle(t)
    deny_all(t, False, replug(t))


@case("hot-plugging-subsequent-conflict", "9", "HOT-PLUGGING: SUBSEQUENT CONFLICT - A")
def hot_plugging_subsequent(t):
    settle(t)
    start = replug(t)
    t.await_probe(t.host, 8, start)
    t.announced(t.host, A, seconds=8, start=start)
    t.quiet(2.3)
    lose(t, False)


@case("hot-plugging-simultaneous-probe", "8.2", "HOT-PLUGGING: PROBING: SIMULTANEOUS PROBE CONFLICT")
def hot_plugging_simultaneous(t):
    settle(t)
    start = replug(t)
    first = t.await_probe(t.service, 8, start)
    least = min(r.type for r in first.message.proposes(t.service))
    start, sent = t.say(dns.probe(t.service, Record(t.service, least, LATER[least])))
    if sent - first.time > 0.2:
        raise Undecided("the peer's probe came too late to be simultaneous")
    again = t.await_probe(t.service, 4, start)
    t.within(again.time - sent, 1, 1.25, "8.2", "time from the lost tie-break to the next probe")
    t.announced(t.service, SRV, seconds=5, start=start)
