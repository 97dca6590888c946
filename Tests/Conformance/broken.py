"""broken.py [--lans N] [--only NAME ...] [--list] [PROGRAMS]: is the suite honest? Breaks one promise of our engine at a time.

A relay between the subject and the switch changes what the subject says, or what it hears, and the case of that clause must notice: a
MUST by a failure, a SHOULD by a warning. Through the relay that changes nothing the same cases must pass without a word.
Exit code 1 if a breaking was not noticed.
"""

import argparse
import copy
import json
import pathlib
import subprocess
import sys
import time

import dns
from dns import A, AAAA, HINFO, NSEC, PTR, SRV, TXT
from relay import Relay
from wire import PORT

HERE = pathlib.Path(__file__).resolve().parent
TYPE = (*dns.dotted("_conform._tcp"), b"local")
FAIL, WARNING = "FAIL", "warning"
BREAKINGS = []


def breaking(name, case, notice=FAIL):
    """Registers a breaking: its name, the case that must notice, and how. The function makes a handler for the relay."""

    def register(make):
        BREAKINGS.append((name, case, notice, make))
        return make

    return register


# ---- What is changed


def changing(suits, change):
    """A handler that changes the datagrams that suit."""

    def handler(datagram):
        if suits(datagram):
            change(datagram)
        return [datagram]

    return lambda: handler


def dropping(suits):
    return lambda: lambda datagram: [] if suits(datagram) else [datagram]


def probes(d):
    return d.leaves and not d.message.is_response and bool(d.message.authorities)


def queries(d):
    return d.leaves and not d.message.is_response and not d.message.authorities


def responses(d):
    return d.leaves and d.message.is_response and d.port == PORT


def multicasts(d):
    return responses(d) and d.is_multicast


def legacy(d):
    return d.leaves and d.is_legacy


def announcements(d):
    return multicasts(d) and any(record.ttl for record in d.message.answers)


def leaving(d):
    return d.leaves


def comes(d):
    return not d.leaves


def asked(d):
    return comes(d) and not d.message.is_response


def told(d):
    return comes(d) and d.message.is_response


def each_record(change, *types):
    def apply(d):
        for record in d.message.records:
            if not types or record.type in types:
                change(record)

    return apply


def setting(**values):
    def apply(thing):
        for name, value in values.items():
            setattr(thing, name, value)

    return apply


def message(**values):
    return lambda d: setting(**values)(d.message)


def masked(clear=0, put=0):
    def apply(d):
        d.message.flags = d.message.flags & ~clear | put

    return apply


def counted(suits, decide):
    """A handler that decides by the number of the datagram among those of its family that suit, from 1."""

    def make():
        count = {4: 0, 6: 0}

        def handler(d):
            if not suits(d):
                return [d]
            count[d.family] += 1
            return decide(d, count[d.family])

        return handler

    return make


def lowered(d):
    for question in d.message.questions:
        question.name = dns.lowered(question.name)
    for record in d.message.records:
        record.name = dns.lowered(record.name)
        if record.type == PTR:
            record.data = dns.lowered(record.data)
        if record.type == SRV:
            record.data = (*record.data[:3], dns.lowered(record.data[3]))


def only_of(*types):
    def apply(d):
        d.message.answers = [record for record in d.message.answers if record.ttl or record.type in types]

    return apply


def without(*types):
    def apply(d):
        d.message.answers = [record for record in d.message.answers if record.type not in types]
        d.message.additionals = [record for record in d.message.additionals if record.type not in types]

    return apply


def doubled(d):
    if d.message.answers:
        d.message.answers.append(d.message.answers[0])


def questioning(d):
    d.message.questions.append(dns.Question(TYPE, PTR))


def unicast_questions(value):
    def apply(d):
        for question in d.message.questions:
            question.unicast = value

    return apply


def lying(record):
    record.data = set(record.data) | {HINFO}


def goodbyeless(d):
    for section in (d.message.answers, d.message.additionals):
        section[:] = [record for record in section if record.ttl]


def random_flushed(d):
    for record in d.message.records:
        record.flush |= b" #" in record.name[0] and record.type in (SRV, TXT)


def twice(seconds):
    return lambda d: [d, (copy.deepcopy(d), seconds)]


# ---- The breakings

