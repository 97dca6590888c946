/// An address of a host that is looked up.
package struct HostAddress: Hashable, Sendable, Identifiable {
  package let address: IPAddress

  package var id: IPAddress { address }
}

/// A name of a host whose address is looked up.
package struct HostName: Hashable, Sendable, Identifiable {
  package let id: DomainName
}

extension LookupState.Reading where Element == HostAddress {
  /// Reads the addresses in A and AAAA records. One that is seen on several links is one.
  ///
  /// - Parameter filter: Decides which addresses count.
  package static func addresses(_ filter: AddressFilter) -> Self {
    Self(
      identify: { if case .address(let address) = $0.data { address } else { nil } },
      admits: { record in
        guard case .address(let address) = record.data else { return false }
        return filter.permits(address, heardOn: record.link.source)
      },
      combine: { address, _ in HostAddress(address: address) }, isBefore: { $0.address.description < $1.address.description })
  }
}

extension LookupState.Reading where Element == HostName {
  /// Reads the names that PTR records in reverse mapping point to.
  package static var hostNames: Self {
    Self(
      identify: { if case .pointer(let target) = $0.data { target } else { nil } },
      combine: { name, _ in HostName(id: name) }, isBefore: { $0.id.text < $1.id.text })
  }
}
