/// The counts of a server: events since its opening, and present numbers.
public struct ServerCounts: Hashable, Sendable, Codable {
  /// The number of matches, and of those that wait for players.
  public internal(set) var matches = 0
  public internal(set) var gathering = 0
  public internal(set) var players = 0
  /// The number of players whose connection is broken and whose seats are kept.
  public internal(set) var away = 0
  public internal(set) var watchers = 0
  public internal(set) var matchesOpened = 0
  public internal(set) var roundsPlayed = 0
  public internal(set) var answers = 0
  public internal(set) var answersAccepted = 0
  /// The number of players who came back to their seats.
  public internal(set) var returns = 0
  public internal(set) var kicked = 0
  /// The numbers of refused and removed players, by the code that they were told.
  public internal(set) var refused: [String: Int] = [:]
}
