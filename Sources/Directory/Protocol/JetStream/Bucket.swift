package import _BonjourishBase

/// A bucket of a JetStream key-value store: its subjects and requests.
///
/// The requests are those that NATS documents for all clients (ADR-1, ADR-8, ADR-31), so that nothing waits for an answer, as the
/// functions of the C library for buckets do.
package struct Bucket: Hashable, Sendable {
  package let name: String
  /// The first tokens of the subjects of JetStream's own requests, usually `$JS.API`.
  package let api: String
  /// For how long a value counts.
  package let lease: RecordLease

  /// The name of the stream that holds the bucket.
  package var stream: String { "KV_\(name)" }

  /// - Parameters:
  ///   - name: 1–64 letters, digits, hyphens and underscores.
  ///   - api: The first tokens of the subjects of JetStream's requests.
  ///   - lease: For how long a value counts.
  /// - Returns: Nil for another name.
  package init?(_ name: String, api: String = "$JS.API", lease: RecordLease = .standard) {
    let isAllowed = name.utf8.allSatisfy { byte in
      (48...57).contains(byte) || (97...122).contains(byte | 0x20) || byte == UInt8(ascii: "-") || byte == UInt8(ascii: "_")
    }
    guard (1...64).contains(name.utf8.count), isAllowed else { return nil }
    self.name = name
    self.api = api
    self.lease = lease
  }

  /// The subject of a key, or of several by a pattern.
  package func subject(_ key: String) -> String { "$KV.\(name).\(key)" }

  /// The key of a subject; nil for a subject of another bucket.
  package func key(_ subject: String) -> String? {
    let prefix = "$KV.\(name)."
    return subject.hasPrefix(prefix) ? String(subject.dropFirst(prefix.count)) : nil
  }

  package var infoRequest: String { "\(api).STREAM.INFO.\(stream)" }
  package var updateRequest: String { "\(api).STREAM.UPDATE.\(stream)" }
  package var creationRequest: String { "\(api).STREAM.CREATE.\(stream)" }
  package var watchRequest: String { "\(api).CONSUMER.CREATE.\(stream)" }

  /// The subject that answers with the last message of a key, from any server that has the bucket.
  package func readRequest(_ key: String) -> String { "\(api).DIRECT.GET.\(stream).\(subject(key))" }

  /// Where a server keeps the values of a bucket.
  package enum Storage: String, Hashable, Sendable {
    case memory, file
  }

  /// How many may watch a bucket at a time. It must be said: nats-server allows a thousand since version 2.15 where it is not.
  package static let mostWatches: Int64 = 1_000_000

  /// The settings of a new bucket: one value a key, each gone a lease after it was written.
  ///
  /// - Parameters:
  ///   - replicas: The number of servers that hold it, 1–5.
  ///   - maximumByteCount: The most that all values take.
  ///   - maximumValueSize: The most bytes of one value.
  ///   - limitsWatches: Whether the bucket has a limit of its own for watches.
  package func settings(
    replicas: Int, maximumByteCount: Int64, maximumValueSize: Int = DirectoryRecord.maximumByteCount,
    storage: Storage = .memory, limitsWatches: Bool = true
  ) -> [UInt8] {
    let lease = lease.duration.nanoseconds
    let settings: JSONValue = [
      "name": .string(stream), "subjects": [.string(subject(">"))], "retention": "limits",
      "max_consumers": .integer(limitsWatches ? Self.mostWatches : -1),
      "max_msgs": -1, "max_msgs_per_subject": 1, "max_bytes": .integer(maximumByteCount), "discard": "new",
      "max_age": .integer(lease), "max_msg_size": .integer(Int64(maximumValueSize) + 1_024),
      "storage": .string(storage.rawValue), "num_replicas": .integer(Int64(replicas)),
      "duplicate_window": .integer(min(lease, 60_000_000_000)), "deny_delete": true,
      "allow_rollup_hdrs": true, "allow_direct": true,
    ]
    return settings.text
  }

  /// The settings of a bucket with a limit for watches; nil if it has one already.
  ///
  /// - Parameter config: Its settings, as the server tells them.
  package func withLimitOfWatches(_ config: JSONValue?) -> [UInt8]? {
    guard case .object(var fields)? = config, let limit = fields["max_consumers"]?.integer, limit <= 0 else { return nil }
    fields["max_consumers"] = .integer(Self.mostWatches)
    return JSONValue.object(fields).text
  }

  /// The settings of a consumer that delivers the last value of each key, and then each change.
  ///
  /// - Parameters:
  ///   - pattern: The keys.
  ///   - subject: Where to deliver.
  ///   - headersOnly: Whether to leave the values themselves out.
  package func watch(_ pattern: String, deliverTo subject: String, headersOnly: Bool = false) -> [UInt8] {
    let settings: JSONValue = [
      "stream_name": .string(stream),
      "config": [
        "deliver_subject": .string(subject), "deliver_policy": "last_per_subject", "ack_policy": "none", "max_deliver": 1,
        "replay_policy": "instant", "filter_subject": .string(self.subject(pattern)), "flow_control": true,
        "idle_heartbeat": .integer(Listing.heartbeat.nanoseconds), "mem_storage": true, "num_replicas": 1,
        "inactive_threshold": .integer(10_000_000_000), "headers_only": .bool(headersOnly),
      ],
    ]
    return settings.text
  }
}

extension Duration {
  var nanoseconds: Int64 { components.seconds * 1_000_000_000 + components.attoseconds / 1_000_000_000 }
}
