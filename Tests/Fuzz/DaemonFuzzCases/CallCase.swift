package import FuzzCases
import _BonjourishBusProtocol
import _BonjourishDaemonMachine

/// Bytes that choose calls of three programs, among all methods that introspection tells of the objects that there are, with arguments of
/// the types that it tells.
///
/// Besides what ``BusCase`` demands: each call is answered at once, or is one of those that are answered when something is found, and the
/// results have the types that introspection tells.
package enum CallCase {
  private struct Method {
    let interface: String
    let name: String
    var inputs: [String] = []
    var outputs: [String] = []
  }

  private struct Source {
    var rest: ArraySlice<UInt8>

    mutating func byte() -> UInt8 { rest.popFirst() ?? 0 }

    mutating func number(_ size: Int) -> UInt64 { (0..<size).reduce(0) { number, _ in number << 8 | UInt64(byte()) } }

    mutating func bytes() -> [UInt8] {
      let bytes = Array(rest.prefix(Int(byte()) % 48))
      rest = rest.dropFirst(bytes.count)
      return bytes
    }

    mutating func choice<Element>(of elements: [Element]) -> Element { elements[Int(byte()) % elements.count] }
  }

  private static let texts = [
    "", "a", "Ada", "_http._tcp", "_a._sub._http._tcp", "local", "h1", "h1.local", "Ada._http._tcp.local", "10.0.0.1", "::1",
    "1.0.0.10.in-addr.arpa", "a..b", "\\", "\\.", "\\046", "#2", "-2", "_services._dns-sd._udp.local",
    String(repeating: "[", count: 63),
  ]
  private static let integers: [UInt64] = [0, 1, 2, 3, 4, 8, 12, 16, 28, 33, 44, 64, 65, 128, 255, 256, .max, 1 << 31]

  /// Tries some bytes.
  ///
  /// - Throws: ``Violation``.
  package static func run(_ bytes: [UInt8]) throws(Violation) {
    var source = Source(rest: bytes[...])
    var daemon = BusCase()
    _ = try daemon.handle(.connected)
    var paths = ["/"]
    var serial: UInt32 = 1_000
    func call(
      _ member: String, of interface: String, at path: String, by client: String, _ values: [BusValue]
    ) throws(Violation) -> BusMessage? {
      serial += 1
      var call = BusMessage.call(member, of: interface, at: path, in: "org.freedesktop.Avahi", values)
      (call.serial, call.sender) = (serial, client)
      return try daemon.take(call)
    }
    while !source.rest.isEmpty {
      let choice = source.byte()
      let client = ":1.\(choice % 3)"
      if choice > 250 {
        try daemon.leave(client)
        continue
      }
      let path = source.choice(of: paths)
      let told = try call("Introspect", of: "org.freedesktop.DBus.Introspectable", at: path, by: client, [])
      guard case .text(let description)? = told?.body?.first, told?.kind == .answer else {
        paths.removeAll { $0 == path }
        try Violation.unless(path != "/", "the server tells nothing of itself")
        continue
      }
      let method = source.choice(of: methods(in: description))
      let values = method.inputs.map { value($0, from: &source) }
      let answer = try call(method.name, of: method.interface, at: path, by: client, values)
      try Violation.unless(answer != nil || method.name.hasPrefix("Resolve"), "\(method.name) is not answered")
      guard let answer, answer.kind == .answer else { continue }
      try Violation.unless(
        (answer.body ?? []).map(\.type) == method.outputs, "\(method.name) has other results than introspection tells")
      if case .path(let made)? = answer.body?.first { paths.append(made) }
    }
    try daemon.end()
  }

  /// Reads what this daemon writes: one element in a line.
  private static func methods(in description: String) -> [Method] {
    var methods: [Method] = []
    var interface = ""
    var isMethod = false
    for line in description.split(separator: "\n") {
      let words = line.split(separator: "\"", omittingEmptySubsequences: false).map(String.init)
      switch words[0].filter({ $0 != " " }) {
      case "<interfacename=": interface = words[1]
      case "<methodname=":
        methods.append(Method(interface: interface, name: words[1]))
        isMethod = true
      case "<signalname=": isMethod = false
      case "<argname=" where isMethod && words.count > 5:
        if words[5] == "in" {
          methods[methods.count - 1].inputs.append(words[3])
        } else {
          methods[methods.count - 1].outputs.append(words[3])
        }
      default: break
      }
    }
    return methods
  }

  private static func value(_ type: String, from source: inout Source) -> BusValue {
    let choice = source.byte()
    let number = choice < 200 ? integers[Int(choice) % integers.count] : source.number(4)
    switch type {
    case "s":
      // Texts of the bus have no zeros.
      return .text(
        choice < 200 ? texts[Int(choice) % texts.count] : String(decoding: source.bytes().filter { $0 > 0 }, as: UTF8.self))
    case "i": return .int32(Int32(truncatingIfNeeded: choice % 2 == 0 ? number : UInt64.max))
    case "u": return .uint32(UInt32(truncatingIfNeeded: number))
    case "q": return .uint16(UInt16(truncatingIfNeeded: number))
    case "ay": return .bytes(source.bytes())
    case "aay": return .array(of: "ay", (0..<(choice % 4)).map { _ in .bytes(source.bytes()) })
    default: return .byte(choice)
    }
  }
}
