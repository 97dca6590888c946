import Bonjourish
import FramedTransport
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
  }
}
