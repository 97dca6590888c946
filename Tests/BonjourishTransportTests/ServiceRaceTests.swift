import Bonjourish
import FramedTransport
import Testing

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
}
