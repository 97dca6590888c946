import FramedSecurity
import FramedTransport
import Rooms
import _BonjourishConsole

/// How the measured server protects its connections.
enum Protection: String, CaseIterable, Sendable {
  case none
  case open
  case passcode

  private static let code = "471123"

  /// The options of the server.
  var options: [String] {
    switch self {
    case .none: ["--insecure"]
    case .open: []
    case .passcode: ["--passcode", Self.code]
    }
  }

  /// The protection of a bot's connection, for all of them.
  func security() -> ConnectionSecurity {
    switch self {
    case .none: .plaintext
    case .open: .anyKey()
    case .passcode: .passcode(Passcode(text: Self.code) ?? .random(), service: "\(RoomHost.serviceType)")
    }
  }
}