for name, case, make in (
    ("second-probe-dropped", "initial-probing", counted(probes, lambda d, number: [] if number == 2 else [d])),
    ("third-probe-at-once", "initial-probing", counted(probes, lambda d, number: [(d, 0.2 if number == 2 else 0)])),
    ("probe-of-one-record", "initial-probing", changing(probes, lambda d: d.message.authorities.__delitem__(slice(1, None)))),
    ("probe-of-no-record", "initial-probing", changing(probes, message(authorities=[]))),
    ("probe-with-flush-bit", "initial-probing", changing(probes, each_record(setting(flush=True)))),
    ("probe-for-unicast", "initial-probing", changing(probes, unicast_questions(True))),
    ("silent", "initial-probing", dropping(leaving)),
    ("second-announcement-dropped", "announcing", counted(announcements, lambda d, number: [] if number == 2 else [d])),
    ("one-announcement", "announcing", counted(announcements, lambda d, number: [d] if number == 1 else [])),
    ("answers-150-ms-late", "shared-reply-timing", lambda: lambda d: [(d, 0.15 if multicasts(d) else 0)]),
    ("answers-200-ms-late", "shared-reply-timing", lambda: lambda d: [(d, 0.2 if multicasts(d) else 0)]),
    ("ip-ttl-64", "every-packet", changing(leaving, setting(ttl=64))),
    ("ip-ttl-64-of-unicast", "every-packet", changing(lambda d: d.leaves and not d.is_multicast, setting(ttl=64))),
    ("flush-bit-cleared", "every-packet", changing(responses, each_record(setting(flush=False)))),
    ("flush-bit-cleared-of-txt", "every-packet", changing(responses, each_record(setting(flush=False), TXT))),
    ("flush-bit-of-ptr", "every-packet", changing(responses, each_record(setting(flush=True), PTR))),
    ("source-port-5354", "every-packet", changing(leaving, setting(source_port=5354))),
    ("aa-cleared", "every-packet", changing(responses, masked(clear=dns.AUTHORITATIVE))),
    ("id-77", "every-packet", changing(responses, message(id=77))),
    ("error-code-3", "every-packet", changing(responses, masked(put=3))),
    ("double-record", "every-packet", changing(responses, doubled)),
    ("question-in-response", "every-packet", changing(responses, questioning)),
    ("legacy-srv-compressed", "unicast-then-every-packet", changing(legacy, setting(compresses=True))),
    ("goodbye-dropped", "goodbye", changing(responses, goodbyeless)),
    ("goodbye-of-srv-alone", "goodbye", changing(responses, only_of(SRV))),
    ("lower-case", "legal-characters", changing(leaving, lowered)),
    ("nsec-lies", "denial-of-existence", changing(responses, each_record(lying, NSEC))),
    ("nsec-never", "denial-of-existence", changing(responses, without(NSEC))),
    ("answers-twice", "one-second-between-answers", lambda: lambda d: twice(0.3)(d) if multicasts(d) else [d]),
    ("no-known-answers", "hot-cache", changing(queries, message(answers=[]))),
    ("known-answers-with-flush-bit", "hot-cache", changing(queries, each_record(setting(flush=True)))),
    ("legacy-id-0", "unicast-interoperability", changing(legacy, message(id=0))),
    ("legacy-without-question", "unicast-interoperability", changing(legacy, message(questions=[]))),
    ("legacy-with-flush-bit", "unicast-interoperability", changing(legacy, each_record(setting(flush=True)))),
    ("unicast-dropped", "unicast-interoperability", dropping(lambda d: d.leaves and not d.is_multicast)),
    ("questions-twice", "cold-cache", lambda: lambda d: twice(0.3)(d) if queries(d) else [d]),
    ("tc-cleared", "known-answers-split", changing(queries, masked(clear=dns.TRUNCATED))),
    ("deaf-to-known-answers", "known-answers", changing(asked, message(answers=[]))),
    ("deaf-to-tc", "known-answers-that-never-come", changing(asked, masked(clear=dns.TRUNCATED))),
    ("deaf-to-probes", "defence", dropping(lambda d: asked(d) and d.message.authorities)),
    ("deaf-to-conflicts", "subsequent-conflict-service", dropping(told)),
    ("deaf-to-goodbyes", "goodbye-received", changing(told, goodbyeless)),
    ("deaf-to-authority-sections", "losing-simultaneous-probe-service", changing(asked, message(authorities=[]))),
    ("deaf-to-flush-bits", "cache-flush", changing(told, each_record(setting(flush=False)))),
    ("random-name-with-flush-bit", "rate-limiting-service", changing(responses, random_flushed)),
):
    breaking(name, case)(make)

