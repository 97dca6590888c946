package import FuzzCases
import _BonjourishDiscovery
import _BonjourishSimpleProtocol

/// Bytes that a client of the simple socket sends, at once and in pieces: the reaction is the same, it is one line, or the lines of the
/// help, and nothing is left when the client has gone.
package enum SimpleSocketCase {
  private struct Reaction: Hashable {
    var written: [UInt8] = []
    var requests: [SimpleRequest] = []
    var isClosed = false
  }

  /// Tries some bytes.
  ///
  /// - Throws: ``Violation``.
  package static func run(_ bytes: [UInt8]) throws(Violation) {
    let whole = try react(to: bytes, pieces: .max)
    try Violation.unless(try react(to: bytes, pieces: 1) == whole, "byte by byte the reaction is another")
    try Violation.unless(try react(to: bytes, pieces: 7) == whole, "in pieces the reaction is another")
    let lines = whole.written.split(separator: 0x0A, omittingEmptySubsequences: false).dropLast()
    try Violation.unless(whole.written.last == 0x0A || whole.written.isEmpty, "a line does not end")
    try Violation.unless(
      lines.count <= 1 || lines.allSatisfy { $0.first == UInt8(ascii: "+") }, "there are several lines, and no help")
    try Violation.unless(whole.requests.count <= 1, "a client asks twice")
    let mayAnswer = bytes.contains(0x0A) || bytes.count >= SimpleServer.Limits().line
    try Violation.unless(whole == Reaction() || mayAnswer, "there is a reaction without a line")
  }

  private static func react(to bytes: [UInt8], pieces size: Int) throws(Violation) -> Reaction {
    var server = SimpleServer()
    var reaction = Reaction()
    let now = ContinuousClock.now
    let (id, _) = server.connect(user: 1_000, at: now)
    var queue: [SimpleServer.Effect] = []
    var rest = bytes[...]
    while !rest.isEmpty || !queue.isEmpty {
      guard !queue.isEmpty else {
        queue += server.receive(rest.prefix(size), from: id, at: now)
        rest = rest.dropFirst(size)
        continue
      }
      switch queue.removeFirst() {
      case .lookUp(_, let request):
        reaction.requests.append(request)
        // A stranger's name that would be lines and words of its own.
        let name = SimpleAnswer.name(String(decoding: bytes, as: UTF8.self), .init(interface: 1, family: .ipv4))
        queue += server.answer(name, to: id, at: now)
      case .write(_, let written):
        reaction.written += written
        queue += server.wrote(written.count, to: id, at: now)
      case .cancel: break
      case .close: reaction.isClosed = true
      }
    }
    try Violation.unless(reaction.isClosed == (server.count == 0), "a client is left, or lost")
    _ = server.end()
    try Violation.unless(server.count == 0 && server.nextDeadline == nil, "something is left at the end")
    return reaction
  }
}
