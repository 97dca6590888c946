import Bonjourish
import CBonjourishLinux
import _BonjourishConsole
import _BonjourishEventLoop

/// What `publish` is to publish.
struct PublishPlan: Equatable {
  var services: [Bonjour.Service] = []
  /// The hosts that no service is of.
  var hosts: [Bonjour.Host] = []
  var records: [CustomRecord] = []

  var isEmpty: Bool { services.isEmpty && hosts.isEmpty && records.isEmpty }

  init() {}

  /// Reads the command line, and the files that it names.
  init(_ arguments: Arguments) async throws {
    if let path = arguments[Commands.file] {
      guard arguments[Commands.serviceName] == nil else {
        throw Commands.publish.usageError("--file says what to publish; leave out NAME, TYPE, PORT and KEY=VALUE, or --file")
      }
      let content = try await InputFile.content(of: path, upTo: ServiceFile.maximumByteCount)
      do throws(ServiceFileError) {
        self = try ServiceFile.plan(of: content, allowsOdd: arguments[Commands.allowOdd])
      } catch {
        throw Failure(.usage, error.message(about: path))
      }
      return
    }
    let allowsOdd = arguments[Commands.allowOdd]
    if !allowsOdd { try Self.checkText(arguments) }
    var addresses: [IPAddress] = []
    for text in arguments[Commands.addresses] {
      guard let address = IPAddress(text) else {
        throw Commands.publish.usageError("--address must be an IPv4 or IPv6 address, not '\(text)'")
      }
      addresses.append(address)
    }
    let host = try arguments[Commands.host].map { name throws(DiscoveryError) in
      let name = name.contains(".") ? name : "\(name).local"
      return Bonjour.Host(try DomainName(host: name, allowsOdd: allowsOdd), addresses: addresses)
    }
    guard host != nil || addresses.isEmpty else {
      throw Commands.publish.usageError("--address is about another host; give --host NAME too")
    }
    if arguments[Commands.serviceName] != nil {
      services = [try await Self.service(arguments, of: host)]
    } else {
      hosts = [try Self.lone(host, arguments)]
    }
  }

  /// Checks that what is to be published is UTF-8. Other bytes have become U+FFFD when the arguments were read, and would be published so.
  private static func checkText(_ arguments: Arguments) throws {
    let texts =
      [("NAME", arguments[Commands.serviceName]), ("--host", arguments[Commands.host])]
      + arguments[Commands.pairs].map { ("KEY=VALUE", $0) } + arguments[Commands.subtypes].map { ("--subtype", $0) }
    for (what, text) in texts where text?.unicodeScalars.contains("\u{FFFD}") == true {
      throw Commands.publish.usageError("\(what) is not UTF-8, or has the character U+FFFD; write it in UTF-8")
    }
  }

  /// Checks that the options of a service are not given for a host alone.
  private static func lone(_ host: Bonjour.Host?, _ arguments: Arguments) throws -> Bonjour.Host {
    guard let host else {
      throw Commands.publish.usageError("NAME is missing; give NAME, TYPE and PORT of a service, --file FILE, or --host NAME")
    }
    guard !host.addresses.isEmpty else {
      throw Commands.publish.usageError("--host without a service needs its addresses; give --address ADDRESS")
    }
    let isForService = [
      ("--subtype", !arguments[Commands.subtypes].isEmpty), ("--txt-file", arguments[Commands.txtFile] != nil),
      ("--no-rename", arguments[Commands.noRename]), ("--domain", arguments[Commands.domain] != nil),
    ]
    if let option = isForService.first(where: { $0.1 })?.0 {
      throw Commands.publish.usageError("\(option) is about a service; give NAME, TYPE and PORT, or leave it out")
    }
    return host
  }

  private static func service(_ arguments: Arguments, of host: Bonjour.Host?) async throws -> Bonjour.Service {
    guard let name = arguments[Commands.serviceName], let type = arguments[Commands.serviceType],
      let port = arguments[Commands.servicePort]
    else {
      let missing =
        arguments[Commands.serviceType] == nil
        ? "TYPE is missing; give a service type, such as _http._tcp, or http for short"
        : "PORT is missing; give the port on which the service listens"
      throw Commands.publish.usageError(missing)
    }
    let serviceType = try ServiceType(shorthand: type)
    try serviceType.checkForPublishing()
    var service = Bonjour.Service(
      try InstanceName(name), type: serviceType, subtypes: Set(try arguments[Commands.subtypes].map { try ServiceSubtype($0) }),
      domain: try arguments.domain(), port: UInt16(port),
      txt: try TXTRecord(pairs: arguments[Commands.pairs], allowsOdd: arguments[Commands.allowOdd]), host: host)
    if let path = arguments[Commands.txtFile] {
      guard arguments[Commands.pairs].isEmpty else {
        throw Commands.publish.usageError("--txt-file is the whole TXT record; leave out KEY=VALUE, or --txt-file")
      }
      service.txt = try TXTRecord(strings: lines(of: try await InputFile.content(of: path, upTo: ServiceFile.maximumByteCount)))
    }
    if arguments[Commands.noRename] { service.conflictPolicy = .fail }
    return service
  }

  /// The lines of a file as they are, byte for byte; the last one may lack its newline.
  static func lines(of content: [UInt8]) -> [ArraySlice<UInt8>] {
    var lines = content.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
    if lines.last?.isEmpty == true { lines.removeLast() }
    return lines
  }
}

extension TXTRecord {
  /// Parses the operands of the command line: `key=value`, or `key` for a flag.
  ///
  /// - Parameter allowsOdd: Whether a key may be there twice, of which readers use the first only (RFC 6763 §6.4).
  fileprivate init(pairs: [String], allowsOdd: Bool) throws(DiscoveryError) {
    self.init()
    var isDoubled = false
    for pair in pairs {
      let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      if self[String(parts[0])] != nil {
        guard allowsOdd else {
          throw DiscoveryError(
            .invalidTXTRecord,
            "TXT key \"\(parts[0])\": it is given twice, and readers use the first only; give each key once, or --allow-odd")
        }
        isDoubled = true
      }
      try set(parts.count == 2 ? Value(String(parts[1])) : .flag, for: String(parts[0]))
    }
    // `set` has replaced the first one.
    if isDoubled { self = try TXTRecord(strings: pairs.map { Array($0.utf8) }) }
  }
}

extension DomainName {
  /// Makes the name of a host.
  ///
  /// - Parameter allowsOdd: Whether it may have ASCII characters that no program takes for part of a host name, such as spaces.
  /// - Throws: `DiscoveryError` with code `invalidDomain` as the other initialiser, and when it has such characters and must not.
  init(host text: String, allowsOdd: Bool = false) throws(DiscoveryError) {
    let name = try DomainName(text)
    let isAllowed =
      allowsOdd
      || name.text.utf8.allSatisfy { byte in
        byte >= 0x80 || "-._".utf8.contains(byte) || (0x30...0x39).contains(byte) || (0x61...0x7A).contains(byte | 0x20)
      }
    guard isAllowed else {
      throw DiscoveryError(
        .invalidDomain,
        "host name \"\(text)\": it has a space or a sign; use letters, digits and hyphens, such as printer.local, or give "
          + "--allow-odd")
    }
    self = name
  }
}
