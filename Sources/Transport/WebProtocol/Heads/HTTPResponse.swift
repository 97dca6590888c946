/// An answer to a request.
package struct HTTPResponse: Equatable, Sendable {
  package let status: HTTPStatus
  package var fields: [(name: String, value: String)]
  /// The content; not sent in answers to HEAD.
  package var body: [UInt8]

  package init(_ status: HTTPStatus, _ fields: [(name: String, value: String)] = [], body: [UInt8] = []) {
    self.status = status
    self.fields = fields
    self.body = body
  }

  /// The bytes before the content.
  package var head: [UInt8] {
    var text = "HTTP/1.1 \(status.code) \(status.phrase)\r\n"
    for field in fields { text += "\(field.name): \(field.value)\r\n" }
    return Array((text + "\r\n").utf8)
  }

  package static func == (left: Self, right: Self) -> Bool {
    left.status == right.status && left.body == right.body && left.fields.elementsEqual(right.fields, by: ==)
  }
}

/// The head of the answer that a client has received (RFC 9112, section 4).
package struct HTTPAnswer: Equatable, Sendable {
  package let status: Int
  package let fields: HTTPFields

  /// Reads the lines of a head.
  package init(_ lines: [[UInt8]]) throws(HTTPRefusal) {
    let line = lines[0]
    let digits = line.dropFirst(9).prefix(3)
    guard line.starts(with: "HTTP/1.1 ".utf8), digits.count == 3, line.count == 12 || line[12] == .space,
      digits.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) })
    else { throw .bad("The first line is not one of HTTP/1.1.") }
    status = digits.reduce(0) { $0 * 10 + Int($1 - UInt8(ascii: "0")) }
    fields = try HTTPFields(lines.dropFirst())
  }
}
