import Discovery
import Glibc
import MulticastDNS

/// What is published: registrations of the engine, and the host's name. Publications live on the loop and know it.
extension MulticastBackend {
  /// A new registration of a publication's.
  nonisolated func newRegistration(for id: OperationID) -> MulticastEngine.RegistrationID {
    assumeIsolated { backend in
      let number = MulticastEngine.RegistrationID(backend.nextNumber())
      backend.registrations[number] = id
      return number
    }
  }

  nonisolated func register(
    _ records: [PublishedRecord], as number: MulticastEngine.RegistrationID, on interface: NetworkInterface?
  ) {
    assumeIsolated { $0.handle(.publish(number, records, interface: interface?.index)) }
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

  /// The host's name is published only once it is needed: a program that browses says nothing of itself.
  func claimHostName() {
    guard !hasHostName else { return }
    hasHostName = true
    handle(.setHostName(Self.hostName()))
  }

  /// The first label of the machine's name, in `local`.
  private static func hostName() -> DNSName {
    let name = withUnsafeTemporaryAllocation(of: CChar.self, capacity: 256) { buffer in
      // The name may have been cut, and then has no end.
      buffer[255] = 0
      return gethostname(buffer.baseAddress!, 255) == 0 ? String(cString: buffer.baseAddress!) : ""
    }
    let label = name.split(separator: ".").first.map { Array($0.utf8.prefix(DNSName.maximumLabelBytes)) }
    for candidate in [label, Array("linux".utf8)].compactMap({ $0 }) {
      if let name = try? DNSName(labels: [candidate, Array("local".utf8)]) { return name }
    }
    preconditionFailure("\"linux.local\" is a name")
  }
}
