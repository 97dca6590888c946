import Names
import TestSupport
import Testing
import TwentyFour

@testable import Rooms

struct HostileNamesTests {
  private static let honest = ["Ada", "Bob", "Cleo", "Bill d", "Zoë"]

  /// After CVE-2023-43620 (croc): names with escape sequences.
  @Test func `a thousand hostile names bring nobody in who looks like somebody else`() throws {
    var room = try TestRoom(Match.Rules(maximumPlayers: 16))
    room.handle(.open)
    for (number, name) in Self.honest.dropFirst().enumerated() { room.enter(ConnectionID(rawValue: number + 1), name) }
    #expect(room.machine.match.players.map(\.name.text) == Self.honest)
    var refusals: [String: Int] = [:]
    for (number, text) in HostileTexts.make(1_000, from: Self.honest).enumerated() {
      let id = ConnectionID(rawValue: 100 + number)
      for case .event(.closed(let reason)) in room.enter(id, text).messages(to: id) {
        refusals[reason.code.rawValue, default: 0] += 1
        #expect(HostileTexts.dangers(in: reason.description) == [], "\(reason)")
      }
      let names = room.machine.match.players.map(\.name)
      for name in names {
        #expect(HostileTexts.dangers(in: name.text) == [], "\(name.text.debugDescription)")
        #expect(HostileTexts.longestHeapOfMarks(in: name.text) <= 4)
        #expect(!name.text.contains("(host)") && !name.text.contains("(you)"))
      }
      // The same name gets a number, which is seen.
      #expect(!Likeness.lookalikes(in: names.map(\.text)).contains(true), "\(names)")
      // Whoever got in goes again, so that there is always a free seat.
      if room.machine.match.players.count > Self.honest.count { room.receive(.leaving, from: id) }
    }
    #expect(room.machine.match.players.map(\.name.text) == Self.honest)
    #expect((refusals["name"] ?? 0) > 500, "\(refusals)")
    #expect(Set(refusals.keys) == ["name"], "\(refusals)")
  }

  @Test func `a lookalike is told why, and which name is free`() throws {
    var room = try TestRoom()
    room.handle(.open)
    let id = ConnectionID(rawValue: 1)
    let messages = room.enter(id, "Аda").messages(to: id)
    guard case .event(.closed(let reason))? = messages.first, messages.count == 1 else {
      Issue.record("\(messages)")
      return
    }
    #expect(reason.code == .name)
    #expect(
      reason.text
        == "The name \"Аda\" looks like \"Ada\", who is in this room already; take another name, such as \"Ada 2\".")
    // The same name gets a number as ever.
    #expect(
      room.enter(ConnectionID(rawValue: 2), "ADA").contains { effect in
        if case .send(.welcome(let welcome), _) = effect { welcome.player?.name.text == "ADA 2" } else { false }
      })
  }
}
