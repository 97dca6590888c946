import _BonjourishBase
package import _BonjourishDiscovery

/// What a directory holds about one service.
package struct DirectoryRecord: Hashable, Sendable {
  /// Who wrote a record: random, new for each run of a program that publishes; the upper half is the same in all runs of a publisher
  /// that keeps an identity (``Succession``). It is no secret and no proof; with it a publisher finds its own record again.
  package typealias Owner = UInt64

  package var name: InstanceName
  package var type: ServiceType
  package var subtypes: Set<ServiceSubtype>
  package var port: UInt16
  /// The first label of the host's name, for display.
  package var host: String
  /// The addresses that the service can be reached at, possibly none.
  package var addresses: [IPAddress]
  package var txt: TXTRecord
  package var owner: Owner
  /// The program that accepts relayed connections; nil if it accepts none.
  package var relay: RelayNumber?

  package init(
    name: InstanceName, type: ServiceType, subtypes: Set<ServiceSubtype> = [], port: UInt16, host: String,
    addresses: [IPAddress], txt: TXTRecord, owner: Owner, relay: RelayNumber? = nil
  ) {
    self.name = name
    self.type = type
    self.subtypes = subtypes
    self.port = port
    self.host = host
    self.addresses = addresses
    self.txt = txt
    self.owner = owner
    self.relay = relay
  }

  /// The version of the format. Readers ignore records of other versions.
  package static let version: Int64 = 1
  /// The largest size of a record in bytes. A TXT record of 1,300 bytes that are all escaped still fits.
  package static let maximumByteCount = 8_192
  package static let maximumAddressCount = 16
  package static let maximumSubtypeCount = 16

  /// The place of the record.
  package func key(in region: Region) -> DirectoryKey { DirectoryKey(region: region, type: type, name: name) }

  /// The families of the addresses. A record without addresses counts as one of IPv4, so that it is seen somewhere.
  package var families: Set<IPAddress.Family> { addresses.isEmpty ? [.ipv4] : Set(addresses.map(\.family)) }
}

extension DirectoryRecord {
  /// Why readers would ignore the record; nil if they take it.
  ///
  /// - Parameter action: What it is for, such as `publishing "Ada"`.
  package func refusal(during action: String) -> DiscoveryError? {
    let size = bytes.count
    if subtypes.count > Self.maximumSubtypeCount {
      return DiscoveryError(
        .limitReached,
        "\(action): a directory keeps at most \(Self.maximumSubtypeCount) subtypes of a service, and it has \(subtypes.count); leave some out"
      )
    }
    if size > Self.maximumByteCount {
      return DiscoveryError(
        .limitReached,
        "\(action): its record in the directory would have \(size) bytes, more than \(Self.maximumByteCount); shorten its TXT record"
      )
    }
    return nil
  }

  /// The record as JSON. Equal records have equal bytes.
  package var bytes: [UInt8] {
    var fields: [String: JSONValue] = [
      "v": .integer(Self.version), "name": .string(name.text), "type": .string(type.dnsText), "port": .integer(Int64(port)),
      "host": .string(host), "addresses": .array(addresses.map { .string($0.description) }),
      "txt": .array(txt.strings.map(Self.value)), "owner": .string(owner.digits),
    ]
    if let relay { fields["relay"] = .string(relay.text) }
    if !subtypes.isEmpty { fields["subtypes"] = .array(subtypes.map(\.text).sorted().map { .string($0) }) }
    return JSONValue.object(fields).text
  }

  /// A string of a TXT record: text if it is UTF-8, otherwise an array of its bytes.
  private static func value(_ string: [UInt8]) -> JSONValue {
    if let text = String(validating: string, as: UTF8.self) { return .string(text) }
    return .array(string.map { .integer(Int64($0)) })
  }
}
