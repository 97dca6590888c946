import _BonjourishBusProtocol

/// Whom a client's share counts for.
enum ClientUser: Hashable, Sendable {
  /// The bus has not said yet. The client's calls wait until then.
  case unknown
  case user(UInt32)
  /// A client of which the bus does not tell the user counts for itself.
  case client(String)
}

/// What a client has, or all clients of a user have together.
struct Share: Hashable, Sendable {
  /// Clients with objects.
  var clients = 0
  var objects = 0
  /// Entries of groups, and the bytes of their records.
  var entries = 0
  var bytes = 0
  /// The bytes that were sent and may not have been read.
  var unread = 0

  static func += (one: inout Share, other: Share) {
    one.clients += other.clients
    one.objects += other.objects
    one.entries += other.entries
    one.bytes += other.bytes
    one.unread += other.unread
  }

  static prefix func - (share: Share) -> Share {
    Share(
      clients: -share.clients, objects: -share.objects, entries: -share.entries, bytes: -share.bytes, unread: -share.unread)
  }
}

/// The users of clients. Nobody may have more than what is left for all others, whether by one connection to the bus or by many: the
/// first who takes all that they can has a half, the second a quarter.
extension DaemonMachine {
  /// Notes a new client, and asks the bus once whose it is. The bus bounds how many connections a user has.
  mutating func welcome(_ name: String) throws(CallFailure) {
    guard clients.count < settings.limits.clients else { throw .avahi(.tooManyClients) }
    let call = callBus("GetConnectionUnixUser", .text(name))
    link.userCalls[call] = name
    clients[name] = Client(number: lastClient, userCall: call)
    lastClient &+= 1
    charge(name, Share(clients: 1))
  }

  /// Lets a call wait until the user of its client is known. Otherwise a program could have what is another user's before it is, and
  /// once more with each of its connections.
  ///
  /// - Returns: Whether the call waits, or is refused, because too many do.
  mutating func hold(_ call: BusMessage) -> Bool {
    // What no method takes is refused at once, whatever its arguments take.
    guard let name = call.sender, let member = call.member, let body = call.body,
      BusInterface.signature(of: member, in: call.interface) == body.map(\.type).joined()
    else { return false }
    let makesObject = member.hasSuffix("New") || member.hasSuffix("Prepare") || member.hasPrefix("Resolve")
    do throws(CallFailure) {
      if clients[name] == nil, makesObject, call.path == "/" { try welcome(name) }
      guard clients[name]?.userCall != nil else { return false }
      let bytes = call.memory
      guard link.heldBytes + bytes <= settings.limits.bytesHeld else { throw .avahi(.tooManyObjects) }
      link.heldBytes += bytes
      clients[name]!.held.append(call)
    } catch {
      refuse(call, BusCall(sender: name, serial: call.serial), error)
    }
    return true
  }

  /// Forgets the calls of a client that wait.
  mutating func takeHeld(of name: String) -> [BusMessage] {
    guard let held = clients[name]?.held, !held.isEmpty else { return [] }
    clients[name]!.held = []
    link.heldBytes -= held.reduce(0) { $0 + $1.memory }
    return held
  }

  /// Adds to what a client has.
  mutating func charge(_ name: String, _ change: Share) {
    guard clients[name] != nil else { return }
    clients[name]!.share += change
    users[clients[name]!.user, default: Share()] += change
    if users[clients[name]!.user]!.clients == 0 { users[clients[name]!.user] = nil }
  }

  /// What the user of a client has.
  func usersShare(of name: String) -> Share { clients[name].flatMap { users[$0.user] } ?? Share() }

  /// Notes whose a client is, and answers its calls that have waited for that.
  mutating func takeUser(of name: String, _ answer: BusMessage, at now: Duration) {
    clients[name]?.userCall = nil
    guard let client = clients[name] else { return }
    let user: ClientUser =
      if answer.kind == .answer, case .uint32(let number)? = answer.body?.first { .user(number) } else { .client(name) }
    charge(name, -client.share)
    clients[name]!.user = user
    charge(name, client.share)
    for call in takeHeld(of: name) { self.answer(call, at: now) }
  }
}
