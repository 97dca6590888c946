import FramedCoding
import TestSupport
import Testing
import _BonjourishBase

@testable import FramedTransport

/// Heartbeats.
extension RequestMachineTests {
  func machine(interval: Int, timeout: Int) -> RequestMachine {
    let heartbeat = Heartbeat(interval: .seconds(interval), timeout: .seconds(timeout))
    return RequestMachine(limits: RequestLimits(heartbeat: heartbeat), at: start)
  }

  @Test func `a ping is sent after the interval without sending`() {
    var machine = machine(interval: 5, timeout: 100)
    #expect(machine.nextDeadline == after(5))
    #expect(machine.handle(.ask(1, [], deadline: after(90)), at: after(2)) == asked(1, [], within: 88))
    #expect(machine.nextDeadline == after(7))
    #expect(machine.handle(.sent, at: after(4)) == [])
    #expect(machine.handle(.received(RequestFrame.notification([]).encoded), at: after(8)) == [.notify([])])
    #expect(machine.handle(.timePassed, at: after(8)) == [])
    #expect(machine.handle(.timePassed, at: after(9)) == [.send(.ping)])
    #expect(machine.handle(.timePassed, at: after(13)) == [])
    #expect(machine.handle(.timePassed, at: after(14)) == [.send(.ping)])
  }

  @Test func `a peer that says nothing for the timeout is dropped, whatever it said before`() {
    var machine = machine(interval: 8, timeout: 10)
    _ = machine.handle(.ask(1, [], deadline: after(90)), at: start)
    #expect(machine.handle(.received(RequestFrame.ping.encoded), at: after(3)) == [])
    #expect(machine.handle(.received([200]), at: after(4)) == [])
    #expect(machine.handle(.timePassed, at: after(8)) == [.send(.ping)])
    #expect(machine.nextDeadline == after(14))
    #expect(machine.handle(.timePassed, at: after(14)) == [.dropSilentPeer, .finish(1, .disconnected)])
    #expect(machine.nextDeadline == nil)
  }

  @Test func `silence does not count while no task reads, or this side was asleep`() {
    var machine = machine(interval: 8, timeout: 10)
    _ = machine.handle(.listening(false), at: after(1))
    #expect(machine.nextDeadline == after(8))
    #expect(machine.handle(.timePassed, at: after(8)) == [.send(.ping)])
    #expect(machine.handle(.timePassed, at: after(16)) == [.send(.ping)])
    _ = machine.handle(.listening(true), at: after(17))
    #expect(machine.nextDeadline == after(24))
    #expect(machine.handle(.timePassed, at: after(3600)) == [.send(.ping)])
    #expect(machine.handle(.timePassed, at: after(3608)) == [.send(.ping)])
    #expect(machine.handle(.timePassed, at: after(3610)) == [.dropSilentPeer])
  }

  @Test func `a peer that has ended its side owes no pings, and gets them until everything is answered`() {
    let heartbeat = Heartbeat(interval: .seconds(2), timeout: .seconds(3))
    var machine = RequestMachine(limits: RequestLimits(lateAnswerTime: .seconds(5), heartbeat: heartbeat), at: start)
    _ = machine.handle(.received(RequestFrame.request(1, []).encoded), at: start)
    #expect(machine.handle(.finished, at: after(1)) == [])
    #expect(machine.handle(.timePassed, at: after(2)) == [.send(.ping)])
    #expect(machine.handle(.timePassed, at: after(4)) == [.send(.ping)])
    #expect(machine.nextDeadline == after(6))
    #expect(machine.handle(.timePassed, at: after(6)) == [.giveUpAnswering])
  }

  @Test func `a check that is more than a second late is this side's fault`() {
    var machine = machine(interval: 8, timeout: 10)
    var late = machine
    #expect(machine.handle(.timePassed, at: after(9)) == [.send(.ping)])
    #expect(machine.handle(.timePassed, at: after(10)) == [.dropSilentPeer])
    #expect(late.handle(.timePassed, at: after(9) + .nanoseconds(1)) == [.send(.ping)])
    #expect(late.handle(.timePassed, at: after(10)) == [])
  }

  @Test func `without a heartbeat no peer is pinged or dropped`() {
    var machine = machine()
    #expect(machine.nextDeadline == nil)
    #expect(machine.handle(.timePassed, at: after(1_000_000)) == [])
  }
}
