"""transport_seeds.py FOLDER: writes what fuzzing of frames and their bodies begins with, into FOLDER/frames, reader, json
requests
and invocations.

Each input begins with the bytes that its case in TransportCases takes for itself.
"""

import pathlib
import struct
import sys

folder = pathlib.Path(sys.argv[1])


def write(fuzzer, name, data):
    path = folder / fuzzer / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(bytes(data))


def int32(number):
    return struct.pack(">i", number)


def frames():
    for index, width in enumerate((1, 2, 4, 8)):
        for order, order_name in ((0, "big"), (4, "little")):
            for itself in (0, 8):
                for unlimited in (0, 16):
                    shape = index | order | itself | unlimited

                    def length(number):
                        return number.to_bytes(width, order_name)

                    def frame(body):
                        return length(len(body) + (width if itself else 0)) + body

                    name = f"{width}-{order_name}{'-itself' if itself else ''}{'-unlimited' if unlimited else ''}"
                    stream = frame(b"") + frame(b"hello") + frame(bytes(range(60)))
                    write("frames", name, bytes([shape, 100, 7]) + stream)
                    if itself:
                        write("frames", f"{name}-too-small", bytes([shape, 100, 2]) + frame(b"a") + length(width - 1) + b"xy")
                    write("frames", f"{name}-too-large", bytes([shape, 4, 3]) + frame(b"abcd") + frame(b"abcde"))
                    write("frames", f"{name}-truncated", bytes([shape, 100, 4]) + stream[:-10])
                    write("frames", f"{name}-header", bytes([shape, 100, 9]) + frame(b"abc") + frame(b"abcd")[: width - 1])
    write("frames", "largest-length", bytes([3, 100, 1]) + b"\xff" * 8 + b"x")
    write("frames", "largest-length-unlimited", bytes([3 | 16, 100, 1]) + b"\xff" * 8 + b"x")
    write("frames", "negative-length", bytes([3 | 16 | 8, 0, 1]) + b"\x80" + b"\0" * 7)

    layouts()


def layouts():
    """Formats that are more than a length; the upper bits of the shape choose them."""

    def varint(number):
        return bytes([number & 127 | 128, number >> 7]) if number > 127 else bytes([number])

    streams = {
        # A field of 3 bytes before a length of 32 bits, 2 behind it.
        "fields": (1 << 5 | 2 | 8, b"abc" + (5).to_bytes(4, "big") + b"dehello" + b"abc" + bytes(4) + b"de"),
        "fields-counted": (1 << 5 | 1 | 4 | 8 | 16, b"ab" + (7).to_bytes(2, "little") + b"cdhello"),
        "prefix": (2 << 5 | 2, (b"GA" + (9).to_bytes(4, "big") + b"hello") * 2),
        "prefix-frame": (2 << 5 | 8 | 16, b"GAabc" + bytes([11]) + b"hello" + b"GB"),
        "varint": (3 << 5, varint(5) + b"hello" + varint(0) + varint(99) + bytes(99)),
        "varint-long": (3 << 5 | 16, b"\x85\x80\x00hello" + b"\xff" * 9 + b"\x01"),
        "varint-too-long": (3 << 5 | 16, b"\x80" * 11),
        "lines": (4 << 5, b"hello\r\n\nworld\n\r\rx\r\r\n"),
        "lines-crlf": (4 << 5 | 1 | 16, b"hello\r\nworld\nno end"),
        "lines-too-long": (4 << 5, b"x" * 101 + b"\n"),
        "delimiter-1": (5 << 5, b"\x02\x03\x01\x01hello\x01"),
        "delimiter-4": (5 << 5 | 3, b"a\x01\x02\x01\x01\x01\x01\x02\x01\x02\x01\x01b"),
        "sample": (6 << 5, b"f\x04ello\x55" + b"g\x00\x55" + b"h\x00\x54"),
    }
    for name, (shape, stream) in streams.items():
        write("frames", name, bytes([shape, 100, 7]) + stream)
        write("frames", f"{name}-small", bytes([shape, 4, 2]) + stream)
        write("frames", f"{name}-cut", bytes([shape, 100, 4]) + stream[:-3])


