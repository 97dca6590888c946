import FramedTransport
import Race
import Testing

@testable import race_server

/// The lines of the server for people.
struct LogTests {
  private let log = RaceLog(json: false)
  private let connection = RaceMachine.ConnectionID(rawValue: 7)

  @Test func `what strangers have written does not reach the terminal as it is`() throws {
    let player = try RacePlayer(id: "e1", alias: "E\u{1B}[31mve")
    let refusal = Refusal(.malformed, "too \u{1B}[31mfast\nmatch 1: over")
    let address = try #require(SocketAddress(numericHost: "192.0.2.1", port: 7))
    #expect(
      log.line(for: .refused(connection, player, refusal), address)
        == #"E\u{1B}[31mve at 192.0.2.1:7 refused: too \u{1B}[31mfast\nmatch 1: over"#)
    #expect(
      log.line(for: .refused(connection, nil, Refusal(.full, "no place")), nil)
        == "a stranger at an unknown address refused: no place")
  }
}
