package import _BonjourishDaemonMachine
package import _BonjourishDiscovery
import _BonjourishEventLoop

/// What the daemon publishes from files, and looks up for the simple socket.
extension Daemon {
  /// Replaces the services of files, by the files' names.
  package func publish(files: [String: [StaticService]]) { handle(.services(files)) }

  /// Replaces the hosts of files.
  package func publish(hosts: [StaticHost]) { handle(.hosts(hosts)) }

  /// Looks up an address of a host.
  ///
  /// - Parameter handler: Called once on the loop, with nil when nothing is found in five seconds; not after ``cancel(_:)``.
  package nonisolated func resolve(
    hostName: String, _ family: IPAddress.Family?, _ handler: @escaping @Sendable (ResolvedAddress?) -> Void
  ) -> OperationID {
    let id = OperationID()
    loop.execute {
      self.assumeIsolated { daemon in
        let token = daemon.token(for: id)
        daemon.addressHandlers[token] = handler
        daemon.handle(.resolve(.address(ofHost: hostName, family), token))
      }
    }
    return id
  }

  /// Looks up the name of an address.
  ///
  /// - Parameter handler: Called once on the loop, with nil when nothing is found in five seconds; not after ``cancel(_:)``.
  package nonisolated func resolve(
    _ address: IPAddress, _ handler: @escaping @Sendable (ResolvedName?) -> Void
  ) -> OperationID {
    let id = OperationID()
    loop.execute {
      self.assumeIsolated { daemon in
        let token = daemon.token(for: id)
        daemon.nameHandlers[token] = handler
        daemon.handle(.resolve(.name(of: address), token))
      }
    }
    return id
  }

  /// Ends a lookup without a result.
  package nonisolated func cancel(_ id: OperationID) {
    loop.execute {
      self.assumeIsolated { daemon in
        guard let token = daemon.tokens[id] else { return }
        daemon.addressHandlers[token] = nil
        daemon.nameHandlers[token] = nil
        daemon.forget(token)
        daemon.handle(.cancel(token))
      }
    }
  }

  private func token(for id: OperationID) -> UInt64 {
    lastToken += 1
    tokens[id] = lastToken
    ids[lastToken] = id
    return lastToken
  }

  func forget(_ token: UInt64) {
    if let id = ids.removeValue(forKey: token) { tokens[id] = nil }
  }
}
