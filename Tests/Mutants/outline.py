"""Finds the structure of a Swift or C file: brackets, statements, conditions, and what is a declaration or a pattern."""

from dataclasses import dataclass, field

TYPES = {"struct", "class", "enum", "extension", "protocol", "actor"}
FUNCTIONS = {"func", "init", "deinit", "subscript"}
WHOLE = {"import", "typealias", "associatedtype", "operator", "precedencegroup", "macro"}
CONTROL = {"if", "guard", "while", "for", "switch", "repeat", "do", "defer", "catch"}
ACCESSORS = {"get", "set", "willSet", "didSet", "_read", "_modify"}
MODIFIERS = {
    "public", "package", "internal", "fileprivate", "private", "open", "static", "final", "mutating", "nonmutating", "override",
    "required", "convenience", "lazy", "weak", "unowned", "nonisolated", "indirect", "consuming", "borrowing", "isolated",
    "prefix", "postfix", "infix", "dynamic", "optional", "sending", "distributed", "async",
}
INLINED = {"@inlinable", "@_transparent", "@_alwaysEmitIntoClient", "@frozen"}
# A line that begins with one of these goes on with the line before.
CONTINUING = {"else", "catch", "where", "as", "is", "throws", "async", "in"}
CLOSERS = {"(": ")", "[": "]", "{": "}"}


@dataclass(eq=False)
class Statement:
    first: int
    frame: "Frame"
    last: int = -1
    head: str = ""  # what it is: a declaring or controlling word, "case", or "expression"
    has_value: bool = False  # an = was met
    opened: bool = False  # the body of a declaration was met
    inlined: bool = False


@dataclass(eq=False)
class Frame:
    """The inside of a pair of brackets; of the file too."""
    kind: str  # "(", "[", file, type, enum, func, init, deinit, get, set, accessors, closure, control, switch
    opener: int
    parent: "Frame | None" = None
    skipped: bool = False  # no mutants inside
    owner: "Statement | None" = None  # the statement that it belongs to
    closer: int = -1
    returns: str = ""  # the result's type, of a function or getter
    statements: list = field(default_factory=list)
    fresh: bool = True  # the next word begins a statement
    header: str = ""  # the controlling word whose block is to come
    condition: int = -1  # where the present condition began
    pattern: bool = False
    has_signature: bool = False
    attribute: bool = False  # the next parenthesis belongs to an attribute

    @property
    def is_code(self):
        return self.kind not in ("(", "[", "type", "enum", "accessors")

    def function(self):
        """The function, accessor or closure around; None outside of all."""
        frame = self
        while frame and frame.kind not in ("func", "init", "deinit", "get", "set", "closure"):
            frame = frame.parent
        return frame


