import _BonjourishBusProtocol
import _BonjourishDiscovery

/// The state of the connection to the bus.
struct BusLink: Sendable {
  var isOpen = false
  var lastSerial: UInt32 = 0
  /// The number of the call for the daemon's name.
  var nameCall: UInt32?
  /// The clients that were asked whether they read, by the numbers of the calls.
  var pings: [UInt32: String] = [:]
  /// The clients whose users the bus was asked for, by the numbers of the calls.
  var userCalls: [UInt32: String] = [:]
  /// About the bytes of the calls that wait for the users of their clients.
  var heldBytes = 0
  /// Whether it is logged that the bus does not let this program ask a client.
  var hasLoggedRefusal = false
}

/// A program on the bus that has or had objects.
struct Client: Sendable {
  /// The number in its objects' paths.
  let number: UInt32
  var user = ClientUser.unknown
  /// The number of the call that asks the bus for the user; nil when it is answered.
  var userCall: UInt32?
  /// The calls that wait for the user.
  var held: [BusMessage] = []
  var objects: Set<DaemonMachine.ObjectID> = []
  /// What it has; of what may be unread, since it was last asked whether it reads.
  var share = Share()
  var lastObject: UInt32 = 0
  /// The calls that are not answered yet.
  var calls = 0
  /// The number of the call that asks it; nil when it has answered.
  var ping: UInt32?
  /// Whether the bus lets this program ask it. Of one that may not be asked, nobody knows whether it reads.
  var mayBeAsked = true
  /// Whether it does not read, and ends with this event.
  var isCutOff = false

  init(number: UInt32, userCall: UInt32) {
    self.number = number
    self.userCall = userCall
  }
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
  mutating func callBus(_ member: String, _ arguments: BusValue...) -> UInt32 {
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
      count((message.kind == .signal ? 192 : 0) + message.size, sentTo: client)
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
  /// what a client has not read, and would keep it without limit. When all together have too much, one of the user with the most is cut
  /// off: the one with the most.
  private mutating func count(_ bytes: Int, sentTo name: String) {
    guard clients[name]!.mayBeAsked else { return }
    addUnread(bytes, of: name)
    if clients[name]!.share.unread > settings.limits.bytesUnread {
      cutOff(name)
    } else if unreadCount > settings.limits.bytesUnreadInAll,
      let most = clients.max(by: { rank($0.key, $0.value) < rank($1.key, $1.value) })?.key
    {
      cutOff(most)
    }
    guard clients[name]!.share.unread > Self.pingInterval, clients[name]!.ping == nil else { return }
    addUnread(-clients[name]!.share.unread, of: name)
    // It counts, too, and must not lead to another.
    clients[name]!.ping = 0
    let serial = send(.call("Ping", of: BusInterface.peer.name, at: "/", in: name))
    clients[name]!.ping = serial
    link.pings[serial] = name
  }

  private mutating func addUnread(_ bytes: Int, of name: String) {
    charge(name, Share(unread: bytes))
    unreadCount += bytes
  }

  private func rank(_ name: String, _ client: Client) -> (Int, Int, String) {
    (users[client.user]?.unread ?? 0, client.share.unread, name)
  }

  /// Notes that a client does not read. It ends when the present event is handled: until then its objects are still in use.
  private mutating func cutOff(_ name: String) {
    addUnread(-clients[name]!.share.unread, of: name)
    clients[name]!.isCutOff = true
    leaving.append(name)
    effects.append(.log(LogMessage(.warning, "\(name) does not read what it asked for; it is cut off")))
  }

  mutating func take(_ message: BusMessage, at now: Duration) {
    switch message.kind {
    case .call:
      if !hold(message) { answer(message, at: now) }
    case .signal:
      guard message.sender == Self.bus, message.member == "NameOwnerChanged", let body = message.body, body.count == 3,
        case .text(let client) = body[0], body[2] == .text("")
      else { return }
      if clients[client] != nil { end(client: client) }
    case .answer, .error:
      guard let number = message.answers else { return }
      if number == link.nameCall, message.sender == Self.bus { return takeName(message) }
      if message.sender == Self.bus, let client = link.userCalls.removeValue(forKey: number) {
        return takeUser(of: client, message, at: now)
      }
      guard let client = link.pings[number] else { return }
      if message.sender == Self.bus, message.errorName?.hasSuffix("AccessDenied") == true {
        return noteRefusal(of: client, ping: number)
      }
      // What the bus says of a client, such as that it is full, does not tell that the client reads.
      guard message.sender == client else { return }
      link.pings[number] = nil
      clients[client]?.ping = nil
    }
  }

  /// Notes that the bus does not let this program ask a client. Others are asked all the same: it may be a rule for this one.
  private mutating func noteRefusal(of client: String, ping: UInt32) {
    link.pings[ping] = nil
    guard clients[client] != nil else { return }
    clients[client]!.ping = nil
    clients[client]!.mayBeAsked = false
    addUnread(-clients[client]!.share.unread, of: client)
    guard !link.hasLoggedRefusal else { return }
    link.hasLoggedRefusal = true
    let text = "the bus does not allow to ask \(client) whether it reads; of such programs nobody notices that they do not"
    effects.append(.log(LogMessage(.info, text)))
  }

  private mutating func takeName(_ answer: BusMessage) {
    link.nameCall = nil
    // 1: it has become the owner; 4: it was already.
    if answer.kind == .answer, answer.body == [.uint32(1)] || answer.body == [.uint32(4)] {
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
    if let call = client.userCall { link.userCalls[call] = nil }
    _ = takeHeld(of: name)
    unreadCount -= client.share.unread
    charge(name, -clients[name]!.share)
    clients[name] = nil
  }
}

extension BusMessage {
  /// About the number of bytes that it carries, if the daemon has written it.
  var size: Int { (body ?? []).reduce(0) { $0 + $1.size } }

  /// About the bytes of memory that it takes, of what the daemon's methods take.
  var memory: Int {
    let texts = [path, interface, member, errorName, destination, sender].reduce(0) { $0 + ($1?.utf8.count ?? 0) }
    return 512 + texts + (body ?? []).reduce(0) { $0 + $1.memory }
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

  /// About the bytes of memory.
  fileprivate var memory: Int {
    switch self {
    case .text(let text), .path(let text): text.utf8.count + 64
    case .bytes(let bytes): bytes.count + 96
    case .array(_, let elements): elements.reduce(96) { $0 + $1.memory }
    default: 64
    }
  }
}
