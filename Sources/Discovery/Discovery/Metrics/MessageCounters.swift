/// Counters of mDNS messages (RFC 6762). Each is one datagram.
public struct MessageCounters: Hashable, Sendable, Codable {
  /// Questions of other hosts. A query that needs several datagrams counts once for each.
  public package(set) var queriesReceived = 0

  /// Questions of other hosts that are about to take a name (§8.1).
  public package(set) var probesReceived = 0

  /// Responses of other hosts: answers, announcements and goodbyes.
  public package(set) var responsesReceived = 0

  /// Our own datagrams, which the system hands back.
  public package(set) var echoes = 0

  /// Datagrams that are no DNS messages.
  public package(set) var malformed = 0

  /// Messages that must be ignored: responses from another port than 5353 or to a unicast address (§6), and unicast queries from
  /// outside of the link (§5.5).
  public package(set) var ignored = 0

  /// Our questions.
  public package(set) var queriesSent = 0

  /// Our questions before a name is taken (§8.1).
  public package(set) var probesSent = 0

  /// The announcements of what was published or changed (§8.3).
  public package(set) var announcementsSent = 0

  /// Our answers by multicast.
  public package(set) var answersSent = 0

  /// Our answers to single hosts: to those that want that (§5.4), and to legacy resolvers (§6.7).
  public package(set) var unicastAnswersSent = 0

  /// Our goodbyes, repeated ones included (§10.1).
  public package(set) var goodbyesSent = 0

  /// Records that were not sent in an answer, because the asker knew them (§7.1).
  public package(set) var knownAnswersSuppressed = 0

  /// Names that another host turned out to have too (§9), also while they were probed for.
  public package(set) var conflicts = 0

  /// Other names that this host took because of a conflict.
  public package(set) var hostRenames = 0

  /// Records of other hosts that were dropped, because the cache was full.
  public package(set) var recordsEvicted = 0

  package init() {}

  package static func += (one: inout Self, other: Self) {
    one.queriesReceived += other.queriesReceived
    one.probesReceived += other.probesReceived
    one.responsesReceived += other.responsesReceived
    one.echoes += other.echoes
    one.malformed += other.malformed
    one.ignored += other.ignored
    one.queriesSent += other.queriesSent
    one.probesSent += other.probesSent
    one.announcementsSent += other.announcementsSent
    one.answersSent += other.answersSent
    one.unicastAnswersSent += other.unicastAnswersSent
    one.goodbyesSent += other.goodbyesSent
    one.knownAnswersSuppressed += other.knownAnswersSuppressed
    one.conflicts += other.conflicts
    one.hostRenames += other.hostRenames
    one.recordsEvicted += other.recordsEvicted
  }
}
