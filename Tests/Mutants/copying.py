"""A copy of the package with all mutants in it."""

import hashlib
import pathlib
import re
import shutil
import subprocess

from edits import CHOICE, switched
from package import ROOT

WORK = ROOT / ".build-mutants"
TREE = WORK / "tree"
LIBRARY = "CMutants"
# A byte of the file of what was reached for each mutant.
MOST = 4096

C_SOURCE = """
#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

static unsigned char nowhere[%(most)d];
static unsigned char *reached = nowhere;
static int chosen;

/* The file is mapped, so that each process that a test starts notes what it reaches, also when it is killed. */
__attribute__((constructor)) static void begin(void) {
    const char *number = getenv("MUTANT"), *path = getenv("MUTANTS_REACHED");
    if (number) chosen = atoi(number);
    int file = path ? open(path, O_RDWR | O_CLOEXEC) : -1;
    if (file < 0) return;
    void *memory = mmap(0, sizeof nowhere, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    if (memory != MAP_FAILED) reached = memory;
    (void)!close(file);
}

_Bool mutants_choose(int number) {
    reached[number] = 1;
    return number == chosen;
}

_Bool mutants_choose_in_c(int number) { return mutants_choose(number); }
"""

SWIFT_SOURCE = f'@_silgen_name("mutants_choose") func {CHOICE}(_ number: Int32) -> Bool\n'

# Appended to the manifest of the copy: only what is needed, and a mutant may give warnings.
MANIFEST = """
do {
  let kept: Set<String> = %(kept)s
  // Programs keep their names, by which the tests start them.
  package.products = package.products.filter { ($0 as? Product.Executable)?.targets.allSatisfy(kept.contains) ?? false }
  package.targets.removeAll { !kept.contains($0.name) }
  for target in package.targets where target.type == .regular || target.type == .executable {
    target.dependencies.append(.target(name: "%(library)s"))
  }
  for target in package.targets where target.type != .system {
    target.swiftSettings = (target.swiftSettings ?? []) + [.treatAllWarnings(as: .warning)]
  }
  package.targets.append(.target(name: "%(library)s", path: "%(library)s"))
}
"""


def write(path, text):
    """What has not changed keeps its time, and is not built again."""
    data = text if isinstance(text, bytes) else text.encode()
    if not path.is_file() or path.read_bytes() != data:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)


class Copy:
    def __init__(self, package, drawing, kept):
        self.package, self.drawing, self.kept = package, drawing, kept
        self.written = set()

    def digest(self):
        """Changes when a source or a test does, but not with text and this program."""
        digest = hashlib.sha256()
        for name in self.names():
            if name.endswith((".swift", ".c", ".h")):
                digest.update(name.encode() + b"\0" + (ROOT / name).read_bytes())
        return digest.hexdigest()

    def names(self):
        listed = subprocess.run(
            ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"], cwd=ROOT, check=True, capture_output=True)
        return sorted(name for name in listed.stdout.decode().split("\0") if name and (ROOT / name).is_file())

    def refresh(self, mutants):
        """Writes the tree, with these mutants."""
        by_file = {}
        for mutant in mutants:
            by_file.setdefault(mutant.file, []).append(mutant)
        names = set(self.names())
        helpers = {f"{self.package.targets[m.module]['path']}/Mutants_.swift" for m in mutants if m.file.endswith(".swift")}
        for path in list(TREE.rglob("*")):
            name = str(path.relative_to(TREE))
            if not name.startswith((".build", LIBRARY)) and path.is_file() and name not in names | helpers:
                path.unlink()
        for name in names - {"Package.swift"}:
            if name in by_file:
                write(TREE / name, self.text(name, by_file[name]))
            else:
                write(TREE / name, (ROOT / name).read_bytes())
            shutil.copymode(ROOT / name, TREE / name)
        for name in helpers:
            write(TREE / name, SWIFT_SOURCE)
        write(TREE / LIBRARY / "mutants.c", C_SOURCE % {"most": MOST})
        write(TREE / LIBRARY / "include" / "mutants.h", "")
        kept = "[" + ", ".join(f'"{name}"' for name in sorted(self.kept)) + "]"
        manifest = (ROOT / "Package.swift").read_text(encoding="utf-8")
        write(TREE / "Package.swift", manifest + MANIFEST % {"kept": kept, "library": LIBRARY})

    def text(self, name, mutants):
        text = switched(self.drawing.texts[name], mutants)
        return text if name.endswith(".swift") else \
            "_Bool mutants_choose_in_c(int number);\n#define " + CHOICE + " mutants_choose_in_c\n" + text

    def at(self, error, mutants):
        """The mutants that an error of the compiler is about: (path, line)."""
        path, line = error
        try:
            name = str(pathlib.Path(path).resolve().relative_to(TREE.resolve()))
        except ValueError:
            return []
        here = [mutant for mutant in mutants if mutant.file == name]
        if not here:
            return []
        marks = {}
        for number, text in enumerate(self.text(name, here).splitlines(), 1):
            for match in re.finditer(rf"{CHOICE}\((\d+)\)", text):
                marks.setdefault(int(match[1]), []).append(number)
        heights = {mutant.number: self.drawing.texts[name].count("\n", mutant.start, mutant.end) for mutant in here}

        def distance(mutant):
            first, last = min(marks[mutant.number]), max(marks[mutant.number]) + 2 * heights[mutant.number]
            return max(first - line, line - last, 0)
        nearest = min(map(distance, here))
        dropped = [mutant for mutant in here if mutant.kind == "dropped statement" and min(marks[mutant.number]) < line]
        if nearest > 0 and dropped:
            # What is not set is told where it is used.
            here, nearest = dropped, min(map(distance, dropped))
        return [mutant for mutant in here if distance(mutant) == nearest]
