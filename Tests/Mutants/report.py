"""The table of results."""


def report(results):
    """The text, and the lowest percentage of noticed mutants of a seed. `results` are (mutant, result, detail, text of its file)."""
    lines, rates = [], []
    for seed in sorted({mutant.seed for mutant, *_ in results}):
        drawn = [result == "noticed" for mutant, result, *_ in results if mutant.seed == seed]
        rates.append(100 * sum(drawn) / len(drawn))
        lines.append(f"{sum(drawn)} of {len(drawn)} mutants were noticed: {rates[-1]:.0f} % (seed {seed})")
    lines += [""] + table("module", results, lambda mutant: mutant.module) + [""] + table("kind", results, lambda mutant: mutant.kind)
    others = [entry for entry in results if entry[1] != "noticed"]
    if others:
        lines += ["", "Not noticed:"]
    for mutant, result, detail, text in others:
        original, changed = mutant.shown(text)
        lines += ["", f"{mutant.number}. {mutant.file}:{mutant.line} {mutant.kind}, {result}: {detail}",
                  f"    - {original}", f"    + {changed or '(nothing)'}"]
    return "\n".join(lines) + "\n", min(rates, default=0)


def table(title, results, key):
    rows = {}
    for mutant, result, _, _ in results:
        row = rows.setdefault(key(mutant), {"noticed": 0, "SURVIVED": 0, "NOT REACHED": 0})
        row[result] += 1
    lines = [f"| {title} | noticed | survived | not reached |", "| --- | --- | --- | --- |"]
    return lines + [f"| {name} | {' | '.join(str(count) for count in row.values())} |" for name, row in sorted(rows.items())]
