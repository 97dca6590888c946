import Bonjourish
import FramedTransport
import Synchronization

/// The entrance for phones.
extension HostShell {
  /// The present addresses of the page for phones, the one that a phone most likely reaches first, with the present token if there is one;
  /// nil if there is no page.
  public nonisolated var webAddresses: [String]? { web?.addresses }

  nonisolated var web: WebListener? { openedWeb.withLock { $0 } }

  /// Opens the entrance for phones, if the plan has one and it is not open, and advertises it.
  ///
  /// - Returns: The addresses of the page, as ``webAddresses``.
  /// - Throws: ``RoomError`` with code `cannotListen` or `cannotAdvertise`.
  public func openWeb() async throws(RoomError) -> [String]? {
    guard servingWeb == nil, web == nil, !isOver, let opened = try await plan.openWeb(keeping: nil) else { return webAddresses }
    // Another call was faster, or the host was closed meanwhile.
    guard servingWeb == nil, !isOver else {
      await opened.listener.close()
      return webAddresses
    }
    if let token { _ = opened.show(token) }
    let failure: RoomError? = await withCheckedContinuation { (continuation: CheckedContinuation<RoomError?, Never>) in
      servingWeb = Task { await serve(opened) { continuation.resume(returning: $0) } }
    }
    if let failure {
      servingWeb = nil
      await opened.listener.close()
      throw failure
    }
    openedWeb.withLock { $0 = opened }
    // The port is part of the state.
    changes.continuation.yield()
    return opened.addresses
  }

  /// Serves and advertises an entrance for phones until its listener is closed.
  ///
  /// - Parameter isOpen: Called once: when the entrance is open, or with the reason why it cannot be advertised.
  private nonisolated func serve(_ web: WebListener, _ isOpen: @escaping @Sendable (RoomError?) -> Void) async {
    guard let bonjour else {
      isOpen(nil)
      return await web.serve { await self.serve($0) }
    }
    let hasBegun = Mutex(false)
    do {
      let page = web.advertisement(named: plan.name).continued(by: succession.ofPage)
      try await bonjour.withPublishedServices([page], interfaces: plan.interfaces) { _ in
        hasBegun.withLock { $0 = true }
        isOpen(nil)
        await web.serve { await self.serve($0) }
      }
    } catch {
      // Later, the service is withdrawn anyway.
      guard !hasBegun.withLock({ $0 }) else { return }
      isOpen((error as? DiscoveryError).map(RoomError.init(advertising:)) ?? RoomError(.cancelled, "\(error)"))
    }
  }
}

extension Bonjour.Service {
  /// The service as a publisher who replaces the record of its predecessor in a directory.
  func continued(by succession: Succession) -> Bonjour.Service {
    var service = self
    service.succession = succession
    return service
  }
}

extension Succession {
  /// The succession of the page for phones: a publisher of its own, which follows from that of the room.
  var ofPage: Succession {
    var page = self
    page.publisher ^= 1
    page.predecessor = predecessor.map { $0 ^ 1 }
    return page
  }
}
