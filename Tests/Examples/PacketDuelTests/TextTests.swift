import Bonjourish
import FourInARow
import PacketDuel
import Testing
import _BonjourishJSONOutput

@testable import packet_duel

/// What a player sees of a duel, and what a program reads.
struct TextTests {
  /// A board after discs in columns, counted from 1.
  private static func board(_ columns: String) -> Board {
    columns.reduce(into: Board()) { try! $0.drop(in: $1.wholeNumberValue! - 1) }
  }

  /// The lines of a board whose lowest row has some discs.
  private func lines(_ beginning: String..., lowest: String, remark: String) -> [String] {
    let empty = Array(repeating: "  . . . . . . .", count: 5)
    return beginning + ["  1 2 3 4 5 6 7"] + empty + [lowest, remark]
  }

  @Test func `a player sees the board after each move, and whose turn it is`() {
    var text = DuelText()
    let beginning = lines(
      "Your opponent is Bob\\u{7}. You have o, and x begins.", DuelText.help, lowest: "  . . . . . . .",
      remark: "It is Bob\\u{7}'s turn.")
    #expect(text.lines(for: .opponent(name: "Bob\u{7}", own: .second)) == beginning)
    let first = lines("", "Bob\\u{7} drops x into column 4.", lowest: "  . . . x . . .", remark: "It is your turn.")
    #expect(text.lines(for: .moved(.first, column: 3, board: Self.board("4"))) == first)
    let second = lines("", "You drop o into column 7.", lowest: "  . . . x . . o", remark: "It is Bob\\u{7}'s turn.")
    #expect(text.lines(for: .moved(.second, column: 6, board: Self.board("47"))) == second)
    #expect(text.lines(for: .closed(.opponentLeft)) == ["* The other side left."])
  }

  private static let draw = "126613431456475467333341527215612225546777"

  @Test(arguments: [
    ("1122334", Disc.first, "Four in a row: you win."), ("1122334", .second, "Four in a row: Bob wins."),
    ("17274717", .first, "Four in a row: Bob wins."), (draw, .first, "The board is full: a draw."),
  ])
  func `the last line tells who has won`(columns: String, own: Disc, remark: String) {
    var text = DuelText()
    _ = text.lines(for: .opponent(name: "Bob", own: own))
    #expect(text.lines(for: .moved(.first, column: 0, board: Self.board(columns))).last == remark)
  }

  @Test(arguments: [(Disc.first, "you"), (.second, "opponent")])
  func `a program reads each move`(own: Disc, who: String) {
    let records = DuelRecord.records(of: .moved(.first, column: 3, board: Self.board("4")), own: own)
    let board = Array(repeating: "\".......\"", count: 5) + ["\"...x...\""]
    #expect(
      records.map { JSONLine.text(of: $0) } == [
        #"{"board":[\#(board.joined(separator: ","))],"by":"\#(who)","column":4,"event":"move","number":1}"#
      ])
  }

  @Test(arguments: [("1122334", Disc.first, "you"), ("1122334", .second, "opponent"), (draw, .first, "nobody")])
  func `after the last move a program reads who has won`(columns: String, own: Disc, winner: String) throws {
    let board = Self.board(columns)
    let records = DuelRecord.records(of: .moved(.first, column: 3, board: board), own: own)
    let lines = board.lines.map { "\"\($0)\"" }.joined(separator: ",")
    #expect(records.count == 2)
    #expect(
      records.last.map { JSONLine.text(of: $0) } == #"{"board":[\#(lines)],"event":"result","winner":"\#(winner)"}"#)
  }

  @Test(arguments: [
    (DuelEvent.opponent(name: "Bob", own: .second), #"{"disc":"o","event":"opponent","name":"Bob"}"#),
    (
      .closed(.accused("why")),
      #"{"event":"closed","reason":"accused","text":"The other side says that this side broke the rules: why."}"#
    ),
  ])
  func `a program reads the beginning and the end`(event: DuelEvent, line: String) {
    #expect(DuelRecord.records(of: event, own: nil).map { JSONLine.text(of: $0) } == [line])
  }

  // MARK: - Hosts

  private static func hosts(_ names: InstanceName...) -> [ServiceInstance] {
    names.map { ServiceInstance($0, type: "_fourinarow._tcp") }
  }

  @Test func `a number means the host that the player saw, and a list that is the same is not shown again`() async {
    let list = HostList(json: false)
    #expect(await list.host("1") == nil)
    #expect(await list.lines(for: []) == ["No host waits yet; hosts will appear here."])
    #expect(await list.host("1") == nil)
    let hosts = Self.hosts("Ada", "Bob")
    #expect(await list.lines(for: hosts) == ["Waiting hosts (type a number, or quit):", "  1  Ada", "  2  Bob"])
    #expect(await list.lines(for: hosts) == [])
    for (text, host) in [
      ("1", hosts[0]), ("2", hosts[1]), ("0", nil), ("3", nil), ("-1", nil), ("\(Int.min)", nil), ("Ada", nil),
    ] as [(String, ServiceInstance?)] {
      #expect(await list.host(text) == host)
    }
  }

  @Test func `a program reads the names of the hosts`() async {
    #expect(await HostList(json: true).lines(for: Self.hosts("Ada", "Bob")) == [#"{"event":"hosts","names":["Ada","Bob"]}"#])
  }
}
