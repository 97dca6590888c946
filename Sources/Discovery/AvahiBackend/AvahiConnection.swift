#if Avahi
import CBonjourishAvahi.Client
import _BonjourishDiscovery
import _BonjourishEventLoop
import _BonjourishSystemBus

/// The owner of one AvahiClient. Confined to the loop.
final class AvahiConnection {
  /// The state of the connection and the daemon.
  enum State: Hashable {
    /// The bus runs, but the daemon does not.
    case waiting
    /// The daemon runs, but is still choosing a name for the host.
    case namingHost
    case running
    /// The connection is broken.
    case failed(CInt)
  }

  private(set) var client: OpaquePointer?
  private(set) var state = State.waiting
  private let poll: LoopPoll
  private let loop: EventLoop
  private let stateChanged: (State) -> Void
  /// The number of entry groups on this connection.
  var groupCount = 0
  /// Further connections for more entry groups than this one may have. They are used for nothing else.
  private var siblings: [AvahiConnection] = []

  /// The most entry groups of a connection. The daemon allows a client 1,024 objects; lookups and browsers need the others here.
  static let maximumGroups = 64
  /// The most entry groups of a sibling.
  static let maximumGroupsOfSibling = 1_000
  /// The time within which the loss of the connection is reported after a call that failed because of it.
  private static let timeout: Duration = .seconds(1)
  /// The time within which the bus answers who it is. One that does not hangs.
  private static let busLimit: Duration = .seconds(3)

  /// Connects to the bus. Blocks for as long as a call may take.
  ///
  /// - Parameters:
  ///   - poll: Avahi's poll interface.
  ///   - loop: The loop of the poll interface.
  ///   - stateChanged: Called with each state, also from within this initialiser. It must not free the connection.
  /// - Throws: Avahi's error number, or ``AvahiError/hangs``.
  init(poll: LoopPoll, on loop: EventLoop, stateChanged: @escaping (State) -> Void) throws(AvahiError) {
    self.poll = poll
    self.loop = loop
    self.stateChanged = stateChanged
    try Self.checkBus()
    var number: CInt = 0
    let callback: AvahiClientCallback = { client, state, userdata in
      // `free` frees the client before this object.
      Unmanaged<AvahiConnection>.fromOpaque(userdata!).takeUnretainedValue().changed(client!, state)
    }
    // NO_FAIL: without a daemon the client waits on the bus until one starts.
    client = avahi_client_new(
      poll.api, AVAHI_CLIENT_NO_FAIL, callback, Unmanaged.passUnretained(self).toOpaque(), &number)
    guard client != nil else { throw AvahiError(number) }
  }

  /// Makes sure that the bus does not hang: libdbus waits without limit for the bus to accept the user, and the descriptor on which
  /// it waits is not known before.
  private static func checkBus() throws(AvahiError) {
    guard let path = BusConversation.path else { return }
    do throws(BusConversation.Failure) {
      _ = try BusConversation(with: path, by: .now + busLimit)
    } catch .timedOut {
      throw .hangs
    } catch {
      // libdbus says why, and knows all of the bus's addresses.
    }
  }

  deinit {
    assert(client == nil, "an Avahi client was not freed")
  }

  /// A connection that has room for more entry groups: this one, or a further one, which is opened if needed.
  ///
  /// - Throws: Avahi's error when no further connection can be opened.
  func withRoom(for count: Int) throws(AvahiError) -> AvahiConnection {
    if groupCount + count <= Self.maximumGroups { return self }
    if let sibling = siblings.first(where: { $0.groupCount + count <= Self.maximumGroupsOfSibling }) { return sibling }
    let sibling = try AvahiConnection(poll: poll, on: loop) { [weak self] state in
      // The loss of one connection is handled as the loss of all, which have the same daemon and bus.
      if case .failed = state { self?.fail(state) }
    }
    siblings.append(sibling)
    return sibling
  }

  private func fail(_ state: State) {
    self.state = state
    stateChanged(state)
  }

  /// Makes a call that the daemon must answer.
  func ping() {
    guard let group = try? EntryGroup(on: self, { _, _ in }) else { return }
    group.free()
  }

  /// The error of the last call that failed.
  var error: AvahiError { AvahiError(avahi_client_errno(client)) }

  /// Reports that a call failed, in a later job: the caller may still handle an event.
  ///
  /// A failure that may be the loss of the connection is reported only if the connection outlives it.
  func callFailed(_ error: AvahiError, _ report: @escaping () -> Void) {
    guard error.mayBeDisconnection else { return loop.atEndOfTick(report) }
    _ = loop.schedule(after: Self.timeout) { [weak self] in
      if let self, isAlive { report() }
    }
  }

  /// Whether the daemon runs and can be called.
  private var isAlive: Bool {
    switch state {
    case .running, .namingHost: client != nil
    case .waiting, .failed: false
    }
  }

  /// Frees the client, its siblings and every object made on them.
  func free() {
    for sibling in siblings { sibling.free() }
    siblings = []
    if let client { avahi_client_free(client) }
    client = nil
  }

  private func changed(_ client: OpaquePointer, _ state: AvahiClientState) {
    self.state =
      switch state {
      case AVAHI_CLIENT_S_RUNNING: .running
      case AVAHI_CLIENT_S_REGISTERING, AVAHI_CLIENT_S_COLLISION: .namingHost
      case AVAHI_CLIENT_CONNECTING: .waiting
      default: .failed(avahi_client_errno(client))
      }
    stateChanged(self.state)
  }
}
#endif
