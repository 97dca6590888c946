import Bonjourish
import FramedTransport
import FramedTransportTesting
import TestSupport
import Testing
import _BonjourishEventLoop

@testable import BonjourishTransport

@Suite(.timeLimit(.minutes(1))) struct ServiceRaceTests {
  private let ada = ServiceInstance("Ada", type: "_echo._tcp")

  @Test func `when both ways have failed, nobody waits for the time for which the addresses are preferred`() async throws {
    let race = ServiceRace(ada, within: .seconds(5), headStart: .seconds(3_600))
    let error = await #expect(throws: ServiceConnectionError.self) {
      try await race.run(
        directly: { [ada] () throws(ServiceConnectionError) in
          throw ServiceConnectionError(ada, .transport(TransportError(.timedOut, "No address answered")))
        }
      ) { _ throws(TransportError) in throw TransportError(.refused, "Nobody accepts") }
    }
    #expect(error?.transportError.code == .timedOut)
    #expect(error?.message == "\"Ada\" was not reached: No address answered. By the relay: Nobody accepts")
  }

  private func race(
    _ direct: TransportError, _ relayed: TransportError, dials: Observed<Int> = Observed(0)
  ) async -> ServiceConnectionError? {
    let race = ServiceRace(ada, within: .seconds(5), headStart: .seconds(3_600))
    return await #expect(throws: ServiceConnectionError.self) {
      try await race.run(
        directly: { [ada] () throws(ServiceConnectionError) in throw ServiceConnectionError(ada, .transport(direct)) }
      ) { _ throws(TransportError) in
        dials.change { $0 += 1 }
        throw relayed
      }
    }
  }

  private static let refusal = TransportError(
    .init(description: "wrongPasscode", permanence: .refusal), "It is another passcode")
  private static let stranger = TransportError(
    .init(description: "wrongKey", permanence: .otherPeer), "It has another key", details: ["it", "expected", "presented"])
  private static let silence = TransportError(.timedOut, "No address answered")

  @Test func `what the host has refused is not tried a second time by the relay`() async {
    let dials = Observed(0)
    let error = await race(Self.refusal, Self.silence, dials: dials)
    #expect(dials.change { $0 } == 0)
    #expect(error?.transportError.code == Self.refusal.code && error?.transportError.isPermanent == true)
  }

  @Test func `a relay that has failed before does not make a refusal of the host pass`() async {
    let hasFailed = Observed(false)
    let race = ServiceRace(ada, within: .seconds(5), headStart: .zero)
    let error = await #expect(throws: ServiceConnectionError.self) {
      try await race.run(
        directly: { [ada] () throws(ServiceConnectionError) in
          _ = await hasFailed.take { $0 ? true : nil }
          throw ServiceConnectionError(ada, .transport(Self.refusal))
        }
      ) { _ throws(TransportError) in
        defer { hasFailed.change { $0 = true } }
        throw Self.silence
      }
    }
    #expect(error?.transportError.code == Self.refusal.code && error?.transportError.isPermanent == true)
  }

  @Test func `what the host has refused by the relay is not tried a second time at its addresses`() async {
    let race = ServiceRace(ada, within: .seconds(5), headStart: .zero)
    let error = await #expect(throws: ServiceConnectionError.self) {
      try await race.run(
        directly: { [ada] () throws(ServiceConnectionError) in
          // Until it is cancelled.
          _ = await Observed(0).take { _ in Bool?.none }
          throw ServiceConnectionError(ada, .transport(TransportError(.cancelled, "Connecting was cancelled")))
        }
      ) { _ throws(TransportError) in throw Self.refusal }
    }
    #expect(error?.transportError.code == Self.refusal.code && error?.transportError.isPermanent == true)
    #expect(error?.message.contains("cancelled") == false)
  }

  @Test func `another peer at the address does not keep anybody from the relay`() async {
    let dials = Observed(0)
    let error = await race(Self.stranger, Self.silence, dials: dials)
    #expect(dials.change { $0 } == 1)
    #expect(error?.transportError.code == Self.stranger.code && error?.transportError.isPermanent == false)
  }

  @Test func `what the host refuses by the relay is permanent, whatever is at its addresses`() async {
    for direct in [Self.silence, Self.stranger] {
      let error = await race(direct, Self.refusal)
      #expect(error?.transportError.code == Self.refusal.code && error?.transportError.isPermanent == true)
    }
    let error = await race(Self.silence, Self.stranger)
    #expect(error?.transportError.details == Self.stranger.details)
    let behind = (error?.underlyingError as? TransportError)?.underlyingError
    #expect(behind as? TransportError == Self.stranger)
  }

  // MARK: - Connections

  @Test func `the relay leads to a service whose addresses do not, in the time that is left`() async throws {
    for (limit, least) in [(Duration.seconds(5), Duration.seconds(1)), (.zero, .seconds(1))] {
      let (relayed, far, _) = try Connection.pair()
      let times = Observed<[Duration]>([])
      let race = ServiceRace(ada, within: limit, headStart: .seconds(3_600))
      let connection = try await race.run(
        directly: { [ada] () throws(ServiceConnectionError) in throw ServiceConnectionError(ada, .transport(Self.silence)) }
      ) { time in
        times.change { $0.append(time) }
        return relayed
      }
      #expect(connection.id == relayed.id)
      let given = times.change { $0 }
      #expect(given.count == 1 && given.allSatisfy { $0 >= least && $0 <= max(limit, least) })
      for end in [relayed, far] { end.abort() }
    }
  }

  @Test func `of two connections the first is kept, and the other is ended`() async throws {
    let (direct, farDirect, _) = try Connection.pair()
    let (relayed, farRelayed, _) = try Connection.pair()
    let race = ServiceRace(ada, within: .seconds(5), headStart: .zero)
    let connection = try await race.run(
      directly: {
        // Established just when the other one has been.
        await untilCancelled()
        return direct
      }
    ) { _ in relayed }
    #expect(connection.id == relayed.id)
    var frames = farDirect.frames.makeAsyncIterator()
    await #expect(throws: TransportError.self) { try await frames.next() }
    try await connection.send([1])
    #expect(try await farRelayed.frames.first { _ in true } == [1])
    for end in [direct, farDirect, relayed, farRelayed] { end.abort() }
  }

  @Test func `a connection to an address needs no relay`() async throws {
    let (direct, far, _) = try Connection.pair()
    let race = ServiceRace(ada, within: .seconds(5), headStart: .seconds(3_600))
    let dials = Observed(0)
    let connection = try await race.run(directly: { direct }) { _ throws(TransportError) in
      dials.change { $0 += 1 }
      throw Self.silence
    }
    #expect(connection.id == direct.id && dials.change { $0 } == 0)
    for end in [direct, far] { end.abort() }
  }

  @Test func `a service that has moved, or that nobody waits for, is not tried by the relay`() async {
    for error in [
      ServiceConnectionError(ada, movedFrom: "ada.local", to: "eve.local"),
      ServiceConnectionError(ada, .discovery(DiscoveryError(.cancelled, "why"))),
    ] {
      let dials = Observed(0)
      let race = ServiceRace(ada, within: .seconds(5), headStart: .seconds(3_600))
      let thrown = await #expect(throws: ServiceConnectionError.self) {
        try await race.run(directly: { () throws(ServiceConnectionError) in throw error }) { _ throws(TransportError) in
          dials.change { $0 += 1 }
          throw Self.silence
        }
      }
      #expect(thrown == error && dials.change { $0 } == 0)
    }
  }

  @Test func `a service that was not found has the error of the relay, unless nobody relays it`() async {
    let notFound = ServiceConnectionError(ada, .discovery(DiscoveryError(.timedOut, "nobody answered")))
    for (relayed, expected) in [
      (Self.silence, "\"Ada\" was not reached: it was not found: nobody answered. By the relay: No address answered"),
      (TransportError(.unreachable, "Nobody", details: TransportError.notRelayed), notFound.message),
      (TransportError(.cancelled, "Nobody waits"), notFound.message),
    ] {
      let race = ServiceRace(ada, within: .seconds(5), headStart: .seconds(3_600))
      let thrown = await #expect(throws: ServiceConnectionError.self) {
        try await race.run(directly: { () throws(ServiceConnectionError) in throw notFound }) { _ throws(TransportError) in
          throw relayed
        }
      }
      #expect(thrown?.message == expected)
    }
  }
}
