/// The head of a request that has no content (RFC 9112, section 3).
package struct HTTPRequest: Equatable, Sendable {
  package let method: String
  /// The path and the query as they were sent: visible ASCII that begins with a slash.
  package let target: String
  /// The host, and a port if there is one, as they were sent.
  package let host: String
  package let fields: HTTPFields

  /// Reads the lines of a head.
  package init(_ lines: [[UInt8]]) throws(HTTPRefusal) {
    // Exactly one space between the parts, and none around them.
    let parts = lines[0].split(separator: .space, omittingEmptySubsequences: false)
    guard parts.count == 3, !parts[0].isEmpty, parts[0].allSatisfy(\.isTokenByte), parts[1].allSatisfy(\.isVisible),
      let method = String(validating: parts[0], as: UTF8.self), let target = String(validating: parts[1], as: UTF8.self)
    else { throw .bad("The first line is malformed.") }
    try Self.check(version: Array(parts[2]))
    // Browsers send this form only. A fragment is never sent.
    guard target.utf8.first == UInt8(ascii: "/"), !target.utf8.contains(UInt8(ascii: "#")) else {
      throw .bad("The target is not a path.")
    }
    fields = try HTTPFields(lines.dropFirst())
    // A request without content has neither. With both of them requests are smuggled (section 11.2).
    guard fields.values("content-length").isEmpty, fields.values("transfer-encoding").isEmpty else {
      throw .bad("Requests with content are not accepted.")
    }
    guard let host = try fields.only("host"), Self.isHost(host) else { throw .bad("The field host is missing or malformed.") }
    self.method = method
    self.target = target
    self.host = host
  }

  private static func check(version: [UInt8]) throws(HTTPRefusal) {
    if version == Array("HTTP/1.1".utf8) { return }
    let isOther =
      version.count == 8 && version.starts(with: "HTTP/".utf8) && version[6] == UInt8(ascii: ".")
      && [version[5], version[7]].allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
    guard isOther else { throw .bad("The first line is malformed.") }
    throw HTTPRefusal(status: .versionNotSupported, reason: "This server speaks HTTP/1.1.")
  }

  /// Whether it is a host with or without a port: no user, no path, nothing that must be escaped.
  private static func isHost(_ host: String) -> Bool {
    (1...255).contains(host.utf8.count)
      && host.utf8.allSatisfy { byte in
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
          UInt8(ascii: "0")...UInt8(ascii: "9"),
          UInt8(ascii: "."), UInt8(ascii: "-"), UInt8(ascii: "_"), UInt8(ascii: ":"), UInt8(ascii: "["), UInt8(ascii: "]"):
          true
        default: false
        }
      }
  }

  /// The part of the target before the query.
  package var path: String { String(target.prefix { $0 != "?" }) }
}
