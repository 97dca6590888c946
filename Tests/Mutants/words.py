"""Cuts the text of a Swift or C file into words: names, numbers, strings and signs, without comments and inactive code."""

import re
from dataclasses import dataclass

SIGN = re.compile(
    r"\.\.\.|\.\.<|->|===|!==|==|!=|<=|>=|&&|\|\||\?\?|<<=|&[-+*]=?|[-+*/%&|^]=|\+\+|--|[-+*/%=<>!&|^~?.,:;(){}\[\]\\$#]")
NUMBER = re.compile(r"0x[0-9A-Fa-f_]+[uUlL]*|0b[01_]+|0o[0-7_]+|\d[\d_]*(\.\d[\d_]*)?([eE][-+]?\d+)?[uUlL]*")
NAME = re.compile(r"[@#$]?[A-Za-z_]\w*|`[^`\n]+`|\$\d+")
STRING = re.compile(r'#*"')
DIRECTIVE = re.compile(r"[ \t]*#[ \t]*(if|ifdef|ifndef|elseif|elif|else|endif)\b[ \t]*(.*)")


@dataclass(slots=True)
class Word:
    kind: str  # name, number, string or sign
    text: str
    start: int
    end: int
    line: int
    first: bool  # on its line
    spaced: bool  # there is space on both sides, as beside every binary operator

    @property
    def is_operator(self):
        """Whether it stands between two operands."""
        return self.kind == "sign" and self.spaced and self.text[0] not in "(){}[],;:"


def end_of_string(text, at):
    """The end of the string literal that begins there, with all that is interpolated."""
    hashes = text.index('"', at) - at
    at += hashes
    quote = '"""' if text.startswith('"""', at) else '"'
    at += len(quote)
    closing, escape = quote + "#" * hashes, "\\" + "#" * hashes
    while at < len(text):
        if text.startswith(escape + "(", at):
            at = end_of_interpolation(text, at + len(escape) + 1)
        elif text.startswith(escape, at):
            at += len(escape) + 1
        elif text.startswith(closing, at):
            return at + len(closing)
        else:
            at += 1
    return at


def end_of_interpolation(text, at):
    depth = 1
    while at < len(text) and depth:
        if STRING.match(text, at):
            at = end_of_string(text, at)
            continue
        depth += {"(": 1, ")": -1}.get(text[at], 0)
        at += 1
    return at


def end_of_comment(text, at):
    depth = 0
    while at < len(text):
        if text.startswith("/*", at):
            depth, at = depth + 1, at + 2
        elif text.startswith("*/", at):
            depth, at = depth - 1, at + 2
            if depth == 0:
                break
        else:
            at += 1
    return at


def holds(condition, names):
    """Whether code under `#if condition` is active; what is not just a name counts as active."""
    match = re.fullmatch(r"(!?)([A-Za-z_]\w*)", condition.strip())
    return True if not match else (match[2] in names) != bool(match[1])


def words(text, names=(), is_c=False):
    """The words of a file. `names` are those for which `#if` holds."""
    result, at, line = [], 0, 1
    active = []  # one entry for each #if: whether its present part counts
    line_start = True
    while at < len(text):
        if text[at] == "\n":
            at, line, line_start = at + 1, line + 1, True
            continue
        if line_start and (match := DIRECTIVE.match(text, at)):
            what, condition = match[1], match[2].partition("//")[0]
            if what in ("if", "ifdef", "ifndef"):
                active.append(True if is_c else holds(condition, names))
            elif what == "endif":
                active.pop()
            elif what == "else":
                active[-1] = not active[-1]
            else:
                active[-1] = not active[-1] and holds(condition, names)
            at = match.end()
            continue
        if is_c and line_start and (match := re.compile(r"[ \t]*#(.*\\\n)*.*").match(text, at)):
            line += match[0].count("\n")
            at = match.end()
            continue
        if text[at] in " \t\r":
            at += 1
            continue
        if text.startswith("//", at):
            at = (text + "\n").index("\n", at)
            continue
        if text.startswith("/*", at):
            end = end_of_comment(text, at)
            line += text.count("\n", at, end)
            at = end
            continue
        if STRING.match(text, at):
            kind, end = "string", end_of_string(text, at)
        elif is_c and text[at] == "'":
            kind, end = "string", re.compile(r"'(\\.|[^'])*'").match(text, at).end()
        elif match := NUMBER.match(text, at):
            kind, end = "number", match.end()
        elif match := NAME.match(text, at):
            kind, end = "name", match.end()
        else:
            match = SIGN.match(text, at)
            kind, end = "sign", match.end() if match else at + 1
        if all(active):
            spaced = text[at - 1:at] in ("", " ", "\n") and text[end:end + 1] in ("", " ", "\n")
            result.append(Word(kind, text[at:end], at, end, line, line_start, spaced))
        line += text.count("\n", at, end)
        at, line_start = end, False
    return result
