/// Why a request is not served: the status of the answer, and a sentence for it.
package struct HTTPRefusal: Error, Hashable, Sendable {
  package let status: HTTPStatus
  /// The sentence in the answer's body. It contains nothing of the request.
  package let reason: String

  static func bad(_ reason: String) -> Self { Self(status: .badRequest, reason: reason) }

  package init(status: HTTPStatus, reason: String) {
    self.status = status
    self.reason = reason
  }
}

/// The status of an answer (RFC 9110, section 15).
package struct HTTPStatus: Hashable, Sendable {
  package let code: Int
  package let phrase: String

  /// The status that a handler has chosen. The phrase of one that is not known here is empty, which is permitted (RFC 9112, section 4).
  static func chosen(_ code: Int) -> Self { known.first { $0.code == code } ?? Self(code: code, phrase: "") }

  /// Those that handlers may need.
  private static let known = [
    ok, badRequest, forbidden, notFound, internalError, serviceUnavailable, Self(code: 201, phrase: "Created"),
    Self(code: 202, phrase: "Accepted"), Self(code: 401, phrase: "Unauthorized"), Self(code: 409, phrase: "Conflict"),
    Self(code: 410, phrase: "Gone"), Self(code: 429, phrase: "Too Many Requests"), Self(code: 502, phrase: "Bad Gateway"),
    Self(code: 504, phrase: "Gateway Timeout"),
  ]

  package static let switchingProtocols = Self(code: 101, phrase: "Switching Protocols")
  package static let ok = Self(code: 200, phrase: "OK")
  package static let notModified = Self(code: 304, phrase: "Not Modified")
  package static let badRequest = Self(code: 400, phrase: "Bad Request")
  package static let forbidden = Self(code: 403, phrase: "Forbidden")
  package static let notFound = Self(code: 404, phrase: "Not Found")
  package static let methodNotAllowed = Self(code: 405, phrase: "Method Not Allowed")
  package static let requestTimeout = Self(code: 408, phrase: "Request Timeout")
  package static let uriTooLong = Self(code: 414, phrase: "URI Too Long")
  package static let misdirected = Self(code: 421, phrase: "Misdirected Request")
  package static let upgradeRequired = Self(code: 426, phrase: "Upgrade Required")
  package static let fieldsTooLarge = Self(code: 431, phrase: "Request Header Fields Too Large")
  package static let internalError = Self(code: 500, phrase: "Internal Server Error")
  package static let serviceUnavailable = Self(code: 503, phrase: "Service Unavailable")
  package static let versionNotSupported = Self(code: 505, phrase: "HTTP Version Not Supported")
}
