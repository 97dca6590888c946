import TestSupport
import Testing
import _BonjourishBase

@testable import _BonjourishDiscovery

struct PublicationTests {
  typealias Event = Publication.Event
  typealias Effect = Publication.Effect

  static let v1: TXTRecord = ["v": "1"]
  static let v2: TXTRecord = ["v": "2"]
  static let name: InstanceName = "Ada's game"
  private static let name2: InstanceName = "Ada's game #2"
  static let name3: InstanceName = "Ada's game #3"

  static func wish(_ name: InstanceName = name, _ txt: TXTRecord = v1) -> Registration {
    Registration(name, type: game, domain: .local, port: 4242, txt: txt, interfaces: .only(eth0))
  }

  static func registering(_ registration: Registration = wish()) -> [Effect] {
    [.register(registration), .startTimer(.seconds(10))]
  }

  /// What each event does to a publication to which other events have happened.
  func check(_ before: [Event], _ expected: [(Event, [Effect])], _ location: SourceLocation = #_sourceLocation) {
    for (event, effects) in expected {
      var publication = Publication(Self.wish(), engine: .daemon, seed: 1)
      for event in before { _ = publication.handle(event) }
      #expect(publication.handle(event) == effects, "\(event)", sourceLocation: location)
    }
  }

  /// The effects of the last event.
  func effects(_ events: Event...) -> [Effect] {
    var publication = Publication(Self.wish(), engine: .daemon, seed: 1)
    return events.reduce([]) { publication.handle($1) }
  }

  @Test func `events while offline`() {
    for before: [Event] in [[], [.updated(Self.v1)], [.serverRunning, .serverLost(daemonIsGone)], [.timerFired, .collision]] {
      check(
        before,
        [
          (.serverRunning, Self.registering()),
          (.established, []),
          (.collision, []),
          (.refused(noRoom), [.stopTimer, .withdraw, .report(.failed(noRoom))]),
          (.timerFired, []),
          (.updated(Self.v2), []),
        ])
    }
  }

  @Test func `events while the name from before an outage is in conflict`() {
    let before: [Event] = [.serverRunning, .established, .serverLost(daemonIsGone), .serverRunning, .collision]
    check(
      Array(before.dropLast()), [(.collision, [.withdraw, .startTimer(.seconds(2))])])
    check(
      before,
      [
        (.serverRunning, []), (.established, []), (.collision, []), (.updated(Self.v2), []),
        (.timerFired, Self.registering()),
        (.refused(noRoom), [.stopTimer, .withdraw, .report(.failed(noRoom))]),
        (.serverLost(daemonIsGone), [.stopTimer]), (.serverReset(daemonIsGone), [.stopTimer, .withdraw]),
      ])
    check(before + [.timerFired], [(.established, [.stopTimer, .report(.established(Self.name))])])
    // Another host has taken it in the meantime.
    check(
      before + [.timerFired],
      [(.collision, [.report(.renamed(from: Self.name, to: Self.name2))] + Self.registering(Self.wish(Self.name2)))])
    check(before + [.updated(Self.v2)], [(.timerFired, Self.registering(Self.wish(Self.name, Self.v2)))])
  }

  @Test func `each outage gives the name one more try`() {
    let outage: [Event] = [.serverLost(daemonIsGone), .serverRunning, .collision, .timerFired, .established]
    check([.serverRunning, .established] + outage + outage.prefix(2), [(.collision, [.withdraw, .startTimer(.seconds(2))])])
    // A name that was never established is given up at once.
    check(
      [.serverRunning, .serverLost(daemonIsGone), .serverRunning],
      [(.collision, [.report(.renamed(from: Self.name, to: Self.name2))] + Self.registering(Self.wish(Self.name2)))])
  }

