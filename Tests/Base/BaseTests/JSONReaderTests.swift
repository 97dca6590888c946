import Testing
import _BonjourishBase

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
      ("\"ab", 3, "the end of a string"),
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

  @Test func `bytes, values and levels are bounded`() throws {
    let limits = JSONReader.Limits(byteCount: 9, depth: 2, values: 4)
    #expect(throws: Never.self) { try read("[[1,2]]", limits) }
    #expect(throws: JSONReader.Flaw.self) { try read("[1, 2, 3 ]", limits) }
    let values = #expect(throws: JSONReader.Flaw.self) { try read("[1,2,3,4]", limits) }
    #expect(values?.expected == "fewer values")
    let depth = #expect(throws: JSONReader.Flaw.self) { try read("[[[]]]", limits) }
    #expect(depth?.position == 2 && depth?.isTooDeep == true)
  }
}
