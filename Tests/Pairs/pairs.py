"""pairs.py PRODUCTS [--seed N] [--list] [--run N ...] [--seconds S] [--at-once N] [--logs FOLDER] [--json]

Runs whole programs on private LANs, such that every possible pair of values of `table.PARAMETERS` occurs in a run, with the six
assertions of inside.py. PRODUCTS is the folder of the programs. The same seed makes the same runs. With --seconds only as many of
the first runs are begun as fit. The logs of runs that fail are kept in FOLDER/SEED-NUMBER.

Exit code 1 when a run fails, 69 when no private LAN can be made (0 unless REQUIRE_LAN=1 is set, with the reason).
"""

import argparse
import concurrent.futures
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import time

import table

HERE = pathlib.Path(__file__).resolve().parent
LAN = HERE.parent / "lan"
HOSTS, MOST_SECONDS, UNAVAILABLE = "4", 240, 69


def obstacle():
    """Why no private LAN can be made here; None if it can."""
    check = subprocess.run([LAN, "-n", HOSTS, "-d", "--check"], stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
    if check.returncode:
        return check.stderr.strip() or f"{LAN} ends with {check.returncode}"
    missing = [tool for tool in ("nats-server", "nft", "ss") if not shutil.which(tool, path=f"{os.environ.get('PATH', '')}:/usr/sbin:/sbin")]
    return f"no private LAN here: missing {' '.join(missing)}; 'make deps' installs what is needed" if missing else None


def one(products, run, folder):
    """Makes a LAN for a run. Returns its verdict."""
    command = [LAN, "-n", HOSTS, *(["-r"] if run["relay"] == "yes" else []), "--", "/usr/bin/python3", "-B", HERE / "inside.py",
               products, folder, json.dumps(run)]
    start = time.monotonic()
    try:
        done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=MOST_SECONDS, check=False)
        verdict = json.loads(done.stdout.splitlines()[-1])
    except (subprocess.TimeoutExpired, ValueError, IndexError) as error:
        reason = error if isinstance(error, subprocess.TimeoutExpired) else f"exit code {done.returncode}: {done.stderr.strip()}"
        verdict = {"faults": [], "error": f"the run has no verdict: {reason}"}
    return verdict | {"seconds": round(time.monotonic() - start, 1)}


def is_good(verdict):
    return not verdict["faults"] and not verdict["error"]


def tell(number, run, verdict):
    print(f"{'pass' if is_good(verdict) else 'FAIL'} {number:3}  {verdict['seconds']:5.1f} s  {table.shown(run)}", flush=True)


def tell_failures(failures, seed, logs):
    print(f"\n{len(failures)} runs fail. The assertions: 1 starts, 2 truth, 3 signals, 4 other players, 5 exit code, 6 nothing is left.")
    for number, run, verdict in failures:
        print(f"\n  run {number}: {table.shown(run)}")
        for fault in verdict["faults"]:
            print(f"    {fault['assertion']}: {fault['text']}")
        if verdict["error"]:
            print("    no verdict: " + verdict["error"].strip().replace("\n", "\n      "))
        print(f"    replay: make pairs SEED={seed} RUN={number}    logs: {logs / f'{seed}-{number}'}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("products", type=pathlib.Path)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--list", action="store_true", help="list the runs and check that they have all pairs")
    parser.add_argument("--run", type=int, action="append", help="only this run; may be repeated")
    parser.add_argument("--seconds", type=float, help="begin no further run after this time")
    parser.add_argument("--at-once", type=int, default=2, help="how many private LANs there are at a time")
    parser.add_argument("--logs", type=pathlib.Path, default=pathlib.Path(".build/pairs"))
    parser.add_argument("--json", action="store_true", help="also write the verdicts to FOLDER/verdicts.json")
    choice = parser.parse_args()

    runs = table.runs(choice.seed)
    wrong, counted = table.check(runs)
    print(f"seed {choice.seed}: {counted}", flush=True)
    for text in wrong:
        print(f"the table is wrong: {text}", flush=True)
    if choice.list:
        for number, run in enumerate(runs, 1):
            print(f"{number:3}  {table.shown(run)}")
    if wrong or choice.list:
        sys.exit(1 if wrong else 0)
    if any(not 1 <= number <= len(runs) for number in choice.run or []):
        parser.error(f"seed {choice.seed} has the runs 1 to {len(runs)}")
    reason = obstacle()
    if reason:
        print(f"pairs: skipped: {reason}", file=sys.stderr)
        sys.exit(UNAVAILABLE if os.environ.get("REQUIRE_LAN") == "1" else 0)

    logs, products = choice.logs, choice.products.resolve()
    logs.mkdir(parents=True, exist_ok=True)
    begun, verdicts = time.monotonic(), {}

    def perform(number):
        if choice.seconds and time.monotonic() - begun > choice.seconds:
            return
        folder = pathlib.Path(tempfile.mkdtemp(prefix="pairs-"))
        run = runs[number - 1]
        verdicts[number] = one(products, run, folder)
        kept = logs / f"{choice.seed}-{number}"
        shutil.rmtree(kept, ignore_errors=True)
        if not is_good(verdicts[number]) or choice.run:
            shutil.copytree(folder, kept, ignore=shutil.ignore_patterns("store"))
        shutil.rmtree(folder, ignore_errors=True)
        tell(number, run, verdicts[number])

    with concurrent.futures.ThreadPoolExecutor(choice.at_once) as pool:
        list(pool.map(perform, choice.run or range(1, len(runs) + 1)))
    failures = [(number, runs[number - 1], verdict) for number, verdict in sorted(verdicts.items()) if not is_good(verdict)]
    if choice.json:
        (logs / "verdicts.json").write_text(json.dumps({number: runs[number - 1] | verdicts[number] for number in sorted(verdicts)}))
    print(f"{len(verdicts) - len(failures)} of {len(verdicts)} runs pass, of {len(runs)} of this seed, "
          f"in {time.monotonic() - begun:.0f} s")
    if failures:
        tell_failures(failures, choice.seed, logs)
    sys.exit(1 if failures else 0)


if __name__ == "__main__":
    try:
        main()
    except KeyboardInterrupt:
        sys.exit(130)
