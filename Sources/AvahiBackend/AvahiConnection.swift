import CAvahi.Client
import Discovery

/// Owns one AvahiClient: makes it, and frees it once. Used on the loop only.
final class AvahiConnection {
  /// What the server can do for us, in words of ours.
  enum State: Hashable {
    /// The bus is there, the daemon is not.
    case waiting
    /// The daemon is there, and its host has no name at present.
    case namingHost
    case running
    /// Nothing works on this connection any more.
    case failed(CInt)
  }

  private(set) var client: OpaquePointer?
  private(set) var state = State.waiting
  private let poll: LoopPoll
  private let stateChanged: (State) -> Void

  /// Connects.
  ///
  /// - Parameter stateChanged: Called with each state, also from within this initialiser. It must not free the connection.
  /// - Throws: Avahi's error number.
  init(poll: LoopPoll, stateChanged: @escaping (State) -> Void) throws(AvahiError) {
    self.poll = poll
    self.stateChanged = stateChanged
    var number: CInt = 0
    let callback: AvahiClientCallback = { client, state, userdata in
      // The client is freed before the connection goes, see `free`.
      Unmanaged<AvahiConnection>.fromOpaque(userdata!).takeUnretainedValue().changed(client!, state)
    }
    // NO_FAIL: without a daemon the client waits on the bus until there is one.
    client = avahi_client_new(
      poll.api, AVAHI_CLIENT_NO_FAIL, callback, Unmanaged.passUnretained(self).toOpaque(), &number)
    guard client != nil else { throw AvahiError(number) }
  }

  deinit {
    assert(client == nil, "an Avahi client was not freed")
  }

  /// The error of the last call that failed.
  var error: AvahiError { AvahiError(avahi_client_errno(client)) }

  /// Frees the client and every object made on it.
  func free() {
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
