"""Tests of what is drawn and written; the compiler and the tests of the package have no part in them."""

import json
import pathlib
import subprocess
import sys
import tempfile
import unittest
import unittest.mock

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))

from copying import Copy, TREE
from drawing import Drawing
from edits import Mutant, switched
from kinds import Source, declared_defaults
from mutants import by_suites, draw
from package import Package
from report import report
from running import Run, Tests
from words import words


def changes(kind, text, name="File.swift"):
    """Each changed line of that kind, and the text with the choice."""
    source = Source(name, text, {"Avahi"}, declared_defaults(words(text)))
    found = [mutant for kinds in source.mutants().values() for mutant in kinds.get(kind, [])]
    return [mutant.shown(text)[1] for mutant in found]


def inside(*lines, returns=""):
    return "struct S {\n  func f(a: Int, b: Int)" + returns + " {\n" + "\n".join("    " + line for line in lines) + "\n  }\n}\n"


class WordsTests(unittest.TestCase):
    def texts(self, text, names=(), is_c=False):
        return [word.text for word in words(text, names, is_c)]

    def test_strings_are_whole(self):
        for text in ['"a \\(b("c")) \\" d"', '#"a " \\( "#', '"""\n a "b" \\(c)\n """']:
            self.assertEqual(self.texts(f"x = {text} + 1"), ["x", "=", text, "+", "1"])

    def test_comments_are_left_out(self):
        self.assertEqual(self.texts("a // b\nc /* d /* e */ f */ g"), ["a", "c", "g"])

    def test_inactive_code_is_left_out(self):
        text = "#if Avahi\na\n#else\nb\n#endif\n#if !Avahi\nc\n#endif\nd"
        self.assertEqual(self.texts(text, {"Avahi"}), ["a", "d"])
        self.assertEqual(self.texts(text), ["b", "c", "d"])

    def test_macros_of_c_are_left_out(self):
        self.assertEqual(self.texts("#define A(x) \\\n  x + 1\nint b;", is_c=True), ["int", "b", ";"])


