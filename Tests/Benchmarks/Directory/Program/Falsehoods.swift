import Bonjourish
import _BonjourishConsole
import _BonjourishDirectoryProtocol
import _BonjourishTerminal

/// Records of a stranger who may write to the bucket what they like.
enum Falsehoods {
  private enum Kind: String {
    /// Well-formed records with names of their own.
    case plausible
    /// Well-formed records whose names look like a real one.
    case imitations
    /// The same, in all shards.
    case spread
    /// Values that are no records.
    case malformed
    /// Values as large as the bucket takes.
    case oversized
  }

  static func run(_ arguments: [String]) throws {
    guard let kind = Kind(rawValue: arguments[1]), let count = Int(arguments[2]), let bucket = Bucket("bonjourish"),
      let region = Region("world")
    else { fatalError(usage) }
    let type = try ServiceType(arguments[3])
    let real = try InstanceName(arguments[4])
    let shard = DirectoryKey(region: region, type: type, name: real).shard
    var (written, number) = (0, 0)
    var batch: [UInt8] = []
    while written < count {
      number += 1
      let name = try name(kind, number, real)
      let key = DirectoryKey(region: region, type: type, name: name)
      guard kind == .spread || key.shard == shard else { continue }
      written += 1
      let value = value(kind, number, name, type)
      batch += Array("PUB \(bucket.subject(key.text)) \(value.count)\r\n".utf8) + value + [13, 10]
      if batch.count > 1 << 20 || written == count {
        try writeAll(batch, to: 1)
        batch = []
      }
    }
  }

  private static func name(_ kind: Kind, _ number: Int, _ real: InstanceName) throws -> InstanceName {
    guard kind == .imitations else { return try InstanceName("A room, \(kind.rawValue) \(number)") }
    // Characters that are not seen: each bit of the number is one of two.
    let marks = (0..<10).map { number >> $0 & 1 == 0 ? "\u{200B}" : "\u{200C}" }
    let more = number >> 10 == 0 ? "" : " #\(number >> 10)"
    return try InstanceName(String((real.text + more).prefix(20)) + marks.joined())
  }

  private static func value(_ kind: Kind, _ number: Int, _ name: InstanceName, _ type: ServiceType) -> [UInt8] {
    switch kind {
    case .plausible, .imitations, .spread:
      return DirectoryRecord(name: name, type: type, port: 666, host: "x", addresses: [.ipv4(0x7F00_0001)], txt: [:], owner: 1)
        .bytes
    case .malformed:
      switch number % 4 {
      case 0: return []
      case 1: return Array("{\"v\":1}".utf8)
      case 2: return [UInt8](repeating: UInt8(ascii: "["), count: 400)
      default: return (0..<200).map { UInt8(truncatingIfNeeded: $0 &* number) }
      }
    case .oversized: return [UInt8](repeating: UInt8(ascii: " "), count: 8_192 + 900)
    }
  }
}
