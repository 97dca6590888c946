import CBonjourishNATS
import _BonjourishDiscovery
import _BonjourishEventLoop

/// A failure of the C library.
struct NATSFailure: Error, Hashable, CustomStringConvertible {
  let status: UInt32
  let reason: String
  /// Whether it is about the program's own files, and not about a server.
  private(set) var isOfConfiguration = false
  /// The failure of the system, if a file cannot be read.
  private(set) var cause: SystemError?

  /// - Parameters:
  ///   - status: The result of a call.
  ///   - reason: What the library or the server says beside; empty for nothing.
  init(_ status: natsStatus, _ reason: String = "") {
    self.status = status.rawValue
    self.reason =
      switch status {
      case NATS_NO_SERVER: "no server answers there"
      default: reason.isEmpty ? String(cString: natsStatus_GetText(status)) : Self.plain(reason)
      }
  }

  /// The failure of a configuration that cannot be used.
  static func configuration(_ reason: String, because cause: SystemError? = nil) -> NATSFailure {
    var failure = NATSFailure(NATS_INVALID_ARG, reason).ofConfiguration
    failure.cause = cause
    return failure
  }

  /// What is behind an error of discovery that tells of it.
  var underlyingError: any Error { cause ?? self }

  /// The failure as one of the configuration.
  var ofConfiguration: NATSFailure {
    var failure = self
    failure.isOfConfiguration = true
    return failure
  }

  /// A failure of a connection, with what the server or the library says about it at this moment.
  init(_ status: natsStatus, ofConnection connection: OpaquePointer?) {
    var text: UnsafePointer<CChar>?
    let last = natsConnection_GetLastError(connection, &text)
    self.init(status, last == status ? text.map { String(cString: $0) } ?? "" : "")
  }

  /// The library's words without the places in its sources, such as "(conn.c:2088): ", wherever they are.
  static func plain(_ words: String) -> String {
    var (plain, rest) = ("", Substring(words))
    while let start = rest.firstIndex(of: "("), let end = rest[start...].firstIndex(of: ")") {
      let place = rest[rest.index(after: start)..<end]
      plain += rest[..<start]
      rest = rest[rest.index(after: end)...]
      if isPlace(place) { rest = rest.drop { $0 == ":" || $0 == " " } } else { plain += "(\(place))" }
    }
    let whole = plain + rest
    return String(whole[..<(whole.lastIndex { $0 != " " }.map { whole.index(after: $0) } ?? whole.startIndex)])
  }

  /// Whether a text is the name of a file in C, a colon and a number.
  private static func isPlace(_ text: Substring) -> Bool {
    let parts = text.split(separator: ":", omittingEmptySubsequences: false)
    return parts.count == 2 && parts[0].hasSuffix(".c") && !parts[1].isEmpty && parts[1].allSatisfy(\.isNumber)
  }

  /// What kind of failure a connection had: one that time may mend, or one that somebody has to mend.
  var code: DiscoveryError.Code {
    if isOfConfiguration { return .invalidDirectory }
    let words = reason.lowercased()
    switch natsStatus(rawValue: status) {
    case NATS_CONNECTION_AUTH_FAILED, NATS_NOT_PERMITTED: return .notPermitted
    // The server ends the handshake, or the connection after it, because it does not like the certificate of this program.
    case _ where words.contains("alert") && (words.contains("certificate") || words.contains("unknown ca")):
      return .notPermitted
    // OpenSSL numbers what it finds about a certificate.
    case NATS_SSL_ERROR where Self.verification(words): return .untrusted
    default: return .unavailable
    }
  }

  /// The reason, and what is to be done if somebody has to do something.
  var advice: String {
    switch code {
    case .unavailable where reason.hasPrefix("Expected 'PONG'"):
      "its server has ended the connection at the beginning; if it wants certificates, check this program's"
    case .notPermitted:
      "its server refuses this user (\(reason)); check the user's name and password, token, key or certificate"
    case .untrusted: "its server's certificate is refused (\(reason)); check the authority and the name in the URL"
    default: reason
    }
  }

  private static func verification(_ words: String) -> Bool {
    let number = words.split(separator: ": ", maxSplits: 1).dropFirst().first?.split(separator: ":").first ?? ""
    return words.contains("certificate verify failed") || !number.isEmpty && number.allSatisfy(\.isNumber)
  }

  var description: String { reason }

  /// Calls a function of the library.
  ///
  /// - Throws: ``NATSFailure`` unless it returns `NATS_OK`, with the library's own words about the last failure on this thread.
  static func check(_ call: () -> natsStatus) throws(NATSFailure) {
    let status = call()
    guard status != NATS_OK else { return }
    var last = NATS_OK
    let words = nats_GetLastError(&last).map { String(cString: $0) } ?? ""
    throw NATSFailure(status, last == status ? words : "")
  }
}
