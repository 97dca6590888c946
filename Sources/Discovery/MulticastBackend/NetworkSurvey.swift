import CBonjourishLinux
import _BonjourishDiscovery
package import _BonjourishEventLoop
import _BonjourishInterfaces
import _BonjourishMulticastDNS

/// Asks on each link who is there, and notes what comes back: a diagnosis of a few seconds. Confined to the loop.
package final class NetworkSurvey {
  /// The largest number of hosts noted on a link.
  package static let mostHosts = 64
  /// The largest number of links.
  package static let mostLinks = 128
  /// The time at which the questions are repeated. Hosts may not answer again within a second (RFC 6762 §6).
  private static let repetition: Duration = .milliseconds(1_050)
  /// The time after which a survey ends if everything has been heard.
  private static let shortest: Duration = .milliseconds(1_400)
  private static let longest: Duration = .milliseconds(2_400)

  private struct Entry {
    var survey: LinkSurvey
    let isLoopback: Bool
    var socket: MulticastSocket?
    var echo = EchoCheck()
  }

  private let loop: EventLoop
  private let questions: SurveyQuestions
  private let finished: ([LinkSurvey]) -> Void
  private let origin = ContinuousClock.now
  private let ownAddresses: Set<IPAddress>
  private var entries: [MulticastLink: Entry] = [:]
  private var direct: DirectQuestions?
  private var timer: LoopTimer?
  private var isAskedAgain = false

  /// Starts a survey.
  ///
  /// - Parameters:
  ///   - finished: Called once, within ``longest``, with the links in the order of their interfaces.
  package init(on loop: EventLoop, _ questions: SurveyQuestions, finished: @escaping ([LinkSurvey]) -> Void) {
    self.loop = loop
    self.questions = questions
    self.finished = finished
    let all = LocalInterface.all()
    ownAddresses = Set(all.flatMap { $0.addresses.map(\.address) })
    let selection = InterfaceSelection(
      included: questions.interface.map { [$0] } ?? [], excluded: questions.interface == nil ? questions.leftOut : [])
    let names = Set(
      selection.links(among: all.map { $0.state(over: IPAddress.Family.allCases) }).map(\.source.name))
    let chosen = all.filter { names.contains($0.name) && (!$0.isLoopback || questions.interface != nil) }
    for interface in chosen {
      for family in IPAddress.Family.allCases where interface.hasAddress(family) && entries.count < Self.mostLinks {
        open(MulticastLink(interface: interface.index, family: family), of: interface)
      }
    }
    for link in entries.keys { ask(on: link) }
    if !entries.isEmpty { askDirectly() }
    setTimer()
  }

  private var now: Duration { origin.duration(to: .now) }

  /// Opens a socket for each link, because the kernel limits the memberships of a socket.
  private func open(_ link: MulticastLink, of interface: LocalInterface) {
    var entry = Entry(survey: LinkSurvey(interface: interface.name, link: link), isLoopback: interface.isLoopback)
    do throws(SystemError) {
      let socket = try MulticastSocket(link.family)
      try socket.join(interface.index)
      try socket.start(on: loop, received: { [weak self] in self?.received($0) }, failed: { _ in })
      entry.socket = socket
    } catch {
      entry.survey.refusal = error
    }
    entries[link] = entry
  }

  private func ask(on link: MulticastLink) {
    guard let entry = entries[link], let socket = entry.socket else { return }
    do throws(SystemError) {
      try socket.send(questions.message(for: entry.survey.interface), on: link.interface, to: .multicast)
      entries[link]!.echo.sent(nil, at: now)
    } catch {
      entries[link]!.echo.sent(error, at: now)
    }
  }

  private func askDirectly() {
    let neighbours = entries.values.filter { $0.survey.link.family == .ipv4 }
      .flatMap { questions.neighbours[$0.survey.interface] ?? [] }
    guard !neighbours.isEmpty else { return }
    direct = try? DirectQuestions(on: loop, to: neighbours) { [weak self] in self?.answered(directly: $0) }
  }

  private func answered(directly host: IPAddress) {
    for (link, entry) in entries where questions.neighbours[entry.survey.interface]?.contains(host) == true {
      if link.family == .ipv4 { entries[link]!.survey.directAnswerers.insert(host) }
    }
  }

  // MARK: - Receiving

  private func received(_ arrival: MulticastSocket.Arrival) {
    let link = arrival.source.link
    guard arrival.reception == .multicast, entries[link] != nil else { return }
    entries[link]!.echo.heard()
    entries[link]!.survey.isHeard = true
    let source = arrival.source.address
    // What this machine sends on the loopback interface has no source.
    guard !ownAddresses.contains(source), source != .ipv4(0), !arrival.isTest,
      let message = try? DNSMessage(parsing: arrival.bytes)
    else { return }
    if entries[link]!.survey.others.count < Self.mostHosts { entries[link]!.survey.others.insert(source) }
    guard message.isResponse else { return }
    for record in message.answers + message.additionals {
      guard case .address(let address) = record.data, record.timeToLive > 0, questions.hostNames.contains(record.name),
        !ownAddresses.contains(address), entries[link]!.survey.claims.count < Self.mostHosts
      else { continue }
      entries[link]!.survey.claims.insert(HostClaim(name: record.name, address: address, source: source))
    }
  }

  // MARK: - Time

  private func setTimer() {
    timer?.cancel()
    let echoes = entries.values.compactMap(\.echo.nextDeadline).filter { $0 < Self.longest }
    var steps = [Self.longest]
    if !isAskedAgain { steps.append(Self.repetition) }
    if now < Self.shortest { steps.append(Self.shortest) }
    if entries.isEmpty { steps.append(.zero) }
    guard let next = (echoes + steps).min() else { return }
    // The timer keeps the survey alive.
    timer = loop.schedule(at: origin + next) { [self] in advance() }
  }

  private func advance() {
    if entries.isEmpty || now >= Self.longest || (now >= Self.shortest && entries.values.allSatisfy(Self.isAnswered)) {
      return finish()
    }
    if !isAskedAgain, now >= Self.repetition {
      isAskedAgain = true
      for link in entries.keys where entries[link]!.echo.fault == nil { ask(on: link) }
    }
    for link in entries.keys where entries[link]!.echo.advance(to: now) { test(link) }
    setTimer()
  }

  private static func isAnswered(_ entry: Entry) -> Bool {
    entry.survey.refusal != nil || (entry.survey.isHeard && !entry.survey.others.isEmpty)
  }

  private func test(_ link: MulticastLink) {
    guard let entry = entries[link], let socket = entry.socket else { return }
    do throws(SystemError) {
      try socket.test(on: link.interface, isLoopback: entry.isLoopback)
      entries[link]!.echo.sent(nil, at: now)
    } catch {
      entries[link]!.echo.sent(error, at: now)
    }
  }

  private func finish() {
    timer?.cancel()
    timer = nil
    direct?.stop()
    for entry in entries.values { entry.socket?.stop() }
    let surveys = entries.values.map { entry in
      var survey = entry.survey
      survey.outage = entry.echo.fault?.outage(of: survey.interface)
      return survey
    }
    entries = [:]
    finished(
      surveys.sorted { ($0.link.interface, $0.link.family.rawValue) < ($1.link.interface, $1.link.family.rawValue) })
  }
}
