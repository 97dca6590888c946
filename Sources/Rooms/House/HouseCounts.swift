/// What has happened in a house since it was opened, and how many are there now.
package struct HouseCounts: Hashable, Sendable, Codable {
  /// How many matches there are, and of these how many wait for players.
  package internal(set) var matches = 0
  package internal(set) var gathering = 0
  package internal(set) var players = 0
  /// Those of the players whose connection broke, and whose seats are kept.
  package internal(set) var away = 0
  package internal(set) var watchers = 0
  package internal(set) var matchesOpened = 0
  package internal(set) var roundsPlayed = 0
  package internal(set) var answers = 0
  package internal(set) var answersAccepted = 0
  /// How many came back to their seats.
  package internal(set) var returns = 0
  package internal(set) var kicked = 0
  /// How many were not let in, or were shown out, by the code that they were told.
  package internal(set) var refused: [String: Int] = [:]
}
