"""peer.py [--subject NAME] [--case NAME ...] [--json] [--list] [PROGRAMS]: examines our engine, or another stack, case by case.

Runs on the host h2 of a private LAN; see `run`, which makes one. The subject is on h1. Exit code 1 if a case fails.
PASS: nothing that was looked for is wrong (warnings are told). FAIL: a MUST was not kept. SKIP: the peer could not tell, and why.
"""

import argparse
import json
import sys
import time

# Each module registers its cases, which are run in this order; the last one looks at all packets of the others.
import probing  # noqa: F401
import conflicts  # noqa: F401
import answering  # noqa: F401
import suppressing  # noqa: F401
import querying  # noqa: F401
import speaking  # noqa: F401
import trial
from others import ALL
from subject import Cannot
from trial import Bench, Stop, Trial, Undecided


def examined(bench, number, selected):
    attempt = Trial(bench, number)
    began = time.monotonic()
    verdict, reason = "PASS", ""
    try:
        selected.function(attempt)
    except Stop:
        pass
    except (Undecided, Cannot) as undecided:
        verdict, reason = "SKIP", str(undecided)
    if attempt.failures:
        verdict = "FAIL"
    elif not attempt.checks and not reason:
        verdict, reason = "SKIP", "nothing was checked"
    if verdict != "PASS":
        bench.settled = None  # who knows in which state it is
    return {
        "case": selected.name, "sections": selected.sections, "level": selected.level, "apple": selected.bct, "verdict": verdict, "reason": reason, "checks": attempt.checks,
        "failures": attempt.failures, "deviations": sorted(set(attempt.deviations)), "again": False, "warnings": attempt.warnings, "notes": attempt.notes,
        "seconds": round(time.monotonic() - began, 1),
    }


def tell(result, as_json):
    if as_json:
        print(json.dumps(result, ensure_ascii=False), flush=True)
        return
    title = f"{result['case']} ({result['level']} §{result['sections']})"
    print(f"{result['verdict']}  {title:<70} {result['checks']:>3} checks {result['seconds']:>5} s", flush=True)
    for kind, texts in (("skip", [result["reason"]] if result["reason"] else []), ("fail", result["failures"])):
        for text in texts:
            print(f"      {kind}: {text}")
    for kind in ("deviations", "warnings", "notes"):
        for text in result[kind]:
            print(f"      {kind[:-1]}: {text}")
    sys.stdout.flush()


def trace(bench):
    """All packets since the last trace."""
    packets = bench.capture.packets[bench.traced :]
    for packet in packets:
        print(f"{packet.time - packets[0].time:9.4f} {'>' if packet.sent else '<'} {packet}", file=sys.stderr)
    bench.traced += len(packets)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("programs", nargs="?", default=".build/debug", help="the folder of our programs")
    parser.add_argument("--subject", choices=ALL, default="ours", help="what is examined: our engine, or another stack")
    parser.add_argument("--avahi", dest="subject", action="store_const", const="avahi", help="the same as --subject avahi")
    parser.add_argument("--case", action="append", metavar="NAME", help="only this case, or those that begin so (may be repeated)")
    parser.add_argument("--again", action="store_true", help="try what does not pass once more, because machines are busy")
    parser.add_argument("--part", metavar="I/N", help="only part I of N, from 0, and the case of all packets")
    parser.add_argument("--json", action="store_true", help="one JSON object a line")
    parser.add_argument("--trace", action="store_true", help="tell every packet, to standard error")
    parser.add_argument("--list", action="store_true", help="list the cases")
    options = parser.parse_args()
    names = {one.name for one in trial.CASES}
    wanted = [(lambda one, name=name: one == name if name in names else one.startswith(name)) for name in options.case or [""]]
    cases = [one for one in trial.CASES if any(suits(one.name) for suits in wanted)]
    if options.part:
        part, parts = map(int, options.part.split("/"))
        last = [one for one in cases if one.name == "every-packet"]  # what it looks at are all packets of the others
        cases = [one for one in cases if one not in last][part::parts] + last
    if not cases:
        parser.error("there is no such case; --list tells which there are")
    if options.list:
        for one in cases:
            print(f"{one.name:<40} {one.level:<6} §{one.sections:<28} {one.bct or ''}")
        return 0
    subject = ALL[options.subject](options.programs)
    if reason := subject.missing():
        parser.error(f"{subject.title} cannot be examined: {reason}")
    bench = Bench(subject)
    results = []
    try:
        for number, selected in enumerate(cases, 1):
            result = examined(bench, number, selected)
            if options.again and result["verdict"] != "PASS" and not result["reason"].endswith("cannot browse"):
                again = examined(bench, number + 500, selected)
                again["notes"] += [f"at first: {text}" for text in result["failures"] or [result["reason"]]]
                again["again"] = True
                result = again
            results.append(result)
            tell(results[-1], options.json)
            if options.trace:
                trace(bench)
    finally:
        subject.close()
    counts = {verdict: sum(result["verdict"] == verdict for result in results) for verdict in ("PASS", "FAIL", "SKIP")}
    if not options.json:
        print(f"{subject.title}: " + ", ".join(f"{count} {verdict}" for verdict, count in counts.items()))
    return 1 if counts["FAIL"] else 0


sys.exit(main())
