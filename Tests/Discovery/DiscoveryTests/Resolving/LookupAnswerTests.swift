import TestSupport
import Testing

@testable import _BonjourishDiscovery

/// When the instances that need an answer are evaluated: only when it has changed in what they need.
struct LookupAnswerTests {
  private var answer = LookupAnswer(users: [ada])
  private let start = ContinuousClock.now

  private mutating func changes(_ event: LookupEvent, after time: Duration = .zero) -> Bool {
    answer.handle(event, at: start + time, draw: 0, filter: .unicast)
  }

  private func record(_ data: RecordData, on link: Link) -> ResourceRecord { ResourceRecord(data, on: link) }

  @Test(arguments: [
    RecordData.server(host: "ada.local", port: 4242, priority: 0, weight: 0), .text(["v": "1"]), .address(v4(10, 0, 0, 1)),
  ]) mutating func `a record that is seen on a second link changes nothing until it is gone on both`(data: RecordData) {
    #expect(changes(.added(record(data, on: eth0v4))))
    #expect(!changes(.added(record(data, on: wlan0v4)), after: .seconds(1)))
    #expect(!changes(.added(record(data, on: eth0v4)), after: .seconds(2)))
    #expect(!changes(.removed(record(data, on: eth0v4)), after: .seconds(3)))
    #expect(changes(.removed(record(data, on: wlan0v4)), after: .seconds(4)))
    #expect(!changes(.removed(record(data, on: wlan0v4)), after: .seconds(4)))
  }

  @Test mutating func `what the engine tells of itself changes the answer once`() {
    for event in [LookupEvent.cacheExhausted, .settled, .failed(noRoom), .restarted] {
      #expect(changes(event))
      if event != .restarted { #expect(!changes(event)) }
    }
    #expect(!changes(.interrupted(noRoom)), "the records stay valid")
  }

  @Test mutating func `a server, a text or an address that is new is a change`() {
    #expect(changes(.added(record(.text(["v": "1"]), on: eth0v4))))
    #expect(changes(.added(record(.text(["v": "2"]), on: eth0v4))))
    #expect(answer.state.texts.last?.txt == ["v": "2"])
    #expect(changes(.removed(record(.text(["v": "2"]), on: eth0v4))))
    #expect(answer.state.texts.last?.txt == ["v": "1"])
  }

  /// An optimised build that released the users before it retained them would mix them up here, or crash.
  @Test func `an answer that is asked for again keeps its users and nothing else`() throws {
    let users = try (0..<200).map { ServiceInstance(try InstanceName("Service with the number \($0)"), type: game) }
    let answers = users.map { user in
      var answer = LookupAnswer(users: [user])
      for data in [RecordData.text(["v": "1"]), .address(v4(10, 0, 0, 1))] {
        _ = answer.handle(.added(record(data, on: eth0v4)), at: start, draw: 0, filter: .unicast)
      }
      _ = answer.handle(.restarted, at: start, draw: 0, filter: .unicast)
      return answer
    }
    for (user, answer) in zip(users, answers) {
      #expect(answer.users == [user])
      #expect(answer.records.isEmpty)
      #expect(answer.state.isRenewed)
      #expect(answer.state.isEmpty && answer.state.texts.isEmpty && answer.state.addresses.isEmpty)
      #expect(answer.state.answeredAt == nil)
    }
  }
}