class Outline:
    """`frames[i]` is the frame of word i; `skipped[i]` says that no mutant may change it."""

    def __init__(self, words, is_c=False):
        self.words, self.is_c = words, is_c
        self.frames, self.skipped = [], []
        self.statements, self.conditions = [], []  # conditions: first and last word
        self.file = Frame("file", -1)
        self.partner, self.inside = {}, {}  # of each bracket the other one, of an opening one its frame
        stack = [self.file]
        for index, word in enumerate(words):
            if word.text in (")", "]", "}") and len(stack) > 1:
                self.close(stack.pop(), index)
                continue
            frame = stack[-1]
            self.see(frame, index, word)
            self.frames.append(frame)
            self.skipped.append(frame.skipped or self.is_declaring(frame) or frame.pattern)
            if word.text in CLOSERS:
                self.inside[index] = self.open(frame, index, word)
                stack.append(self.inside[index])
        self.end_statement(self.file, len(words))

    def text(self, first, last):
        return " ".join(word.text for word in self.words[first:last + 1])

    # Statements

    def see(self, frame, index, word):
        if frame.kind not in ("(", "["):
            # Attributes and modifiers on a line of their own belong to what follows.
            if frame.fresh or frame.statements[-1].head and (
                    word.first and self.goes_apart(index) or self.words[index - 1].text == ";"
                    or frame.kind in ("accessors", "type", "enum") and self.words[index - 1].text == "}"):
                self.end_statement(frame, index)
                self.end_condition(frame, index)
                frame.statements.append(Statement(index, frame))
                frame.fresh, frame.header, frame.pattern = False, "", False
            statement = frame.statements[-1]
            if not statement.head:
                self.give_head(frame, statement, index, word)
        if word.text.startswith("@"):
            frame.attribute = True
        elif word.text != "(":
            frame.attribute = False
        self.control(frame, index, word)

    def goes_apart(self, index):
        word, former = self.words[index], self.words[index - 1]
        if self.is_c:
            return former.text in (";", "{", "}")
        if word.text in CONTINUING or word.text in (".", "{", "?", ":") or word.is_operator:
            return False
        return not (former.is_operator or former.text in (",", "=", "->", ".", ":"))

    def give_head(self, frame, statement, index, word):
        text, following = word.text, self.words[index + 1].text if index + 1 < len(self.words) else ""
        if text in INLINED:
            statement.inlined = True
        if text.startswith("@") or frame.attribute and text == "(":
            return
        if text in ("class", "actor") and (following in FUNCTIONS or following in ("var", "let")):
            return
        # Also the parenthesis of `private(set)`.
        if text in MODIFIERS and following not in (".", "=", "{", "?", ":", ")") or text == "(" and index > statement.first:
            return
        if text == "case" and frame.kind == "enum":
            statement.head = "import"
        elif text in ("case", "default") and frame.kind == "switch":
            statement.head = "case"
        elif text in TYPES | FUNCTIONS | WHOLE | CONTROL | {"let", "var"} and following not in (".", "=") and not self.is_c:
            statement.head = text
        else:
            statement.head = text if text in CONTROL or text in ("return", "throw", "break", "continue") else "expression"

    def end_statement(self, frame, index):
        if frame.statements and frame.statements[-1].last < 0:
            statement = frame.statements[-1]
            statement.last = index - 1
            while statement.last > statement.first and self.words[statement.last].text == ";":
                statement.last -= 1
            self.statements.append(statement)

    def control(self, frame, index, word):
        """Follows conditions, patterns and what introduces a block."""
        text, former = word.text, self.words[index - 1].text if index else ""
        statement = frame.statements[-1] if frame.statements else None
        if text == "=" and statement:
            statement.has_value = True
        is_label = index + 1 < len(self.words) and self.words[index + 1].text == ":" and (
            frame.kind == "(" or former == "}")
        if former == "." or is_label:
            return
        if frame.kind == "switch" and statement and statement.head == "case":
            if index == statement.first:
                frame.pattern = True
            elif text == "where":
                frame.pattern = False
            elif text == ":" and not self.in_ternary(statement.first, index):
                frame.pattern, frame.fresh = False, True
                return
        elif text in ("case", "for"):
            frame.pattern = True
        elif text in ("=", "in", "where"):
            frame.pattern = False
        if text in CONTROL and not self.is_declaring(frame) or text == "else" and frame.kind not in ("(", "["):
            self.end_condition(frame, index)
            frame.header = text
            if text in ("if", "guard", "while"):
                frame.condition = index + 1
        elif text == "," and frame.condition >= 0:
            self.end_condition(frame, index)
            frame.condition = index + 1
        elif text == "{":
            self.end_condition(frame, index)
        elif text == "in" and frame.kind == "closure" and not frame.header and not frame.has_signature \
                and len(frame.statements) == 1:
            frame.has_signature = frame.fresh = True
            frame.statements.clear()

    def in_ternary(self, first, index):
        return any(self.words[at].text == "?" and self.words[at].spaced for at in range(first, index))

    def end_condition(self, frame, index):
        if frame.condition >= 0 and index > frame.condition:
            self.conditions.append((frame.condition, index - 1))
        frame.condition = -1

    def is_declaring(self, frame):
        """Whether the words of a declaration's head are being read, such as its parameters and types."""
        statement = frame.statements[-1] if frame.statements else None
        if not statement or statement.opened or self.is_c:
            return False
        return statement.head in TYPES | FUNCTIONS | WHOLE or statement.head in ("let", "var") and not statement.has_value

    # Brackets

    def open(self, frame, index, word):
        statement = frame.statements[-1] if frame.statements else None
        skipped = self.skipped[-1] or word.text == "(" and frame.attribute
        if word.text != "{":
            return Frame(word.text, index, frame, skipped, statement)
        kind, returns = "closure", ""
        if self.is_c:
            kind = "func" if frame is self.file else "control"
        elif statement and self.is_declaring(frame):
            skipped = frame.skipped or statement.inlined and statement.head not in TYPES
            statement.opened = True
            if statement.head in TYPES:
                kind = "enum" if statement.head in ("enum", "extension") else "type"
            elif statement.head in ("let", "var", "subscript"):
                kind = "accessors" if self.has_accessors(index) else "get"
                returns = self.type_after(statement.first, index, "->" if statement.head == "subscript" else ":")
            else:
                kind, returns = statement.head, self.type_after(statement.first, index, "->")
        elif frame.kind == "accessors":
            words = {word.text for word in self.words[statement.first:index]}
            kind, returns = "get" if "get" in words else "set", frame.returns
        elif frame.header:
            kind = "switch" if frame.header == "switch" else "control"
            frame.header = ""
        elif statement and statement.head in ("let", "var") and self.has_accessors(index):
            kind = "accessors"
        return Frame(kind, index, frame, skipped, statement, returns=returns)

    def close(self, frame, index):
        self.end_statement(frame, index)
        self.end_condition(frame, index)
        frame.closer = index
        self.partner[index], self.partner[frame.opener] = frame.opener, index
        self.frames.append(frame.parent)
        self.skipped.append(True)
        if frame.attribute:
            frame.attribute = False

    def has_accessors(self, index):
        following = [word.text for word in self.words[index + 1:index + 4]]
        return bool(following) and (following[0] in ACCESSORS or following[0] in MODIFIERS and following[1] in ACCESSORS)

    def type_after(self, first, last, sign):
        """The text of the type between a sign and the body; empty if there is none."""
        for at in range(last - 1, first, -1):
            if self.words[at].text == sign and self.frames[at] is self.frames[last]:
                type = self.text(at + 1, last - 1).partition(" where ")[0]
                return type if type not in ("Void", "( )", "Never") else ""
        return ""
