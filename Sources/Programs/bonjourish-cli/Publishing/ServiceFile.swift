import Bonjourish
import _BonjourishBase

/// The file of `publish --file`: JSON with what to publish.
///
///     {"services": [{"name": …, "type": …, "port": …}], "hosts": [{"name": …, "addresses": […]}], "records": […]}
enum ServiceFile {
  /// The largest file that is read, in bytes.
  static let maximumByteCount = 4 << 20

  /// Reads a file's content.
  ///
  /// - Parameter allowsOdd: Whether host names may have any characters.
  static func plan(of content: [UInt8], allowsOdd: Bool = false) throws(ServiceFileError) -> PublishPlan {
    guard content.count <= maximumByteCount else {
      throw ServiceFileError(place: "", reason: "has more than \(maximumByteCount) bytes; split it")
    }
    let fields = try root(of: content).fields(["services", "hosts", "records"])
    var hosts: [Bonjour.Host] = []
    for node in try fields["hosts"]?.elements() ?? [] {
      let host = try host(node, allowsOdd)
      guard !hosts.contains(where: { $0.name == host.name }) else {
        throw node.invalid("has the name \(host.name) once more; give each host once, with all its addresses")
      }
      hosts.append(host)
    }
    var plan = PublishPlan()
    for node in try fields["services"]?.elements() ?? [] {
      let service = try service(node, hosts, allowsOdd)
      guard !plan.services.contains(where: { $0.name == service.name && $0.type == service.type }) else {
        throw node.invalid("has the name and type of another service in the file; give each service once")
      }
      plan.services.append(service)
    }
    plan.hosts = hosts.filter { host in !plan.services.contains { $0.host?.name == host.name } }
    for node in try fields["records"]?.elements() ?? [] { plan.records.append(try record(node)) }
    guard !plan.isEmpty else {
      throw ServiceFileError(place: "", reason: "has nothing to publish; give services, hosts or records")
    }
    return plan
  }

  private static func root(of content: [UInt8]) throws(ServiceFileError) -> JSONNode {
    let limits = JSONReader.Limits(byteCount: maximumByteCount, values: maximumByteCount)
    do throws(JSONReader.Flaw) {
      return JSONNode(value: try JSONReader.read(content, limits), place: "")
    } catch {
      let reason = "byte \(error.position): expected \(error.expected)"
      throw ServiceFileError(place: "", reason: "is not valid JSON (\(reason)); correct it")
    }
  }

  private static func host(_ node: JSONNode, _ allowsOdd: Bool) throws(ServiceFileError) -> Bonjour.Host {
    let fields = try node.fields(["name", "addresses"])
    let name = try required("name", fields, node)
    let list = try required("addresses", fields, node)
    var addresses: [IPAddress] = []
    for element in try list.elements() {
      let text = try element.text()
      guard let address = IPAddress(text) else { throw element.invalid("must be an IPv4 or IPv6 address, not \"\(text)\"") }
      addresses.append(address)
    }
    guard !addresses.isEmpty else { throw list.invalid("is empty; give at least one address") }
    return Bonjour.Host(
      try made(name) { text throws(DiscoveryError) in try DomainName(host: text, allowsOdd: allowsOdd) }, addresses: addresses)
  }

  private static func service(
    _ node: JSONNode, _ hosts: [Bonjour.Host], _ allowsOdd: Bool
  ) throws(ServiceFileError) -> Bonjour.Service {
    let fields = try node.fields(["name", "type", "port", "subtypes", "txt", "host", "rename"])
    let name = try made(try required("name", fields, node)) { text throws(DiscoveryError) in try InstanceName(text) }
    let type = try made(try required("type", fields, node)) { text throws(DiscoveryError) in
      let type = try ServiceType(shorthand: text)
      try type.checkForPublishing()
      return type
    }
    var service = Bonjour.Service(name, type: type, port: UInt16(try required("port", fields, node).number(in: 1...65_535)))
    for subtype in try fields["subtypes"]?.elements() ?? [] {
      service.subtypes.insert(try made(subtype) { text throws(DiscoveryError) in try ServiceSubtype(text) })
    }
    if let txt = fields["txt"] {
      var strings: [[UInt8]] = []
      for element in try txt.elements() { strings.append(try element.bytes()) }
      service.txt = try checked(txt) { () throws(DiscoveryError) in try TXTRecord(strings: strings) }
    }
    if let host = fields["host"] {
      let name = try made(host) { text throws(DiscoveryError) in try DomainName(host: text, allowsOdd: allowsOdd) }
      service.host = hosts.first { $0.name == name } ?? Bonjour.Host(name)
    }
    if try fields["rename"]?.truth() == false { service.conflictPolicy = .fail }
    return service
  }

  private static func record(_ node: JSONNode) throws(ServiceFileError) -> CustomRecord {
    let fields = try node.fields(["name", "type", "base64", "unique", "alias"])
    let name = try made(try required("name", fields, node)) { text throws(DiscoveryError) in try DomainName(text) }
    if let alias = fields["alias"] {
      if let other = ["type", "base64", "unique"].first(where: { fields[$0] != nil }) {
        throw node.invalid("has both \"alias\" and \"\(other)\"; give one of them")
      }
      return .alias(name, for: try made(alias) { text throws(DiscoveryError) in try DomainName(text) })
    }
    let type = try made(try required("type", fields, node)) { text throws(DiscoveryError) in try RecordType(text) }
    let data = try required("base64", fields, node).base64()
    let isUnique = try fields["unique"]?.truth() ?? false
    return try checked(node) { () throws(DiscoveryError) in
      try CustomRecord(name, type: type, data: data, isUnique: isUnique)
    }
  }

  private static func required(
    _ key: String, _ fields: [String: JSONNode], _ node: JSONNode
  ) throws(ServiceFileError) -> JSONNode {
    guard let field = fields[key] else { throw node.invalid("lacks \"\(key)\"; give it") }
    return field
  }

  /// Makes a value of a text; its error is told with the place.
  private static func made<Result>(
    _ node: JSONNode, _ make: (String) throws(DiscoveryError) -> Result
  ) throws(ServiceFileError) -> Result {
    let text = try node.text()
    return try checked(node) { () throws(DiscoveryError) in try make(text) }
  }

  private static func checked<Result>(
    _ node: JSONNode, _ make: () throws(DiscoveryError) -> Result
  ) throws(ServiceFileError) -> Result {
    do throws(DiscoveryError) {
      return try make()
    } catch {
      throw node.invalid("is wrong: \(error.message)")
    }
  }
}
