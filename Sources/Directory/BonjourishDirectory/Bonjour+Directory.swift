public import Bonjourish
import _BonjourishDiscovery
import _BonjourishEventLoop
import _BonjourishInterfaces

extension Bonjour {
  /// Finds and publishes services in a directory, and on the local network.
  ///
  /// It does not wait for the directory, which may come, go and come back: the operations of this object are interrupted and restored,
  /// as when avahi-daemon stops. With the local network beside it they are interrupted only when both are away. Without it they fail
  /// with code `notPermitted`, `untrusted` or `invalidDirectory` if the directory refuses this program before it has answered once.
  ///
  /// - Parameters:
  ///   - directory: Where the directory is, and how to use it.
  ///   - local: How to use the local network; nil to leave it out.
  /// - Throws: `DiscoveryError` with code `invalidDirectory` when the configuration cannot be used, and as
  ///   `Bonjour.init(_:)` when the local network cannot be used.
  public convenience init(
    directory configuration: DirectoryConfiguration, local: Configuration? = Configuration()
  ) async throws(DiscoveryError) {
    let settings = try DirectorySettings(configuration)
    let home = try Bonjour.sharedLoop()
    let (worker, connector): (EventLoop, EventLoop)
    let hub: RelayHub?
    do throws(SystemError) {
      (worker, connector) = (try directoryLoop.get(), try connectingLoop.get())
      hub = settings.relays ? RelayHub(prefix: settings.relayPrefix, on: try relayLoop.get()) : nil
    } catch {
      throw DiscoveryError(
        .unavailable, "starting the directory: \(error.reason) (\(error.call)); close some files or programs", because: error)
    }
    let log: @Sendable (LogMessage) -> Void = { message in
      local?.log(message)
      configuration.log(message)
    }
    let allowsLoopback = settings.allowsLoopback
    // Made first: it throws.
    let network: (any DiscoveryBackend)? = if let local { try await Bonjour.localBackend(local) } else { nil }
    let directory = DirectoryBackend(
      settings, on: worker, connectingOn: connector, handlersOn: home, relaying: hub, isAlone: network == nil,
      denied: configuration.denied,
      ownAddresses: {
        let addresses = IPAddress.published()
        return addresses.isEmpty && allowsLoopback ? [.ipv4(0x7F00_0001)] : addresses
      }, stateChanged: configuration.stateChanged, log: log)
    let backend: any DiscoveryBackend =
      if let network { CombinedBackend(network, directory, on: home) } else { directory }
    let limit = ReachLimit()
    if let network, let local {
      // Until the backend is closed.
      network.followReach(of: .all, as: OperationID()) { limit.set($0, besideDirectory: true, local.reachLimited) }
    }
    self.init(backend: backend, time: .system, limit: limit, filter: .kernel, names: Bonjour.nameKeeper(local), log: log)
  }
}

/// The thread that calls of the library block.
private let directoryLoop = SharedEventLoop(name: "directory")
/// The thread that publishing messages of relayed connections blocks.
private let relayLoop = SharedEventLoop(name: "directory-relay")
/// The thread that connecting blocks.
private let connectingLoop = SharedEventLoop(name: "directory-dial")
