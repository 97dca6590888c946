/// The types of records that are needed to resolve a service, with their numbers on the wire.
package enum RecordKind: UInt16, Hashable, Sendable, CaseIterable {
  case a = 1
  case txt = 16
  case aaaa = 28
  case srv = 33
}

/// A question for the records of one type and name, on one interface or on all.
package struct RecordQuestion: Hashable, Sendable {
  package enum Name: Hashable, Sendable, CustomStringConvertible {
    case instance(ServiceInstance)
    case host(DomainName)

    package var description: String {
      switch self {
      case .instance(let instance): instance.description
      case .host(let host): host.description
      }
    }
  }

  package let name: Name
  package let kind: RecordKind
  package let interface: NetworkInterface?

  package init(_ name: Name, _ kind: RecordKind, interface: NetworkInterface?) {
    self.name = name
    self.kind = kind
    self.interface = interface
  }
}

/// The parsed and checked data of a record.
package enum RecordData: Hashable, Sendable {
  case address(IPAddress)
  case text(TXTRecord)
  /// The data of an SRV record (RFC 2782).
  case server(host: DomainName, port: UInt16, priority: UInt16, weight: UInt16)
}

/// A record and the link it was seen on.
package struct ResourceRecord: Hashable, Sendable {
  package let data: RecordData
  package let link: Link

  package init(_ data: RecordData, on link: Link) {
    self.data = data
    self.link = link
  }
}
