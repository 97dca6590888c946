import Bonjourish
import Foundation
import FramedSecurity
import MatchServer
import Rooms
import Synchronization
import TestSupport
import Testing
import TwentyFour

@testable import MatchServer

/// Servers of a group with real players, and a directory in memory.
@Suite(.timeLimit(.minutes(2))) struct GroupMemberTests {
  private let identity: Identity
  private let hub: MemoryMatches
  /// Something that may be waited for has changed.
  private let changes: AsyncStream<Void>
  private let change: AsyncStream<Void>.Continuation

  init() throws {
    identity = try Identity.ephemeral()
    let (changes, change) = AsyncStream<Void>.makeStream(bufferingPolicy: .bufferingNewest(1))
    (self.changes, self.change) = (changes, change)
    hub = MemoryMatches { change.yield() }
  }

  /// The events of one server that are told once.
  private final class Told: Sendable {
    let events = Mutex<[RoomEvent]>([])
    let group = Mutex<[MatchGroup.Event]>([])
    var rounds: Int { events.withLock { $0.count { if case .roundEnded = $0 { true } else { false } } } }
  }

  private func configuration(_ number: Int, _ told: Told, rounds: Int = 3) throws -> MatchServer.Configuration {
    var configuration = MatchServer.Configuration(
      name: "TwentyFour", .open(identity), generator: TwentyFour.SeededGenerator(seed: UInt64(number)))
    configuration.port = 0
    configuration.rules = Match.Rules(pause: .zero, gathering: .zero, rounds: rounds, minimumPlayers: 2, maximumPlayers: 2)
    configuration.advertising = .all
    configuration.group = try MatchGroup(hub.join(number), identity)
    configuration.group?.tell = { [change] event in
      told.group.withLock { $0.append(event) }
      change.yield()
    }
    configuration.observeStored = { [change] _, event in
      told.events.withLock { $0.append(event) }
      change.yield()
    }
    return configuration
  }

  /// Waits until something has become true; the time limit ends a wait for what does not.
  private func until(_ condition: () -> Bool) async throws {
    if condition() { return }
    for await _ in changes where condition() { return }
    throw CancellationError()
  }

  @Test func `a match goes on elsewhere with its points, and each round is told by one server`() async throws {
    let (first, second) = (Told(), Told())
    try await MatchServer.withServer(configuration(1, first), on: nil) { one, _ in
      try await MatchServer.withServer(configuration(2, second), on: nil) { other, _ in
        let (ada, bob) = (try await Guest("Ada", at: one.port), try await Guest("Bob", at: one.port))
        try await ada.solve()
        try await bob.solve()
        let result = try #require(try await ada.untilRoundEnds())
        try await until { first.rounds == 1 }
        // Nobody reads it.
        let name = try #require(hub.names.first)
        let bytes = try #require(hub.bytes(name))
        #expect(Data(bytes).range(of: Data("Ada".utf8)) == nil)
        hub.cut(1)
        // Suspended at once, without a word.
        #expect(try await ada.ending() == nil)
        #expect(await one.overview.isEmpty)
        hub.offer()
        try await until { second.group.withLock { $0.contains { if case .adopted = $0 { true } else { false } } } }
        let back = try await Guest("Ada", at: other.port, backTo: ada.welcome)
        let welcome = try #require(try await back.untilWelcome())
        #expect(welcome.player == ada.welcome?.player && welcome.room == ada.welcome?.room)
        let bobBack = try await Guest("Bob", at: other.port, backTo: bob.welcome)
        hub.heal(1, had: [name])
        try await until { first.group.withLock { $0.contains { if case .lost = $0 { true } else { false } } } }
        #expect(await one.overview.isEmpty)
        try await back.solve()
        try await bobBack.solve()
        let next = try #require(try await back.untilRoundEnds())
        #expect(next.number == 2)
        let points = Dictionary(uniqueKeysWithValues: result.standings.map { ($0.player, $0.points) })
        for standing in next.standings { #expect(standing.points > points[standing.player] ?? 1_000) }
        try await until { second.rounds == 1 }
        #expect(first.rounds == 1)
        back.disconnect()
        bobBack.disconnect()
      }
    }
  }

  @Test func `a match that nobody took goes on where it was`() async throws {
    let told = Told()
    try await MatchServer.withServer(configuration(1, told), on: nil) { one, _ in
      let (ada, bob) = (try await Guest("Ada", at: one.port), try await Guest("Bob", at: one.port))
      try await ada.solve()
      try await bob.solve()
      _ = try await ada.untilRoundEnds()
      try await until { told.rounds == 1 }
      let names = hub.names
      hub.cut(1)
      #expect(try await ada.ending() == nil)
      hub.heal(1, had: names)
      try await until { told.group.withLock { $0.contains { if case .resumed = $0 { true } else { false } } } }
      let back = try await Guest("Ada", at: one.port, backTo: ada.welcome)
      #expect(try await back.untilWelcome()?.room == ada.welcome?.room)
      back.disconnect()
    }
  }

  @Test func `a match that is over is told and removed when its end is stored`() async throws {
    let told = Told()
    try await MatchServer.withServer(configuration(1, told, rounds: 1), on: nil) { one, _ in
      let (ada, bob) = (try await Guest("Ada", at: one.port), try await Guest("Bob", at: one.port))
      try await ada.solve()
      // It has been stored before it is over.
      try await until { !hub.names.isEmpty }
      try await bob.solve()
      _ = try await ada.untilRoundEnds()
      try await until { hub.names.isEmpty && !hub.removed.isEmpty }
      #expect(told.rounds == 1)
      #expect(told.events.withLock { $0.contains { if case .closed = $0 { true } else { false } } })
    }
  }

  @Test func `a match that was over before it was stored is told, too`() async throws {
    let told = Told()
    try await MatchServer.withServer(configuration(1, told, rounds: 1), on: nil) { one, _ in
      let (ada, bob) = (try await Guest("Ada", at: one.port), try await Guest("Bob", at: one.port))
      try await ada.solve()
      try await bob.solve()
      _ = try await ada.untilRoundEnds()
      try await until { told.rounds == 1 }
    }
  }

  @Test func `what was forged, is of another key, or older than what was seen is not taken`() async throws {
    let told = Told()
    try await MatchServer.withServer(configuration(1, told), on: nil) { one, _ in
      let (ada, bob) = (try await Guest("Ada", at: one.port), try await Guest("Bob", at: one.port))
      try await ada.solve()
      try await until { !hub.names.isEmpty }
      let name = hub.names[0]
      let old = try #require(hub.bytes(name))
      try await until { hub.bytes(name) != old }
      try await bob.solve()
      hub.forge(UUID().uuidString.lowercased(), [1, 2, 3])
      // At the place of another match.
      hub.forge(UUID().uuidString.lowercased(), old)
      let other = try SealingKey(of: .ephemeral(), for: "matches of TwentyFour")
      hub.forge(name, other.seal([], as: Array("match \(name)".utf8)))
      hub.forge(name, old)
      hub.forge("no-room", old)
      try await until {
        told.group.withLock { $0.count { if case .unusable = $0 { true } else { false } } } >= 5
      }
      #expect(told.group.withLock { $0.contains { if case .adopted = $0 { true } else { false } } } == false)
    }
  }

  @Test func `a stored match is opened at its own place only`() throws {
    let key = try SealingKey(of: identity, for: "t")
    let (name, other) = (UUID().uuidString.lowercased(), UUID().uuidString.lowercased())
    let stored = StoredMatch(serial: 7, publisher: 8, match: nil)
    let sealed = try stored.sealed(with: key, as: name)
    #expect(StoredMatch(opening: sealed, with: key, as: name) == stored)
    #expect(StoredMatch(opening: sealed, with: key, as: other) == nil)
    #expect(StoredMatch(opening: sealed, with: key, as: name.uppercased()) == nil)
    #expect(StoredMatch(opening: Array(sealed.dropLast()), with: key, as: name) == nil)
    var future = stored
    future.format = 2
    #expect(StoredMatch(opening: try future.sealed(with: key, as: name), with: key, as: name) == nil)
  }

  @Test func `events wait until their state is stored, and what is suspended is no part of a match`() {
    let told = Told()
    let journal = MatchJournal { _, event in told.events.withLock { $0.append(event) } }
    let room = RoomID()
    let lines = (0..<5).map { RoomEvent.missing($0) }
    journal.append(room, lines[0])
    journal.append(room, lines[1])
    #expect(journal.count(of: room) == 2)
    journal.append(room, lines[2])
    journal.flush(room, to: 2)
    #expect(told.events.withLock(\.self) == Array(lines[0...1]))
    journal.pause(room)
    journal.append(room, lines[3])
    journal.resume(room)
    journal.append(room, lines[4])
    journal.flush(room, to: journal.count(of: room))
    #expect(told.events.withLock(\.self) == [lines[0], lines[1], lines[2], lines[4]])
    for number in 0..<10_000 { journal.append(room, .missing(number)) }
    #expect(journal.count(of: room) == 10_004)
    journal.flush(room, to: 20_000)
    #expect(told.events.withLock(\.count) < 4_110)
  }

  @Test func `of a match so many events wait, and then half of them are dropped`() {
    let told = Told()
    let journal = MatchJournal { _, event in told.events.withLock { $0.append(event) } }
    let (room, other) = (RoomID(), RoomID())
    for number in 0..<MatchJournal.limit { journal.append(room, .missing(number)) }
    journal.append(other, .resumed)
    #expect(Set(journal.waiting) == [room, other] && journal.count(of: RoomID()) == 0)
    journal.flush(room, to: 2)
    #expect(told.events.withLock(\.self) == [.missing(0), .missing(1)])
    for number in 0..<3 { journal.append(room, .missing(MatchJournal.limit + number)) }
    #expect(journal.count(of: room) == MatchJournal.limit + 3)
    // Those that were to be told next are gone.
    journal.flush(room, to: MatchJournal.limit / 2 + 2)
    #expect(told.events.withLock(\.count) == 2)
    journal.flush(room, to: MatchJournal.limit / 2 + 3)
    #expect(told.events.withLock(\.last) == .missing(MatchJournal.limit / 2 + 2))
    journal.flush(room, to: .max)
    #expect(told.events.withLock(\.last) == .missing(MatchJournal.limit + 2) && journal.waiting == [other])
  }

  @Test func `whoever has heard of a match is told that it goes on elsewhere`() {
    let told = Told()
    let journal = MatchJournal { _, event in told.events.withLock { $0.append(event) } }
    let rooms = (0..<3).map { _ in RoomID() }
    for room in rooms.prefix(2) { journal.append(room, .resumed) }
    journal.forget(rooms[0])
    journal.forget(rooms[2], isClosed: true)
    #expect(told.events.withLock(\.self) == [])
    journal.forget(rooms[1], isClosed: true)
    #expect(told.events.withLock(\.self) == [.closed(RoomReason(.hostLeft, "The match goes on at another server."))])
    #expect(rooms.map { journal.count(of: $0) } == [0, 0, 0])
  }
}
