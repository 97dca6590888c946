"""The kinds of mutants, and where in a file each can be made."""

import re

from edits import Edit, Mutant
from outline import CONTROL, Outline
from words import words

COMPARISONS = {"<": "<=", "<=": "<", ">": ">=", ">=": ">", "==": "!=", "!=": "==", "===": "!==", "!==": "==="}
# Operators that bind less than a comparison: its operands end there.
WEAKER = {"&&", "||", "=", "->", "+=", "-=", "*=", "/=", "%=", "|=", "&=", "^=", "&+=", "&-=", ",", ";", "?", ":"}
BEFORE = {"if", "guard", "while", "return", "try", "await", "in", "else", "where", "case", "throw", "for", "switch", "yield"}
# Statements that no test can judge: they end a program that is wrong, only make it faster, or only keep a value for longer. No
# initializer may be missing.
UNJUDGED = re.compile(
    r"[\w. ]*\b(precondition|assert|fatalError|checkIsolated|reserveCapacity|withExtendedLifetime|\w*prefetch)"
    r"|(try |await )*(super|self) \. init\b")
CHECKS = re.compile(r"[\w. ]*\b(precondition|assert|fatalError)")
# Arguments that say how much memory to keep, or where, and nothing of what comes out.
HINTS = {"alignment", "keepingCapacity", "minimumCapacity"}
# Functions whose arguments have no order.
COMMUTATIVE = {"min", "max"}
# Whether the bound belongs to it makes no difference: an order of values that are the same if they are equal, or of the keys of a
# dictionary, which never are; and the time of a real clock, which no test can stop at one nanosecond.
ORDERED = re.compile(r"\$([01])( \. key)?")
REAL_TIME = {". now", "ContinuousClock . now"}
BOUNDS = {"<", "<=", ">", ">="}


class Source:
    """A file, and its places for mutants by line."""

    def __init__(self, name, text, names=(), defaults=None):
        self.name, self.text, self.is_c = name, text, name.endswith((".c", ".h"))
        self.words = words(text, names, self.is_c)
        self.outline = Outline(self.words, self.is_c)
        self.defaults = defaults or {}
        for statement in self.outline.statements:
            if statement.head == "expression" and CHECKS.match(self.outline.text(statement.first, statement.last)):
                self.outline.skipped[statement.first:statement.last + 1] = [True] * (statement.last + 1 - statement.first)
        self.types = types_by_name(self.words)
        # The names of local values.
        self.locals = {
            word.text for at, word in enumerate(self.words)
            if at and self.words[at - 1].text in ("let", "var") and self.frame(at).is_code and self.frame(at).function()}
        # The lines that count: those with code, and more than a bracket.
        self.lines = sorted({
            word.line for word, skipped in zip(self.words, self.outline.skipped)
            if not skipped and word.kind in ("name", "number", "string")})

    def mutants(self):
        """All mutants of the file, by line and kind."""
        result = {}
        finders = [comparisons, constants, dropped_statements, negated_conditions] + ([] if self.is_c else [
            early_returns, swapped_arguments, dropped_arguments])
        for finder in finders:
            for kind, at, edits in finder(self):
                line = self.words[at].line
                result.setdefault(line, {}).setdefault(kind, []).append(Mutant(kind, self.name, line, edits))
        return result

    # What the finders use.

    def part(self, first, last):
        return self.text[self.words[first].start:self.words[last].end]

    def choice(self, first, last, changed, original=None):
        """Chooses between two expressions."""
        original = original or self.part(first, last)
        # A file's last line may be a comment.
        return Edit(self.words[first].start, self.words[last].end, f"({{on}} ? {changed} : {original})", changed)

    def step_back(self, at):
        """The word before, or the bracket that opens the one before."""
        at -= 1
        return self.outline.partner.get(at, at) if at >= 0 and self.words[at].text in (")", "]", "}") else at

    def begins(self, at):
        return any(statement.first == at for statement in self.frame(at).statements)

    def frame(self, at):
        return self.outline.frames[at]