  @Test func `events while registering`() {
    for before: [Event] in [[.serverRunning], [.serverRunning, .timerFired], [.serverRunning, .serverRunning]] {
      check(
        before,
        [
          (.serverRunning, []),
          (.serverReset(daemonIsGone), [.stopTimer, .withdraw, .report(.interrupted(daemonIsGone))]),
          (.serverLost(daemonIsGone), [.stopTimer, .report(.interrupted(daemonIsGone))]),
          (.established, [.stopTimer, .report(.established(Self.name))]),
          (
            .collision,
            [.report(.renamed(from: Self.name, to: Self.name2))] + Self.registering(Self.wish(Self.name2))
          ),
          (.refused(noRoom), [.stopTimer, .withdraw, .report(.failed(noRoom))]),
          (.timerFired, Self.registering()),
          (.updated(Self.v2), [.updateText(Self.v2)]),
        ])
    }
  }

  @Test func `events while established`() {
    check(
      [.serverRunning, .established],
      [
        (.serverRunning, []),
        (.serverReset(daemonIsGone), [.stopTimer, .withdraw, .report(.interrupted(daemonIsGone))]),
        (.serverLost(daemonIsGone), [.stopTimer, .report(.interrupted(daemonIsGone))]),
        (.established, []),
        (.collision, Self.registering()),
        (.refused(noRoom), [.stopTimer, .withdraw, .report(.failed(noRoom))]),
        (.timerFired, []),
        (.updated(Self.v2), [.updateText(Self.v2)]),
      ])
  }

