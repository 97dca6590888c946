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
  /// The bytes that were sent to it since it was last asked whether it reads.
  var unread = 0
  /// The number of the call that asks it; nil when it has answered.
  var ping: UInt32?
  /// Whether it does not read, and ends with this event.
  var isCutOff = false
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

  /// Sends a message, if there is a connection. A client that does not read gets no more.
  ///
  /// - Returns: The number of the message.
  @discardableResult
  mutating func send(_ message: BusMessage) -> UInt32 {
    guard link.isOpen else { return 0 }
    let client = message.destination.flatMap { clients[$0] == nil ? nil : $0 }
    if let client, clients[client]!.isCutOff { return 0 }
    link.lastSerial = link.lastSerial == .max ? 1 : link.lastSerial + 1
    var message = message
    message.serial = link.lastSerial
    effects.append(.send(message))
    // A program that calls and waits may not get to answer in between. So an answer counts with what it carries alone.
    if let client {
      count((message.kind == .signal ? 192 : 0) + (message.body ?? []).reduce(0) { $0 + $1.size }, sentTo: client)
    }
    return message.serial
  }

  /// Sends a signal of an object to its client.
  mutating func signal(
    _ member: String, of interface: BusInterface, at path: String, to client: String, _ values: [BusValue] = []
  ) {
    guard clients[client] != nil else { return }
    send(.signal(member, of: interface.name, at: path, to: client, values))
  }

  /// Counts bytes that are sent to a client. Now and then it is asked to answer, which its library does when it reads. The bus keeps
  /// what a client has not read, and would keep it without limit. When all together have too much, the one with the most is cut off.
  private mutating func count(_ bytes: Int, sentTo name: String) {
    guard link.mayPing else { return }
    addUnread(bytes, of: name)
    if clients[name]!.unread > settings.limits.bytesUnread {
      cutOff(name)
    } else if unreadCount > settings.limits.bytesUnreadInAll,
      let most = clients.max(by: { ($0.value.unread, $0.key) < ($1.value.unread, $1.key) })?.key
    {
      cutOff(most)
    }
    guard clients[name]!.unread > Self.pingInterval, clients[name]!.ping == nil else { return }
    addUnread(-clients[name]!.unread, of: name)
    // It counts, too, and must not lead to another.
    clients[name]!.ping = 0
    let serial = send(.call("Ping", of: BusInterface.peer.name, at: "/", in: name))
    clients[name]!.ping = serial
    link.pings[serial] = name
  }

  private mutating func addUnread(_ bytes: Int, of name: String) {
    clients[name]!.unread += bytes
    unreadCount += bytes
  }

  /// Notes that a client does not read. It ends when the present event is handled: until then its objects are still in use.
  private mutating func cutOff(_ name: String) {
    addUnread(-clients[name]!.unread, of: name)
    clients[name]!.isCutOff = true
    leaving.append(name)
    effects.append(.log(LogMessage(.warning, "\(name) does not read what it asked for; it is cut off")))
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
      if number == link.nameCall, message.sender == Self.bus { return takeName(message) }
      guard let client = link.pings[number] else { return }
      if message.sender == Self.bus, message.errorName?.hasSuffix("AccessDenied") == true {
        link.mayPing = false
        effects.append(
          .log(LogMessage(.info, "the bus does not allow to ask clients whether they read; those that do not are not noticed")))
      }
      // What the bus says of a client, such as that it is full, does not tell that the client reads.
      guard message.sender == client else { return }
      link.pings[number] = nil
      clients[client]?.ping = nil
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
    if let ping = client.ping { link.pings[ping] = nil }
    unreadCount -= client.unread
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
