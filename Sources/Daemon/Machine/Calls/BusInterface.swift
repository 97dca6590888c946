/// The methods and signals of an interface: what is answered, and what introspection tells.
struct BusInterface: Sendable {
  struct Argument: Sendable {
    let type: String
    let name: String
  }

  struct Method: Sendable {
    let name: String
    let inputs: [Argument]
    let outputs: [Argument]
    /// Whether introspection tells it.
    var isDescribed = true

    var signature: String { inputs.map(\.type).joined() }
  }

  struct Signal: Sendable {
    let name: String
    let arguments: [Argument]
  }

  let name: String
  private(set) var methods: [Method] = []
  private(set) var signals: [Signal] = []

  init(_ name: String) { self.name = name }

  /// The interface with one more method.
  ///
  /// - Parameters:
  ///   - inputs: The types and names of the arguments, such as `i interface, s name`.
  ///   - outputs: Those of the results.
  func method(_ name: String, _ inputs: String = "", to outputs: String = "") -> BusInterface {
    var copy = self
    copy.methods.append(Method(name: name, inputs: Self.arguments(inputs), outputs: Self.arguments(outputs)))
    return copy
  }

  func signal(_ name: String, _ arguments: String = "") -> BusInterface {
    var copy = self
    copy.signals.append(Signal(name: name, arguments: Self.arguments(arguments)))
    return copy
  }

  private static func arguments(_ text: String) -> [Argument] {
    text.split(separator: ",").map { one in
      let words = one.split(separator: " ")
      return Argument(type: String(words[0]), name: String(words[1]))
    }
  }

  /// The interface with the signals of a browser.
  fileprivate func browsing(_ item: String) -> BusInterface {
    method("Free").method("Start").signal("ItemNew", item).signal("ItemRemove", item).signal("Failure", "s error")
      .signal("AllForNow").signal("CacheExhausted")
  }

  /// The interface with the signals of a resolver.
  fileprivate func resolving(_ found: String) -> BusInterface {
    method("Free").method("Start").signal("Found", found).signal("Failure", "s error")
  }
}

extension BusInterface {
  private static let link = "i interface, i protocol"

  static let introspection = BusInterface("org.freedesktop.DBus.Introspectable").method("Introspect", to: "s data")
  static let peer = BusInterface("org.freedesktop.DBus.Peer").method("Ping")

  static let server = questions("Server", making: "New")
  static let server2 = {
    var interface = questions("Server2", making: "Prepare")
    // avahi-daemon answers these here, too, and tells nobody.
    interface.methods += server.methods.filter { $0.name.hasSuffix("New") && $0.name != "EntryGroupNew" }.map { method in
      var method = method
      method.isDescribed = false
      return method
    }
    return interface
  }()

  private static func questions(_ name: String, making suffix: String) -> BusInterface {
    let address = "i interface, i protocol, s name, i aprotocol, s address, u flags"
    let service = "i interface, i protocol, s name, s type, s domain, s host, i aprotocol, s address, q port, aay txt, u flags"
    return BusInterface("org.freedesktop.Avahi.\(name)")
      .method("GetVersionString", to: "s version").method("GetAPIVersion", to: "u version")
      .method("GetHostName", to: "s name").method("SetHostName", "s name").method("GetHostNameFqdn", to: "s name")
      .method("GetDomainName", to: "s name").method("IsNSSSupportAvailable", to: "b yes").method("GetState", to: "i state")
      .signal("StateChanged", "i state, s error").method("GetLocalServiceCookie", to: "u cookie")
      .method("GetAlternativeHostName", "s name", to: "s name").method("GetAlternativeServiceName", "s name", to: "s name")
      .method("GetNetworkInterfaceNameByIndex", "i index", to: "s name")
      .method("GetNetworkInterfaceIndexByName", "s name", to: "i index")
      .method("ResolveHostName", "\(link), s name, i aprotocol, u flags", to: address)
      .method(
        "ResolveAddress", "\(link), s address, u flags", to: "\(link), i aprotocol, s address, s name, u flags"
      )
      .method("ResolveService", "\(link), s name, s type, s domain, i aprotocol, u flags", to: service)
      .method("EntryGroupNew", to: "o path")
      .method("DomainBrowser\(suffix)", "\(link), s domain, i btype, u flags", to: "o path")
      .method("ServiceTypeBrowser\(suffix)", "\(link), s domain, u flags", to: "o path")
      .method("ServiceBrowser\(suffix)", "\(link), s type, s domain, u flags", to: "o path")
      .method(
        "ServiceResolver\(suffix)", "\(link), s name, s type, s domain, i aprotocol, u flags", to: "o path"
      )
      .method("HostNameResolver\(suffix)", "\(link), s name, i aprotocol, u flags", to: "o path")
      .method("AddressResolver\(suffix)", "\(link), s address, u flags", to: "o path")
      .method("RecordBrowser\(suffix)", "\(link), s name, q clazz, q type, u flags", to: "o path")
  }

