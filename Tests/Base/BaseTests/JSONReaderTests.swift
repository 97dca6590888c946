import Testing

@testable import _BonjourishBase

@Suite struct JSONReaderTests {
  private func read(_ text: String, _ limits: JSONReader.Limits = JSONReader.Limits()) throws(JSONReader.Flaw) -> JSONValue {
    try JSONReader.read(Array(text.utf8), limits)
  }

  @Test func `values of all kinds are read`() throws {
    let value = try read(
      #" {"a": [1, -2, 1.5, 1e2, 99999999999999999999], "b": "x\ud83c\udca1\u00e9\n\/", "c": [true, false, null, {}]} "#)
    #expect(value["a"] == .array([1, -2, .otherNumber(1.5), .otherNumber(100), .otherNumber(1e20)]))
    #expect(value["b"] == "x🂡é\n/")
    #expect(value["c"] == .array([true, false, .null, [:]]))
  }

  @Test(
    arguments: [
      ("", 0, "a JSON value"), ("nul", 0, "null"), ("[1,]", 3, "a JSON value"), ("[1 2]", 3, "a comma or the end of an array"),
      (#"{"a" 1}"#, 5, "a colon"), ("{1:2}", 1, "the name of a field"), ("01", 1, "the end of the text"), ("1.", 2, "a digit"),
      (#""\x""#, 2, "an escape that JSON has"), (#""\ud800\u0041""#, 2, "a whole surrogate pair"),
      (#""\u12G4""#, 5, "a hexadecimal digit"), ("\"\u{1}\"", 1, "no control character in a string"),
      ("\"ab", 3, "the end of a string"), ("\u{B}1", 0, "a JSON value"), ("[", 1, "a JSON value"),
      ("true1", 4, "the end of the text"), ("[1", 2, "a comma or the end of an array"),
      (#"{"a":1"#, 6, "a comma or the end of an object"),
      (#"{"a":1,}"#, 7, "the name of a field"), ("-", 1, "a digit"), ("1e+", 3, "a digit"),
      (#""\"#, 2, "an escape that JSON has"),
      (#""\ud800""#, 2, "a whole surrogate pair"), (#""\udc00\ud800""#, 2, "a whole surrogate pair"),
      (#""\ud800\ud800""#, 2, "a whole surrogate pair"), (#""\u12"#, 5, "a hexadecimal digit"),
      ("\"\u{1F}\"", 1, "no control character in a string"),
    ])
  func `what is no JSON is refused at its byte, whether it is read or only checked`(
    text: String, position: Int, expected: String
  ) {
    let flaw = #expect(throws: JSONReader.Flaw.self) { try read(text) }
    #expect(flaw?.position == position && flaw?.expected == expected && flaw?.isTooDeep == false)
    let checked = #expect(throws: JSONReader.Flaw.self) { try JSONReader.check(Array(text.utf8), maximumDepth: 8) }
    #expect(checked == flaw)
  }

  @Test func `a field that is named twice, and bytes that are not UTF-8, are refused when they are read`() throws {
    let flaw = #expect(throws: JSONReader.Flaw.self) { try read(#"{"a":1,"\u0061":2}"#) }
    #expect(flaw?.expected == "a name only once")
    #expect(throws: Never.self) { try JSONReader.check(Array(#"{"a":1,"a":2}"#.utf8), maximumDepth: 8) }
    let other = #expect(throws: JSONReader.Flaw.self) { try JSONReader.read([0x22, 0xFF, 0x22]) }
    #expect(other?.expected == "UTF-8")
  }

  @Test(
    arguments: [
      (" \t\r\n7 \t\r\n", 7), ("-0", 0), ("9223372036854775807", .integer(.max)), ("9223372036854775808", .otherNumber(0x1p63)),
      ("-0.5E+1", .otherNumber(-5)), ("25e-2", .otherNumber(0.25)), ("1e999", .otherNumber(.infinity)),
      (#""\"\\\/\b\f\n\r\t\u0000\uABcd\udbff\udfff""#, "\"\\/\u{8}\u{C}\n\r\t\0\u{ABCD}\u{10FFFF}"),
      ("\" \u{7F}é\"", " \u{7F}é"), ("{ }", [:]), ("[ ]", []), (#"{ "" : [ null ] , "b":false}"#, ["": [.null], "b": false]),
    ] as [(String, JSONValue)])
  func `numbers, escapes and spaces are read as the RFC has them`(text: String, value: JSONValue) throws {
    #expect(try read(text) == value)
    #expect(throws: Never.self) { try JSONReader.check(Array(text.utf8), maximumDepth: 2) }
  }

  @Test func `bytes, values and levels are bounded`() throws {
    let limits = JSONReader.Limits(byteCount: 9, depth: 2, values: 4)
    for text in ["[[1,2]]", "[1, 2, 3]"] { #expect(throws: Never.self) { try read(text, limits) } }
    #expect(throws: JSONReader.Flaw(position: 9, expected: "at most 9 bytes")) { try read("[1, 2, 3 ]", limits) }
    #expect(throws: JSONReader.Flaw(position: 7, expected: "fewer values")) { try read("[1,2,3,4]", limits) }
    let tooDeep = JSONReader.Flaw(position: 2, expected: "at most 2 levels", isTooDeep: true)
    #expect(throws: tooDeep) { try read(#"[[{}]]"#, limits) }
    #expect(throws: tooDeep) { try JSONReader.check(Array("[[[]]]".utf8), maximumDepth: 2) }
    #expect(throws: Never.self) { try JSONReader.check(Array("[[]]".utf8), maximumDepth: 2) }
  }

  @Test func `by default a text has 16 KiB, 8 levels and 1,024 values at most`() throws {
    func string(_ count: Int) -> String { "\"\(String(repeating: "x", count: count - 2))\"" }
    func levels(_ count: Int) -> String { String(repeating: "[", count: count) + String(repeating: "]", count: count) }
    func values(_ count: Int) -> String { "[\(Array(repeating: "1", count: count - 1).joined(separator: ","))]" }
    for text in [string(16_384), levels(8), values(1_024)] { #expect(throws: Never.self) { try read(text) } }
    for text in [string(16_385), levels(9), values(1_025)] { #expect(throws: JSONReader.Flaw.self) { try read(text) } }
    #expect(throws: Never.self) { try JSONReader.check(Array(values(1_025).utf8), maximumDepth: 1) }
  }

  @Test func `a value is written in one way, which is read again`() throws {
    let value: JSONValue = [
      "b": [1, -2, true, false, .null, [:], []], "a\"": "q\"\\\n\u{1F} \u{7F}é/", "": .integer(.min),
    ]
    let text = #"{"":-9223372036854775808,"a\"":"q\"\\\u000a\u001f \u007fé/","b":[1,-2,true,false,null,{},[]]}"#
    #expect(String(decoding: value.text, as: UTF8.self) == text)
    #expect(try read(text) == value)
    #expect(JSONValue.otherNumber(1.5).text == Array("null".utf8))
  }

  @Test func `a value is of one kind`() {
    let values: [JSONValue] = [.null, true, 7, .otherNumber(7), "x", [1], ["x": 2]]
    #expect(values.map(\.bool) == [nil, true, nil, nil, nil, nil, nil])
    #expect(values.map(\.integer) == [nil, nil, 7, nil, nil, nil, nil])
    #expect(values.map(\.string) == [nil, nil, nil, nil, "x", nil, nil])
    #expect(values.map(\.array) == [nil, nil, nil, nil, nil, [1], nil])
    #expect(values.map { $0["x"] } == [nil, nil, nil, nil, nil, nil, 2])
    #expect(["x": 1, "y": 3, "x": 2] as JSONValue == ["x": 2, "y": 3])
  }
}
