/// What discovery has done since a `Bonjour` was made, and what it is doing now.
///
/// Counters begin at 0 and only grow, also when another backend takes over. Gauges tell of the moment of the snapshot.
/// ``list`` gives all of them by name, for systems that collect metrics.
public struct DiscoveryMetrics: Hashable, Sendable, Codable {
  /// The backend in use: `avahi` or `builtin`; `directory` for a directory without the local network.
  public package(set) var backend = ""

  /// Counter: how often another backend has taken over, because the daemon stopped, hung or came back.
  public package(set) var backendChanges = 0

  /// Gauge: the running browsers.
  public package(set) var browsers = 0

  /// Gauge: the open look-ups of records. Resolving one service takes up to four.
  public package(set) var lookups = 0

  /// Gauge: the services and other registrations that are published or about to be.
  public package(set) var registrations = 0

  /// Counter: changes of browsers and look-ups, and events of published services. Each counts once, however many tasks iterate over them.
  public package(set) var changes = 0

  /// Gauge: changes and events that tasks have not taken yet. It grows while a task is slower than the network, up to one for each
  /// service, because later changes are merged into earlier ones.
  public package(set) var waitingChanges = 0

  /// Counter: services of this program that got another name, because another host had theirs.
  public package(set) var renames = 0

  /// The built-in engine. All of it is 0 if it was never in use.
  public package(set) var builtin = EngineMetrics()

  /// The connection with avahi-daemon. All of it is 0 if there was none. The daemon does not tell its own counts.
  public package(set) var avahi = AvahiMetrics()

  /// The use of a directory. All of it is 0 if there is none.
  public package(set) var directory = DirectoryMetrics()

  package init() {}

  /// Counts a question that is open.
  package mutating func count(_ question: RecordQuestion) {
    if question.browse == nil { lookups += 1 } else { browsers += 1 }
  }
}