  static let entryGroup = BusInterface("org.freedesktop.Avahi.EntryGroup")
    .method("Free").method("Commit").method("Reset").method("GetState", to: "i state").method("IsEmpty", to: "b empty")
    .signal("StateChanged", "i state, s error")
    .method("AddService", "\(link), u flags, s name, s type, s domain, s host, q port, aay txt")
    .method("AddServiceSubtype", "\(link), u flags, s name, s type, s domain, s subtype")
    .method("UpdateServiceTxt", "\(link), u flags, s name, s type, s domain, aay txt")
    .method("AddAddress", "\(link), u flags, s name, s address")
    .method("AddRecord", "\(link), u flags, s name, q clazz, q type, u ttl, ay rdata")

  static let domainBrowser = BusInterface("org.freedesktop.Avahi.DomainBrowser").browsing("\(link), s domain, u flags")
  static let serviceTypeBrowser = BusInterface("org.freedesktop.Avahi.ServiceTypeBrowser")
    .browsing("\(link), s type, s domain, u flags")
  static let serviceBrowser = BusInterface("org.freedesktop.Avahi.ServiceBrowser")
    .browsing("\(link), s name, s type, s domain, u flags")
  static let recordBrowser = BusInterface("org.freedesktop.Avahi.RecordBrowser")
    .browsing("\(link), s name, q clazz, q type, ay rdata, u flags")

  static let serviceResolver = BusInterface("org.freedesktop.Avahi.ServiceResolver")
    .resolving("\(link), s name, s type, s domain, s host, i aprotocol, s address, q port, aay txt, u flags")
  static let hostNameResolver = BusInterface("org.freedesktop.Avahi.HostNameResolver")
    .resolving("\(link), s name, i aprotocol, s address, u flags")
  static let addressResolver = BusInterface("org.freedesktop.Avahi.AddressResolver")
    .resolving("\(link), i aprotocol, s address, s name, u flags")
}

extension BusInterface {
  /// The interfaces of the daemon's objects.
  private static let ofObjects = [
    server, server2, entryGroup, domainBrowser, serviceTypeBrowser, serviceBrowser, recordBrowser, serviceResolver,
    hostNameResolver, addressResolver,
  ]

  /// The signature of a method's arguments; nil if there is no such method.
  static func signature(of member: String, in interface: String?) -> String? {
    ofObjects.first { $0.name == interface }?.methods.first { $0.name == member }?.signature
  }

  /// The description of an object with some interfaces, as introspection tells it.
  static func description(of interfaces: [BusInterface]) -> String {
    var lines = [
      "<!DOCTYPE node PUBLIC \"-//freedesktop//DTD D-BUS Object Introspection 1.0//EN\"",
      "\"http://www.freedesktop.org/standards/dbus/1.0/introspect.dtd\">", "<node>",
    ]
    for interface in [introspection, peer] + interfaces {
      lines.append(" <interface name=\"\(interface.name)\">")
      for method in interface.methods where method.isDescribed {
        lines.append("  <method name=\"\(method.name)\">")
        lines += method.inputs.map { "   <arg name=\"\($0.name)\" type=\"\($0.type)\" direction=\"in\"/>" }
        lines += method.outputs.map { "   <arg name=\"\($0.name)\" type=\"\($0.type)\" direction=\"out\"/>" }
        lines.append("  </method>")
      }
      for signal in interface.signals {
        lines.append("  <signal name=\"\(signal.name)\">")
        lines += signal.arguments.map { "   <arg name=\"\($0.name)\" type=\"\($0.type)\"/>" }
        lines.append("  </signal>")
      }
      lines.append(" </interface>")
    }
    return (lines + ["</node>", ""]).joined(separator: "\n")
  }
}
