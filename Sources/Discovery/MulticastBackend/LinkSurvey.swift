package import _BonjourishDiscovery
package import _BonjourishEventLoop
package import _BonjourishMulticastDNS

/// What was seen of mDNS on one link in a few seconds.
package struct LinkSurvey: Sendable {
  /// The interface's name.
  package let interface: String
  package let link: MulticastLink
  /// Why port 5353 cannot be opened or the group not be joined; nothing else is known of the link then.
  package var refusal: SystemError?
  /// Why nobody is reached on the link; nil if somebody may be.
  package var outage: NetworkOutage?
  /// Whether what was sent to the group came back.
  package var isHeard = false
  /// The other hosts that sent something to the group, at most ``NetworkSurvey/mostHosts``.
  package var others: Set<IPAddress> = []
  /// The other hosts that answer a question sent to them alone.
  package var directAnswerers: Set<IPAddress> = []
  /// What other hosts answered for the names that were asked for.
  package var foreignAnswers: Set<ForeignAnswer> = []
  /// The IPv4 addresses of this machine for which another host answers.
  package var duplicates: Set<IPAddress> = []
  /// The number of questions to hosts that have answered one of them.
  package var asked = 0
  /// How many of them were answered.
  package var answered = 0
  /// The other hosts that asked here what this machine had asked on another link only: reflectors, at most
  /// ``NetworkSurvey/mostHosts``.
  package var repeaters: Set<IPAddress> = []
  /// Hosts of other networks, by the host on this one that tells their addresses. A reflector does, and hardly anybody else.
  package var carriers: [IPAddress: Set<DNSName>] = [:]
  /// Whether the question was heard that the daemon was given to ask (``SurveyQuestions/trial``).
  package var isTried = false

  package init(interface: String, link: MulticastLink) {
    self.interface = interface
    self.link = link
  }
}

/// An answer of another host for a host name.
package struct ForeignAnswer: Hashable, Sendable {
  package let name: DNSName
  package let address: IPAddress
  /// The sender of the answer.
  package let source: IPAddress

  package init(name: DNSName, address: IPAddress, source: IPAddress) {
    self.name = name
    self.address = address
    self.source = source
  }
}

/// The questions of a survey.
package struct SurveyQuestions: Sendable {
  /// The only interface; nil for all that operations use.
  package var interface: String?
  /// The interfaces that are left out when no interface is named.
  package var leftOut: Set<String> = []
  /// The host names whose owners are looked for.
  package var hostNames: [DNSName] = []
  /// The IPv4 addresses of this machine, whose names are asked for: another host that has one of them answers too.
  package var ownAddresses: [String: [IPAddress]] = [:]
  /// A name for which another program of this machine asks. It is heard, and answered.
  package var trial: DNSName?
  /// A name below which each link is asked for a name of its own, so that a reflector is noticed; nil if it does not matter.
  package var marker: DNSName?
  /// The IPv4 addresses of hosts on the links, which are also asked alone.
  package var neighbours: [String: [IPAddress]] = [:]

  package init() {}

  /// The questions for all hosts on an interface: for the types of services, for the host names and for the neighbours' names.
  ///
  /// - Parameter types: The types of services that were heard of, whose services are asked for.
  func message(for interface: String, on link: MulticastLink, types: some Collection<DNSName>) -> [UInt8] {
    var message = DNSMessage(isResponse: false)
    if let types = Self.types { message.questions.append(DNSQuestion(types, .ptr)) }
    for name in hostNames { message.questions += [DNSQuestion(name, .a), DNSQuestion(name, .aaaa)] }
    message.questions += ((ownAddresses[interface] ?? []) + (neighbours[interface] ?? [])).map {
      DNSQuestion(DNSName(reverseOf: $0), .ptr)
    }
    if let name = markerName(of: link) { message.questions.append(DNSQuestion(name, .txt)) }
    message.questions += types.map { DNSQuestion($0, .ptr) }
    return message.written()
  }

  /// The name for which nobody but this machine asks, and only on this link.
  func markerName(of link: MulticastLink) -> DNSName? {
    try? marker?.adding(label: "\(link.family)-\(link.interface)")
  }

  /// The name under which all types of services are listed (RFC 6763 §9).
  static let types = try? DNSName("_services._dns-sd._udp.local")

  /// The answer to the question of ``trial``; it is soon forgotten.
  static func answer(to trial: DNSName) -> [UInt8] {
    var message = DNSMessage(isResponse: true)
    message.answers = [DNSRecord(trial, .txt([0]), timeToLive: 2)]
    return message.written()
  }

  /// The questions for a host: for its name, if it is given, and for the types of services.
  static func message(to neighbour: IPAddress?, number: UInt16) -> [UInt8] {
    var message = DNSMessage(isResponse: false)
    message.id = number
    if let neighbour { message.questions = [DNSQuestion(DNSName(reverseOf: neighbour), .ptr)] }
    if let types = Self.types { message.questions.append(DNSQuestion(types, .ptr)) }
    return message.written()
  }
}
