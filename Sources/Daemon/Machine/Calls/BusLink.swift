import _BonjourishBusProtocol
import _BonjourishDiscovery

/// The state of the connection to the bus.
struct BusLink: Sendable {
  var isOpen = false
  /// Whether this program has the daemon's name.
  var isOwner = false
  var lastSerial: UInt32 = 0
  /// The number of the call for the daemon's name.
  var nameCall: UInt32?
  /// The clients that were asked whether they read, by the numbers of the calls.
  var pings: [UInt32: String] = [:]
  /// Whether the bus lets this program ask clients.
  var mayPing = true
}

/// A program on the bus that has or had objects.
struct Client: Sendable {
  /// The number in its objects' paths.
  let number: UInt32
  var objects: Set<DaemonMachine.ObjectID> = []
  var lastObject: UInt32 = 0
  /// The calls that are not answered yet.
  var calls = 0
  /// The bytes of the records that it publishes.
  var bytes = 0
  /// The bytes that were sent to it since it last said that it reads.
  var unread = 0
  var isPinged = false
}

/// The conversation with the bus itself.
extension DaemonMachine {
  static let name = "org.freedesktop.Avahi"
  private static let bus = "org.freedesktop.DBus"
  /// The bytes after which a client is asked whether it reads.
  private static let pingInterval = 65_536

  mutating func beginConversation() {
    link = BusLink()
    link.isOpen = true
    callBus("Hello")
    // Of those who come and go, only who has gone.
    callBus(
      "AddMatch",
      .text("type='signal',sender='\(Self.bus)',interface='\(Self.bus)',member='NameOwnerChanged',arg2=''"))
    // Others must not wait for the name, nor take it.
    link.nameCall = callBus("RequestName", .text(Self.name), .uint32(4))
  }

  /// Ends what clients have: they cannot be told any more, and begin anew on another connection.
  mutating func endConversation() {
    link = BusLink()
    for client in clients.keys.sorted() { end(client: client) }
  }

  @discardableResult
  private mutating func callBus(_ member: String, _ arguments: BusValue...) -> UInt32 {
    send(.call(member, of: Self.bus, at: "/org/freedesktop/DBus", in: Self.bus, arguments))
  }

  /// Sends a message, if there is a connection.
  ///
  /// - Returns: The number of the message.
  @discardableResult
  mutating func send(_ message: BusMessage) -> UInt32 {
    guard link.isOpen else { return 0 }
    link.lastSerial = link.lastSerial == .max ? 1 : link.lastSerial + 1
    var message = message
    message.serial = link.lastSerial
    effects.append(.send(message))
    return link.lastSerial
  }

  /// Sends a signal of an object to its client, unless the client does not read.
  mutating func signal(
    _ member: String, of interface: BusInterface, at path: String, to client: String, _ values: [BusValue] = []
  ) {
    guard clients[client] != nil else { return }
    send(.signal(member, of: interface.name, at: path, to: client, values))
    count(192 + values.reduce(0) { $0 + $1.size }, sentTo: client)
  }

  /// Counts bytes that are sent to a client. Now and then it is asked to answer, which its library does when it reads. The bus keeps
  /// what a client has not read, and would keep it without limit.
  mutating func count(_ bytes: Int, sentTo name: String) {
    guard link.mayPing, clients[name] != nil else { return }
    clients[name]!.unread += bytes
    if clients[name]!.unread > settings.limits.bytesUnread {
      effects.append(.log(LogMessage(.warning, "\(name) does not read what it asked for; it is cut off")))
      return end(client: name)
    }
    guard clients[name]!.unread > Self.pingInterval, !clients[name]!.isPinged else { return }
    clients[name]!.isPinged = true
    clients[name]!.unread = 0
    let serial = send(.call("Ping", of: BusInterface.peer.name, at: "/", in: name))
    link.pings[serial] = name
  }

  mutating func take(_ message: BusMessage, at now: Duration) {
    switch message.kind {
    case .call:
      answer(message, at: now)
    case .signal:
      guard message.sender == Self.bus, message.member == "NameOwnerChanged", let body = message.body, body.count == 3,
        case .text(let client) = body[0], body[2] == .text("")
      else { return }
      if clients[client] != nil { end(client: client) }
    case .answer, .error:
      guard let number = message.answers else { return }
      if number == link.nameCall { return takeName(message) }
      guard let client = link.pings.removeValue(forKey: number) else { return }
      if message.sender == Self.bus, message.errorName?.hasSuffix("AccessDenied") == true {
        link.mayPing = false
        effects.append(
          .log(LogMessage(.info, "the bus does not allow to ask clients whether they read; those that do not are not noticed")))
      }
      clients[client]?.isPinged = false
    }
  }

  private mutating func takeName(_ answer: BusMessage) {
    link.nameCall = nil
    // 1: it has become the owner; 4: it was already.
    if answer.kind == .answer, answer.body == [.uint32(1)] || answer.body == [.uint32(4)] {
      link.isOwner = true
      return effects.append(.ready)
    }
    let reason: String
    switch (answer.kind, answer.body?.first) {
    case (.error, .text(let text)?): reason = text
    default: reason = "another program is \(Self.name), such as avahi-daemon"
    }
    effects.append(.refused(reason))
  }

  /// Ends everything of a client, with goodbyes for what it publishes.
  mutating func end(client name: String) {
    guard let client = clients[name] else { return }
    for id in client.objects.sorted() { end(id) }
    clients[name] = nil
  }
}

extension BusValue {
  /// About the number of bytes in a message.
  fileprivate var size: Int {
    switch self {
    case .text(let text), .path(let text): text.utf8.count + 8
    case .bytes(let bytes): bytes.count + 8
    case .array(_, let elements): elements.reduce(8) { $0 + $1.size }
    default: 8
    }
  }
}