def types_by_name(all_words):
    """The texts of the types with which a name is declared anywhere in the file."""
    types = {}
    for at in range(1, len(all_words) - 2):
        if all_words[at].kind == "name" and all_words[at + 1].text == ":" and all_words[at + 2].text[:1].isupper() \
                and (all_words[at - 1].text in ("let", "var", "(", ",") or all_words[at - 1].kind == "name"):
            following = all_words[at + 3].text if at + 3 < len(all_words) else ""
            if following not in ("(", "."):
                types.setdefault(all_words[at].text, set()).add(all_words[at + 2].text)
    return types


# MARK: Kinds

def comparisons(source):
    for at, word in enumerate(source.words):
        new = COMPARISONS.get(word.text)
        if not new or not word.spaced or source.outline.skipped[at] or word.kind != "sign":
            continue
        first, last = operands(source, at)
        if first < at < last and not (word.text in BOUNDS and is_bound_alike(source, first, at, last)):
            left, right = source.text[source.words[first].start:word.start], source.text[word.end:source.words[last].end]
            yield "comparison", at, [source.choice(first, last, f"{left}{new}{right}")]


def is_bound_alike(source, first, at, last):
    """Whether two values are compared of which nobody can tell whether they may be equal, too."""
    left, right = source.outline.text(first, at - 1), source.outline.text(at + 1, last)
    one, other = ORDERED.fullmatch(left), ORDERED.fullmatch(right)
    return bool(one and other and one[1] != other[1] and one[2] == other[2]) or bool({left, right} & REAL_TIME)


def operands(source, at):
    """The first and last word of a comparison."""
    frame, all_words = source.frame(at), source.words
    first = at
    while True:
        former = source.step_back(first)
        if former <= frame.opener or stops(source, former) or source.begins(first):
            break
        first = former
    last = at
    ends = {statement.last for statement in frame.statements}
    while last + 1 < len(all_words):
        following = last + 1
        text = all_words[following].text
        if following == frame.closer or last in ends or stops(source, following) or is_block(source, following):
            break
        if text in ("(", "[", "{"):
            following = source.outline.partner.get(following, following)
        last = following
    return first, last


def stops(source, at):
    word = source.words[at]
    if word.text in ("?", ":"):
        return word.spaced or word.text == ":"
    return word.text in WEAKER or word.kind == "name" and word.text in BEFORE and source.words[at - 1].text != "."


def constants(source):
    for at, word in enumerate(source.words):
        former = source.words[at - 1]
        # Not the place in a tuple, nor the size of an InlineArray.
        if source.outline.skipped[at] or former.text == "." or former.text == "<" and not former.spaced:
            continue
        if former.text == ":" and source.words[at - 2].text in HINTS:
            continue
        if word.kind == "name" and word.text in ("true", "false"):
            yield "constant", at, [source.choice(at, at, "false" if word.text == "true" else "true")]
        elif word.kind == "number" and (changes := other_numbers(word.text)):
            for new in changes:
                yield "constant", at, [source.choice(at, at, new)]