def reader():
    for zero, layout in ((0, "prefixed"), (1, "terminated")):

        def reads(name, kinds, message):
            write("reader", f"{name}-{layout}", bytes([len(kinds) << 1 | zero, *kinds]) + message)

        def string(text):
            data = text.encode() + b"\0" * zero
            return int32(len(data)) + data

        reads("numbers", [0, 1, 2, 3, 4, 5, 6], bytes(range(1, 28)) + b"\1")
        reads("strings", [7, 7, 8], string("a é漢") + string("") + int32(3) + b"\0\1\2")
        reads("flags", [6, 6, 6], b"\0\1\2")
        for length in (-1, -(2**31), 2**31 - 1, 5):
            reads(f"length{length}", [7, 8, 10], int32(length) + b"abc")
        reads("not-utf8", [7], int32(3) + b"\xed\xa0\x80")
        samples = [
            b"\0\1", b"\1" + bytes(26), b"\2" + string("hello"), b"\3" + int32(2) + b"ab", b"\5\0\0",
            b"\4" + int32(2) + b"\0\0\0\1", b"\4" + int32(0),
        ]
        for index, sample in enumerate(samples):
            reads(f"value{index}", [9], sample)
            reads(f"message{index}", [], sample)
        reads("values", [9] * 7, b"".join(samples))
        reads("array", [10], int32(len(samples)) + b"".join(samples))
        for depth in (62, 63, 64, 100):
            reads(f"depth{depth}", [9], b"\5" * depth + b"\0\1")
            reads(f"message-depth{depth}", [], b"\5" * depth + b"\0\1")
        reads("arrays", [10], (int32(1) + b"\4") * 70 + int32(0))


TEXTS = r"""
{}
[]
null
true
-0
-0.5e-7
1E+2
1e400
18446744073709551615
9223372036854775808
1.7976931348623157e308
5e-324
""
"\u00e9\ud83c\udca1\/\b\f\n\r\t\"\\"
"é漢🂡"
 [ 1 , 2 ]
{"a":{"b":[1,{"c":null}]},"é":1,"\u0065\u0301":2,"a":2}
[1,2
{"a"
"ab
[1,]
{1:2}
01
1.
.5
nul
"\ud800"
"\ud800\u0041"
"\udc00"
{"small":-128,"large":18446744073709551615,"float":1.5,"double":-1e-300,"flag":true,"text":"x","names":{"a":1,"b":-2}}
{"choice":{"name":{"_0":"n"}},"forms":[{},{"small":1}]}
{"choice":{"both":{"first":{"nothing":{}},"second":[{"nothing":{}}]}}}
{"small":128}
{"float":1e39}
{"small":1.0}
{"large":-1}
{"choice":{"nothing":{},"name":{"_0":""}}}
{"names":{"a":1.5}}
{"forms":[{"forms":[{"forms":[]}]}]}
"""


def json():
    texts = [text.encode() for text in TEXTS.strip("\n").split("\n")]
    texts += [b"[" * 32 + b"]" * 32, b"[" * 33 + b"]" * 33, b'"\x01"', b"\xef\xbb\xbf1"]
    texts += [b'"\xc3("', b"\xfe\xff\0[\0]", b'"\xed\xa0\x80"']
    for index, text in enumerate(texts):
        write("json", f"value-{index:02}", b"\0" + text)
        write("json", f"form-{index:02}", b"\1" + text)


def requests():
    def number(value):
        return struct.pack(">Q", value)

    def frame(body):
        return bytes([3, len(body)]) + body

    def steps(name, *parts):
        for limits in (0, 5, 15):
            write("requests", f"{name}-{limits}", bytes([limits]) + b"".join(map(bytes, parts)))

    ask, give_up, finish, end = [0, 100], [1, 1], [6, 0], [7, 7]
    request, reply, failure, cancel, notification = ([2, kind, 0] for kind in range(5))
    answer, refuse, wait, wait_long = [4, 0], [4, 1], [5, 10], [5, 255]
    steps("asked", ask, reply, ask, failure, ask, ask, reply, reply)
    steps("waiting", *[ask] * 6, give_up, *[reply] * 6)
    steps("abandoned", ask, give_up, ask, reply, reply, ask, wait_long, reply)
    steps("late", [0, 1], [0, 2], [0, 3], wait, wait_long, reply, reply)
    steps("answered", request, answer, request, refuse, [2, 0, 1], [2, 0, 2], answer, answer)
    steps("cancelled", request, cancel, cancel, answer, request, [2, 0, 1], [2, 3, 1], answer, answer)
    steps("busy", *[[2, 0, value] for value in range(6)], *[answer] * 6)
    steps("twice", request, request)
    steps("finished", ask, request, [2, 0, 1], finish, ask, answer, wait_long, answer)
    steps("finished-late", request, finish, wait, wait_long, wait_long, answer)
    steps("ended", ask, ask, request, end, ask, answer)
    steps("notified", notification, notification, finish, notification)
    steps("unknown", frame(b""), ask)
    for kind in range(7):
        steps(f"short-{kind}", ask, request, frame(bytes([kind]) + bytes(4)), ask)
        steps(f"whole-{kind}", ask, request, frame(bytes([kind]) + number(1)), ask)
        steps(f"long-{kind}", ask, frame(bytes([kind]) + number(1) + b"tail"), ask)
    steps("error", ask, frame(bytes([3]) + number(1) + int32(1) + b"a" + int32(1) + b"b"))
    steps("error-lengths", ask, frame(bytes([3]) + number(1) + int32(-1)))
    steps("error-text", ask, frame(bytes([3]) + number(1) + int32(0) + int32(2) + b"\xff\xfe"))


