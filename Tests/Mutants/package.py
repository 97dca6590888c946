"""What SwiftPM tells of the package: its modules, where they are, and which tests use them."""

import json
import os
import pathlib
import subprocess

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
SWIFT = os.environ.get("SWIFT", "swift")
# What the names of modules begin with, and those of their tests do not.
FAMILIES = ("_Bonjourish", "_Framed", "CBonjourish", "CFramed", "Bonjourish", "Framed")
# Each test target may use it, and what comes after it in the manifest is used by what it tests.
SHARED = "TestSupport"


class Package:
    def __init__(self, description, manifest):
        self.name = description["name"]
        self.targets = {target["name"]: target for target in description["targets"]}
        # The names for which `#if` holds, unless a build says otherwise.
        traits = {trait["name"]: trait.get("enabledTraits", []) for trait in manifest.get("traits") or []}
        self.traits = set(traits.get("default", []))
        # What each target names in the manifest itself, in that order.
        self.declared = {}
        for target in manifest.get("targets") or []:
            names = [dependency[kind][0] for dependency in target["dependencies"] for kind in ("target", "byName") if kind in dependency]
            self.declared[target["name"]] = names[:names.index(SHARED)] if SHARED in names else names

    @classmethod
    def read(cls):
        def ask(*arguments):
            return json.loads(subprocess.run(
                [SWIFT, "package", *arguments], cwd=ROOT, check=True, stdout=subprocess.PIPE).stdout)
        return cls(ask("describe", "--type", "json"), ask("dump-package"))

    def needed(self, names):
        """These targets, and all that they need."""
        found, rest = set(), list(names)
        while rest:
            name = rest.pop()
            if name in self.targets and name not in found:
                found.add(name)
                rest += self.targets[name].get("target_dependencies", [])
        return found

    def tests(self):
        return sorted(name for name, target in self.targets.items() if target["type"] == "test")

    def modules(self, tests, folders=("Sources", "Examples")):
        """The modules in these folders that these tests use."""
        used = self.needed(tests)
        return sorted(name for name in used if self.targets[name]["path"].split("/")[0] in folders)

    def files(self, module):
        """The paths of a module's sources; of a C library, its headers."""
        target = self.targets[module]
        folder = pathlib.Path(target["path"])
        names = [name for name in target.get("sources", []) if name.endswith((".swift", ".c"))]
        if target["module_type"] != "SwiftTarget":
            names += [str(path.relative_to(ROOT / folder)) for path in (ROOT / folder).rglob("*.h")]
        return sorted({str(folder / name) for name in names})

    def distance(self, test, module):
        """1 for what a test names in the manifest, 2 for what that uses, and so on; None for others."""
        if self.kinship(test, module) == 0 and module in self.targets[test].get("target_dependencies", []):
            return 1
        steps, names = 1, set(self.declared.get(test) or self.targets[test].get("target_dependencies", []))
        while names and module not in names:
            names = {other for name in names if name in self.targets for other in self.targets[name].get("target_dependencies", [])}
            steps += 1
        return steps if names else None

    def kinship(self, test, module):
        """0 if the test is named for the module, 1 if it is what the manifest says first that it tests, 2 if it says so further on, and 3
        if the test just uses it."""
        word = test.removesuffix("Tests")
        if word == module or any(module == family + word for family in FAMILIES):
            return 0
        declared = self.declared.get(test, [])
        return 3 if module not in declared else 2 if declared[0] != module else 1

    def nearest(self, tests, module):
        """The tests that use a module, those of it first, then from near to far, and those with few other needs first."""
        def rank(test):
            return (self.kinship(test, module), self.distance(test, module),
                    len(self.targets[test].get("target_dependencies", [])), test)
        return sorted((test for test in tests if self.distance(test, module)), key=rank)
