import Bonjourish
import _BonjourishBase
import _BonjourishConsole
import _BonjourishDirectoryProtocol

/// The requests of the module, for a load of watchers that understand nothing else.
enum Requests {
  static func run(_ arguments: [String]) throws {
    guard let bucket = Bucket("bonjourish"), let region = Region("world") else { fatalError(usage) }
    let type = try ServiceType(arguments[1])
    let (all, shard) = (DirectoryKey.all(of: type, in: region), DirectoryKey.all(of: type, in: region, shard: 7))
    let requests: JSONValue = [
      "subject": .string(bucket.watchRequest), "info": .string(bucket.infoRequest),
      "type": .string(text(bucket.watch(all, deliverTo: "INBOX"))),
      "shard": .string(text(bucket.watch(shard, deliverTo: "INBOX"))),
    ]
    Output.standard.line(text(requests.text))
  }

  private static func text(_ bytes: [UInt8]) -> String { String(decoding: bytes, as: UTF8.self) }
}
