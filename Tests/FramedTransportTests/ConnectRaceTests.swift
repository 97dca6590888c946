import Testing

@testable import FramedTransport

@Suite struct ConnectRaceTests {
  private func error(_ number: CInt) -> TransportError { TransportError(.refused, errno: number, "\(number)") }

  @Test func `the first that answers wins`() {
    var race = ConnectRace(count: 3)
    #expect(race.handle(.begin) == .attempt(0))
    #expect(race.handle(.stepPassed) == .attempt(1))
    #expect(race.handle(.connected(0)) == .succeed(0))
    #expect(race.handle(.connected(1)) == nil)
    #expect(race.handle(.stepPassed) == nil)
  }

  @Test func `a failure brings on the next at once`() {
    var race = ConnectRace(count: 2)
    #expect(race.handle(.begin) == .attempt(0))
    #expect(race.handle(.failed(0, error(1))) == .attempt(1))
    #expect(race.handle(.connected(1)) == .succeed(1))
  }

  @Test func `when all have failed the race is lost`() {
    var race = ConnectRace(count: 2)
    #expect(race.handle(.begin) == .attempt(0))
    #expect(race.handle(.stepPassed) == .attempt(1))
    #expect(race.handle(.stepPassed) == nil)
    #expect(race.handle(.failed(1, error(1))) == nil)
    #expect(race.handle(.failed(0, error(2))) == .fail([error(1), error(2)]))
    #expect(race.handle(.failed(0, error(3))) == nil)
  }

  @Test func `families take turns, beginning with the first, and no address runs twice`() throws {
    let addresses = try ["::1", "::2", "::1", "10.0.0.1", "::3", "10.0.0.2"].map {
      try #require(SocketAddress(numericHost: $0, port: 1))
    }
    #expect(ConnectRace.order(addresses).map(\.host) == ["::1", "10.0.0.1", "::2", "10.0.0.2", "::3"])
    #expect(ConnectRace.order(addresses.suffix(1)).map(\.host) == ["10.0.0.2"])
  }
}
