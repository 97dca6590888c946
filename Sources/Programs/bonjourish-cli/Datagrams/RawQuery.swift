import Bonjourish
import CBonjourishLinux
import _BonjourishConsole
import _BonjourishEventLoop
import _BonjourishMulticastBackend
import _BonjourishMulticastDNS

/// `bonjourish query --raw`: shows the datagrams of mDNS themselves. It listens with sockets of its own, and uses no backend.
struct RawQuery {
  /// The question to ask, and the name that a datagram must have to be shown; nil for all datagrams.
  private let question: DNSQuestion?
  private let interfaces: InterfaceSelection
  private let limit: Duration?
  private let json: Bool

  init(_ arguments: Arguments) throws {
    if let name = arguments[Commands.recordName] {
      let name = try DomainName(name)
      let type = try arguments[Commands.recordType].map { text throws(DiscoveryError) in try RecordType(text) } ?? .any
      let dnsName = try DNSName.multicast(during: "asking for \(name)") { () throws(DNSNameError) in try DNSName(name.text) }
      question = DNSQuestion(dnsName, DNSType(rawValue: type.rawValue))
    } else {
      question = nil
    }
    interfaces = try arguments.localInterfaces()
    limit = arguments[Commands.queryDuration]
    json = arguments[Commands.json]
    guard arguments[Commands.backend] ?? .auto != .avahi else {
      throw Commands.query.usageError(
        "--raw listens with sockets of its own, also beside avahi-daemon; leave out --backend avahi")
    }
  }

  /// It writes on the loop's thread: when the reader is slow, datagrams wait in the system's buffers, whose size is bounded.
  func run() async throws {
    let listener = try await LoopConfined("datagrams", during: "listening for mDNS") {
      [interfaces, question, json] loop throws(SystemError) in
      try GroupListener(
        on: loop, interfaces, asking: question,
        GroupListener.Handlers(heard: { Self.show($0, question, json: json) }) { link, error in
          diagnostics.warning("mDNS on \(link.source.name) over \(link.family): \(error)")
        })
    }
    if await !listener.ask(\.isListening) {
      diagnostics.warning("no network interface can be listened on yet; `ip address` lists them, --interface chooses one")
    }
    try await forAtMost(limit) { await Waiter().wait { true } }
    let dropped = await listener.end { listener in
      defer { listener.stop() }
      return listener.dropped
    }
    if dropped > 0 { diagnostics.warning("\(dropped) datagrams came faster than they were written, and are missing") }
  }

  private static func show(_ datagram: GroupDatagram, _ question: DNSQuestion?, json: Bool) {
    let message = DissectedMessage(datagram.bytes)
    if let name = question?.name, !message.elements.contains(where: { $0.name == name }) { return }
    let shown = ShownDatagram(datagram, message, at: .now(before: datagram.delay))
    if json {
      Output.standard.event(DatagramEvent(shown))
    } else {
      for line in shown.lines { Output.standard.line(line) }
    }
  }
}
