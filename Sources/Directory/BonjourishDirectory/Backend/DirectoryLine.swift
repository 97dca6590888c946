import _BonjourishDirectoryProtocol
import _BonjourishEventLoop

/// The connection with a directory, and the requests that wait for their answers.
///
/// Sendable: it is used on the module's loop only; the library's threads hand their messages to the loop.
///
/// Each request is a message with a subject for the answer. The library has functions that wait for answers of JetStream; they would
/// block the loop for a round trip each.
final class DirectoryLine: @unchecked Sendable {
  private struct Waiting {
    let subject: String
    let expiry: LoopTime
    let answer: (DirectoryMessage) -> Void
  }

  private let connection: NATSConnection
  private let loop: EventLoop
  private let inbox: String
  private var replies: NATSSubscription?
  private var waiting: [UInt64: Waiting] = [:]
  /// The numbers of the requests in order, for those that are never answered.
  private var order: [UInt64] = []
  private var lastNumber: UInt64 = 0
  /// Whether something was written that must arrive before the process ends.
  private var hasGoodbyes = false

  var lastFailure: NATSFailure? { connection.lastFailure }

  /// Why this side has ended the connection, because its server sent too much; nil if it has not.
  var cut: String? { connection.cut }

  /// The most bytes of a message that the server takes, headers included.
  var maximumPayload: Int { connection.maximumPayload }

  /// The time for which answers are waited for. Whoever asks stops waiting earlier.
  private static let timeout: Duration = .seconds(30)

  init(_ connection: NATSConnection, inboxPrefix: String, on loop: EventLoop) {
    self.loop = loop
    self.connection = connection
    // 128 random bits: whoever does not know the subject cannot answer in the place of the server.
    let (high, low) = (UInt64.random(in: 0...UInt64.max), UInt64.random(in: 0...UInt64.max))
    inbox = "\(inboxPrefix).\(String(high, radix: 16)).\(String(low, radix: 16))"
  }

  /// Begins to receive answers. The library subscribes again when it has connected again.
  func open() throws(NATSFailure) {
    let box = MessageInbox(on: loop, maximumByteCount: DirectoryMessage.maximumAnswerByteCount) { [weak self] messages in
      for message in messages { self?.receive(message) }
    }
    replies = try connection.subscribe("\(inbox).r.*") { box.put($0) }
  }

  /// Asks, and hands the answer over if one comes.
  func request(
    _ data: [UInt8], to subject: String, headers: [(name: String, value: String)] = [],
    _ answer: @escaping (DirectoryMessage) -> Void
  ) throws(NATSFailure) {
    dropUnanswered()
    lastNumber += 1
    try connection.publish(data, to: subject, replyTo: "\(inbox).r.\(lastNumber)", headers: headers)
    waiting[lastNumber] = Waiting(subject: subject, expiry: .now + Self.timeout, answer: answer)
    order.append(lastNumber)
  }

  /// Answers requests that the server does not, because this user may not make them.
  func refuse(_ violation: PermissionViolation) {
    let refused = waiting.filter { violation.concerns($0.value.subject) }.sorted { $0.key < $1.key }
    for (number, request) in refused {
      waiting[number] = nil
      request.answer(DirectoryMessage(subject: request.subject, status: JetStreamFailure.notPermitted))
    }
  }

  /// Whether a subject is one that answers and listings come to.
  func receives(_ subject: String) -> Bool { subject.hasPrefix(inbox) }

  /// Writes without asking for an answer.
  func publish(_ data: [UInt8], to subject: String, headers: [(name: String, value: String)] = []) throws(NATSFailure) {
    try connection.publish(data, to: subject, headers: headers)
  }

  /// Removes a key, without waiting.
  ///
  /// - Parameter expected: The revision that it must have; nil for any.
  func delete(_ subject: String, expected: UInt64?) throws(NATSFailure) {
    let condition = expected.map { [(DirectoryMessage.expectedSequence, "\($0)")] } ?? []
    try connection.publish([], to: subject, headers: [(DirectoryMessage.operation, "DEL")] + condition)
    hasGoodbyes = true
  }

  /// A new subject of this connection.
  func subject(_ watch: UInt64, _ number: UInt64) -> String { "\(inbox).w.\(watch).\(number)" }

  /// A new subject of this connection for one listing of owned values.
  func newSubject() -> String {
    lastNumber += 1
    return "\(inbox).v.\(lastNumber)"
  }

  func subscribe(
    _ subject: String, _ receive: @escaping @Sendable ([DirectoryMessage]) -> Void
  ) throws(NATSFailure) -> NATSSubscription {
    let box = MessageInbox(on: loop, receive)
    return try connection.subscribe(subject) { box.put($0) }
  }

  /// Waits until the server has got what removes keys, for at most half a second.
  func sendGoodbyes() {
    guard hasGoodbyes else { return }
    hasGoodbyes = false
    connection.flush(milliseconds: 500)
  }

  private func receive(_ message: DirectoryMessage) {
    guard let dot = message.subject.lastIndex(of: "."),
      let number = UInt64(message.subject[message.subject.index(after: dot)...])
    else { return }
    waiting.removeValue(forKey: number)?.answer(message)
  }

  private func dropUnanswered() {
    guard order.count > 64, order.count > 2 * waiting.count || waiting[order[0]].map({ $0.expiry < .now }) ?? true else {
      return
    }
    let now = LoopTime.now
    for number in order where waiting[number].map({ $0.expiry < now }) ?? false { waiting[number] = nil }
    order.removeAll { waiting[$0] == nil }
  }
}