class KindsTests(unittest.TestCase):
    def test_comparison(self):
        self.assertEqual(changes("comparison", inside("if a < b.count, try c() == d { }")), [
            "if a <= b.count, try c() == d { }", "if a < b.count, try c() != d { }"])
        self.assertEqual(changes("comparison", inside("return x ? a + 1 > b : c")), ["return x ? a + 1 >= b : c"])

    def test_operands_of_a_comparison(self):
        text = inside("let c = d && a.first { $0 } == b?.c(1) ?? 2 || e", "for i in s where i != a { g(i) }")
        source = Source("F.swift", text)
        edits = [m.edits[0] for kinds in source.mutants().values() for m in kinds.get("comparison", [])]
        self.assertEqual([text[edit.start:edit.end] for edit in edits], [
            "a.first { $0 } == b?.c(1) ?? 2", "i != a"])

    def test_generics_are_no_comparison(self):
        self.assertEqual(changes("comparison", inside("let a = Array<Int>()")), [])
        self.assertEqual(changes("comparison", "extension A where B == C {}\n"), [])

    def test_constant(self):
        self.assertEqual(changes("constant", inside("a = 0", "b = true")), ["a = 1", "b = false"])
        self.assertEqual(changes("constant", inside("a = 16")), ["a = 17", "a = 15"])
        self.assertEqual(changes("constant", inside("a = 1_001")), ["a = 2002", "a = 500"])
        self.assertEqual(changes("constant", inside("a = 0x20")), ["a = 0x21", "a = 0x1f"])
        self.assertEqual(changes("constant", inside("a = 0xFFFF")), ["a = 0xfffe"])
        self.assertEqual(changes("constant", inside("a = 1.5")), ["a = (1.5 + 1)", "a = (1.5 * 0.5)"])

    def test_constants_of_declarations_and_patterns_are_kept(self):
        for text in ["enum E: Int {\n  case a = 1\n}\n", "func f(a: Int = 1) {}\n", "@available(1) func f() {}\n",
                     "@inlinable @inline(__always)\npublic\n  func f() -> Int { 1 }\n",
                     inside("switch a {", "case 1, 2: g()", "default: h()", "}"), inside("if case .some(1) = a { g() }"),
                     inside("precondition(a > 1)"), inside("b = a.0"), inside("let i = InlineArray<14, UInt8>()")]:
            self.assertEqual(changes("constant", text), [], text)

    def test_dropped_statement(self):
        self.assertEqual(changes("dropped statement", inside("g(a)", "let c = b", "c += 1", "return")), ["", ""])
        self.assertEqual(changes("dropped statement", inside("if a { g() } else { h() }")), [
            "if a { } else { h() }", "if a { g() } else { }"])
        self.assertEqual(changes("dropped statement", inside("switch a {", "case b: g()", "}")), ["case b:"])

    def test_statements_over_several_lines(self):
        text = inside("g(", "  a,", "  b)", "  .map { $0 }")
        source = Source("F.swift", text)
        [mutant] = [m for kinds in source.mutants().values() for m in kinds.get("dropped statement", [])]
        mutant.number = 3
        self.assertIn("if !_isMutant(3) { g(\n      a,\n      b)\n      .map { $0 } }\n", switched(text, [mutant]))

    def test_values_are_not_dropped(self):
        self.assertEqual(changes("dropped statement", inside("g(a)", returns=" -> Int")), [])
        self.assertEqual(changes("dropped statement", "struct S {\n  var a: Int { g(1) }\n  init() { b = 1 }\n}\n"), [])
        self.assertEqual(changes("dropped statement", inside("let c = a.map { g($0) }")), [])

    def test_what_changes_nothing_is_left_out(self):
        self.assertEqual(changes("constant", inside("a.removeAll(keepingCapacity: true)", "b.wait(until: true)")), [
            "b.wait(until: false)"])
        self.assertEqual(changes("constant", inside("g(alignment: 1)")), [])
        self.assertEqual(changes("dropped statement", inside("loop.checkIsolated()", "g(a)")), [""])
        declared = "func g(minimumCapacity: Int = 0, twice: Bool = false) {}\n"
        self.assertEqual(changes("dropped argument", declared + inside("let c = g(minimumCapacity: 1)")), [])
        self.assertEqual(changes("dropped statement", inside("let c = d", "e = nil", "_ = c", "withExtendedLifetime(c) {}")), [""])
        self.assertEqual(changes("dropped statement", inside("let c = d", "l.execute { _ = c }")), [""])
        # Makes it.
        self.assertEqual(changes("dropped statement", "struct S {\n  static let c = 1\n  func f() { _ = c }\n}\n"), [
            "func f() { }"])

    def test_negated_condition(self):
        self.assertEqual(changes("negated condition", inside("guard let a, b, c(d, e) else { return }")), [
            "guard let a, !(b), c(d, e) else { return }", "guard let a, b, !(c(d, e)) else { return }"])

    def test_early_return(self):
        self.assertEqual(changes("early return", inside("g()", "h()")), ["return; h()"])
        self.assertEqual(changes("early return", inside("g()", "h()", "return i()", returns=" -> [Int]")), ["return []; h()"])
        self.assertEqual(changes("early return", inside("g()", "h()", "return i()", returns=" -> Other")), [])
        self.assertEqual(changes("early return", inside("g()", "defer { h() }")), [])

    def test_swapped_arguments(self):
        self.assertEqual(changes("swapped arguments", inside("g(x: a, y: b)")), ["g(x: b, y: a)"])
        self.assertEqual(changes("swapped arguments", inside("g(a, c)", "for (a, b) in d { h(&a, b) }", "(a, b) = (b, c)")), [])

    def test_what_makes_no_difference_is_not_drawn(self):
        self.assertEqual(changes("swapped arguments", inside("let c = min(a, b) + s.max(a, b)", "g(a, b)")), ["g(b, a)"])
        self.assertEqual(changes("comparison", inside(
            "c.sort { $0 < $1 }", "d.sort { $1.key > $0.key }", "e.sort { $0.age < $1.age }", "if f < .now || g <= step.now { }")), [
            "e.sort { $0.age <= $1.age }", "if f < .now || g < step.now { }"])

    def test_dropped_argument(self):
        declared = "func g(_ a: Int, twice: Bool = false, by: Int?) {}\n"
        self.assertEqual(changes("dropped argument", declared + inside("let c = s.g(1, twice: true, by: 2) { $0 }")), [
            "let c = s.g(1, by: 2) { $0 }", "let c = s.g(1, twice: true, by: nil) { $0 }"])

    def test_c(self):
        text = "static inline int f(int a) {\n    if (a > 1) return 2;\n    g(a);\n    return a;\n}\n"
        self.assertEqual(changes("negated condition", text, "F.h"), ["if (!(a > 1)) return 2;"])
        self.assertEqual(changes("dropped statement", text, "F.h"), [";"])
        self.assertEqual(changes("comparison", text, "F.h"), ["if (a >= 1) return 2;"])


