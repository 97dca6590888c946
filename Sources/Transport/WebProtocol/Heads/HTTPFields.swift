/// The fields of a head, in order (RFC 9112, section 5).
package struct HTTPFields: Equatable, Sendable {
  private var fields: [(name: String, value: String)] = []

  /// Reads lines.
  package init(_ lines: some Sequence<[UInt8]>) throws(HTTPRefusal) {
    for line in lines { fields.append(try Self.field(line)) }
  }

  private static func field(_ line: [UInt8]) throws(HTTPRefusal) -> (String, String) {
    guard let colon = line.firstIndex(of: UInt8(ascii: ":")), colon > 0 else { throw .bad("A line has no name of a field.") }
    // A space before the colon is none of these either (section 5.1).
    guard line[..<colon].allSatisfy(\.isTokenByte) else { throw .bad("The name of a field is malformed.") }
    var value = line[(colon + 1)...]
    while let first = value.first, first == .space || first == .tab { value.removeFirst() }
    while let last = value.last, last == .space || last == .tab { value.removeLast() }
    let isClean = value.allSatisfy { $0.isVisible || $0 == .space || $0 == .tab || $0 >= 0x80 }
    guard isClean, let text = String(validating: value, as: UTF8.self),
      let name = String(validating: line[..<colon], as: UTF8.self)
    else { throw .bad("The value of a field is malformed.") }
    return (name.lowercased(), text)
  }

  /// The values of the fields with a name.
  ///
  /// - Parameter name: The name in lower case.
  package func values(_ name: String) -> [String] { fields.lazy.filter { $0.name == name }.map(\.value) }

  /// The value of a field that may occur once; `nil` if it does not occur.
  ///
  /// - Throws: A refusal if it occurs several times.
  package func only(_ name: String) throws(HTTPRefusal) -> String? {
    let values = values(name)
    guard values.count <= 1 else { throw .bad("The field \(name) occurs several times.") }
    return values.first
  }

  /// The elements of the lists in the fields with a name (RFC 9110, section 5.6.1).
  package func list(_ name: String) -> [String] {
    values(name).flatMap { $0.split(separator: ",") }.map { $0.trimmed }.filter { !$0.isEmpty }
  }

  /// Whether the lists contain a token, in any case.
  package func contains(_ token: String, in name: String) -> Bool { list(name).contains { $0.lowercased() == token } }

  package static func == (left: Self, right: Self) -> Bool { left.fields.elementsEqual(right.fields, by: ==) }
}

extension Substring {
  /// The text without spaces and tabs around it.
  fileprivate var trimmed: String {
    var text = self
    while let first = text.first, first == " " || first == "\t" { text.removeFirst() }
    while let last = text.last, last == " " || last == "\t" { text.removeLast() }
    return String(text)
  }
}
