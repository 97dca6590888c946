import TestSupport
import Testing
import _BonjourishBase

@testable import _BonjourishDiscovery

/// What is kept across interruptions, and what holds whatever happens.
extension PublicationTests {
  @Test func `the new name and text are kept across an interruption`() {
    let newest = Self.wish(Self.name3, Self.v2)
    check(
      [.serverRunning, .collision, .updated(Self.v2), .collision, .established, .serverLost(daemonIsGone)],
      [(.serverRunning, Self.registering(newest))])
    check(
      [.serverRunning, .serverReset(daemonIsGone), .updated(Self.v2)],
      [(.serverRunning, Self.registering(Self.wish(Self.name, Self.v2)))])
    check([.serverRunning, .updated(Self.v2)], [(.timerFired, Self.registering(Self.wish(Self.name, Self.v2)))])
    #expect(
      effects(.serverRunning, .collision, .collision, .established) == [.stopTimer, .report(.established(Self.name3))])
  }

  @Test func `an interruption is reported once until the name is established again`() {
    check([], [(.serverLost(daemonIsGone), [.report(.interrupted(daemonIsGone))])])
    check([], [(.serverReset(daemonIsGone), [.report(.interrupted(daemonIsGone))])])
    check([.serverLost(daemonIsGone)], [(.serverLost(noRoom), []), (.serverReset(noRoom), [])])
    check([.serverLost(daemonIsGone), .serverRunning], [(.serverLost(noRoom), [.stopTimer])])
    check(
      [.serverRunning, .established, .serverReset(daemonIsGone)],
      [(.serverLost(noRoom), []), (.serverReset(noRoom), []), (.serverRunning, Self.registering())])
    check([.serverRunning, .established, .serverLost(noRoom), .serverRunning], [(.serverLost(daemonIsGone), [.stopTimer])])
    #expect(
      effects(.serverRunning, .established, .serverLost(noRoom), .serverRunning, .established, .serverLost(daemonIsGone))
        == [.stopTimer, .report(.interrupted(daemonIsGone))])
    // The app believes it to be established while it is probed for again.
    #expect(
      effects(.serverRunning, .established, .collision, .serverLost(daemonIsGone))
        == [.stopTimer, .report(.interrupted(daemonIsGone))])
  }

  /// Whatever happens: a timer runs exactly while something is being registered, and reports tell a story without gaps.
  @Test(arguments: 1...50 as ClosedRange<UInt64>) func `effects are consistent with each other`(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    var publication = Publication(Self.wish(), engine: .daemon, seed: 1)
    var isTimed = false
    var isRegistered = false
    var registered = Self.wish()
    var told: RegistrationEvent?
    for _ in 1...200 {
      var events: [Event] = [
        .serverRunning, .serverRunning, .serverReset(daemonIsGone), .serverLost(daemonIsGone), .updated(Self.v2),
        .updated(Self.v1),
      ]
      if isRegistered { events += [.established, .established, .collision] }
      if isTimed { events.append(.timerFired) }
      if random.once(in: 50) { events = [.refused(noRoom)] }
      let event = events[random.number(in: 0..<events.count)]
      if event == .timerFired { isTimed = false }
      if case .serverLost = event { isRegistered = false }
      for effect in publication.handle(event) {
        switch effect {
        case .register(let registration):
          (registered, isRegistered) = (registration, true)
        case .updateText(let txt):
          #expect(isRegistered)
          registered = Self.wish(registered.name, txt)
        case .withdraw: isRegistered = false
        case .startTimer(let time):
          isTimed = true
          // Nothing is registered while the name from before an outage is given time.
          #expect(isRegistered || time == Publication.pause)
        case .stopTimer: isTimed = false
        case .report(let report):
          if case .failed? = told { Issue.record("\(report) after the end") }
          switch report {
          case .established(let name): #expect(name == registered.name)
          case .renamed(let from, let to):
            #expect(from == registered.name && to != from && to.text.hasPrefix("\(Self.name) #"))
          case .interrupted: if case .interrupted? = told { Issue.record("interrupted twice") }
          case .failed: #expect(!isRegistered && !isTimed)
          }
          if case .renamed = report {} else { told = report }
        }
      }
      if case .updated(let txt) = event, isRegistered { #expect(registered.service?.txt == txt) }
    }
  }
}
