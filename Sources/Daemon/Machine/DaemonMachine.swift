import _BonjourishBase
import _BonjourishBusProtocol
import _BonjourishDiscovery
package import _BonjourishMulticastDNS

/// The daemon behind `org.freedesktop.Avahi` as a value: messages of the bus and answers of the engine go in, messages and questions
/// come out.
///
/// It does no I/O and has no clock. Everything that grows with calls of programs is bounded by ``DaemonLimits``. What a program has
/// ends when it leaves the bus.
package struct DaemonMachine: Sendable {
  /// The number of a question to the engine.
  package typealias LookupID = MulticastEngine.QueryID
  /// The number of a set of published records.
  package typealias PublicationID = MulticastEngine.RegistrationID
  typealias ObjectID = UInt64

  let settings: DaemonSettings
  /// What `GetVersionString` answers.
  let version: String
  let cookie: UInt32
  /// The domain for clients that give none.
  let domain: DNSName

  var link = BusLink()
  var clients: [String: Client] = [:]
  var lastClient: UInt32 = 0
  /// What the clients of each user have together.
  var users: [ClientUser: Share] = [:]
  /// The bytes that all clients may not have read yet.
  var unreadCount = 0
  /// The clients that end with the present event.
  var leaving: [String] = []
  var lastNumber: UInt64 = 0
  /// The objects that clients know by their paths.
  var paths: [String: ObjectID] = [:]
  var groups: [ObjectID: EntryGroup] = [:]
  var browsers: [ObjectID: Browser] = [:]
  /// Those of objects, of calls that are answered later, and of the simple socket.
  var resolvers: [ObjectID: Resolver] = [:]
  /// The objects that have asked the engine.
  var lookups: [LookupID: ObjectID] = [:]
  /// The groups that records are published for, with the links.
  var publications: [PublicationID: (group: ObjectID, link: ClientLink)] = [:]
  /// The links of groups that have entries which are to be announced at the end of the tick.
  var changedLinks: [ObjectID: Set<ClientLink>] = [:]
  /// The records of all groups by their names and types.
  var sets: [RecordSetName: RecordSet] = [:]
  /// The number of entries of all groups.
  var entryCount = 0
  /// The bytes of the entries of all groups.
  var byteCount = 0
  /// The deadlines of resolvers. Some have been put off, or are no longer needed.
  var deadlines = DeadlineList()
  /// When objects begin that calls have made, and resolvers of services, which begin sooner.
  var starts = DeadlineList()
  var serviceStarts = DeadlineList()
  /// When browsers have what there is for now, if they are not told so before.
  var settlings = DeadlineList()
  /// The resolvers of the simple socket.
  var socketLookups: [UInt64: ObjectID] = [:]
  /// The services of files, by the files' names.
  var files: [String: StaticGroup<StaticService>] = [:]
  /// The hosts of files, by their names.
  var hosts: [String: StaticGroup<StaticHost>] = [:]
  /// The groups of what the daemon publishes of itself.
  var ownGroups: [EntryGroup.Entry: ObjectID] = [:]

  var interfaces: [NetworkInterface] = []
  /// The hardware addresses of interfaces, by their indices.
  var hardwareAddresses: [UInt32: [UInt8]] = [:]
  package internal(set) var hostName: DNSName
  var state = ServerState.registering
  /// The object that the present call has made.
  var started: ObjectID?
  var effects: [Effect] = []

  /// - Parameters:
  ///   - settings: What is configured.
  ///   - machineName: The first label of the machine's name, if none is configured.
  ///   - version: What `GetVersionString` answers.
  ///   - cookie: A random number by which services of this daemon are told from others; not 0.
  package init(_ settings: DaemonSettings, machineName: String, version: String, cookie: UInt32) {
    self.settings = settings
    self.version = version
    self.cookie = cookie
    domain = DNSName(client: settings.domain) ?? Self.local
    hostName = DNSName([Array((settings.hostName ?? machineName).utf8.prefix(63))], in: domain) ?? Self.local
  }

  static let local = try! DNSName(labels: [Array("local".utf8)])

  /// The time at which to send ``Event/timePassed``; nil for none.
  package var nextDeadline: Duration? {
    [starts.first, serviceStarts.first, settlings.first, deadlines.first].reduce(nil) { next, deadline in
      guard let next, let deadline else { return next ?? deadline }
      return min(next, deadline)
    }
  }

  /// Whether to send ``Event/tickEnded`` at the end of this tick.
  package var hasChanges: Bool { !changedLinks.isEmpty }

  /// The number of objects of all clients.
  package var objectCount: Int { groups.count + browsers.count + resolvers.count }

  /// Handles an event.
  ///
  /// - Parameters:
  ///   - event: The event.
  ///   - now: The time since an origin that the caller chooses. It must not go back.
  /// - Returns: The effects to carry out, in order.
  package mutating func handle(_ event: Event, at now: Duration) -> [Effect] {
    switch event {
    case .connected: beginConversation()
    case .disconnected: endConversation()
    case .message(let message): take(message, at: now)
    case .answered(let id, let answer): take(answer, of: id, at: now)
    case .published(let id, let change): take(change, of: id)
    case .host(let change): take(change)
    case .interfaces(let interfaces, let addresses):
      self.interfaces = interfaces
      hardwareAddresses = addresses
      publishOwn()
    case .resolve(let query, let token): resolve(query, for: token, at: now)
    case .cancel(let token): if let id = socketLookups[token] { end(id) }
    case .services(let files): replaceFiles(files)
    case .hosts(let hosts): replaceHosts(hosts)
    case .tickEnded: announceChanges()
    case .timePassed: break
    }
    while let id = starts.popDue(at: now) ?? serviceStarts.popDue(at: now) { start(id, at: now) }
    while let id = settlings.popDue(at: now) { settleBrowser(id) }
    while let id = deadlines.popDue(at: now) { expire(id, at: now) }
    while let client = leaving.popLast() { end(client: client) }
    defer { effects = [] }
    return effects
  }

  mutating func nextNumber() -> UInt64 {
    lastNumber += 1
    return lastNumber
  }

  /// Whether the host's name is in use, as clients are told.
  enum ServerState: Int32 {
    case registering = 1
    case running, collision
  }

  /// Replaces the state of the host's name, and tells all clients.
  mutating func setState(_ state: ServerState) {
    guard state != self.state else { return }
    self.state = state
    let error: AvahiError = state == .collision ? .collision : .success
    for interface in [BusInterface.server, .server2] {
      send(.signal("StateChanged", of: interface.name, at: "/", to: nil, [.int32(state.rawValue), .text(error.name)]))
    }
  }

  private mutating func take(_ change: MulticastEngine.HostNameChange) {
    let former = hostName
    switch change {
    case .established(let name):
      hostName = name
      if state != .running {
        effects.append(.log(LogMessage(.info, "Server startup complete. Host name is \(name.avahiText).", ["host": "\(name)"])))
      } else if name != former {
        // Clients read the name when the state changes.
        setState(.registering)
      }
      setState(.running)
    case .renamed(_, let name):
      setState(.collision)
      hostName = name
      setState(.registering)
    }
    if hostName != former { renameFiles() }
    publishOwn()
  }
}

/// The deadlines of objects which all wait for the same time, so that the first to begin is the first that is due.
struct DeadlineList: Sendable {
  private var entries: [(deadline: Duration, id: UInt64)] = []
  private var start = 0

  var first: Duration? { start < entries.count ? entries[start].deadline : nil }

  mutating func append(_ id: UInt64, at deadline: Duration) { entries.append((deadline, id)) }

  mutating func popDue(at now: Duration) -> UInt64? {
    guard let first, first <= now else { return nil }
    defer {
      start += 1
      if start > 64, start * 2 > entries.count {
        entries.removeFirst(start)
        start = 0
      }
    }
    return entries[start].id
  }
}
