import Rooms
import TestSupport
import Testing
import TwentyFour

@Suite(.timeLimit(.minutes(5))) struct PracticeRoomTests {
  @Test func `one plays by the rules of all`() async throws {
    let time = ManualTime()
    let rules = Match.Rules(rounds: 2)
    let room = await PracticeRoom(
      as: try PlayerName("Ada"), rules: rules, generator: SeededGenerator(seed: 24), clock: time)
    var events = room.events.makeAsyncIterator()
    guard case .open(_, let player?, RoomRules(rules))? = await events.next(), case .round(let deal)? = await events.next(),
      case .standings? = await events.next()
    else {
      Issue.record("the room is not open")
      return
    }
    await room.hint()
    #expect(await events.next() == .hint(Hint.hints(to: deal.hand)[0], cost: 2))
    _ = await events.next()
    await room.answer("1+")
    guard case .refused? = await events.next() else {
      Issue.record("nonsense was taken")
      return
    }
    await room.answer(try #require(Solver.firstSolution(of: deal.hand)).description)
    #expect(await events.next() == .answer(player, time: .zero))
    _ = await events.next()
    guard case .roundEnded(let result)? = await events.next() else {
      Issue.record("the round goes on")
      return
    }
    #expect(result.standings.map(\.points) == [18])

    // The next round comes, and ends, by time alone.
    await time.advance(to: .seconds(10))
    guard case .round(let second)? = await events.next() else {
      Issue.record("no second round")
      return
    }
    #expect(second.number == 2)
    _ = await events.next()
    await time.advance(to: .seconds(112))
    guard case .roundEnded(let last)? = await events.next(), case .closed(let reason)? = await events.next() else {
      Issue.record("the room goes on")
      return
    }
    #expect(last.pause == nil)
    #expect(reason.code == .finished)
    #expect(await events.next() == nil)
  }

  @Test func `leaving closes it`() async throws {
    let room = await PracticeRoom(as: try PlayerName("Ada"), generator: SeededGenerator(seed: 24))
    await room.giveUp()
    await room.leave()
    var last: RoomEvent?
    for await event in room.events { last = event }
    guard case .closed(let reason)? = last else {
      Issue.record("the last was \(String(describing: last))")
      return
    }
    #expect(reason.code == .hostLeft)
  }
}
