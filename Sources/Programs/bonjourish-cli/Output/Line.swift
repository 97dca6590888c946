import Bonjourish
import _BonjourishBase

/// Lines of plain text that a program can take apart: words are separated by one space, and a word that contains a space, a
/// quotation mark or another unusual character stands in quotation marks.
enum Line {
  /// A text in quotation marks. `\"` and `\\` are the mark and the backslash; what a terminal would interpret is `\n`, `\r`, `\t`
  /// or `\u{…}`.
  static func quoted(_ text: String) -> String { quoted(Array(text.utf8)) }

  /// Bytes in quotation marks, as a text; bytes that are not UTF-8 are `\xFF`.
  static func quoted(_ bytes: [UInt8]) -> String {
    let marked = bytes.flatMap { byte -> [UInt8] in
      byte == UInt8(ascii: "\\") || byte == UInt8(ascii: "\"") ? [UInt8(ascii: "\\"), byte] : [byte]
    }
    return "\"\(marked.escapedForDisplay)\""
  }

  /// A text that is quoted only if it must be.
  static func word(_ text: String) -> String {
    let isPlain = text.utf8.allSatisfy { byte in
      byte > 0x20 && byte < 0x7F && !"\"\\'()=".utf8.contains(byte)
    }
    return isPlain && !text.isEmpty ? text : quoted(text)
  }

  /// The type, with the domain unless it is local.
  static func type(_ instance: ServiceInstance) -> String {
    instance.domain == .local ? "\(instance.type)" : word("\(instance.type).\(instance.domain.text)")
  }

  /// Host and port, the addresses separated by commas (`-` if none is known), and the entries of the TXT record.
  static func endpoint(_ endpoint: Endpoint) -> String {
    let addresses = endpoint.addresses.map { word($0.description) }.joined(separator: ",")
    let words = ["\(word(endpoint.host.text)):\(endpoint.port)", addresses.isEmpty ? "-" : addresses]
    return (words + entries(endpoint.txt)).joined(separator: " ")
  }

  /// The name, the type, the interfaces, remarks in parentheses, and the endpoint if it is known.
  ///
  /// - Parameter resolves: Whether an endpoint is expected.
  static func service(_ service: DiscoveredService, resolves: Bool) -> String {
    let remarks = remarks(on: service, resolves: resolves)
    let interfaces = service.sources.map { word($0.name) }.joined(separator: ",")
    var words = [quoted(service.instance.name.text), type(service.instance), interfaces.isEmpty ? "-" : interfaces]
    if !remarks.isEmpty { words.append("(\(remarks.joined(separator: ", ")))") }
    if let endpoint = service.endpoint { words.append(Self.endpoint(endpoint)) }
    return words.joined(separator: " ")
  }

  /// What is to be remarked about a service.
  static func remarks(on service: DiscoveredService, resolves: Bool) -> [String] {
    var remarks: [String] = []
    if resolves, service.endpoint == nil { remarks.append(service.absence) }
    switch service.presence {
    case .present: break
    case .leaving: remarks.append("said goodbye")
    case .suspect: remarks.append("may be gone")
    }
    return remarks
  }

  /// The entries of a TXT record: `key="value"`, or `key` if it has no value.
  static func entries(_ txt: TXTRecord) -> [String] {
    txt.map { key, value in
      switch value {
      case .flag: word(key)
      case .bytes(let bytes): "\(word(key))=\(quoted(bytes))"
      }
    }
  }
}