for name, case, make in (
    ("ptr-ttl-60", "ttls", changing(responses, each_record(setting(ttl=60), PTR))),
    ("host-ttl-4500", "ttls", changing(responses, each_record(setting(ttl=4500), A, AAAA, SRV))),
    ("deaf-to-qu", "unicast-requested", changing(asked, unicast_questions(False))),
    ("always-qu", "cold-cache", changing(queries, unicast_questions(True))),
    ("no-additional-records", "additional-records", changing(responses, message(additionals=[]))),
    ("known-answers-with-full-ttl", "hot-cache", changing(queries, each_record(setting(ttl=4500)))),
    ("legacy-ttl-120", "unicast-interoperability", changing(legacy, each_record(setting(ttl=120)))),
    ("not-compressed", "every-packet", changing(responses, setting(compresses=False))),
):
    breaking(name, case, WARNING)(make)


@breaking("one-renewal", "expiry")
def one_renewal():
    """After the first question for what ends soon the subject asks no more."""
    due = []

    def handler(d):
        if told(d) and not due:
            due.extend(time.monotonic() + 0.84 * record.ttl for record in d.message.tells(TYPE, PTR))
        return [] if due and queries(d) and time.monotonic() > due[0] else [d]

    return handler


# ---- Running them

TOGETHER = {"unicast-then-every-packet": ["unicast-interoperability", "every-packet"]}


def examined(case, programs):
    """The results of the peer."""
    names = TOGETHER.get(case, [case])
    command = ["on", "h2", sys.executable, "-B", str(HERE / "peer.py"), "--json", *(f"--case={name}" for name in names), programs]
    said = subprocess.run(command, stdout=subprocess.PIPE, text=True).stdout
    return [json.loads(line) for line in said.splitlines()]


def judged(name, case, notice, results):
    failures = [text for result in results for text in result["failures"]]
    warnings = [text for result in results for text in result["warnings"]]
    skipped = [result["reason"] for result in results if result["verdict"] == "SKIP"]
    if not results or skipped and not failures:
        holds, texts = False, ["the peer could not tell", *skipped]
    elif notice is None:
        holds, texts = not failures and not warnings, failures + warnings
    else:
        texts = failures if notice == FAIL else warnings
        holds = bool(texts)
    return {"breaking": name, "case": case, "notice": notice or "none", "noticed": holds, "texts": [text[:300] for text in texts[:3]]}


def work(part, parts, only, programs):
    """Runs each breaking that is this LAN's."""
    chosen = [one for one in BREAKINGS if not only or one[0] in only]
    unbroken = [(f"unbroken, {case}", case, None, lambda: None) for case in sorted({case for _, case, _, _ in chosen})]
    relay = Relay()
    for name, case, notice, make in (chosen + unbroken)[part::parts]:
        for _ in range(3):  # a machine that is busy is late, and the peer cannot tell then
            relay.broken_by(make())
            result = judged(name, case, notice, examined(case, programs))
            if result["noticed"]:
                break
        print(json.dumps(result), flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("programs", nargs="?", default=".build/debug", help="the folder of our programs")
    parser.add_argument("--lans", type=int, default=8, help="private LANs side by side, 8 unless told; it is mostly waiting")
    parser.add_argument("--only", action="append", default=[], metavar="NAME", help="only this breaking (may be repeated)")
    parser.add_argument("--list", action="store_true", help="list the breakings")
    parser.add_argument("--part", type=int, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.list:
        for name, case, notice, _ in BREAKINGS:
            print(f"{name:<34} {case:<36} {notice}")
        return 0
    if options.part is not None:
        work(options.part, options.lans, options.only, options.programs)
        return 0
    only = [f"--only={name}" for name in options.only]
    arguments = [*only, f"--lans={options.lans}", str(pathlib.Path(options.programs).resolve())]
    lan = [str(HERE.parent / "lan"), "-n", "2", "--", sys.executable, "-B", __file__]
    lans = [subprocess.Popen([*lan, f"--part={part}", *arguments], stdout=subprocess.PIPE, text=True) for part in range(options.lans)]
    count = wrong = 0
    for each in lans:
        for line in each.stdout:
            result = json.loads(line)
            count += 1
            wrong += not result["noticed"]
            told_as = "passes" if result["notice"] == "none" else f"noticed as {result['notice']}"
            print(f"{'ok  ' if result['noticed'] else 'MISS'}  {result['breaking']:<44} {told_as} by {result['case']}", flush=True)
            if not result["noticed"]:
                print("".join(f"      {text}\n" for text in result["texts"]), end="")
        if each.wait():
            wrong += 1
            print(f"a LAN ended with {each.returncode}")
    print(f"{len(BREAKINGS)} breakings; {count} runs, {wrong} not as they should be")
    return 1 if wrong or not count else 0


if __name__ == "__main__":
    sys.exit(main())
