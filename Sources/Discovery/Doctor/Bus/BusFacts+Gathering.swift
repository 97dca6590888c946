import CBonjourishLinux
import _BonjourishBusProtocol
import _BonjourishEventLoop
import _BonjourishSystemBus

extension BusFacts {
  private static let avahi = "org.freedesktop.Avahi"

  /// Asks the system bus and avahi-daemon. Blocks for at most `timeout`.
  package static func gather(within timeout: Duration) -> BusFacts {
    guard let path = BusConversation.path else {
      var facts = BusFacts()
      facts.state = .failed(reason: "DBUS_SYSTEM_BUS_ADDRESS does not name a socket of this machine")
      return facts
    }
    return gather(at: path, within: timeout)
  }

  /// Asks the bus whose socket has a path.
  static func gather(at path: String, within timeout: Duration) -> BusFacts {
    var facts = BusFacts()
    do throws(BusConversation.Failure) {
      try facts.ask(path, by: .now + timeout)
    } catch {
      facts.state = State(error, path: path)
    }
    return facts
  }

  private mutating func ask(_ path: String, by deadline: ContinuousClock.Instant) throws(BusConversation.Failure) {
    let conversation = try BusConversation(with: path, by: deadline)
    try conversation.begin()
    hasFirewalld = try conversation.isOwned("org.fedoraproject.FirewallD1")
    guard try conversation.isOwned(Self.avahi) else { return daemon = .absent }
    process = try conversation.askBus("GetConnectionUnixProcessID", Self.avahi)?.number ?? process
    do throws(BusConversation.Failure) {
      daemon = .answers(
        Answers(
          version: try conversation.text("GetVersionString"), hostName: try conversation.text("GetHostNameFqdn"),
          state: try conversation.state(), refusal: try conversation.refusal()))
    } catch .timedOut {
      daemon = .hung
    } catch .error(let name, let text) {
      daemon = name.hasSuffix("ServiceUnknown") || name.hasSuffix("NameHasNoOwner") ? .absent : .denied(reason: text)
    }
  }
}

extension BusConversation {
  fileprivate func askBus(_ member: String, _ argument: String) throws(Failure) -> BusValue? {
    try call(member, of: "org.freedesktop.DBus", at: "/org/freedesktop/DBus", in: "org.freedesktop.DBus", .text(argument))
  }

  fileprivate func isOwned(_ name: String) throws(Failure) -> Bool {
    try askBus("NameHasOwner", name) == .truth(true)
  }

  private func askAvahi(_ member: String) throws(Failure) -> BusValue? {
    try call(member, of: "org.freedesktop.Avahi.Server", at: "/", in: "org.freedesktop.Avahi")
  }

  fileprivate func text(_ member: String) throws(Failure) -> String {
    if case .text(let text) = try askAvahi(member) { text } else { "" }
  }

  fileprivate func state() throws(Failure) -> Int {
    try askAvahi("GetState")?.number ?? 0
  }

  /// Makes an entry group, which ends with the conversation: it counts as an operation.
  fileprivate func refusal() throws(Failure) -> String? {
    do throws(Failure) {
      _ = try askAvahi("EntryGroupNew")
      return nil
    } catch .error(let name, let text) where name.hasPrefix("org.freedesktop.Avahi.TooMany") {
      return text
    }
  }
}

extension BusFacts.State {
  init(_ failure: BusConversation.Failure, path: String) {
    let shown = path.hasPrefix("\0") ? "@" + path.dropFirst() : path
    self =
      switch failure {
      case .timedOut: .hung
      case .rejected: .denied(reason: "it does not accept this user")
      case .ended: .failed(reason: "it has ended the connection")
      case .error(let name, let text) where name.hasSuffix("LimitsExceeded"): .limitReached(reason: text)
      case .error(_, let text): .failed(reason: text)
      case .system(let error):
        switch error.errno {
        case ENOENT, ENOTDIR: .missing(path: shown)
        case ECONNREFUSED: .notRunning(path: shown)
        case EACCES, EPERM: .denied(reason: "\(error)")
        default: .failed(reason: "\(error)")
        }
      }
  }
}
