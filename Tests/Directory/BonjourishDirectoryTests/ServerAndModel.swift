import DirectoryModel
import Foundation
import TestSupport
import Testing
import _BonjourishBase
import _BonjourishDirectoryProtocol

@testable import BonjourishDirectory

/// A real server and the model, which get the same.
struct ServerAndModel {
  static let largest = 110_000

  private let bucket: Bucket
  private let server: NATSServer
  private let connection: NATSConnection
  private let inbox = "_INBOX.model"
  private var model: DirectoryModel
  private var messages: AsyncStream<(String, DirectoryMessage)>.Iterator
  private let source: AsyncStream<(String, DirectoryMessage)>.Continuation
  private var subscriptions: [String: NATSSubscription] = [:]
  private var received: [String: [DirectoryMessage]] = [:]
  private var modelled: [String: [DirectoryMessage]] = [:]
  private var number = 0
  private let began = ContinuousClock.now
  /// What was different.
  private(set) var differences: [String] = []

  init(
    _ server: NATSServer, retention: Duration = .seconds(600), total: Int64 = 1 << 20, consumers: Int? = nil,
    creates: Bool = true
  ) async throws {
    bucket = try #require(Bucket("b", lease: RecordLease(duration: retention)))
    self.server = server
    connection = try NATSConnection(DirectorySettings(DirectoryConfiguration(servers: [server.url]))) { _ in }
    model = DirectoryModel(bucket)
    let (stream, source) = AsyncStream<(String, DirectoryMessage)>.makeStream()
    (messages, self.source) = (stream.makeAsyncIterator(), source)
    try subscribe("r.*")
    guard creates else { return }
    var settings = bucket.settings(
      replicas: 1, maximumByteCount: total, maximumValueSize: Self.largest, storage: .file)
    if let consumers {
      let text = String(decoding: settings, as: UTF8.self)
      settings = Array(text.replacing("\"max_consumers\":-1", with: "\"max_consumers\":\(consumers)").utf8)
    }
    try await ask(settings, bucket.creationRequest)
  }

  private mutating func subscribe(_ name: String) throws {
    let subject = "\(inbox).\(name)"
    subscriptions[name] = try connection.subscribe(subject) { [source] message in
      source.yield((name, message.value(maximumByteCount: 1 << 20)))
    }
    note(model.subscribe(1, to: subject, at: now))
  }

  private var now: Duration { ContinuousClock.now - began }

  private mutating func note(_ sent: [DirectoryModel.Sent]) {
    for sent in sent { modelled[String(sent.subscription.dropFirst(inbox.count + 1)), default: []].append(sent.message) }
  }