class PackageTests(unittest.TestCase):
    def setUp(self):
        def target(name, type, path, needs=()):
            return {"name": name, "type": type, "path": path, "target_dependencies": list(needs), "module_type": "SwiftTarget"}
        self.package = Package({"name": "p", "targets": [
            target("A", "library", "Sources/A"), target("B", "library", "Sources/B", ["A"]), target("T", "library", "Tests/T"),
            target("ATests", "test", "Tests/ATests", ["A", "T"]), target("BTests", "test", "Tests/BTests", ["B"]),
            target("tool", "executable", "Sources/tool", ["B"])]}, {"traits": [{"name": "default", "enabledTraits": ["X"]}]})

    def test_the_tests_of_a_module_are_known_by_name_or_by_the_manifest(self):
        def target(name, type, needs=()):
            return {"name": name, "type": type, "path": name, "target_dependencies": list(needs), "module_type": "SwiftTarget"}
        tests = {"WaterTests": ["_BonjourishWater"], "WetTests": ["FramedFire", "Ice"], "ColdTests": ["Ice", "FramedFire"],
                 "ATests": ["Ice"]}
        modules = {"_BonjourishWater": [], "FramedFire": [], "Ice": ["FramedFire"], "TestSupport": []}
        package = Package({"name": "p", "targets": [target(name, "library", needs) for name, needs in modules.items()] + [
            # The manifest adds what others use.
            target(name, "test", sorted({*needs, "TestSupport", *modules})) for name, needs in tests.items()]}, {"targets": [
                {"name": name, "dependencies": [{"target": [need, None]} for need in needs + ["TestSupport", "Ice"]]}
                for name, needs in tests.items()]})
        self.assertEqual(package.nearest(package.tests(), "FramedFire"), ["WetTests", "ColdTests", "ATests"])
        self.assertEqual(package.nearest(package.tests(), "_BonjourishWater"), ["WaterTests"])
        self.assertEqual([package.kinship(test, "FramedFire") for test in ("WetTests", "ColdTests", "ATests")], [1, 2, 3])
        self.assertEqual(package.distance("ATests", "FramedFire"), 2)

    def test_modules_are_those_that_tests_use(self):
        self.assertEqual(self.package.modules(self.package.tests()), ["A", "B"])
        self.assertEqual(self.package.traits, {"X"})

    def test_tests_of_a_module_come_before_those_of_its_users(self):
        self.assertEqual(self.package.nearest(self.package.tests(), "A"), ["ATests", "BTests"])
        self.assertEqual(self.package.nearest(self.package.tests(), "B"), ["BTests"])
        self.assertEqual([self.package.distance(test, "A") for test in ("ATests", "BTests")], [1, 2])
        self.assertIsNone(self.package.distance("ATests", "B"))


