/// What a program knows of its use of a directory.
public struct DirectoryMetrics: Hashable, Sendable, Codable {
  /// Counter: connections with the directory's servers, the first one included.
  public package(set) var connections = 0

  /// Counter: connections that were lost, or that the server ended.
  public package(set) var connectionsLost = 0

  /// Counter: connections that this program ended, because the server sent more than any message without a whole one.
  public package(set) var connectionsCut = 0

  /// Gauge: the types and single services of the directory that are followed.
  public package(set) var watches = 0

  /// Gauge: the services that are stored.
  public package(set) var records = 0

  /// Counter: messages about services.
  public package(set) var messages = 0

  /// Counter: records that were written again as they were.
  public package(set) var renewals = 0

  /// Counter: records that were ignored because they break the rules.
  public package(set) var malformed = 0

  /// Counter: records that were ignored because there was no room for more.
  public package(set) var crowdedOut = 0

  /// Counter: lists that were asked for again, after an outage or because messages were missing.
  public package(set) var listings = 0

  package init() {}
}
