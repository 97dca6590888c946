import FramedActors
import FramedTransport
import FramedTransportTesting
package import FuzzCases

/// Calls of a peer, one after another: each is read or refused, and a method runs only if it is one that the peer may call.
///
/// A call is a kind, a number of bytes, and so many bytes. Of kind 0 they are the body as it comes; of other kinds they are the arguments of a
/// method, with a zero byte between two, and the kind says which method, and whether the actor is called by its name or by its number.
package enum InvocationCase {
  /// The names of the methods, as peers send them.
  package static let methods = [
    "3add_2toSaySiSgGs4Int8VSg_SSSgtYaKFTE", "4tree_2ofAA4TreeVAG_AG6ChoiceOtYaKFTE", "4turnyACSgAEYaKFTE", "5letGoyyYaKFTE",
  ].map { "$s18TransportFuzzCases7CounterC" + $0 }

  /// All calls are of one connection, which they do not use.
  private static let connection = Result { () throws(TransportError) in try Connection.pair().server }

  /// Tries some bytes.
  ///
  /// - Returns: The names of the methods that have run.
  /// - Throws: ``Violation``.
  @discardableResult
  package static func run(_ bytes: [UInt8]) async throws(Violation) -> [String] {
    guard case .success(let connection) = connection else { throw Violation("there is no connection") }
    let system = PeerActorSystem()
    let counter = Counter(actorSystem: system)
    try Violation.unless((try? system.offer(counter, as: "counter")) != nil, "nothing can be offered")
    let link = PeerLink(connection, limits: limits)
    var run: [String] = []
    var rest = bytes[...]
    while rest.count > 1 {
      let (kind, count) = (rest.removeFirst(), Int(rest.removeFirst()))
      let body = try body(kind, rest.prefix(count))
      rest = rest.dropFirst(count)
      guard let invocation = try invocation(body) else { continue }
      guard try await answer(invocation, by: system, to: link, isLent: run.contains(methods[2])) else { continue }
      run.append(invocation.method)
    }
    return run
  }

  private static let limits = {
    var limits = ActorLimits()
    limits.depth = 16
    limits.references = 1
    return limits
  }()

  private static func body(_ kind: UInt8, _ bytes: ArraySlice<UInt8>) throws(Violation) -> [UInt8] {
    guard kind > 0 else { return Array(bytes) }
    let arguments = bytes.isEmpty ? [] : bytes.split(separator: 0, omittingEmptySubsequences: false).map { Array($0) }
    let recipient: ActorKey = kind & 128 == 0 ? .name("counter") : .number(UInt64(kind & 64) / 64 + 1)
    let invocation = Invocation(recipient: recipient, method: methods[Int(kind) % methods.count], arguments: arguments)
    do throws(MessageError) {
      return try InvocationCodec().encode(invocation)
    } catch {
      throw Violation("\(invocation) cannot be written: \(error)")
    }
  }

  private static func invocation(_ body: [UInt8]) throws(Violation) -> Invocation? {
    let invocation: Invocation
    do throws(MessageError) {
      invocation = try InvocationCodec().decode(body)
    } catch {
      try Violation.unless((0...body.count).contains(error.offset ?? -1), "\(error), of \(body.count) bytes")
      return nil
    }
    let written = try? InvocationCodec().encode(invocation)
    try Violation.unless(written == body, "\(body) was read as \(invocation), and written as \(written ?? [])")
    return invocation
  }

  /// - Returns: Whether the method has run, and returned.
  private static func answer(
    _ invocation: Invocation, by system: PeerActorSystem, to link: PeerLink, isLent: Bool
  ) async throws(Violation) -> Bool {
    let result: [UInt8]
    do throws(RemoteError) {
      result = try await system.answer(invocation, from: link)
    } catch {
      try Violation.unless(codes.contains(error.code), "\(error), for \(invocation)")
      return false
    }
    let mayCall = invocation.recipient == .name("counter") || isLent && invocation.recipient == .number(1)
    try Violation.unless(mayCall && methods.contains(invocation.method), "\(invocation) was carried out")
    try Violation.unless(result.isEmpty == (invocation.method == methods[3]), "\(invocation) has the result \(result)")
    return true
  }

  /// Why a call may have no result.
  private static let codes: Set<RemoteError.Code> = [
    "full", .unsupported, .noSuchActor, .noSuchMethod, .badArguments, .badResult, .tooLarge, .tooManyReferences,
  ]
}