frames()


def invocations():
    """Each call is its kind, its number of bytes and its bytes: see InvocationCase."""
    name = "$s18TransportFuzzCases7CounterC"
    methods = [name + rest for rest in (
        "3add_2toSaySiSgGs4Int8VSg_SSSgtYaKFTE", "4tree_2ofAA4TreeVAG_AG6ChoiceOtYaKFTE", "4turnyACSgAEYaKFTE", "5letGoyyYaKFTE")]

    def call(kind, content):
        return bytes([kind, len(content)]) + content

    def text(string):
        return int32(len(string)) + string

    def body(recipient, method, *arguments):
        return call(0, recipient + text(method.encode()) + b"".join(map(text, arguments)))

    counter = b"\1" + text(b"counter")
    first = b"\0" + (1).to_bytes(8, "big")
    arguments = {
        "add": (4, [b"3", b'"ada"'], [b"null", b"null"], [b"7", b'""'], [b"128", b"null"], [b"3"], [b"3", b"4", b"5"]),
        "tree": (1, [b'{"branches":[]}', b'{"name":{"_0":"a"}}'],
                 [b'{"choice":{"number":{"_0":1e3}},"branches":[{"branches":[]}]}', b'{"flags":{"_0":{"a":true}}}'],
                 [b'{"branches":[' * 9, b"{}"], [b'{"branches":{}}', b'{"name":{}}']),
        "turn": (2, [b"null"], [b'{"mine":5}'], [b'{"yours":"counter"}'], [b'{"yours":1}'], [b'{"yours":2}'], [b'{"mine":-1}']),
        "let-go": (3, [], [b"1"]),
    }
    for method, (kind, *lists) in arguments.items():
        for index, values in enumerate(lists):
            write("invocations", f"{method}-{index}", call(kind, b"\0".join(values)))
            write("invocations", f"{method}-{index}-body", body(counter, methods[kind % 4], *values))
            write("invocations", f"{method}-{index}-by-number", call(2, b"null") + call(kind | 128, b"\0".join(values)))
    write("invocations", "number-that-was-not-given", body(first, methods[3]))
    write("invocations", "number-of-nobody", call(2, b"null") + call(192, b"") + body(b"\0" + b"\xff" * 8, methods[3]))
    write("invocations", "references-there-and-back", call(2, b"null") + call(2, b'{"yours":1}') + call(130, b'{"mine":9}'))
    for index, method in enumerate((
            "", "$s", "TE", name, name + "TE", methods[0].replace("7Counter", "4Tree"), methods[3] + "x", methods[3][:-2],
            name + "0000TE", name + "9999addTE", name + "3addyySi_Sit_AAtTE", methods[3].replace("5letGo", "05letG0o"),
            "$s18TransportFuzzCases4TreeV8branchesSayACGvg", methods[2].replace("4turn", "4turnAA"))):
        write("invocations", f"method-{index}", body(counter, method))
    for index, recipient in enumerate((b"", b"\2", b"\0\0", b"\1" + int32(-1), b"\1" + text(b"a" * 65), b"\1" + text(b"\xff"))):
        write("invocations", f"recipient-{index}", body(recipient, methods[3]))
    write("invocations", "many-arguments", body(counter, methods[3], *[b""] * 40))


reader()
json()
requests()
invocations()
