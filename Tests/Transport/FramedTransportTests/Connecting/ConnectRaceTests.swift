import Testing

@testable import FramedTransport

@Suite struct ConnectRaceTests {
  private func error(_ number: CInt) -> TransportError { TransportError(.refused, errno: number, "\(number)") }

  private func addresses(_ hosts: String...) throws -> [SocketAddress] {
    try hosts.map { try #require(SocketAddress(numericHost: $0, port: 1)) }
  }

  /// A race of addresses that are known, and its first action.
  private func begin(with addresses: [SocketAddress]) throws -> (ConnectRace, ConnectRace.Action?) {
    var race = ConnectRace(lookingUp: [addresses[0].family])
    let action = race.handle(.found(addresses[0].family, addresses))
    return (race, action)
  }

  // MARK: - Addresses

  @Test func `the first that answers wins`() throws {
    var (race, first) = try begin(with: addresses("::1", "::2", "::3"))
    #expect(first == .attempt(0))
    #expect(race.handle(.stepPassed) == .attempt(1))
    #expect(race.handle(.connected(0)) == .succeed(0))
    #expect(race.handle(.connected(1)) == nil)
    #expect(race.handle(.stepPassed) == nil)
  }

  @Test func `a failure brings on the next at once`() throws {
    var (race, first) = try begin(with: addresses("::1", "::2"))
    #expect(first == .attempt(0))
    #expect(race.handle(.failed(0, error(1))) == .attempt(1))
    #expect(race.handle(.connected(1)) == .succeed(1))
  }

  @Test func `when all have failed the race is lost`() throws {
    var (race, first) = try begin(with: addresses("::1", "::2"))
    #expect(first == .attempt(0))
    #expect(race.handle(.stepPassed) == .attempt(1))
    #expect(race.handle(.stepPassed) == nil)
    #expect(race.handle(.failed(1, error(1))) == nil)
    #expect(race.handle(.failed(0, error(2))) == .fail([error(1), error(2)]))
    #expect(race.handle(.failed(0, error(3))) == nil)
  }

  @Test func `families take turns, beginning with the first, and no address runs twice`() throws {
    var (race, action) = try begin(with: addresses("::1", "::2", "::1", "10.0.0.1", "::3", "10.0.0.2"))
    var hosts: [String] = []
    while case .attempt(let index)? = action {
      hosts.append(race.addresses[index].host)
      action = race.handle(.stepPassed)
    }
    #expect(hosts == ["::1", "10.0.0.1", "::2", "10.0.0.2", "::3"])
    #expect(action == nil)
  }

  // MARK: - Look-ups

  @Test func `IPv6 begins as soon as it is known, and IPv4 joins in`() throws {
    var race = ConnectRace(lookingUp: [.ipv4, .ipv6])
    #expect(race.handle(.found(.ipv6, try addresses("::1", "::2"))) == .attempt(0))
    #expect(race.handle(.found(.ipv4, try addresses("10.0.0.1"))) == nil)
    #expect(race.handle(.stepPassed) == .attempt(2))
    #expect(race.handle(.stepPassed) == .attempt(1))
    #expect(race.handle(.connected(2)) == .succeed(2))
  }

  @Test func `IPv4 waits a moment for IPv6, which then goes first`() throws {
    var race = ConnectRace(lookingUp: [.ipv4, .ipv6])
    #expect(race.handle(.found(.ipv4, try addresses("10.0.0.1"))) == .delay)
    #expect(race.handle(.found(.ipv6, try addresses("::1"))) == .attempt(1))
    #expect(race.handle(.delayPassed) == nil)
    #expect(race.handle(.stepPassed) == .attempt(0))
  }

  @Test func `IPv4 begins when IPv6 is late, and IPv6 is next`() throws {
    var race = ConnectRace(lookingUp: [.ipv4, .ipv6])
    #expect(race.handle(.found(.ipv4, try addresses("10.0.0.1", "10.0.0.2"))) == .delay)
    #expect(race.handle(.delayPassed) == .attempt(0))
    #expect(race.handle(.found(.ipv6, try addresses("::1"))) == nil)
    #expect(race.handle(.stepPassed) == .attempt(2))
  }

  @Test func `IPv4 begins as soon as there is no IPv6`() throws {
    var race = ConnectRace(lookingUp: [.ipv4, .ipv6])
    #expect(race.handle(.found(.ipv4, try addresses("10.0.0.1"))) == .delay)
    #expect(race.handle(.notFound(.ipv6, error(1))) == .attempt(0))
    #expect(race.handle(.failed(0, error(2))) == .fail([error(2)]))

    var other = ConnectRace(lookingUp: [.ipv4, .ipv6])
    #expect(other.handle(.notFound(.ipv6, error(1))) == nil)
    #expect(other.handle(.found(.ipv4, try addresses("10.0.0.1"))) == .attempt(0))
  }

  @Test func `when all that is known has failed, or been slow, what is found next runs at once`() throws {
    var race = ConnectRace(lookingUp: [.ipv4, .ipv6])
    #expect(race.handle(.found(.ipv6, try addresses("::1"))) == .attempt(0))
    #expect(race.handle(.failed(0, error(1))) == nil)
    #expect(race.handle(.found(.ipv4, try addresses("10.0.0.1"))) == .attempt(1))
    #expect(race.handle(.failed(1, error(2))) == .fail([error(1), error(2)]))

    var slow = ConnectRace(lookingUp: [.ipv4, .ipv6])
    #expect(slow.handle(.found(.ipv6, try addresses("::1"))) == .attempt(0))
    #expect(slow.handle(.stepPassed) == nil)
    #expect(slow.handle(.found(.ipv4, try addresses("10.0.0.1"))) == .attempt(1))
  }

  @Test func `a host without addresses is not found`() {
    var race = ConnectRace(lookingUp: [.ipv4, .ipv6])
    #expect(race.handle(.notFound(.ipv4, error(1))) == nil)
    #expect(race.handle(.notFound(.ipv6, error(2))) == .fail([error(1), error(2)]))
  }

  @Test func `what fails while something is looked up waits for that`() throws {
    var race = ConnectRace(lookingUp: [.ipv4, .ipv6])
    #expect(race.handle(.found(.ipv6, try addresses("::1"))) == .attempt(0))
    #expect(race.handle(.failed(0, error(1))) == nil)
    #expect(race.handle(.notFound(.ipv4, error(2))) == .fail([error(1)]))
  }

  // MARK: - Other peers

  @Test func `when somebody else has answered the other addresses are tried, and those that were dropped again`() throws {
    var (race, first) = try begin(with: addresses("::1", "::2", "::3", "::4"))
    #expect(first == .attempt(0))
    #expect(race.handle(.stepPassed) == .attempt(1))
    #expect(race.handle(.stepPassed) == .attempt(2))
    #expect(race.handle(.connected(1)) == .succeed(1) && race.isOver)
    #expect(race.handle(.foreign(1, error(1))) == .attempt(0) && !race.isOver)
    #expect(race.handle(.failed(0, error(2))) == .attempt(2))
    #expect(race.handle(.connected(2)) == .succeed(2))
    #expect(race.handle(.foreign(2, error(3))) == .attempt(3))
    #expect(race.handle(.connected(3)) == .succeed(3))
    #expect(race.handle(.foreign(3, error(4))) == .fail([error(1), error(2), error(3), error(4)]))
  }

  @Test func `what is found while an answer is being checked is tried if that is somebody else's`() throws {
    for isFound in [true, false] {
      var race = ConnectRace(lookingUp: [.ipv4, .ipv6])
      #expect(race.handle(.found(.ipv6, try addresses("::1"))) == .attempt(0))
      #expect(race.handle(.connected(0)) == .succeed(0))
      let found = isFound ? ConnectRace.Event.found(.ipv4, try addresses("10.0.0.1")) : .notFound(.ipv4, error(1))
      #expect(race.handle(found) == nil)
      #expect(race.handle(.foreign(0, error(2))) == (isFound ? .attempt(1) : .fail([error(2)])))
    }
    // Or as soon as it is found.
    var race = ConnectRace(lookingUp: [.ipv4, .ipv6])
    #expect(race.handle(.found(.ipv6, try addresses("::1"))) == .attempt(0))
    #expect(race.handle(.connected(0)) == .succeed(0))
    #expect(race.handle(.foreign(0, error(1))) == nil)
    #expect(race.handle(.found(.ipv4, try addresses("10.0.0.1"))) == .attempt(1))
  }
}