  /// Takes what the real server sends until a condition holds.
  private mutating func wait(until condition: (Self) -> Bool) async throws {
    while !condition(self) {
      guard let (name, message) = await messages.next(isolation: #isolation) else { throw CancellationError() }
      received[name, default: []].append(message)
    }
  }

  @discardableResult
  private mutating func ask(
    _ data: [UInt8], _ subject: String, headers: [String: String] = [:]
  ) async throws -> DirectoryMessage {
    number += 1
    let reply = "\(inbox).r.\(number)"
    try connection.publish(data, to: subject, replyTo: reply, headers: headers.map { ($0.key, $0.value) })
    let count = number
    try await wait { $0.received["r.*"]?.count == count }
    note(model.publish(.init(data, to: subject, reply: reply, headers: headers), from: 1, at: now))
    guard let answer = received["r.*"]?.last, let expected = modelled["r.*"]?.last, modelled["r.*"]?.count == count else {
      differences.append("\(subject): the model does not answer")
      throw CancellationError()
    }
    compare(answer, expected, "\(subject) \(headers)")
    // Each delivery is waited for, so that the next request finds both in the same state.
    for name in modelled.keys where name != "r.*" {
      try await wait { $0.values($0.received[name]).count >= $0.values($0.modelled[name]).count }
      guard values(received[name]) != values(modelled[name]) else { continue }
      differences.append("\(name): \(values(received[name]).suffix(3)), and the model \(values(modelled[name]).suffix(3))")
      throw CancellationError()
    }
    return answer
  }

  private mutating func compare(_ answer: DirectoryMessage, _ expected: DirectoryMessage, _ what: String) {
    func text(_ message: DirectoryMessage) -> String {
      if message.headers[DirectoryMessage.sequence] != nil { return plain(message) }
      if message.data.isEmpty { return "status \(message.status ?? 0)" }
      switch JetStreamAnswer(message) {
      case .stored(let revision): return "stored as \(revision)"
      case .refused(let failure): return "refused: \(failure.code), \(failure.kind)"
      case .done(let json):
        let (pending, direct) = (json["num_pending"]?.integer, json["config"]?["allow_direct"]?.bool)
        return "done: \(pending.map { "\($0) pending" } ?? "") \(direct.map { "\($0)" } ?? "")"
      }
    }
    if text(answer) != text(expected) { differences.append("\(what): \(text(answer)), and the model: \(text(expected))") }
  }

  private func plain(_ message: DirectoryMessage) -> String {
    let headers = message.headers.filter { DirectoryMessage.readHeaders.contains($0.key) }.sorted { $0.key < $1.key }
    return "\(headers.map { "\($0.key)=\($0.value)" }) \(message.data.count) bytes, \(message.data.prefix(4))"
  }

  /// The values that a watch was sent.
  private func values(_ messages: [DirectoryMessage]?) -> [String] {
    (messages ?? []).filter { $0.status == nil }.map { message in
      let delivery = Delivery(message.reply)
      return
        "\(message.subject) \(delivery?.streamSequence ?? 0) \(delivery?.consumerSequence ?? 0) \(delivery?.pending ?? 0) \(plain(message))"
    }
  }

  // MARK: - What both are told

  mutating func put(_ key: String, _ bytes: [UInt8], owner: UInt64, _ expected: UInt64?) async throws -> UInt64? {
    var headers = [DirectoryMessage.owner: owner.digits]
    headers[DirectoryMessage.expectedSequence] = expected.map { "\($0)" }
    guard case .stored(let revision) = JetStreamAnswer(try await ask(bytes, bucket.subject(key), headers: headers)) else {
      return nil
    }
    return revision
  }

  mutating func delete(_ key: String, _ expected: UInt64?) async throws -> UInt64? {
    var headers = [DirectoryMessage.operation: "DEL"]
    headers[DirectoryMessage.expectedSequence] = expected.map { "\($0)" }
    guard case .stored(let revision) = JetStreamAnswer(try await ask([], bucket.subject(key), headers: headers)) else {
      return nil
    }
    return revision
  }

  mutating func read(_ key: String) async throws { try await ask([], bucket.readRequest(key)) }

  mutating func info() async throws { try await ask([], bucket.infoRequest) }

  mutating func watch(_ pattern: String, _ name: String, headersOnly: Bool, goesOn: Bool = true) async throws {
    try subscribe(name)
    try await ask(
      bucket.watch(pattern, deliverTo: "\(inbox).\(name)", headersOnly: headersOnly), bucket.watchRequest)
  }

  mutating func unwatch(_ name: String) {
    subscriptions[name] = nil
    model.unsubscribe(1, from: "\(inbox).\(name)", at: now)
    modelled[name] = nil
    received[name] = nil
  }

  private func flows(_ messages: [DirectoryMessage]?) -> [String] {
    (messages ?? []).compactMap {
      $0.status == 100 ? $0.headers[DirectoryMessage.stalled] ?? ($0.reply.isEmpty ? nil : $0.reply) : nil
    }
  }

  private func heartbeats(_ messages: [DirectoryMessage]?) -> [String] {
    (messages ?? []).compactMap { $0.status == 100 ? $0.headers[DirectoryMessage.lastConsumer] : nil }
  }

  /// Waits until both have asked to be told to go on, and have not delivered everything.
  mutating func waitForStalling(_ name: String) async throws {
    try await wait { !$0.flows($0.received[name]).isEmpty && !$0.heartbeats($0.received[name]).isEmpty }
    if flows(modelled[name]).isEmpty { differences.append("the model does not ask to be told to go on") }
    for (whose, messages) in [("the server", received[name]), ("the model", modelled[name])] where values(messages).count == 40
    {
      differences.append("\(whose) has not waited")
    }
    let counts = (values(received[name]).count, values(modelled[name]).count)
    if counts.0 != counts.1 { differences.append("the server waits after \(counts.0) values, and the model after \(counts.1)") }
  }

  /// Tells both to go on, as often as they ask.
  mutating func goOn(_ name: String) async throws {
    var answered: Set<String> = []
    while values(received[name]).count < 40 {
      try await wait { !$0.flows($0.received[name]).allSatisfy(answered.contains) || $0.values($0.received[name]).count == 40 }
      for subject in flows(received[name]) where answered.insert(subject).inserted { try connection.publish([], to: subject) }
    }
    while let subject = flows(modelled[name]).first(where: { answered.insert($0).inserted }) {
      note(model.publish(.init(to: subject), from: 1, at: now))
    }
    if values(received[name]) != values(modelled[name]) { differences.append("what is delivered in the end") }
  }

  /// Waits until both have sent a heartbeat after everything.
  mutating func waitForHeartbeat(_ name: String) async throws {
    try await wait { $0.heartbeats($0.received[name]).last == "2" }
    note(model.advance(to: now + .seconds(2)))
    if heartbeats(modelled[name]).last != "2" { differences.append("heartbeats: \(heartbeats(modelled[name]))") }
  }

  mutating func waitUntilGone(_ key: String) async throws {
    var answer: DirectoryMessage
    repeat {
      number += 1
      try connection.publish([], to: bucket.readRequest(key), replyTo: "\(inbox).r.\(number)")
      let count = number
      try await wait { $0.received["r.*"]?.count == count }
      answer = received["r.*"]!.last!
      modelled["r.*", default: []].append(answer)
    } while answer.status != 404
    _ = model.advance(to: now + .milliseconds(500))
    if model.value(key) != nil { differences.append("the model has the value for longer") }
  }
}
