import CBonjourishLinux
import _BonjourishDiscovery
import _BonjourishEventLoop
import _BonjourishMulticastDNS

/// The engine's registrations, and the host's name. Publications call these methods on the loop.
extension MulticastBackend {
  /// Makes a registration for a publication.
  nonisolated func newRegistration(for id: OperationID) -> MulticastEngine.RegistrationID {
    assumeIsolated { backend in
      let number = MulticastEngine.RegistrationID(backend.nextNumber())
      backend.registrations[number] = id
      return number
    }
  }

  nonisolated func register(
    _ records: [PublishedRecord], as number: MulticastEngine.RegistrationID, on interfaces: InterfaceSelection,
    sharingNames: Bool = false
  ) {
    assumeIsolated { $0.handle(.publish(number, records, in: $0.scopes[interfaces]?.id, sharingNames: sharingNames)) }
  }

  nonisolated func update(_ number: MulticastEngine.RegistrationID, to records: [PublishedRecord]) {
    assumeIsolated { $0.handle(.update(number, records)) }
  }

  nonisolated func withdraw(_ number: MulticastEngine.RegistrationID) {
    assumeIsolated { backend in
      backend.registrations[number] = nil
      backend.handle(.withdraw(number))
    }
  }

  func nextNumber() -> UInt64 {
    lastNumber += 1
    return lastNumber
  }

  /// Publishes the host's name with the first service, and follows its changes. A program that only browses publishes nothing.
  func claimHostName() {
    guard !hasHostName else { return }
    hasHostName = true
    var machineName = Self.hostName()
    setHostName(to: machineName)
    do throws(SystemError) {
      let monitor = try HostNameMonitor()
      try monitor.start(on: loop) { [weak self] in
        // Who sets the same name again does not ask for the one that another host has.
        let name = Self.hostName()
        guard name != machineName else { return }
        machineName = name
        self?.assumeIsolated { $0.setHostName(to: name) }
      }
      hostNameMonitor = monitor
    } catch {
      log(LogMessage(.info, "changes of this machine's name cannot be noticed: \(error)", ["error": "\(error)"]))
    }
  }

  func setHostName(to name: DNSName) {
    handle(.setHostName(name, in: Self.hostScope, withAddresses: hasHostAddresses))
  }

  /// The first label of the machine's name, in `local`.
  private static func hostName() -> DNSName {
    let name = withUnsafeTemporaryAllocation(of: CChar.self, capacity: 256) { buffer in
      // A truncated name may have no terminator.
      buffer[255] = 0
      let result = try? systemCall("gethostname") { gethostname(buffer.baseAddress!, 255) }
      return result == nil ? "" : String(cString: buffer.baseAddress!)
    }
    let label = name.split(separator: ".").first.map { Array($0.utf8.prefix(DNSName.maximumLabelBytes)) }
    for candidate in [label, Array("linux".utf8)].compactMap({ $0 }) {
      if let name = try? DNSName(labels: [candidate, Array("local".utf8)]) { return name }
    }
    preconditionFailure("linux.local must be a valid name")
  }
}
