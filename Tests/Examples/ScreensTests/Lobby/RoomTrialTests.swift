import Rooms
import TestSupport
import Testing
import TwentyFour

@testable import Screens

/// Which room a player gets who wants any.
struct RoomTrialTests {
  private let far = (1...100).map { Evening.room("False \($0)", interfaces: ["directory:world"]) }

  @Test func `a room of the local network goes first, whatever a directory lists`() {
    let near = Evening.room("Zoe's game", interfaces: ["eth0"])
    let both = Evening.room("Yan's game", interfaces: ["eth0", "directory:world"])
    let trial = RoomTrial()
    #expect(trial.see(far) == nil)
    #expect(trial.see(far + [near]) == near)
    #expect(trial.see(far + [both, near]) == both)
  }

  @Test func `each room of a directory is tried, in an order that names do not decide`() {
    var generator = SeededGenerator(seed: 7)
    let trial = RoomTrial()
    #expect(trial.next(at: .zero, using: &generator) == [])
    _ = trial.see(far)
    var tried: [DiscoveredRoom] = []
    while case let batch = trial.next(at: .zero, using: &generator), !batch.isEmpty {
      #expect(batch.count <= RoomTrial.batch)
      tried += batch
    }
    #expect(Set(tried) == Set(far) && tried.count == far.count && tried != far)
    let late = Evening.room("Late", interfaces: ["directory:world"])
    _ = trial.see(far + [late])
    #expect(trial.next(at: .zero, using: &generator) == [late])
  }

  @Test func `when all were tried, all are tried again after a pause, which new rooms do not delay`() {
    var generator = SeededGenerator(seed: 7)
    let trial = RoomTrial()
    let rooms = Array(far.prefix(3))
    _ = trial.see(rooms)
    #expect(Set(trial.next(at: .seconds(1), using: &generator)) == Set(rooms))
    // The trial has taken two seconds.
    #expect(trial.next(at: .seconds(3), using: &generator) == [])
    _ = trial.see(rooms + [far[3]])
    #expect(trial.next(at: .seconds(3.9), using: &generator) == [far[3]])
    #expect(trial.next(at: .seconds(3.95), using: &generator) == [])
    #expect(Set(trial.next(at: .seconds(4), using: &generator)) == Set(rooms + [far[3]]))
    #expect(trial.next(at: .seconds(4.1), using: &generator) == [])
    #expect(trial.next(at: .seconds(5), using: &generator) == [])
    #expect(trial.next(at: .seconds(5.1), using: &generator).count == 4)
  }

  @Test func `the only room needs no trial`() {
    let trial = RoomTrial()
    #expect(trial.only == nil)
    _ = trial.see([far[0]])
    #expect(trial.only == far[0])
    _ = trial.see(Array(far.prefix(2)))
    #expect(trial.only == nil)
  }

  @Test(.timeLimit(.minutes(1))) func `a room that answers is taken, though others never do`() async {
    let honest = Evening.room("Ada's game", interfaces: ["directory:world"])
    let found = await RoomTrial.firstAnswering(of: Array(far.prefix(15)) + [honest]) { room in
      if room == honest { return true }
      await untilCancelled()
      return false
    }
    #expect(found == honest)
    #expect(await RoomTrial.firstAnswering(of: far) { _ in false } == nil)
  }
}
