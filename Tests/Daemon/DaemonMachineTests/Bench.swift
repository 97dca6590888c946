import _BonjourishBusProtocol
import _BonjourishDiscovery
import _BonjourishMulticastDNS

@testable import _BonjourishDaemonMachine

/// A daemon with a clock that tests advance, clients that call it, and what it does.
struct Bench {
  var machine: DaemonMachine
  var now: Duration = .zero
  var serial: UInt32 = 100
  /// The effects besides the messages to clients.
  var effects: [DaemonMachine.Effect] = []
  /// Why the last object was not made.
  var refusal: String?
  /// The messages that were sent and not taken.
  var messages: [BusMessage] = []
  /// The users of clients; nil for those of whom the bus does not know. Others are each of a user of their own.
  var users: [String: UInt32?] = [:]

  static let eth0 = NetworkInterface(index: 2, name: "eth0")
  static let link = MulticastLink(interface: 2, family: .ipv4)
  static let link6 = MulticastLink(interface: 2, family: .ipv6)

  init(_ settings: DaemonSettings = DaemonSettings(), isConnected: Bool = true) {
    machine = DaemonMachine(settings, machineName: "h1", version: "bonjourish 0", cookie: 7)
    send(.interfaces([Self.eth0]))
    guard isConnected else { return }
    send(.connected)
    answerBus("RequestName", [.uint32(1)])
    send(.host(.established(machine.hostName)))
    (messages, effects) = ([], [])
  }

  mutating func send(_ event: DaemonMachine.Event) {
    var questions: [BusMessage] = []
    for effect in machine.handle(event, at: now) {
      switch effect {
      case .send(let message) where message.member == "GetConnectionUnixUser": questions.append(message)
      case .send(let message): messages.append(message)
      default: effects.append(effect)
      }
    }
    for question in questions { tellUser(question) }
  }

  private mutating func tellUser(_ question: BusMessage) {
    guard case .text(let client)? = question.body?.first else { return }
    let user = users[client] ?? client.split(separator: ".").last.flatMap { UInt32($0) }.map { 1_000 + $0 }
    var answer = BusMessage(user == nil ? .error : .answer)
    (answer.answers, answer.sender) = (question.serial, "org.freedesktop.DBus")
    if let user { answer.body = [.uint32(user)] } else { answer.errorName = "org.freedesktop.DBus.Error.Failed" }
    send(.message(answer))
  }

  /// Answers a call that the daemon made to the bus.
  mutating func answerBus(_ member: String, _ values: [BusValue]) {
    guard let call = messages.last(where: { $0.member == member }) else { return }
    var answer = BusMessage(.answer)
    (answer.answers, answer.sender, answer.body) = (call.serial, "org.freedesktop.DBus", values)
    send(.message(answer))
  }

  /// Calls a method; returns the results, or nil and keeps the error.
  @discardableResult
  mutating func call(
    _ member: String, of interface: String = "Server", at path: String = "/", by client: String = ":1.5", _ values: BusValue...
  ) -> BusMessage? {
    serial += 1
    var call = BusMessage.call(member, of: "org.freedesktop.Avahi.\(interface)", at: path, in: DaemonMachine.name, values)
    (call.serial, call.sender) = (serial, client)
    send(.message(call))
    let serial = serial
    guard let place = messages.firstIndex(where: { $0.answers == serial && $0.destination == client }) else { return nil }
    return messages.remove(at: place)
  }

  /// Makes an object, lets it begin, and returns its path.
  mutating func make(_ member: String, by client: String = ":1.5", _ values: [BusValue]) -> String {
    let path = prepare(member, by: client, values)
    if (machine.starts.first ?? machine.serviceStarts.first) != nil { pass(DaemonMachine.startDelay) }
    return path
  }

  mutating func pass(_ time: Duration) {
    now += time
    send(.timePassed)
  }

  /// Makes an object that has not begun, and returns its path.
  mutating func prepare(_ member: String, by client: String = ":1.5", _ values: [BusValue]) -> String {
    serial += 1
    var call = BusMessage.call(member, of: "org.freedesktop.Avahi.Server", at: "/", in: DaemonMachine.name, values)
    (call.serial, call.sender) = (serial, client)
    send(.message(call))
    let serial = serial
    let answer = messages.firstIndex { $0.answers == serial }.map { messages.remove(at: $0) }
    refusal = answer?.errorName.map { String($0.dropFirst("org.freedesktop.Avahi.".count)) }
    if answer?.kind == .answer, case .path(let path)? = answer?.body?.first { return path }
    return ""
  }

  mutating func takeSignals(_ member: String? = nil) -> [BusMessage] {
    let signals = messages.filter { $0.kind == .signal && (member == nil || $0.member == member) }
    messages.removeAll { signals.contains($0) }
    return signals
  }

  /// The names of the signals since the last ones that were taken.
  mutating func takeSignalNames() -> [String] { takeSignals().compactMap(\.member) }

  /// The question with this name and type that was asked last.
  func lookup(_ name: String, _ type: DNSType) -> DaemonMachine.LookupID? {
    for case .ask(let id, let asked, type, _) in effects.reversed() where "\(asked)" == name { return id }
    return nil
  }

  /// Lets the engine answer a question.
  mutating func answer(_ name: String, _ type: DNSType, _ answer: DaemonMachine.Answer) {
    if let id = lookup(name, type) { send(.answered(id, answer)) }
  }

  var publications: [DaemonMachine.PublicationID] {
    effects.compactMap { if case .publish(let id, _, _) = $0 { id } else { nil } }
  }

  var withdrawals: [DaemonMachine.PublicationID] {
    effects.compactMap { if case .withdraw(let id) = $0 { id } else { nil } }
  }
}

/// The link, all interfaces and families, and no flags.
let any: [BusValue] = [.int32(-1), .int32(-1)]
let noFlags = BusValue.uint32(0)

func name(_ text: String) -> DNSName { try! DNSName(text) }

func pointer(_ name: String, to target: String) -> DNSRecord {
  DNSRecord(try! DNSName(name), .ptr(try! DNSName(target)), timeToLive: 4500)
}
