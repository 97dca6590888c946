import Bonjourish
import Console
import DirectoryProtocol

/// The requests of the module, for a load of watchers that understand nothing else.
enum Requests {
  static func run(_ arguments: [String]) throws {
    guard let bucket = Bucket("bonjourish"), let region = Region("world") else { fatalError(usage) }
    let all = DirectoryKey.all(of: try ServiceType(arguments[1]), in: region)
    // The last two tokens are the shard and the instance.
    let shard = all.dropLast(3) + "07.*"
    let requests: JSONValue = [
      "subject": .string(bucket.watchRequest), "info": .string(bucket.infoRequest),
      "type": .string(text(bucket.watch(all, deliverTo: "INBOX"))),
      "shard": .string(text(bucket.watch(String(shard), deliverTo: "INBOX"))),
    ]
    Output.standard.line(text(requests.text))
  }

  private static func text(_ bytes: [UInt8]) -> String { String(decoding: bytes, as: UTF8.self) }
}
