"""The page SCORECARD.md from the figures of scorecard.json."""

from others import ALL

# The scenarios of systemd's TEST-89 (systemd/systemd#43220, main of 2026-07-30), what systemd-resolved got there, and our cases that
# examine the same clause. Names and verdicts alone are taken over; the cases are written from the RFCs.
TEST_89 = (
    ("announce", "baseline", True, "initial-probing"), ("hostname_resolution", "§3", True, "mixed-network-families"),
    ("reverse_lookup", "§4", True, ""), ("reverse_lookup_non_local", "§4", False, ""), ("expiry_no_goodbye", "§5.2", True, "expiry"),
    ("expiry_no_goodbye_plain_flags", "§5.2", False, ""), ("query_backoff", "§5.2", True, "cold-cache"),
    ("responder_unicast_qu", "§5.4", True, "unicast-requested"), ("shared_record_response_delay", "§6", False, "shared-reply-timing"),
    ("responder_nsec", "§6.1", False, "denial-of-existence"),
    ("multiquestion_response_delay", "§6.3", False, "shared-reply-timing-many-questions"),
    ("responder_aggregation", "§6.4", True, "reply-aggregation"), ("responder_wildcard_query", "§6.5", True, "unique-reply-verification"),
    ("responder_legacy_unicast", "§6.7", True, "unicast-interoperability"),
    ("responder_legacy_ttl_cap", "§6.7", False, "unicast-interoperability"),
    ("legacy_question_echo", "§6.7", True, "unicast-interoperability"), ("querier_known_answers", "§7.1", True, "hot-cache"),
    ("responder_known_answer_suppression", "§7.1", False, "known-answers"),
    ("known_answer_continuation", "§7.2", False, "known-answers-several-packets"), ("conflict_rename", "§8.1", True, "probe-denial-service"),
    ("publisher_probe_announce", "§8.1, 8.3", True, "announcing"), ("goodbye_then_reannounce", "§8.3", True, ""),
    ("conflict_established", "§9", False, "subsequent-conflict-service"), ("goodbye", "§10.1", True, "goodbye-received"),
    ("goodbye_single_announcement", "§10.1", True, "goodbye-received"), ("goodbye_shared_instance", "§10.1", False, ""),
    ("publisher_unregister_goodbye", "§10.1", False, "manual-name-change"), ("publisher_stop_goodbye", "§10.1", False, "goodbye"),
    ("cache_flush_update", "§10.2", True, "cache-flush"), ("case_insensitive_match", "§16", True, "case-is-ignored"),
    ("responder_authoritative_bit", "§18.4", True, "every-packet"), ("responder_rcode", "§18.11", True, "every-packet"),
    ("responder_compressed_question", "§18.14", True, ""), ("resolve_service", "RFC 6763 §5", True, "renewal"),
    ("browse_subtype", "RFC 6763 §7.1", True, ""), ("publisher_subtype", "RFC 6763 §7.1", True, "reply-aggregation"),
    ("responder_service_enumeration", "RFC 6763 §9", True, "reply-aggregation"), ("duplicate_question_suppression", "a report", False, ""),
    ("dual_stack_resolution", "a report", False, ""), ("multi_interface_ptr_query", "a report", False, ""),
    ("no_cache_lookup", "a report", False, ""), ("two_interfaces_same_name", "a report", True, ""),
    ("goodbye_one_interface", "a report", True, ""),
)

HEAD = """# Scorecard

What each mDNS stack keeps of RFC 6762, survives of the public faults of such stacks, and costs. `make scorecard` writes this page and
`scorecard.json` from a run on private networks; `make scorecard OPTIONS=--check` fails if our engine has lost a PASS. Nothing here is typed
by hand: rows in which others are better stay.
"""

METHOD = """## How it is measured

- **Conformance**: `Tests/Conformance` plays the other host, packet by packet, with the kernel's time stamps. What fails is tried once more, because the machine is busy. PASS: no MUST was broken; `w` counts
  the SHOULDs that were. FAIL: a MUST was broken. –: the stack cannot do it (no browsing), or the peer could not tell. That the suite notices what is
  broken is a test of its own (`Tests/Conformance/broken.py`). "As meant": our engine does something else than the RFC on purpose, and was
  examined for just that: probes ask for multicast answers (a SHOULD), and after eight conflicts a name with 40 random bits is neither probed for
  nor defended (instead of the MUST to slow down after fifteen).
- Each stack is driven as its users would: avahi-daemon by service files and avahi-browse, python-zeroconf by `ServiceInfo` and
  `ServiceBrowser`, JmDNS by its Java API over IPv4, mdnsd by service files, systemd-resolved by hand with `MulticastDNS=yes`. A row that a library
  leaves to its caller counts against the library; python-zeroconf, for example, does not own a host name.
- **Hostility**: for each row the stack publishes a service and browses; 10,000 packets at 2,500 a second, no two alike where that matters, then: does
  it live, answer, still list the true service and find a new one within 15 s? KB: how much its resident memory has grown meanwhile, which
  includes what a cache may rightly keep. The packets are written from the RFCs and the public reports.
- **Load**: our browser and publisher are programs of this build; times of a debugging build are two to ten times those of a release.
"""


