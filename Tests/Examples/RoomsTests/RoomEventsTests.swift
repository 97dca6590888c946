import Testing
import TwentyFour

@testable import Rooms

/// What a reader gets who is slower than the room.
@Suite(.timeLimit(.minutes(1))) struct RoomEventsTests {
  private typealias Sample = RoomMessageTests

  private func rest(of mailbox: RoomMailbox, closing: Bool = true) async -> [RoomEvent] {
    if closing { mailbox.append(.closed(RoomReason(.finished, ""))) }
    return await RoomEvents(mailbox: mailbox).reduce(into: []) { $0.append($1) }
  }

  @Test func `of several standings and numbers of missing players the latest is kept`() async {
    let mailbox = RoomMailbox()
    for points in 0..<5_000 {
      mailbox.append(.standings([Standing(player: Sample.ada, status: .guessing, points: points)]))
      mailbox.append(.missing(points % 3))
    }
    mailbox.append(.answer(Sample.ada, time: .seconds(1)))
    let events = RoomMailbox.compacted(await rest(of: mailbox))
    #expect(events.count == 4)
    #expect(events[0] == .standings([Standing(player: Sample.ada, status: .guessing, points: 4_999)]))
    #expect(events[1] == .missing(4_999 % 3))
  }

  @Test func `a slightly slow reader gets everything but older standings in a row`() async {
    let mailbox = RoomMailbox()
    let events: [RoomEvent] = [.joined(Sample.bob), .away(Sample.bob), .missing(1), .back(Sample.bob), .left(Sample.bob)]
    for event in events { mailbox.append(event) }
    for _ in 0..<3 { mailbox.append(.standings([])) }
    #expect(await rest(of: mailbox).dropLast() == events + [.standings([])])
  }

  @Test func `visitors and short absences are not told of`() async {
    let mailbox = RoomMailbox()
    mailbox.append(.joined(Sample.ada))
    for _ in 0..<5_000 {
      mailbox.append(.joined(Sample.bob))
      mailbox.append(.away(Sample.ada))
      mailbox.append(.away(Sample.bob))
      mailbox.append(.back(Sample.ada))
      mailbox.append(.left(Sample.bob))
    }
    #expect(RoomMailbox.compacted(await rest(of: mailbox)).dropLast() == [.joined(Sample.ada)])
  }

  @Test func `a player with other events meanwhile keeps all their events`() {
    let events: [RoomEvent] = [
      .joined(Sample.bob), .answer(Sample.bob, time: .seconds(3)), .away(Sample.ada), .left(Sample.bob), .left(Sample.ada),
    ]
    // Being away is over when somebody leaves.
    #expect(RoomMailbox.compacted(events) == [events[0], events[1], events[3], events[4]])
  }

  @Test func `a reader too far behind gets the waiting events, then the end`() async {
    let mailbox = RoomMailbox()
    let answers = (0..<3_000).map { RoomEvent.answer(Sample.ada, time: .milliseconds($0)) }
    for answer in answers { mailbox.append(answer) }
    let events = await rest(of: mailbox)
    #expect(events.dropLast() == answers.prefix(RoomEvents.capacity))
    guard case .closed(let reason)? = events.last else {
      Issue.record("the last is \(String(describing: events.last))")
      return
    }
    #expect(reason.code == .behind)
  }

  @Test func `a waiting reader gets each event, and ends when cancelled`() async {
    let mailbox = RoomMailbox()
    let reading = Task { await rest(of: mailbox, closing: false) }
    // Few, because each wait may be behind all other tests.
    for count in 0..<10 {
      mailbox.append(.missing(count))
      await Task.yield()
    }
    mailbox.append(.closed(.hostLeft))
    let events = await reading.value
    #expect(events.last == .closed(.hostLeft))
    let waiting = RoomMailbox()
    let cancelled = Task { await rest(of: waiting, closing: false) }
    cancelled.cancel()
    #expect(await cancelled.value == [])
  }

  @Test func `a second reader that waits is a programming error, and not forgotten`() async {
    await #expect(processExitsWith: .failure) {
      let mailbox = RoomMailbox()
      for _ in 0..<2 { Task.immediate { await mailbox.next() } }
    }
  }

  @Test func `texts of strangers are escaped`() {
    #expect(RoomReason(.full, "a\u{1B}[2Jb").description == #"a\u{1B}[2Jb"#)
    let error = RoomError(.unavailable, "\"a\u{1B}[2J\" has gone")
    #expect(!error.description.unicodeScalars.contains("\u{1B}"))
    #expect(error.message.contains("\u{1B}"))
  }
}
