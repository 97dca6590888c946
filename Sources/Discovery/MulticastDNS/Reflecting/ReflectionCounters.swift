/// What a reflector has done.
package struct ReflectionCounters: Hashable, Sendable {
  /// What went in one direction, or did not.
  package struct Passage: Hashable, Sendable {
    /// The questions that were asked on the link whose services are shown.
    package var questions = 0
    /// The records that were sent, without goodbyes.
    package var records = 0
    package var goodbyes = 0
    /// The records that a host was sent alone, because it had asked so.
    package var unicastRecords = 0
    /// What was kept back, by the rule that did.
    package var kept: [ReflectionRule: Int] = [:]
  }

  /// What was sent on one interface.
  package struct Sent: Hashable, Sendable {
    package var datagrams = 0
    package var bytes = 0
  }

  package var passages: [ReflectionRules.Direction: Passage] = [:]
  /// By the number of the interface. Each address family counts.
  package var sent: [UInt32: Sent] = [:]
  package var queriesHeard = 0
  package var responsesHeard = 0
  /// The datagrams of this machine, which are left alone: what the reflector has sent, and what other programs here say.
  package var own = 0
  package var malformed = 0
  /// Responses from another port than 5353.
  package var ignored = 0
  /// How often another reflector was recognised.
  package var repeaters = 0

  package init() {}
}