def cell(row):
    if row is None:
        return " "
    warnings = len(row.get("warnings") or ())
    verdict = {"SKIP": "–"}.get(row["verdict"], row["verdict"])
    if row["verdict"] == "PASS":
        verdict += (" as meant" if row["deviations"] else "") + (f" {warnings} w" if warnings else "") + (" at the second try" if row["again"] else "")
    return verdict


def table(titles, rows):
    lines = ["| " + " | ".join(titles) + " |", "|" + " --- |" * len(titles)]
    return "\n".join([*lines, *("| " + " | ".join(map(str, row)) + " |" for row in rows)]) + "\n"


def subjects(found, axis):
    return [name for name in ALL if found.get(axis, {}).get(name)]


def title(found, name):
    return found["subjects"][name]["title"]


def summary(found):
    for name, subject in found["subjects"].items():
        if subject["missing"]:
            yield subject["title"], "–", f"not examined: {subject['missing']}", "", "", ""
            continue
        cases = found["conformance"].get(name, {}).values()
        counts = [sum(case["verdict"] == verdict for case in cases) for verdict in ("PASS", "FAIL", "SKIP")]
        warnings = sum(len(case["warnings"]) for case in cases)
        attacks = [row for row in found["hostility"].get(name, {}).values() if row["verdict"] != "SKIP"]
        passed = sum(row["verdict"] == "PASS" for row in attacks)
        ended = sum(not row["alive"] for row in attacks)
        meant = sum(case["verdict"] == "PASS" and bool(case["deviations"]) for case in cases)
        verdicts = " / ".join(map(str, counts)) + (f" ({meant} of the passed as meant)" if meant else "")
        yield (subject["title"], subject["version"], verdicts if cases else "not run", warnings if cases else "",
               f"{passed} of {len(attacks)}" if attacks else "not run", ended if attacks else "")


def better(found):
    """Where another stack is better than ours."""
    ours = found["conformance"].get("ours", {})
    for axis, rows in (("conformance", ours), ("hostility", found["hostility"].get("ours", {}))):
        for key, row in rows.items():
            others = [title(found, name) for name in subjects(found, axis)
                      if name != "ours" and found[axis][name].get(key, {}).get("verdict") == "PASS"]
            if row["verdict"] == "FAIL" and others:
                yield f"{axis}, {row.get('name', key)}: ours fails; {', '.join(others)} passes"
            if axis == "conformance" and row["deviations"] and others:
                yield f"conformance, {key}: ours differs from the RFC on purpose ({', '.join(row['deviations'])}); {', '.join(others)} passes as the RFC says"
            if axis == "conformance" and row["verdict"] == "PASS" and row["warnings"]:
                others = [title(found, name) for name in subjects(found, axis)
                          if name != "ours" and found[axis][name].get(key, {}).get("verdict") == "PASS" and not found[axis][name][key]["warnings"]]
                if others:
                    yield f"conformance, {key}: ours breaks a SHOULD ({row['warnings'][0].split('; seen')[0]}); {', '.join(others)} does not"
    for part, key, what in (("traffic", "packets", "packets with {} services"), ("traffic", "bytes", "bytes with {} services"),
                            ("resolve", "seconds", "seconds until {} are resolved"), ("killed", "seconds", "seconds until a killed host is noticed"),
                            ("memory", "kilobytes", "kilobytes for {} records")):
        figures = found["load"].get(part, {})
        for count, mine in figures.get("ours", {}).items():
            for name, theirs in figures.items():
                value = theirs.get(count, {})
                # A stack that saw less has done less.
                less = value.get("services", 0) < mine.get("services", 0) or value.get("complete", True) is False
                if name != "ours" and not less and value.get(key) is not None and mine.get(key) is not None and value[key] < 0.95 * mine[key]:
                    yield f"load, {what.format(count)}: ours {mine[key]:,}, {title(found, name)} {value[key]:,}"


def conformance(found):
    names = subjects(found, "conformance")
    cases = found["conformance"].get("ours") or found["conformance"][names[0]]
    rows = [[f"{case} ({row['level']} {section(row['sections'])})", *(cell(found["conformance"][name].get(case)) for name in names)]
            for case, row in cases.items()]
    return table(["case", *(title(found, name) for name in names)], rows)


