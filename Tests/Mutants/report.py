"""The table of results."""


def report(seed, results):
    """The text, and the percentage of noticed mutants. `results` are (mutant, result, detail, text of its file)."""
    noticed = [entry for entry in results if entry[1] == "noticed"]
    rate = 100 * len(noticed) / len(results) if results else 0
    lines = [f"{len(noticed)} of {len(results)} mutants were noticed: {rate:.0f} % (seed {seed})", ""]
    lines += table("module", results, lambda mutant: mutant.module) + [""] + table("kind", results, lambda mutant: mutant.kind)
    others = [entry for entry in results if entry[1] != "noticed"]
    if others:
        lines += ["", "Not noticed:"]
    for mutant, result, detail, text in others:
        original, changed = mutant.shown(text)
        lines += ["", f"{mutant.number}. {mutant.file}:{mutant.line} {mutant.kind}, {result}: {detail}",
                  f"    - {original}", f"    + {changed or '(nothing)'}"]
    return "\n".join(lines) + "\n", rate


def table(title, results, key):
    rows = {}
    for mutant, result, _, _ in results:
        row = rows.setdefault(key(mutant), {"noticed": 0, "SURVIVED": 0, "NOT REACHED": 0})
        row[result] += 1
    lines = [f"| {title} | noticed | survived | not reached |", "| --- | --- | --- | --- |"]
    return lines + [f"| {name} | {' | '.join(str(count) for count in row.values())} |" for name, row in sorted(rows.items())]
