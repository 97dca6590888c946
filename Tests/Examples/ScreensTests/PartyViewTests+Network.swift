import Foundation
import Rooms
import Testing
import TwentyFour
import _BonjourishTerminal

@testable import Screens

/// What the screen says of the network.
extension PartyViewTests {
  private var sentence: String {
    "Browsing _twentyfour._tcp: what is sent on eth0 to UDP port 5353 is not received there, so a firewall may drop it; let it allow "
      + "this port."
  }

  @Test(arguments: [(80, 24), (200, 50), (40, 12)])
  func `what is wrong with the network stays in sight while it may matter`(columns: Int, rows: Int) {
    var lobby = LobbyState(name: Evening.bob.name)
    lobby.network = sentence
    func text(_ lobby: LobbyState) -> String {
      LobbyView(state: lobby, now: .zero).draw(size: TerminalSize(columns: columns, rows: rows), appearance: Appearance())
        .lines.joined(separator: " ").split(separator: " ").joined(separator: " ")
    }
    #expect(text(lobby).contains(sentence) && !text(lobby).contains("they will show here"))
    _ = lobby.press(.down)
    #expect(text(lobby).contains(sentence))
    lobby.network = nil
    #expect(!text(lobby).contains("firewall") && text(lobby).contains("No rooms yet; they will show here."))

    var state = host(alone[0], alone[1])
    (state.network, state.notices) = (sentence, [sentence])
    let shown = self.text(state, columns: columns, rows: rows)
    #expect(shown.components(separatedBy: sentence).count == 2)
    // With others in the room, it is a message like others.
    state.take(.standings(Evening.beginning), at: .zero)
    state.take(.round(Match.Deal(number: 1, hand: Evening.hand, remaining: .seconds(100))), at: .zero)
    #expect(lines(state).contains { $0.hasPrefix(" • Browsing") })
  }

  @Test func `plain help fits into 80 columns, and does not break its example`() {
    for isPractice in [true, false] {
      let lines = (Phrases.help(isPractice: isPractice) + "\n" + Phrases.helpToHost).split(separator: "\n")
      #expect(lines.allSatisfy { $0.count < 80 } && lines.contains { $0.contains("8*(9/(5-2))") })
    }
  }
}
