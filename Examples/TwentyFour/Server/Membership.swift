import Bonjourish
import Rooms

/// A server's part in its group, as a value: which matches it stores, suspends, adopts, gives back and records, and when it stops telling
/// points.
///
/// **How it is driven.** Whoever runs it (``GroupMember`` in a server, a simulation in a test) has a ``ServerMachine``, a store of owned values
/// and a ``MatchJournal``, and
///
/// - passes in what the store tells: ``Event/owned(_:stored:)``, ``Event/doubtful(_:)``, ``Event/lost(_:)``, ``Event/failed(_:reason:)`` and
///   ``Event/orphaned(_:_:)``, in order;
/// - passes in ``Event/timePassed`` four times a second;
/// - surveys the server once a second, and when ``Effect/survey`` asks for it: ``Event/seen(_:)`` with the present states of all advertised matches,
///   a few at a time (``ServerMachine/running(_:_:at:)``), then ``Event/surveyed(_:)`` (``ServerMachine/survey(of:_:)``);
/// - carries out the effects in order. ``Effect/server(_:)`` goes to ``ServerMachine/answer(_:at:)``, whose host
///   effects are carried out, and whose answer is passed in as ``Event/answered(_:)`` before the next effect and before any other event;
/// - at the end, passes in ``Event/ends``, surveys once more, and waits a while until ``isSettled``. The store leaves the values for others.
///
/// ```
/// func handle(_ event: Membership.Event) {
///   for effect in membership.handle(event, at: now) {
///     if case .server(let request) = effect {
///       let (effects, answer) = server.answer(request, at: now)
///       run(effects)
///       if let answer { handle(.answered(answer)) }
///     } else { run(effect) }
///   }
/// }
/// ```
///
/// **A match** is running here, suspended (its place stays reserved), being taken (a place is reserved before), or over. It is over only when its
/// room says so. Whatever cannot go on here is released for others, or left to them until a place is free.
///
/// **Holding.** What players were told and the store does not have would be undone if another server went on with the match. So a match whose
/// last stored state is older than ``staleness`` is held: nothing happens in it and nothing is told, until what was told is stored. So are all
/// matches of a process that was paused for as long.
struct Membership: Sendable {
  enum Event: Hashable, Sendable {
    /// The present states of some of the matches of the server.
    case seen([RunningMatch])
    /// All matches were passed in.
    case surveyed(Survey)
    /// What the server has done with a request.
    case answered(Answer)
    /// The store has this version of a match, and it is this server's: 0 for one that was just taken.
    case owned(RoomID, stored: UInt64)
    case doubtful(RoomID)
    case lost(RoomID)
    /// The store refuses the last version for ever.
    case failed(RoomID, reason: String)
    /// The server of a match is gone. The state was opened with the group's key.
    case orphaned(RoomID, StoredMatch)
    case timePassed
    /// The server ends. Nothing more is told, so that the last state can be stored.
    case ends
  }

  enum Effect: Hashable, Sendable {
    /// Ask the server, and pass in its answer.
    case server(Request)
    /// Survey the server soon.
    case survey

    // To the store.
    case put(RoomID, StoredMatch)
    case take(RoomID)
    /// Leave an orphan to others.
    case ignore(RoomID)
    /// Let an orphan that was left to others be offered again.
    case reconsider(RoomID)
    /// Give a match up, so that others may take it.
    case release(RoomID)
    case remove(RoomID)

    // To the advertisements.
    case advertise(CarriedMatch, [String: String], Succession)
    case withdraw(RoomID)

    // To the journal.
    case record(RoomID, through: Int)
    case pause(RoomID)
    case resume(RoomID)
    case forget(RoomID, isClosed: Bool)

    /// Tell the administrator.
    case tell(MatchGroup.Event)
  }

  /// What a server is asked for.
  enum Request: Hashable, Sendable {
    /// Keep a place for a match of another server.
    case reserve(CarriedMatch)
    /// Go on with a match for which a place is kept, and report its last round once more if fewer are recorded.
    case adopt(CarriedMatch, recordedRounds: Int?)
    /// End a match without a word, and keep its place.
    case suspend(RoomID)
    /// End a match without a word if it is here, and keep no place for it.
    case leave(RoomID)
    /// Let nothing happen in a match, and keep what its players send.
    case hold(RoomID)
    /// Handle what was kept.
    case goOn(RoomID)
    /// Note that the clock was looked at. A server that is not asked for ``interval`` and ``slack`` holds all its matches.
    case beat
  }

  /// What a server has done with a request.
  enum Answer: Hashable, Sendable {
    case reserved(RoomID)
    case adopted(RoomID)
    /// There is no place. None is kept.
    case noRoom(RoomID)
    /// The match is damaged, or here already. No place is kept.
    case unusable(RoomID)
    /// The match as it was; nil if it is not here.
    case suspended(RoomID, CarriedMatch?)
    /// The process was paused, so that others may have its matches, and they are held.
    case paused
  }

