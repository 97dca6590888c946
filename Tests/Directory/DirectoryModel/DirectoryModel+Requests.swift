import _BonjourishBase
import _BonjourishDirectoryProtocol

/// What JetStream answers.
extension DirectoryModel {
  mutating func handle(_ publication: Publication, at now: Duration) -> [Sent] {
    let subject = publication.subject
    if let consumer = consumers.firstIndex(where: { $0.flow?.subject == subject }) {
      consumers[consumer].goOn()
      return deliver(at: now)
    }
    if subject.hasPrefix(bucket.readRequest("")) {
      // Newer servers than Debian's answer for a bucket that does not exist; nothing depends on it.
      if settings == nil || outage?.answersReads == false { return [] }
      return messages(
        to: publication.reply, read(String(subject.dropFirst("\(bucket.api).DIRECT.GET.\(bucket.stream).".utf8.count)), at: now)
      )
    }
    var isSilent = false
    if let outage {
      switch outage.answer {
      case .silence: return []
      case .refusal: return messages(to: publication.reply, DirectoryMessage(status: 503))
      case .doneInSilence: isSilent = true
      }
    }
    var answer: JSONValue
    var delivered: [Sent] = []
    switch subject {
    case bucket.infoRequest: answer = info()
    case bucket.creationRequest: answer = create(publication.data)
    case bucket.watchRequest: answer = watch(publication.data, at: now)
    case _ where settings != nil && Self.matches(subject, bucket.subject(">")):
      answer = store(publication, at: now)
      delivered = deliver(at: now)
    default: return messages(to: publication.reply, DirectoryMessage(status: 503))
    }
    if subject == bucket.watchRequest { delivered = deliver(at: now) }
    if isSilent || publication.reply.isEmpty { return delivered }
    return messages(to: publication.reply, DirectoryMessage(data: answer.text)) + delivered
  }

  private func error(_ code: Int64, _ kind: Int64, _ text: String) -> JSONValue {
    ["error": ["code": .integer(code), "err_code": .integer(kind), "description": .string(text)]]
  }

  // MARK: - The bucket

  private func info() -> JSONValue {
    guard let settings, let config = try? JSONReader.read(settings.text) else { return error(404, 10_059, "stream not found") }
    return ["type": "io.nats.jetstream.api.v1.stream_info_response", "config": config]
  }

  private mutating func create(_ data: [UInt8]) -> JSONValue {
    guard let config = try? JSONReader.read(data), config["name"]?.string == bucket.stream else {
      return error(400, 10_025, "invalid JSON")
    }
    if let settings, settings.text != data {
      return error(400, 10_058, "stream name already in use with a different configuration")
    }
    settings = Settings(
      maximumByteCount: config["max_bytes"]?.integer ?? -1, maximumMessageSize: config["max_msg_size"]?.integer ?? -1,
      maximumAge: .nanoseconds(config["max_age"]?.integer ?? 0), consumerLimit: config["max_consumers"]?.integer ?? -1,
      text: data)
    return ["type": "io.nats.jetstream.api.v1.stream_create_response", "config": config]
  }

  // MARK: - Values

  private func read(_ subject: String, at now: Duration) -> DirectoryMessage {
    let former = former[subject].flatMap { $0.until + readLag > now ? $0 : nil }
    guard let stored = former.map(\.value) ?? values[subject] else { return DirectoryMessage(status: 404) }
    var message = DirectoryMessage(headers: stored.headers, data: stored.data)
    message.headers[DirectoryMessage.sequence] = "\(stored.sequence)"
    return message
  }

  private mutating func store(_ publication: Publication, at now: Duration) -> JSONValue {
    guard let settings else { return error(404, 10_059, "stream not found") }
    let subject = publication.subject
    let former = values[subject]
    if let expected = publication.headers[DirectoryMessage.expectedSequence].flatMap({ UInt64($0) }),
      expected != former?.sequence ?? 0
    {
      return error(400, 10_071, "wrong last sequence: \(former?.sequence ?? 0)")
    }
    let stored = Stored(
      subject: subject, sequence: lastSequence + 1, time: now, headers: publication.headers, data: publication.data)
    if settings.maximumMessageSize >= 0, Int64(stored.headerSize + stored.data.count) > settings.maximumMessageSize {
      return error(400, 10_054, "message size exceeds maximum allowed")
    }
    let isOver = isFull || settings.maximumByteCount >= 0 && byteCount + stored.size > settings.maximumByteCount
    // What takes the place of a value that is no smaller is no more.
    if isOver, former.map({ $0.size < stored.size }) ?? true {
      return error(503, Int64(JetStreamFailure.storeFailed), "maximum bytes exceeded")
    }
    self.former[subject] = (former, now)
    remove(subject)
    lastSequence += 1
    byteCount += stored.size
    values[subject] = stored
    subjects[stored.sequence] = subject
    if let key = bucket.key(subject) { revisions[key, default: 0] += 1 }
    for index in consumers.indices where Self.matches(subject, consumers[index].filter) {
      consumers[index].backlog.append(stored.sequence)
    }
    return ["stream": .string(bucket.stream), "seq": .integer(Int64(lastSequence))]
  }

  mutating func remove(_ subject: String) {
    guard let stored = values.removeValue(forKey: subject) else { return }
    subjects[stored.sequence] = nil
    byteCount -= stored.size
  }

  // MARK: - Consumers

  private mutating func watch(_ data: [UInt8], at now: Duration) -> JSONValue {
    guard let settings else { return error(404, 10_059, "stream not found") }
    guard let config = (try? JSONReader.read(data))?["config"], let filter = config["filter_subject"]?.string,
      let subject = config["deliver_subject"]?.string
    else { return error(400, 10_025, "invalid JSON") }
    if settings.consumerLimit >= 0, consumers.count >= settings.consumerLimit {
      return error(400, 10_026, "maximum consumers limit reached")
    }
    lastConsumer += 1
    let backlog = values.values.filter { Self.matches($0.subject, filter) }.map(\.sequence).sorted()
    consumers.append(
      Consumer(
        name: "c\(lastConsumer)", subject: subject, filter: filter, headersOnly: config["headers_only"]?.bool ?? false,
        heartbeat: .nanoseconds(config["idle_heartbeat"]?.integer ?? 0),
        inactivity: .nanoseconds(config["inactive_threshold"]?.integer ?? 5_000_000_000), backlog: backlog, window: window,
        at: now))
    noteInterest(at: now)
    return [
      "type": "io.nats.jetstream.api.v1.consumer_create_response", "stream_name": .string(bucket.stream),
      "name": .string("c\(lastConsumer)"), "num_pending": .integer(Int64(backlog.count)),
    ]
  }
}
