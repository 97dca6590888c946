/// The fair shares of a host's places: the most that the connections of one origin may have together.
///
/// Several people may share an address behind a router, so an origin gets more than one seat; ``none`` is for tests, and for
/// hosts whose players all come from one address.
public struct ShareLimits: Hashable, Sendable {
  /// The number of seats; nil for no limit. With a limit, an origin that has a seat gets none of the last quarter of a room.
  public let seats: Int?
  /// The number of spectators; nil for no limit.
  public let spectators: Int?
  /// The number of matches that a host of many opens for an origin, until they are over; nil for no limit. With a limit, an
  /// origin that has opened a match opens none of the last quarter.
  public let matches: Int?
  /// The rate of hellos; nil for no limit.
  public let joins: Rate?
  /// The rate of messages; nil for no limit.
  public let messages: Rate?

  /// A rate in the long run, and the number that may come at once.
  public struct Rate: Hashable, Sendable {
    public let perSecond: Int
    public let burst: Int

    /// - Parameters:
    ///   - perSecond: At least 1.
    ///   - burst: At least 1.
    public init(perSecond: Int, burst: Int) {
      precondition(perSecond > 0 && burst > 0, "perSecond and burst must be at least 1")
      self.perSecond = perSecond
      self.burst = burst
    }
  }

  /// The limits of an origin; by default, those of the game.
  ///
  /// - Parameters:
  ///   - seats: The number of seats, and of spectators; at least 1.
  ///   - matches: The number of matches, at least 1.
  ///   - joinsPerSecond: At least 1; all players and spectators of an origin may come at once.
  ///   - messagesPerSecond: At least 1; four times as many may come at once.
  public init(seats: Int = 4, matches: Int = 2, joinsPerSecond: Int = 1, messagesPerSecond: Int = 50) {
    precondition(seats > 0 && matches > 0, "seats and matches must be at least 1")
    self.init(
      seats: seats, spectators: seats, matches: matches,
      joins: Rate(perSecond: joinsPerSecond, burst: max(2 * seats, 2 * joinsPerSecond)),
      messages: Rate(perSecond: messagesPerSecond, burst: 4 * messagesPerSecond))
  }

  private init(seats: Int?, spectators: Int?, matches: Int?, joins: Rate?, messages: Rate?) {
    (self.seats, self.spectators, self.matches, self.joins, self.messages) = (seats, spectators, matches, joins, messages)
  }

  /// No limits: one origin may take everything.
  public static let none = ShareLimits(seats: nil, spectators: nil, matches: nil, joins: nil, messages: nil)
}

/// What an origin has of a host's places.
public struct TakenPlaces: Hashable, Sendable {
  public var seats = 0
  public var spectators = 0

  public init(seats: Int = 0, spectators: Int = 0) {
    (self.seats, self.spectators) = (seats, spectators)
  }

  public static func + (left: TakenPlaces, right: TakenPlaces) -> TakenPlaces {
    TakenPlaces(seats: left.seats + right.seats, spectators: left.spectators + right.spectators)
  }

  public static func - (left: TakenPlaces, right: TakenPlaces) -> TakenPlaces {
    TakenPlaces(seats: left.seats - right.seats, spectators: left.spectators - right.spectators)
  }
}

extension ShareLimits {
  /// Checks whether an origin may have one more place.
  ///
  /// - Throws: The reason why it may not.
  public func check(_ taken: TakenPlaces, spectates: Bool) throws(RoomReason) {
    if spectates {
      if let spectators, taken.spectators >= spectators { throw .spectatorShare(spectators) }
    } else if let seats, taken.seats >= seats {
      throw .seatShare(seats)
    }
  }

  /// Checks whether an origin that has a place already may have one more of these.
  ///
  /// - Throws: The reason why it may not: the last quarter is for others.
  public func check(_ taken: Int, lastQuarterOf places: Int, occupied: Int) throws(RoomReason) {
    if seats != nil, taken > 0, occupied >= places - places / 4 { throw .lastQuarter }
  }
}