class DrawingTests(unittest.TestCase):
    def drawing(self, *seeds):
        drawing = Drawing.__new__(Drawing)
        text = "".join(inside(f"if a < {n} {{ g(a, b) }}", "c += 1").replace("S", f"S{n}") for n in range(20))
        drawing.prepare(seeds, {"F.swift": "M"}, {"F.swift": Source("F.swift", text)})
        return drawing

    def test_a_seed_repeats(self):
        def row(seed):
            drawing = self.drawing(seed)
            return [(mutant.line, mutant.kind, mutant.edits[0].changed) for mutant in iter(drawing.next, None)]
        self.assertEqual(row(1), row(1))
        self.assertNotEqual(row(1), row(2))

    def test_seeds_draw_in_turn(self):
        drawing = self.drawing(1, 2)
        self.assertEqual([drawing.next().seed for _ in range(4)], [1, 2, 1, 2])

    def test_no_mutant_overlaps_another(self):
        drawn = list(iter(self.drawing(3).next, None))
        self.assertGreater(len(drawn), 20)
        self.assertFalse([1 for one in drawn for other in drawn if one is not other and one.overlaps(other)])

    def test_what_does_not_compile_is_replaced_only_if_too_few_are_left(self):
        drawing, session = self.drawing(4), type("Session", (), {"name": staticmethod(lambda mutant: mutant.number)})
        for uncompiled, expected in [([], [1, 2, 3, 4, 5, 6, 7]), ([2, 3], [1, 4, 5, 6, 7]), ([2, 3, 4], [1, 5, 6, 7, 8])]:
            session.uncompiled = uncompiled
            self.assertEqual([mutant.number for mutant in draw(drawing, session, 5, set(), 2)], expected)


class CopyTests(unittest.TestCase):
    def test_an_error_is_given_to_the_mutant_of_its_line(self):
        text = inside("a = 1", "", "b = 2")
        mutants = [m for kinds in Source("F.swift", text).mutants().values() for m in kinds["constant"][:1]]
        for number, mutant in enumerate(mutants, 1):
            mutant.number = number
        copy = Copy.__new__(Copy)
        copy.drawing = type("Drawing", (), {"texts": {"F.swift": text}})
        self.assertEqual([m.number for m in copy.at((str(TREE / "F.swift"), 5), mutants)], [2])
        self.assertEqual(copy.at((str(TREE / "G.swift"), 5), mutants), [])


class RunningTests(unittest.TestCase):
    def test_suites_are_found_in_the_list_of_tests(self):
        tests, listed = Tests.__new__(Tests), "N.T/a()\nN.Calm/S/`a/b`()/F.swift\nN.Calm/S/c(d:)\nN.Wild/S/c()\nNN.T/a()\n"
        tests.program, tests.package = "/bin/echo", type("Package", (), {"targets": {"N": {}, "a-b": {}}})
        with unittest.mock.patch("running.call", lambda *_: (0, listed)):
            self.assertEqual(tests.suites("N", "Wild"), ["N.Calm/S", "N.T"])
        self.assertEqual([tests.filter(name) for name in ("N.Calm/S", "a-b")], [r"^N\.Calm/S/", r"^a_b\."])

    def test_the_suites_that_reach_a_mutant_and_few_others_try_it(self):
        failing, tried = {"N.B": ("a crash", False)}, []

        class Fake:
            filter = staticmethod(lambda name: name)

            def run(self, name, limit, number):
                tried.append((name, limit))
                return Run(failing.get(name, (None, False)), "", 1, set())
        known = {name: {"seconds": seconds, "reached": reached} for name, seconds, reached in [
            ("N.A", 1, [5, 6, 7]), ("N.B", 5, [6, 7]), ("N.C", 2, [7]), ("N.D", 1, [8])]}
        mutant = Mutant("constant", "F.swift", 1, number=7)
        self.assertEqual(by_suites(Fake(), mutant, known, 1), ("SURVIVED", "passed: N.C"))
        self.assertEqual(by_suites(Fake(), mutant, known, 3), ("noticed", "N.B: a crash"))
        self.assertEqual(tried, [("N.C", 36), ("N.C", 36), ("N.B", 45)])
        mutant.number = 9
        self.assertEqual(by_suites(Fake(), mutant, known, 3)[0], "NOT REACHED")


class ReportTests(unittest.TestCase):
    def test_the_rate(self):
        text = inside("a = 1")
        [mutant] = [m for kinds in Source("F.swift", text).mutants().values() for m in kinds.get("constant", [])[:1]]
        mutant.seed = 5
        told, rate = report([(mutant, "noticed", "", text), (mutant, "SURVIVED", "passed: T", text)])
        self.assertEqual(rate, 50)
        self.assertIn("    - a = 1\n    + a = 2\n", told)


if __name__ == "__main__":
    unittest.main()