  /// A match of the server at a time.
  struct RunningMatch: Hashable, Sendable {
    let match: CarriedMatch
    /// Of its advertisement.
    let pairs: [String: String]
    /// The number of its events so far, for the journal.
    let eventCount: Int
  }

  /// What else is to know of a server at a time.
  struct Survey: Hashable, Sendable {
    /// Which of the asked matches are over, with the number of their events.
    var over: [RoomID: Int] = [:]
    /// The number of places for matches of others.
    var freePlaces: Int
    var isDraining: Bool
  }

  enum Phase: Hashable {
    /// An orphan for which a place is asked. Goes to `taking`, or is left to others.
    case offered(StoredMatch)
    /// Goes to `running`, or is another server's.
    case taking(StoredMatch)
    /// Goes to `suspended` or `over`.
    case running
    /// Goes to `running`, or is another server's.
    case suspended(CarriedMatch, since: Duration)
    /// Its end is being stored.
    case over
  }

  struct Kept {
    var phase: Phase
    var serial: UInt64 = 0
    var stored: UInt64 = 0
    /// How many rounds are recorded for certain.
    var recordedRounds = 0
    var succession: Succession
    /// The state that was put last.
    var snapshot: CarriedMatch?
    var pairs: [String: String]?
    /// What is not confirmed.
    var marks: [Mark] = []
    /// The time of the last state that is known to be stored; nil if none is.
    var safe: Duration?
    var heldSince: Duration?
    /// Whether the store refuses the match, so that it goes on without.
    var isRefused = false
  }

  /// A state that was put: how many events had happened, and when.
  struct Mark {
    let serial: UInt64
    let eventCount: Int
    let endedRounds: Int
    let time: Duration
  }

  let isInGroup: Bool
  let makePublisher: @Sendable () -> UInt64
  /// The most matches of others that are remembered for one reason.
  let seenLimit: Int
  var kept: [RoomID: Kept] = [:]
  /// The highest stored serial of each match that was seen, so that no older state is taken for the newest.
  var seen: [RoomID: UInt64] = [:]
  /// The orphans that wait for a place here, in order.
  var postponed: [RoomID] = []
  /// Of which of them it was told.
  var turnedAway: Set<RoomID> = []
  /// Those whose taking the store has refused for ever.
  var refusedTakes: Set<RoomID> = []
  /// Whether the process was paused, which holds also matches that are not known here yet.
  var wasPaused = false
  var isEnding = false
  var lastSurvey: Duration?
  var pace: Duration = interval

  /// The time between two surveys, and between two writes of a match.
  static let interval: Duration = .seconds(1)
  /// How much later than it should a state may be stored before its match is held: round trips of 600 ms, and a server that is busy.
  static let slack: Duration = .milliseconds(1_500)
  /// The longest time for which a match is held. Then the store is given up.
  static let holdLimit: Duration = .seconds(60)
  /// The time after which nobody looks for a suspended match any more: players do for as long as their seats are kept.
  static let suspensionLimit: Duration = .seconds(120)
  static let markLimit = 64
  /// How many orphans are reconsidered at a time, as many as a store offers.
  static let offers = 8

  /// - Parameters:
  ///   - isInGroup: Without a group, matches are only advertised.
  ///   - seenLimit: The most matches of others that are remembered for one reason.
  ///   - makePublisher: Makes random numbers that were not used before.
  init(
    isInGroup: Bool, seenLimit: Int = 65_536, makePublisher: @escaping @Sendable () -> UInt64 = { .random(in: 1 ... .max) }
  ) {
    self.isInGroup = isInGroup
    self.seenLimit = seenLimit
    self.makePublisher = makePublisher
  }

  /// The age of the last stored state from which a match is held. A server that needs longer for a survey writes less often.
  var staleness: Duration { max(pace, Self.interval) + Self.slack }

  /// The matches of which something is known.
  var rooms: [RoomID] { Array(kept.keys) }

  /// Whether everything is stored that can be.
  var isSettled: Bool {
    !kept.values.contains { match in
      switch match.phase {
      case .running, .over: match.stored < match.serial && !match.isRefused
      case .offered, .taking, .suspended: false
      }
    }
  }

  /// Handles an event, and returns the effects in order.
  ///
  /// - Parameter now: The time since a start; it never decreases.
  mutating func handle(_ event: Event, at now: Duration) -> [Effect] {
    switch event {
    case .seen(let matches): matches.flatMap { seen($0, at: now) }
    case .surveyed(let survey): surveyed(survey, at: now)
    case .answered(let answer): answered(answer, at: now)
    case .owned(let room, let stored): owned(room, stored, at: now)
    case .doubtful(let room): doubtful(room)
    case .lost(let room): lost(room)
    case .failed(let room, let reason): failed(room, reason)
    case .orphaned(let room, let stored): orphaned(room, stored)
    case .timePassed: (isInGroup ? [.server(.beat)] : []) + holdStale(at: now) + giveUpAbandoned(at: now)
    case .ends: end(at: now)
    }
  }
}
