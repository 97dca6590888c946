import Rooms
import Testing
import TwentyFour

@testable import Screens

/// The rooms in lines. What is written is read from a process of its own.
@Suite(.timeLimit(.minutes(1))) struct RoomLinesTests {
  private static func lines(_ result: ExitTest.Result?) -> [String] {
    String(decoding: result?.standardOutputContent ?? [], as: UTF8.self).split(separator: "\n").map(String.init)
  }

  @Test func `rooms are written when they have changed, and chosen by their number or name`() async {
    let result = await #expect(processExitsWith: .success, observing: [\.standardOutputContent]) {
      let lines = RoomLines(json: false)
      #expect(await lines.room("1") == nil)
      await lines.show([])
      let rooms = [Evening.room("Ada's game"), Evening.room("Bob's game")]
      await lines.show(rooms)
      await lines.show(rooms)
      #expect(await lines.room("1") == rooms[0])
      #expect(await lines.room("2") == rooms[1])
      #expect(await lines.room("ADA'S GAME") == rooms[0])
      for text in ["0", "3", "-1", "", "Eve's game"] { #expect(await lines.room(text) == nil, "\(text)") }
      await lines.forget()
      #expect(await lines.rooms.isEmpty)
      await lines.show(rooms)
      #expect(await lines.rooms == rooms)
    }
    let lines = Self.lines(result)
    #expect(lines.filter { $0 == Phrases.noRoomsLine }.count == 1)
    #expect(lines.filter { $0 == Phrases.roomsLine }.count == 2)
    #expect(lines.filter { $0.hasPrefix("  1  ") && $0.contains("Ada's game") }.count == 2)
    #expect(lines.filter { $0.hasPrefix("  2  ") && $0.contains("Bob's game") }.count == 2)
  }

  @Test func `as JSON the lobby is one line`() async {
    let result = await #expect(processExitsWith: .success, observing: [\.standardOutputContent]) {
      let lines = RoomLines(json: true)
      await lines.show([
        Evening.room(
          "Ada's game", players: 2, max: 8, state: .waiting, time: .double, lock: .passcode, interfaces: ["directory:eu-west"]),
        Evening.room("Bob's game", lock: .none, interfaces: ["eth0"]),
      ])
    }
    let rooms = [
      #"{"here":false,"host":"h1.local","lock":"passcode","max":8,"name":"Ada's game","players":2,"port":4242,"#
        + #""region":"eu-west","state":"waiting","time":"2"}"#,
      #"{"here":true,"host":"h1.local","lock":"none","max":16,"name":"Bob's game","players":3,"port":4242,"state":"playing"}"#,
    ]
    #expect(
      Self.lines(result).filter { $0.hasPrefix("{\"event\"") } == [
        #"{"event":"lobby","rooms":[\#(rooms.joined(separator: ","))]}"#
      ])
  }
}
