import FramedTransport
import Race
import Testing

@testable import race_server

/// The lines of the server, for people and for programs.
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

  private static let ada = try! RacePlayer(id: "a1", alias: "Ada")
  private static let bob = try! RacePlayer(id: "b1", alias: "Bob")

  @Test(arguments: [
    (RaceReport.connected(ada, continued: false), "Ada connected", #"{"alias":"Ada","continued":false,"event":"connected"}"#),
    (
      .connected(ada, continued: true), "Ada connected again, and continues",
      #"{"alias":"Ada","continued":true,"event":"connected"}"#
    ),
    (.disconnected(bob), "Bob disconnected", #"{"alias":"Bob","event":"disconnected"}"#),
    (
      .started(match: 3, [ada, bob]), "match 3: started with Ada, Bob",
      #"{"aliases":["Ada","Bob"],"event":"started","match":3}"#
    ),
    (
      .arrived(match: 3, bob, place: 1), "match 3: Bob arrived, place 1",
      #"{"alias":"Bob","event":"arrived","match":3,"place":1}"#
    ),
    (
      .presence(match: 3, bob, .away), "match 3: Bob is away",
      #"{"alias":"Bob","event":"presence","match":3,"presence":"away"}"#
    ),
    (.over(match: 3, [bob, ada]), "match 3: over: Bob, Ada", #"{"aliases":["Bob","Ada"],"event":"over","match":3}"#),
    (
      .refused(.init(rawValue: 7), ada, Refusal(.full, "no place")), "Ada at 192.0.2.1:7 refused: no place",
      #"{"address":"192.0.2.1:7","alias":"Ada","event":"refused","reason":"full","text":"no place"}"#
    ),
  ])
  func `each event is a line, without the ID of a player`(_ report: RaceReport, _ text: String, _ json: String) throws {
    let address = try #require(SocketAddress(numericHost: "192.0.2.1", port: 7))
    #expect([false, true].map { RaceLog(json: $0).line(for: report, address) } == [text, json])
  }

  @Test func `the first line has the addresses and the port`() throws {
    let addresses = try ["::1", "127.0.0.1"].map { try #require(SocketAddress(numericHost: $0, port: 1955)) }
    #expect(
      [false, true].map { RaceLog(json: $0).line(forListeningAt: addresses) } == [
        "listening at [::1]:1955 127.0.0.1:1955",
        #"{"addresses":["[::1]:1955","127.0.0.1:1955"],"event":"listening","port":1955}"#,
      ])
  }
}