def section(text):
    return text if text.startswith("RFC") else "§" + text


def test_89(found):
    names = subjects(found, "conformance")
    for scenario, basis, passes, case in TEST_89:
        yield [f"`{scenario}`", basis, "PASS" if passes else "FAIL", case or "none of ours",
               *(cell(found["conformance"][name].get(case)) if case else " " for name in names)]


def hostility(found):
    names = subjects(found, "hostility")
    keys = sorted({key for name in names for key in found["hostility"][name]}, key=int)
    for key in keys:
        first = next(found["hostility"][name][key] for name in names if key in found["hostility"][name])
        cells = []
        for name in names:
            row = found["hostility"][name].get(key)
            if row is None or row["verdict"] == "SKIP":
                cells.append("–")
                continue
            wrong = "; ".join(row["wrong"])
            cells.append(f"{row['verdict']}, {row['kilobytes']:+,} KB" + (f" ({wrong})" if wrong else ""))
        notes = {note for name in names for note in found["hostility"][name].get(key, {}).get("notes", ()) if name == "ours"}
        yield [key, first["name"] + (f"; ours: {'; '.join(notes)}" if notes else ""), first["after"], *cells]


def load(found):
    figures = found["load"]
    names = [name for name in ALL if any(name in part for part in figures.values())]

    def row(what, part, count, show):
        values = [figures.get(part, {}).get(name, {}).get(str(count)) for name in names]
        return [what, *(show(value) if value else "–" for value in values)]

    def traffic(value):
        scale = 3600 / value["window"]
        return f"{value['packets'] * scale:,.0f}, {value['bytes'] * scale / 1000:,.0f} KB" + ("" if value["complete"] else " (not all found)")

    def seconds(value):
        return f"{value['seconds']:,} s" if value["seconds"] is not None else f"never ({value['found']} found)" if "found" in value else "not within 150 s"

    rows = [row(f"packets and bytes in an hour, {count} services that one browser keeps resolved (avahi-daemon's: our tool, see load.py)", "traffic", count, traffic) for count in (1, 10, 100)]
    rows += [row(f"until {count:,} services of one host are resolved, cold", "resolve", count, seconds) for count in (1, 100, 500, 1500)]
    rows.append(row("until a killed host is noticed (its records live 120 s)", "killed", 1, seconds))
    rows += [row(f"memory for {count:,} records in the cache", "memory", count,
                 lambda value: f"{value['kilobytes']:,} KB ({value['services']:,} services told)") for count in (1000, 10_000)]
    message = figures.get("message", {})
    for what in ("parse", "write"):
        rows.append([f"nanoseconds to {what} a message of 13 records",
                     *(f"{message[name][what]:,}" if name in message else "–" for name in names)])
    return table(["figure", *(title(found, name) for name in names)], rows)


def rendered(found):
    head = found["head"]
    window = next((value for stack in found["load"].get("traffic", {}).values() for value in stack.values()), {})
    parts = [HEAD, f"Run of {head['date']}, {head['seconds']} s, sources {head['sources']}, our programs: {head['build']} build. {head['machine']}.\n"
             "Others' faults and TEST-89's verdicts: public threads as of 2026-11-23.\n",
             table(["stack", "version", "conformance: pass / fail / cannot tell", "SHOULDs broken", "hostility", "died"], summary(found)),
             "## Where others are better\n", "\n".join(f"- {line}" for line in better(found)) or "Nowhere in this run.", ""]
    if subjects(found, "hostility"):
        names = subjects(found, "hostility")
        parts += ["## Hostility\n", table(["#", "attack", "after", *(title(found, name) for name in names)], hostility(found))]
    if found["load"]:
        parts += ["## Load\n", load(found)]
        if window:
            parts.append(f"Packets in an hour are those of {window['window']} s (three renewals of records of 120 s), begun {window['settle']} s after the last "
                         "service was found, × " f"{3600 / window['window']:.1f}: rightly scaled, because by then nothing but renewals and ever rarer questions goes "
                         "out. python-zeroconf's own figure for its own message, compiled with Cython, is 23,600 ns; here it is "
                         "Debian's, which is not compiled, and the very same bytes as ours. The browser of avahi-browse and that of python-zeroconf "
                         "resolve a service once, and then renew its pointer alone (75 minutes); ours keeps each result true, and renews all of its "
                         "records (120 s).\n")
    if subjects(found, "conformance"):
        names = subjects(found, "conformance")
        parts += ["## Conformance\n", conformance(found), "## Beside systemd's TEST-89\n",
                  table(["scenario", "basis", "resolved there", "our case", *(title(found, name) for name in names)], test_89(found))]
    return "\n".join([*parts, METHOD])
