"""peer.py [--avahi] [--case NAME ...] [--json] [--list] [PROGRAMS]: examines our engine, or avahi-daemon, case by case.

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
from subject import Avahi, OurEngine
from trial import Bench, Stop, Trial, Undecided


def examined(bench, number, selected):
    name, sections, bct, function = selected
    attempt = Trial(bench, number)
    began = time.monotonic()
    verdict, reason = "PASS", ""
    try:
        function(attempt)
    except Stop:
        pass
    except Undecided as undecided:
        verdict, reason = "SKIP", str(undecided)
    if attempt.failures:
        verdict = "FAIL"
    elif not attempt.checks and not reason:
        verdict, reason = "SKIP", "nothing was checked"
    if verdict != "PASS":
        bench.settled = None  # who knows in which state it is
    return {
        "case": name, "sections": sections, "apple": bct, "verdict": verdict, "reason": reason, "checks": attempt.checks,
        "failures": attempt.failures, "warnings": attempt.warnings, "notes": attempt.notes,
        "seconds": round(time.monotonic() - began, 1),
    }


def tell(result, as_json):
    if as_json:
        print(json.dumps(result, ensure_ascii=False), flush=True)
        return
    title = f"{result['case']} (§{result['sections']})"
    print(f"{result['verdict']}  {title:<64} {result['checks']:>3} checks {result['seconds']:>5} s", flush=True)
    for kind, texts in (("skip", [result["reason"]] if result["reason"] else []), ("fail", result["failures"])):
        for text in texts:
            print(f"      {kind}: {text}")
    for kind in ("warnings", "notes"):
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
    parser.add_argument("--avahi", action="store_true", help="examine avahi-daemon in place of our engine")
    parser.add_argument("--case", action="append", metavar="NAME", help="only the cases whose names begin so (may be repeated)")
    parser.add_argument("--json", action="store_true", help="one JSON object a line")
    parser.add_argument("--trace", action="store_true", help="tell every packet, to standard error")
    parser.add_argument("--list", action="store_true", help="list the cases")
    options = parser.parse_args()
    cases = [one for one in trial.CASES if not options.case or any(one[0].startswith(name) for name in options.case)]
    if not cases:
        parser.error("there is no such case; --list tells which there are")
    if options.list:
        for name, sections, bct, _ in cases:
            print(f"{name:<40} §{sections:<28} {bct or ''}")
        return 0
    subject = Avahi() if options.avahi else OurEngine(options.programs)
    bench = Bench(subject)
    results = []
    try:
        for number, selected in enumerate(cases, 1):
            results.append(examined(bench, number, selected))
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
