import _BonjourishDiscovery

/// Builds a ``ServiceFile`` from the elements and texts of an XML document, as the document type of Avahi says.
///
/// As with avahi-daemon, an element or an attribute that is not known is an error. What avahi-daemon adds up or ignores in silence is
/// an error, too: a second name, text between elements.
package struct ServiceFileReader {
  /// The bounds of one file.
  package enum Limit {
    /// The size of a file in bytes.
    package static let file = 1 << 20
    /// The services of a file, and the TXT strings and subtypes of a service.
    package static let count = 1_000
    /// The bytes of one text. No name or string is longer than 255 bytes; twice that, and some, in hexadecimal.
    package static let text = 2_048
  }

  /// What is wrong with the document; the line is known to whoever parses it.
  package struct Problem: Error, Hashable, Sendable {
    package let reason: String
    init(_ reason: String) { self.reason = reason }
  }

  private enum Element: String {
    case group = "service-group"
    case name
    case service
    case type
    case subtype
    case domain = "domain-name"
    case host = "host-name"
    case port
    case txt = "txt-record"

    /// The element that it stands in.
    var parent: Element? {
      switch self {
      case .group: nil
      case .name, .service: .group
      case .type, .subtype, .domain, .host, .port, .txt: .service
      }
    }

    var attribute: String? {
      switch self {
      case .name: "replace-wildcards"
      case .service: "protocol"
      case .txt: "value-format"
      case .group, .type, .subtype, .domain, .host, .port: nil
      }
    }
  }

  private var file = ServiceFile()
  private var service: ServiceFile.Service?
  private var path: [Element] = []
  private var isComplete = false
  private var text: [UInt8] = []
  private var format = TextFormat.text
  /// The elements of the group or the service that may be there once.
  private var given: Set<Element> = []

  package init() {}

  /// An element begins.
  package mutating func begin(_ tag: String, _ attributes: [(name: String, value: String)]) throws(Problem) {
    guard let element = Element(rawValue: tag), element.parent == path.last, !isComplete else {
      throw Problem("<\(tag)> does not belong \(path.last.map { "into <\($0.rawValue)>" } ?? "here")")
    }
    if element != .service, element != .subtype, element != .txt, !given.insert(element).inserted {
      throw Problem("<\(tag)> is there twice")
    }
    var value: String?
    for attribute in attributes {
      guard attribute.name == element.attribute, value == nil else {
        throw Problem("<\(tag)> has no attribute \(attribute.name)")
      }
      value = attribute.value
    }
    try begin(element, attribute: value)
    path.append(element)
    text = []
  }

  private mutating func begin(_ element: Element, attribute value: String?) throws(Problem) {
    switch element {
    case .name: file.replacesWildcards = value == "yes"
    case .service:
      guard file.services.count < Limit.count else { throw Problem("there are more than \(Limit.count) services") }
      var service = ServiceFile.Service()
      switch value ?? "any" {
      case "any": break
      case "ipv4": service.families = [.ipv4]
      case "ipv6": service.families = [.ipv6]
      case let value: throw Problem("protocol must be ipv4, ipv6 or any, not \"\(value)\"")
      }
      self.service = service
    case .txt:
      guard let format = TextFormat(rawValue: value ?? "text") else {
        throw Problem("value-format must be text, binary-hex or binary-base64, not \"\(value ?? "")\"")
      }
      self.format = format
    case .group, .type, .subtype, .domain, .host, .port: break
    }
  }

  /// Text follows, which may come in several pieces.
  package mutating func add(_ bytes: some Collection<UInt8>) throws(Problem) {
    guard let element = path.last, element != .group, element != .service else {
      guard bytes.allSatisfy({ [0x20, 0x09, 0x0A, 0x0D].contains($0) }) else {
        throw Problem(
          "there is text \(path.last.map { "in <\($0.rawValue)> outside of an element" } ?? "outside of all elements")")
      }
      return
    }
    guard text.count + bytes.count <= Limit.text else {
      throw Problem("<\(element.rawValue)> has more than \(Limit.text) bytes")
    }
    text += bytes
  }

  /// The element that has begun last ends.
  package mutating func end() throws(Problem) {
    guard let element = path.popLast() else { throw Problem("an element ends that has not begun") }
    // XML is in UTF-8 once it is parsed.
    let text = text
    let string = String(decoding: text, as: UTF8.self)
    let word = String(string.trimmed)
    self.text = []
    switch element {
    case .group:
      guard !file.name.isEmpty else { throw Problem("the service group has no name") }
      guard !file.services.isEmpty else { throw Problem("the service group has no service") }
      isComplete = true
    case .service:
      guard let service, !service.type.isEmpty else { throw Problem("a service has no type") }
      file.services.append(service)
      self.service = nil
      given = given.filter { $0.parent == .group || $0 == .group }
    case .name: file.name = string
    case .type: service?.type = word
    case .domain: service?.domain = word
    case .host: service?.host = word
    case .port:
      guard let port = UInt16(word), !word.hasPrefix("+") else {
        throw Problem("a port is a number from 0 to 65535, not \"\(string)\"")
      }
      service?.port = port
    case .subtype:
      guard service?.subtypes.count ?? 0 < Limit.count else { throw Problem("a service has more than \(Limit.count) subtypes") }
      service?.subtypes.append(word)
    case .txt:
      guard service?.txt.count ?? 0 < Limit.count else { throw Problem("a service has more than \(Limit.count) TXT strings") }
      service?.txt.append(try format.bytes(of: text))
    }
  }

  /// The file, once the document has ended.
  package func finish() throws(Problem) -> ServiceFile {
    guard isComplete else { throw Problem("there is no service group") }
    return file
  }
}
