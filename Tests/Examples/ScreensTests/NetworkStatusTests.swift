import Synchronization
import Testing
import _BonjourishConsole

@testable import Screens

struct NetworkStatusTests {
  @Test func `what matters most is told, each news once, and its end`() async {
    let told = Mutex<[String]>([])
    let status = NetworkStatus(json: false, Diagnostics(level: .warning) { _, text in told.withLock { $0.append(text) } })
    #expect(status.sentence == nil)
    status.note("only this machine", from: .machine)
    status.note("a firewall", from: .search)
    status.note("a firewall", from: .search)
    #expect(status.sentence == "a firewall")
    status.note("nobody finds the room", from: .room)
    #expect(status.sentence == "nobody finds the room")
    // What is no more is not told when nothing is to be said.
    status.note(nil, from: .search)
    status.note(nil, from: .room, restored: "the room can be found again")
    #expect(status.sentence == "only this machine")
    status.note(nil, from: .machine, restored: "others can be found again")
    status.note(nil, from: .machine, restored: "others can be found again")
    #expect(
      told.withLock(\.self) == [
        "only this machine", "a firewall", "nobody finds the room", "the room can be found again", "others can be found again",
      ])
  }

  @Test func `whoever follows gets the sentence at once, and the latest one later`() async {
    let status = NetworkStatus(json: false, Diagnostics(level: .warning) { _, _ in })
    status.note("a\u{1B}b", from: .search)
    var changes = status.changes.makeAsyncIterator()
    #expect(await changes.next() == "a\\u{1B}b")
    status.note("c", from: .search)
    status.note(nil, from: .search)
    #expect(await changes.next() == .some(nil))
  }
}