  @Test func `an established name is given up only after another probing`() {
    #expect(effects(.serverRunning, .established, .collision, .established) == [.stopTimer, .report(.established(Self.name))])
    #expect(
      effects(.serverRunning, .established, .collision, .collision)
        == [.report(.renamed(from: Self.name, to: Self.name2))] + Self.registering(Self.wish(Self.name2)))
  }

  /// The built-in engine reports a conflict after another host has defended the name.
  @Test func `the built-in engine is not asked for a lost name again`() {
    let renaming: [Effect] = [.report(.renamed(from: Self.name, to: Self.name2)), .register(Self.wish(Self.name2))]
    var publication = Publication(Self.wish(), engine: .builtIn, seed: 1)
    _ = publication.handle(.serverRunning)
    #expect(publication.handle(.collision) == renaming)
    publication = Publication(Self.wish(), engine: .builtIn, seed: 1)
    _ = publication.handle(.serverRunning)
    _ = publication.handle(.established)
    #expect(publication.handle(.collision) == renaming + [.startTimer(.seconds(60))])
  }

  /// It answers late when the host has to find a name first, and when other hosts have each name that is tried (RFC 6762 §9).
  @Test func `a minute without a name is reported and does not end the search`() {
    var publication = Publication(Self.wish(), engine: .builtIn, seed: 1)
    #expect(publication.handle(.serverRunning) == [.register(Self.wish()), .startTimer(.seconds(60))])
    _ = publication.handle(.collision)
    let effects = publication.handle(.timerFired)
    guard case .report(.interrupted(let error))? = effects.first, effects.count == 1 else {
      Issue.record("\(effects)")
      return
    }
    #expect(error.code == .timedOut && error.message.contains("60 s"))
    #expect(publication.handle(.timerFired).isEmpty)
    #expect(publication.handle(.established) == [.stopTimer, .report(.established(Self.name2))])
  }

  @Test(arguments: [Publication.Engine.daemon, .builtIn]) func `a name that must not change is an error when it is taken`(
    engine: Publication.Engine
  ) {
    let wish = Registration(
      "Ada", type: game, domain: .local, port: 4242, txt: [:], onConflict: .fail)
    let failure: [Effect] = [.stopTimer, .withdraw, .report(.failed(wish.nameTaken))]
    var publication = Publication(wish, engine: engine, seed: 1)
    _ = publication.handle(.serverRunning)
    #expect(publication.handle(.collision) == failure)
    publication = Publication(wish, engine: engine, seed: 1)
    _ = publication.handle(.serverRunning)
    _ = publication.handle(.established)
    // The daemon is asked once more, because it may have heard our own announcement.
    if engine == .daemon { #expect(publication.handle(.collision) == [.register(wish), .startTimer(.seconds(10))]) }
    #expect(publication.handle(.collision) == failure)
    #expect(publication.handle(.serverRunning).isEmpty)
    #expect(wish.nameTaken.code == .nameTaken)
    #expect(wish.nameTaken.message.contains("\"Ada\" as _twentyfour._tcp"))
  }

  @Test func `many conflicts in a row lead to random numbers`() {
    func names(seed: UInt64) -> [InstanceName] {
      var publication = Publication(Self.wish(), engine: .builtIn, seed: seed)
      _ = publication.handle(.serverRunning)
      func next() -> InstanceName? {
        if case .report(.renamed(_, let name))? = publication.handle(.collision).first { name } else { nil }
      }
      let first = (1...6).compactMap { _ in next() }
      _ = publication.handle(.established)
      return first + [next()].compactMap { $0 }
    }
    let (one, other) = (names(seed: 1), names(seed: 5))
    #expect(one.count == 7 && Set(one).count == 7)
    #expect(one.prefix(4).map(\.text) == (2...5).map { "Ada's game #\($0)" } && other.prefix(4) == one.prefix(4))
    #expect(one.dropFirst(4) != other.dropFirst(4))
    // An established name begins a new row.
    #expect(one[6] == one[5].alternative())
  }

  @Test func `events after a failure`() {
    for before: [Event] in [
      [.refused(noRoom)], [.serverRunning, .refused(noRoom)], [.serverRunning, .established, .refused(noRoom)],
      [.serverRunning, .timerFired, .timerFired, .timerFired],
    ] {
      check(
        before,
        [
          (.serverRunning, []), (.serverReset(daemonIsGone), []), (.serverLost(daemonIsGone), []), (.established, []),
          (.collision, []), (.refused(noRoom), []), (.timerFired, []), (.updated(Self.v2), []),
        ])
    }
  }

  @Test func `silence leads to two more attempts`() throws {
    var publication = Publication(Self.wish(), engine: .daemon, seed: 1)
    #expect(publication.handle(.serverRunning) == Self.registering())
    #expect(publication.handle(.timerFired) == Self.registering())
    #expect(publication.handle(.timerFired) == Self.registering())
    let last = publication.handle(.timerFired)
    #expect(last.dropLast() == [.stopTimer, .withdraw])
    guard case .report(.failed(let error))? = last.last else {
      Issue.record("\(last)")
      return
    }
    #expect(error.code == .timedOut)
    #expect(error.message.contains("Ada's game") && error.message.contains("30 s"))
  }

  @Test func `attempts are counted anew after any other event`() {
    let silence: [Event] = [.serverRunning, .timerFired, .timerFired]
    check(silence + [.collision], [(.timerFired, Self.registering(Self.wish(Self.name2)))])
    check(silence + [.serverLost(daemonIsGone), .serverRunning], [(.timerFired, Self.registering())])
    check(silence + [.serverReset(daemonIsGone), .serverRunning], [(.timerFired, Self.registering())])
    check(silence + [.established, .collision, .timerFired], [(.timerFired, Self.registering())])
  }

  @Test func `each name gets three attempts, however it comes to be tried`() {
    let again: [Event] = [.serverRunning, .established, .serverLost(daemonIsGone), .serverRunning]
    for before: [Event] in [
      [.serverRunning], [.serverRunning, .collision], [.serverRunning, .established, .collision], again,
      again + [.collision, .timerFired],
    ] {
      var publication = Publication(Self.wish(), engine: .daemon, seed: 1)
      for event in before { _ = publication.handle(event) }
      for _ in 2...3 { #expect(publication.handle(.timerFired).count == 2) }
      guard case .report(.failed(let error))? = publication.handle(.timerFired).last else {
        Issue.record("a fourth attempt after \(before)")
        continue
      }
      #expect(error.code == .timedOut)
    }
  }
}