def other_numbers(text):
    """One more and one less. Of numbers in the tens and more, the double and the half: a thousandth more of a time, or a place more in a
    buffer, changes nothing that anybody could see."""
    plain = text.replace("_", "").rstrip("uUlL" if not text.startswith("0x") else "uUL")
    suffix = text.replace("_", "")[len(plain):]
    if "." in plain or "e" in plain.lower() and not plain.startswith("0x"):
        return [f"({text} + 1)", f"({text} * 0.5)"]
    value = int(plain, 0) if not plain.isdigit() else int(plain)
    write = (lambda number: hex(number) + suffix) if plain.startswith("0x") else (lambda number: str(number) + suffix)
    if value == 0:
        return [write(1)]
    more, less = (value * 2, value // 2) if value > 16 and not plain.startswith("0x") else (value + 1, value - 1)
    # All bits set: more may not fit.
    return [write(less)] if value > 100 and value & (value + 1) == 0 else [write(more), write(less)]


def dropped_statements(source):
    outline = source.outline
    for statement in outline.statements:
        if not is_droppable(source, statement):
            continue
        text = source.part(statement.first, statement.last)
        end = source.words[statement.last].end
        if source.is_c:
            end += 1
            edit = Edit(source.words[statement.first].start, end, "if (!{on}) " + text + ";", ";")
        else:
            edit = Edit(source.words[statement.first].start, end, "if !{on} { " + text + " }", "")
        yield "dropped statement", statement.first, [edit]


def is_droppable(source, statement):
    frame, outline = statement.frame, source.outline
    if not frame.is_code or frame.kind == "file" \
            or outline.skipped[statement.first] or statement.head != "expression":
        return False
    text = outline.text(statement.first, statement.last)
    if UNJUDGED.match(text) or source.words[statement.first].kind != "name" and source.words[statement.first].text != "(":
        return False
    # What is kept until there. A property may be made when it is read for the first time.
    if (kept := re.fullmatch(r"_ = (\w+)", text)) and kept[1] in source.locals:
        return False
    signs = [
        at for at in range(statement.first, statement.last + 1)
        if source.words[at].text in WEAKER - {",", ";", "?", ":", "->", "&&", "||"} and outline.frames[at] is frame]
    function = frame.function()
    if source.is_c:
        return source.text[source.words[statement.last].end] == ";" and (
            bool(signs) or bool(re.fullmatch(r"\w+ \(.*\)", text))) and not re.match(r"\w+ (\w|\*)", text)
    if signs:
        # What is not set in an initializer does not compile.
        return not (function and function.kind == "init" and signs[0] - statement.first <= 3)
    if source.words[statement.last].text not in (")", "}", "!") or not function:
        return False
    # A block's only expression may be its value.
    is_only = len(frame.statements) == 1 or frame.kind == "switch"
    return not is_only or not function.returns and function.kind != "get" and (
        function.kind != "closure" or text.startswith("self ?"))


def negated_conditions(source):
    for first, last in source.outline.conditions:
        texts = {source.words[at].text for at in range(first, last + 1) if source.frame(at) is source.frame(first)}
        if source.outline.skipped[first] or texts & {"let", "var", "case", "_", "=", ";"} or source.words[first].text[0] == "#":
            continue
        if source.is_c:
            continue
        text = source.part(first, last)
        yield "negated condition", first, [
            Edit(source.words[first].start, source.words[last].end, f"{{on}} != ({text})", f"!({text})")]
    if source.is_c:
        for at, word in enumerate(source.words):
            if word.text in ("if", "while") and at + 1 in source.outline.partner and source.words[at + 1].text == "(":
                first, last = at + 2, source.outline.partner[at + 1] - 1
                text = source.part(first, last)
                yield "negated condition", first, [
                    Edit(source.words[first].start, source.words[last].end, f"{{on}} != !!({text})", f"!({text})")]


def early_returns(source):
    outline = source.outline
    for statement in outline.statements:
        frame, at = statement.frame, statement.first
        function = frame.function()
        # At the very beginning it would drop the whole body, which anything notices.
        if not frame.is_code or frame.kind in ("file", "switch") or outline.skipped[at] or not function \
                or statement is function.statements[0] or statement.head in ("return", "throw", "case", "break", "continue", "defer") \
                or function.kind not in ("func", "get", "set") or UNJUDGED.match(outline.text(at, statement.last)) \
                or in_deferred(frame):
            continue
        value = empty_value(function.returns)
        if value is None:
            continue
        body = {source.words[i].text for i in range(function.opener, function.closer)}
        if function.returns and "return" not in body:
            continue
        start = source.words[at].start
        yield "early return", at, [Edit(start, start, f"if {{on}} {{ return{value} }}; ", f"return{value}; ")]


def in_deferred(frame):
    while frame:
        if frame.owner and frame.owner.head == "defer":
            return True
        frame = frame.parent
    return False


def empty_value(type):
    """What a function of that type can return at any place; None if that is not known."""
    if type.endswith("?"):
        return " nil"
    return {"": "", "Bool": " false", "Int": " 0", "String": ' ""'}.get(type, " []" if re.fullmatch(r"\[ .* \]", type) else None)


# MARK: Arguments

def calls(source):
    """The callee's name, its parenthesis, and the first and last word of each argument's label and value; of tuples too."""
    for at, word in enumerate(source.words):
        if word.text != "(" or source.outline.skipped[at] or at not in source.outline.partner:
            continue
        close = source.outline.partner[at]
        if close == at + 1:
            continue
        former = source.words[at - 1]
        is_call = former.end == word.start and (former.kind == "name" or former.text in (">", "?", "!"))
        arguments, first = [], at + 1
        inner = [i for i in range(at + 1, close) if source.frame(i) is not source.frame(at) and source.words[i].text == ","
                 and source.frame(i).opener == at]
        for end in inner + [close]:
            if end > first:
                has_label = source.words[first].kind == "name" and source.words[first + 1].text == ":"
                arguments.append((source.words[first].text if has_label else "", first + 2 if has_label else first, first, end - 1))
            first = end + 1
        yield former.text if is_call and former.kind == "name" else "", at, arguments


def swapped_arguments(source):
    for name, at, arguments in calls(source):
        if name in COMMUTATIVE:
            continue
        after = source.outline.partner[at] + 1
        if after < len(source.words) and source.words[after].text == "=":
            continue
        for (_, first, _, last), (_, other_first, _, other_last) in zip(arguments, arguments[1:]):
            if first > last or other_first > other_last or not are_alike(source, (first, last), (other_first, other_last)):
                continue
            one, other = source.part(first, last), source.part(other_first, other_last)
            yield "swapped arguments", first, [source.choice(first, last, other), source.choice(other_first, other_last, one)]


def are_alike(source, one, other):
    """Whether two values seem to have the same type, and differ."""
    first, second = source.outline.text(*one), source.outline.text(*other)
    if first == second or first.startswith("&") or second.startswith("&"):
        return False
    kinds = [source.words[part[0]].kind for part in (one, other)]
    if one[0] == one[1] and other[0] == other[1] and kinds[0] == kinds[1] and kinds[0] in ("number", "string"):
        # Text for people is not judged.
        return " " not in source.part(*one) + source.part(*other)
    path = r"(?:self \. )?(?:\w+ \. )*(\w+)"
    match, second_match = re.fullmatch(path, first), re.fullmatch(path, second)
    if match and second_match:
        name, second_name = match[1], second_match[1]
        return name == second_name or bool(source.types.get(name, set()) & source.types.get(second_name, set()))
    callee = r"((?:\w+ \. )*\w+) \(.*\)"
    match, second_match = re.fullmatch(callee, first), re.fullmatch(callee, second)
    return bool(match and second_match and match[1] == second_match[1])


def declared_defaults(all_words):
    """The labels with a default, and those of optional values, by the name of the function or type."""
    outline = Outline(all_words)
    result = {}
    for statement in outline.statements:
        if statement.head not in ("func", "init"):
            continue
        at = next(i for i in range(statement.first, statement.last + 1) if all_words[i].text == statement.head)
        name = all_words[at + 1].text if statement.head == "func" else enclosing_type(outline, statement)
        opener = next((i for i in range(at + 1, statement.last) if all_words[i].text == "("), None)
        if opener is None or opener not in outline.partner:
            continue
        start = opener + 1
        for i in range(opener + 1, outline.partner[opener] + 1):
            if all_words[i].text == "," and outline.frames[i].opener == opener or i == outline.partner[opener]:
                texts = [word.text for word in all_words[start:i]]
                if texts and texts[0] != "_":
                    if "=" in texts:
                        result.setdefault(name, {})[texts[0]] = "dropped"
                    elif texts[-1] == "?":
                        result.setdefault(name, {}).setdefault(texts[0], "nil")
                start = i + 1
    return result


def enclosing_type(outline, statement):
    owner = statement.frame.owner
    if not owner:
        return "init"
    for at in range(owner.first, owner.last if owner.last > 0 else len(outline.words)):
        if outline.words[at].text in ("struct", "class", "enum", "extension", "actor"):
            at += 1
            while outline.words[at + 1].text == ".":
                at += 2
            return outline.words[at].text
    return "init"


def dropped_arguments(source):
    for name, at, arguments in calls(source):
        known = source.defaults.get(name, {})
        if name == "init":
            known = source.defaults.get(type_around(source, at), {})
        for index, (label, first, start, last) in enumerate(arguments):
            if not label or first > last or label not in known or label in HINTS:
                continue
            if known[label] == "nil":
                if source.outline.text(first, last) != "nil":
                    yield "dropped argument", start, [source.choice(first, last, "nil")]
                continue
            others = [source.part(s, e) for i, (_, _, s, e) in enumerate(arguments) if i != index]
            begin, end = whole_call(source, at)
            changed = source.part(begin, at) + ", ".join(others) + source.text[
                source.words[source.outline.partner[at]].start:source.words[end].end]
            original = source.part(begin, end)
            statement = next((s for s in source.frame(at).statements if s.first <= begin and end == s.last), None)
            if statement and all(source.words[i].text in ("try", "await", "?", "!") for i in range(statement.first, begin)):
                before = source.text[source.words[statement.first].start:source.words[begin].start]
                edit = Edit(source.words[statement.first].start, source.words[end].end,
                            f"if {{on}} {{ {before}{changed} }} else {{ {before}{original} }}", before + changed)
                if statement.head == "expression" and len(statement.frame.statements) > 1:
                    yield "dropped argument", start, [edit]
                    continue
            if name != "init":
                yield "dropped argument", start, [source.choice(begin, end, changed)]


def type_around(source, at):
    """The name of the type whose code this is, in which `self.init` may be called."""
    frame = source.frame(at)
    while frame and frame.kind not in ("type", "enum"):
        frame = frame.parent
    if not frame or not frame.statements:
        return ""
    return enclosing_type(source.outline, frame.statements[0])


def whole_call(source, at):
    """The first and last word of a call with the given parenthesis, with its callee and a closure that follows."""
    first = at - 1
    while first > 0:
        former = source.words[first - 1]
        if source.words[first].text == "." and former.end == source.words[first].start and former.text not in ("(", "["):
            first = source.step_back(first)
        elif former.text == "." and former.end == source.words[first].start:
            first -= 1
        elif source.words[first].text in ("?", "!", "(", "[", "{") and former.end == source.words[first].start \
                and (former.kind == "name" or former.text in ("?", "!", ">")):
            first -= 1
        elif source.words[first].text in ("?", "!") and former.text in (")", "]") and former.end == source.words[first].start:
            first = source.step_back(first)
        else:
            break
    last = source.outline.partner[at]
    while match := [at for at in (last + 1, last + 3) if at < len(source.words) and source.words[at].text == "{"][:1]:
        # A closure, or one with a label.
        if is_block(source, match[0]) or source.words[match[0]].line != source.words[last].line \
                or match[0] == last + 3 and source.words[last + 2].text != ":":
            break
        last = source.outline.partner[match[0]]
    return first, last


def is_block(source, at):
    """Whether a brace opens a block, and not a closure."""
    return source.words[at].text == "{" and source.outline.inside[at].kind != "closure"
