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
  /// The largest number of types whose services are asked for.
  private static let mostTypes = 6
  /// The time at which the questions are repeated. Hosts may not answer again within a second (RFC 6762 §6).
  private static let repetition: Duration = .milliseconds(1_050)
  /// The time after which a survey ends if everything has been heard.
  private static let shortest: Duration = .milliseconds(1_400)
  private static let longest: Duration = .milliseconds(2_400)

  /// The largest number of hosts that are asked again and again, to see how much is lost.
  private static let mostSeries = 4
  private static let seriesLength = 10
  private static let seriesInterval: Duration = .milliseconds(100)
  /// The time after which all are asked for numbered answers if nobody was heard over IPv4.
  private static let lateness: Duration = .milliseconds(300)

  /// The questions to a host that was heard, one after another.
  private struct Series {
    let link: MulticastLink
    var count = 0
    var length = NetworkSurvey.seriesLength
    var next: Duration
  }

  private struct Entry {
    var survey: LinkSurvey
    let isLoopback: Bool
    var heard: HeardAddresses
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
  private var series: [IPAddress: Series] = [:]
  /// The questions to all, for want of a host to ask.
  private var appeals: (count: Int, next: Duration) = (0, lateness)
  private var timer: LoopTimer?
  private var isAskedAgain = false
  /// The types of services that were heard of.
  private var types: Set<DNSName> = []

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
    var entry = Entry(
      survey: LinkSurvey(interface: interface.name, link: link), isLoopback: interface.isLoopback,
      heard: HeardAddresses(in: interface.addresses))
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
      let bytes = questions.message(for: entry.survey.interface, on: link, types: types)
      try socket.send(bytes, on: link.interface, to: .multicast)
      entries[link]!.echo.sent(nil, at: now)
    } catch {
      entries[link]!.echo.sent(error, at: now)
    }
  }

  private func askDirectly() {
    let neighbours = entries.values.filter { $0.survey.link.family == .ipv4 }
      .flatMap { questions.neighbours[$0.survey.interface] ?? [] }
    direct = try? DirectQuestions(on: loop, to: neighbours) { [weak self] in self?.answered(directly: $0, on: $1) }
  }

  /// - Parameter interface: That on which all were asked; nil if only the host was.
  private func answered(directly host: IPAddress, on interface: UInt32?) {
    if let interface {
      let link = MulticastLink(interface: interface, family: .ipv4)
      if entries[link] != nil, !ownAddresses.contains(host) { beginSeries(with: host, on: link) }
      return
    }
    for (link, entry) in entries where questions.neighbours[entry.survey.interface]?.contains(host) == true {
      guard link.family == .ipv4 else { continue }
      entries[link]!.survey.directAnswerers.insert(host)
      beginSeries(with: host, on: link)
    }
  }

  /// Asks all hosts until one answers, which is then asked alone.
  private func appeal() {
    guard series.isEmpty, appeals.count < Self.seriesLength, appeals.next <= now else { return }
    appeals = (appeals.count + 1, now + Self.seriesInterval)
    for (link, entry) in entries where link.family == .ipv4 && entry.survey.refusal == nil && !entry.isLoopback {
      direct?.askAll(on: link.interface)
    }
  }

  /// Begins to ask a host again and again.
  private func beginSeries(with host: IPAddress, on link: MulticastLink) {
    guard host.family == .ipv4, series[host] == nil, series.count < Self.mostSeries else { return }
    series[host] = Series(link: link, next: now)
    setTimer()
  }

  // MARK: - Receiving

  private func received(_ arrival: MulticastSocket.Arrival) {
    let link = arrival.source.link
    guard arrival.reception == .multicast, entries[link] != nil else { return }
    entries[link]!.echo.heard()
    entries[link]!.survey.isHeard = true
    let source = arrival.source.address
    guard !arrival.isTest, let message = try? DNSMessage(parsing: arrival.bytes) else { return }
    if let trial = questions.trial, !message.isResponse, message.questions.contains(where: { $0.name == trial }) {
      entries[link]!.survey.isTried = true
      if let socket = entries[link]!.socket {
        try? socket.send(SurveyQuestions.answer(to: trial), on: link.interface, to: .multicast)
      }
    }
    // What this machine sends on the loopback interface has no source.
    guard !ownAddresses.contains(source), source != .ipv4(0) else { return }
    if entries[link]!.survey.others.count < Self.mostHosts { entries[link]!.survey.others.insert(source) }
    beginSeries(with: source, on: link)
    guard message.isResponse else {
      if message.questions.contains(where: { isMarked($0.name, elsewhereThan: link) }) {
        if entries[link]!.survey.repeaters.count < Self.mostHosts { entries[link]!.survey.repeaters.insert(source) }
      }
      return
    }
    note(message, from: source, on: link)
    let own = questions.ownAddresses[entries[link]!.survey.interface] ?? []
    for record in message.answers + message.additionals {
      // A reflector may repeat what this machine has said.
      if case .ptr(let host) = record.data, record.timeToLive > 0, !questions.hostNames.contains(host) {
        entries[link]!.survey.duplicates.formUnion(own.filter { DNSName(reverseOf: $0) == record.name })
      }
      guard case .address(let address) = record.data, record.timeToLive > 0, questions.hostNames.contains(record.name),
        !ownAddresses.contains(address), entries[link]!.survey.foreignAnswers.count < Self.mostHosts
      else { continue }
      entries[link]!.survey.foreignAnswers.insert(ForeignAnswer(name: record.name, address: address, source: source))
    }
  }

  /// Whether a name is one for which this machine asks on another link.
  private func isMarked(_ name: DNSName, elsewhereThan link: MulticastLink) -> Bool {
    questions.marker != nil && name.parent == questions.marker && name != questions.markerName(of: link)
  }

  /// Notes types of services, and the addresses that a host tells.
  private func note(_ message: DNSMessage, from source: IPAddress, on link: MulticastLink) {
    guard questions.marker != nil else { return }
    for record in message.answers + message.additionals where record.timeToLive > 0 {
      switch record.data {
      case .ptr(let type) where record.name == SurveyQuestions.types:
        if types.count < Self.mostTypes { types.insert(type) }
      case .address(let address): entries[link]!.heard.note(address, of: record.name, from: source)
      default: break
      }
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
    if series.isEmpty, appeals.count < Self.seriesLength { steps.append(appeals.next) }
    steps += series.values.filter { $0.count < $0.length }.map(\.next)
    // When the last question of each is old enough to be answered.
    steps += series.values.map { $0.next + Self.seriesInterval }.filter { $0 > now }
    guard let next = (echoes + steps).min() else { return }
    // The timer keeps the survey alive.
    timer = loop.schedule(at: origin + next) { [self] in advance() }
  }

  private func advance() {
    if entries.isEmpty || now >= Self.longest || (now >= Self.shortest && entries.values.allSatisfy(isAnswered) && isSeriesOver)
    {
      return finish()
    }
    appeal()
    // By chance, lost packets may also be one gap, but hardly in twenty.
    for (host, one) in series where one.count == Self.seriesLength && one.next <= now {
      if let direct, DirectQuestions.hasOneGap(direct.answered(by: host)) { series[host]!.length = 2 * Self.seriesLength }
    }
    for (host, one) in series where one.count < one.length && one.next <= now {
      direct?.ask(host, isCounted: true)
      series[host]!.count += 1
      series[host]!.next = now + Self.seriesInterval
    }
    if !isAskedAgain, now >= Self.repetition {
      isAskedAgain = true
      for link in entries.keys where entries[link]!.echo.fault == nil { ask(on: link) }
    }
    for link in entries.keys where entries[link]!.echo.advance(to: now) { test(link) }
    setTimer()
  }

  private func isAnswered(_ entry: Entry) -> Bool {
    entry.survey.refusal != nil
      || (entry.survey.isHeard && !entry.survey.others.isEmpty && (questions.trial == nil || entry.survey.isTried))
  }

  /// Whether all who answer at all have answered every question. On a busy machine that takes a while.
  private var isSeriesOver: Bool {
    series.allSatisfy { host, one in
      guard one.count == one.length, now >= one.next + Self.seriesInterval else { return false }
      return one.length > Self.seriesLength || Set(direct?.answered(by: host) ?? []).count < 2
    }
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
    for (host, one) in series {
      guard let answered = direct?.answered(by: host, after: .milliseconds(200)), answered.contains(true),
        !DirectQuestions.hasOneGap(answered)
      else { continue }
      entries[one.link]!.survey.asked += answered.count
      entries[one.link]!.survey.answered += answered.count { $0 }
    }
    direct?.stop()
    for entry in entries.values { entry.socket?.stop() }
    // An address that this machine got meanwhile is no other host's.
    let own = ownAddresses.union(LocalInterface.all().flatMap { $0.addresses.map(\.address) })
    let surveys = entries.values.map { entry in
      var survey = entry.survey
      survey.others.subtract(own)
      survey.foreignAnswers = survey.foreignAnswers.filter { !own.contains($0.address) && !own.contains($0.source) }
      survey.repeaters.subtract(own)
      survey.carriers = entry.heard.carriers(besides: own)
      survey.outage = entry.echo.fault?.outage(of: survey.interface)
      return survey
    }
    entries = [:]
    finished(
      surveys.sorted { ($0.link.interface, $0.link.family.rawValue) < ($1.link.interface, $1.link.family.rawValue) })
  }
}
