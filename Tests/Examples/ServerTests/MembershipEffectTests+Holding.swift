import Rooms
import Testing
import TwentyFour

@testable import MatchServer

/// When matches are held, and when they go on.
extension MembershipEffectTests {
  @Test func `a match is held when what was told is not stored for too long`() {
    var member = keeping()
    let hold: [Membership.Effect] = [.server(.beat), .server(.hold(room))]
    #expect(member.handle(.timePassed, at: .milliseconds(2_499)) == [.server(.beat)])
    #expect(member.handle(.timePassed, at: .milliseconds(2_500)) == hold)
    #expect(member.handle(.timePassed, at: .milliseconds(2_750)) == [.server(.beat)])
    // Nothing was told since, so that the same state is stored for now.
    #expect(member.handle(running(match, events: 5), at: .seconds(3)) == [.server(.goOn(room))])
    #expect(member.handle(.timePassed, at: .milliseconds(5_499)) == [.server(.beat)])
    #expect(member.handle(.timePassed, at: .milliseconds(5_500)) == hold)
  }

  @Test func `a server that looks less often writes less often, up to a bound`() {
    var member = keeping()
    for (time, staleness) in [(0, 2_500), (4_000, 5_500), (60_000, 11_500), (60_100, 2_500)] {
      _ = member.handle(survey(), at: .milliseconds(time))
      #expect(member.staleness == .milliseconds(staleness), "\(time)")
    }
  }

  @Test func `a state that was put shortly before the match was held lets it go on, and so does a later one`() {
    var member = keeping()
    _ = member.handle(running(later, events: 9), at: .milliseconds(2_400))
    _ = member.handle(.timePassed, at: .milliseconds(2_500))
    var late = member
    #expect(late.handle(.owned(room, stored: 2), at: .milliseconds(4_900)) == [.record(room, through: 9)])
    let goOn: [Membership.Effect] = [.record(room, through: 9), .server(.goOn(room))]
    #expect(member.handle(.owned(room, stored: 2), at: .milliseconds(4_899)) == goOn)
    // It is as old as it is.
    #expect(member.handle(.timePassed, at: .milliseconds(4_900)) == [.server(.beat), .server(.hold(room))])
    _ = member.handle(running(match, events: 10), at: .seconds(5))
    #expect(member.handle(.owned(room, stored: 3), at: .seconds(20)) == [.record(room, through: 10), .server(.goOn(room))])
    #expect(member.handle(.timePassed, at: .milliseconds(22_499)) == [.server(.beat)])
  }

  @Test func `a match that is held for a minute goes on without the store`() {
    var member = keeping()
    _ = member.handle(.timePassed, at: .milliseconds(2_500))
    #expect(member.handle(.timePassed, at: .milliseconds(62_499)) == [.server(.beat)])
    let given: [Membership.Effect] = [
      .server(.beat), unusable("the directory has not confirmed it for a minute"), .server(.goOn(room)),
    ]
    #expect(member.handle(.timePassed, at: .milliseconds(62_500)) == given)
    #expect(member.isSettled)
    #expect(member.handle(.timePassed, at: .seconds(100)) == [.server(.beat)])
    // Told once, until it can be stored again.
    #expect(member.handle(.failed(room, reason: reason), at: .seconds(100)) == [])
    _ = member.handle(running(later, events: 9), at: .seconds(100))
    #expect(member.isSettled)
    _ = member.handle(.owned(room, stored: 2), at: .seconds(101))
    #expect(member.handle(.failed(room, reason: reason), at: .seconds(102)) == [unusable(reason)])
  }

  @Test func `after a pause of the process what no other server can have goes on`() {
    var member = keeping()
    #expect(member.handle(.answered(.paused), at: .seconds(20)) == [])
    // It is held.
    #expect(member.handle(.timePassed, at: .seconds(20)) == [.server(.beat)])
    #expect(member.handle(running(match, events: 5), at: .seconds(21)) == [.server(.goOn(room))])
    var unstored = self.member()
    _ = unstored.handle(running(match, events: 5), at: .zero)
    #expect(unstored.handle(.answered(.paused), at: .seconds(20)) == [.server(.goOn(room))])
    var refused = keeping()
    _ = refused.handle(.failed(room, reason: reason), at: .seconds(1))
    #expect(refused.handle(.answered(.paused), at: .seconds(20)) == [.server(.goOn(room))])
    // Also one that was not known.
    var unknown = self.member()
    _ = unknown.handle(.answered(.paused), at: .seconds(20))
    #expect(unknown.handle(running(match, events: 5), at: .seconds(20)).first == .server(.goOn(room)))
    // What is suspended or taken is no match of the server.
    var suspended = suspending()
    #expect(suspended.handle(.answered(.paused), at: .seconds(20)) == [])
  }

  @Test func `a server that ends holds its matches, takes none, and lets none go on`() {
    var member = keeping()
    #expect(member.handle(.ends, at: .seconds(1)) == [.server(.hold(room))])
    #expect(member.handle(running(later, events: 9), at: .seconds(1)) == [.put(room, stored(2, later))])
    #expect(member.handle(.owned(room, stored: 2), at: .seconds(1)) == [.record(room, through: 9)] && member.isSettled)
    let other = RoomID()
    #expect(member.handle(.orphaned(other, stored(3, by: 9, match)), at: .seconds(1)) == [.ignore(other)])
    #expect(member.handle(.ends, at: .seconds(2)) == [])
  }

  @Test func `a match that is held and refused goes on`() {
    var member = keeping()
    _ = member.handle(.timePassed, at: .milliseconds(2_500))
    #expect(member.handle(.failed(room, reason: reason), at: .seconds(3)) == [unusable(reason), .server(.goOn(room))])
    var over = keeping()
    _ = over.handle(survey(over: [room: 8]), at: .seconds(1))
    let removed: [Membership.Effect] = [
      unusable(reason), .record(room, through: .max), .forget(room, isClosed: false), .remove(room),
    ]
    #expect(over.handle(.failed(room, reason: reason), at: .seconds(2)) == removed && over.rooms == [])
  }
}
