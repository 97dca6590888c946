import _BonjourishBase
import _BonjourishMulticastDNS

extension DNSName {
  /// The name as Avahi writes it: all but ASCII letters, digits, `-` and `_` is escaped.
  var avahiText: String { Self.avahiText(labels) }

  static func avahiText(_ labels: some Sequence<[UInt8]>) -> String {
    labels.map { label in label.map(\.avahiText).joined() }.joined(separator: ".")
  }

  /// Reads a name that a client gave; nil when it is not valid.
  init?(client text: String) {
    guard !text.isEmpty, let name = try? DNSName(text), name != .root else { return nil }
    self = name
  }

  /// The name of an instance, a type or a subtype with the labels of its domain.
  init?(_ labels: [[UInt8]], in domain: DNSName) {
    guard let name = try? DNSName(labels: labels + domain.labels) else { return nil }
    self = name
  }

  /// The parts of the name of an instance: `Ada's pages`, `_http._tcp` and `local`.
  ///
  /// - Returns: Nil when it is none, or its name cannot be a text of the bus.
  var instance: (name: String, type: String, domain: String)? {
    let labels = labels
    guard labels.count >= 4, let name = String(validating: labels[0], as: UTF8.self), !labels[0].contains(0),
      Self.isType(labels[1...2])
    else { return nil }
    return (name, Self.avahiText(labels[1...2]), Self.avahiText(labels[3...]))
  }

  /// The parts of the name of a type: `_http._tcp` and `local`.
  var serviceType: (type: String, domain: String)? {
    let labels = labels
    guard labels.count >= 3, Self.isType(labels[0...1]) else { return nil }
    return (Self.avahiText(labels[0...1]), Self.avahiText(labels[2...]))
  }

  /// Whether labels are like `_http` and `_tcp`.
  private static func isType(_ labels: ArraySlice<[UInt8]>) -> Bool {
    guard let name = labels.first, let transport = labels.last else { return false }
    let last = String(decoding: transport, as: UTF8.self).lowercased()
    return labels.count == 2 && isTypeLabel(name) && (last == "_tcp" || last == "_udp")
  }

  private static func isTypeLabel(_ label: [UInt8]) -> Bool { label.count > 2 && label[0] == UInt8(ascii: "_") }

  /// The labels of a type such as `_http._tcp`; nil when it is not valid.
  static func typeLabels(_ text: String) -> [[UInt8]]? {
    guard let labels = DNSName(client: text)?.labels, isType(labels[...]) else { return nil }
    return labels
  }

  /// The labels of a type or a subtype, such as `_printer._sub._http._tcp`; nil when it is not valid.
  static func anyTypeLabels(_ text: String) -> [[UInt8]]? {
    guard let labels = DNSName(client: text)?.labels, labels.count >= 2, isType(labels[(labels.count - 2)...]),
      labels.allSatisfy({ isTypeLabel($0) })
    else { return nil }
    return labels
  }
}

extension UInt8 {
  fileprivate var avahiText: String {
    switch self {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "0")...UInt8(ascii: "9"),
      UInt8(ascii: "-"), UInt8(ascii: "_"):
      return String(Unicode.Scalar(self))
    case UInt8(ascii: "."), UInt8(ascii: "\\"):
      return "\\" + String(Unicode.Scalar(self))
    default:
      let digits = String(self)
      return "\\" + String(repeating: "0", count: 3 - digits.count) + digits
    }
  }
}
