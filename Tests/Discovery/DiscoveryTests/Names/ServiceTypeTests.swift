import Testing

@testable import _BonjourishDiscovery

/// RFC 6763 §7, RFC 6335 §5.1.
struct ServiceTypeTests {
  @Test(arguments: [
    "_http._tcp", "_http._udp", "_HTTP._TCP", "_http._tcp.", "_a._tcp", "_1a._udp", "_a1._tcp", "_a-b-c._tcp",
    "_0-x-9._tcp", "_fifteenletters1._tcp", "_10-a._udp",
  ]) func `a valid type is accepted`(_ text: String) throws {
    let type = try ServiceType(text)
    try type.checkForPublishing()
    let plain = text.last == "." ? String(text.dropLast()) : text
    #expect(type.description.lowercased() == plain.lowercased())
    #expect(type.name == plain.dropFirst().prefix { $0 != "." })
    #expect(try ServiceType(type.description) == type)
  }

  @Test(arguments: [
    ("", "two parts, not 0"), (".", "two parts, not 0"), ("_http", "two parts, not 1"), ("_http.", "two parts, not 1"),
    ("._tcp", "not a name of two parts"),
    ("_http._tcp.local", "two parts, not 3"), ("_sub._http._tcp", "two parts, not 3"),
    ("_http._tcp..", "not a name of two parts"),
    ("_http.._tcp", "not a name of two parts"), ("_a\u{1B}b._tcp", "not a name of two parts"),
    ("_" + String(repeating: "a", count: 63) + "._tcp", "not a name of two parts"), (#"_\255._tcp"#, "not UTF-8"),
    ("_http._sctp", "neither _tcp nor _udp"), ("_http.tcp", "neither _tcp nor _udp"), ("_http._tcp ", "neither _tcp nor _udp"),
    ("http._tcp", "underscore"), ("-http._tcp", "underscore"), (" _http._tcp", "underscore"), ("_._tcp", "empty"),
  ]) func `what is no type is refused with a reason`(_ text: String, _ reason: String) throws {
    let error = try #require(throws: DiscoveryError.self) { try ServiceType(text) }
    #expect(error.code == .invalidServiceType)
    #expect(error.message.contains(reason), "\(error)")
    #expect(error.message.contains("_http._tcp"), "says how to write it")
  }

  @Test(arguments: [
    ("_sixteenletters12._tcp", "16 characters"), ("_androidtvremote2._tcp", "16 characters"),
    ("_nvstream_dbd._tcp", "other than letters"),
    ("_1._tcp", "no letter"), ("_1-2._tcp", "no letter"), ("_-._tcp", "no letter"), ("_-a._tcp", "begins or ends"),
    ("_a-._tcp", "begins or ends"), ("_a--b._tcp", "two hyphens"), ("_a_b._tcp", "other than letters"),
    ("_a b._tcp", "other than letters"), ("_caf\u{E9}._tcp", "other than letters"),
    ("_\u{212A}elvin._tcp", "other than letters"), ("__http._tcp", "other than letters"),
    ("_a\u{301}._tcp", "other than letters"), (#"_a\.b._tcp"#, "other than letters"), (#"_a\027b._tcp"#, "other than letters"),
    ("_" + String(repeating: "a", count: 62) + "._tcp", "62 characters"),
  ]) func `a type that breaks RFC 6335 can be looked for but not published`(_ text: String, _ reason: String) throws {
    let type = try ServiceType(text)
    #expect(type.dnsText == text)
    #expect(try ServiceType(type.dnsText) == type)
    let error = try #require(throws: DiscoveryError.self) { try type.checkForPublishing() }
    #expect(error.code == .invalidServiceType)
    #expect(error.message.contains(reason), "\(error)")
    #expect(error.message.contains("\"\(text)\"") && error.message.contains("_http._tcp"), "says what, and how to write it")
  }

  @Test func `a type is displayed without what controls a terminal`() {
    let (controls, reorders): (ServiceType, ServiceType) = (#"_a\027\.b._tcp"#, "_a\u{202E}b._udp")
    #expect(controls.name == "a\u{1B}.b")
    #expect(controls.description == #"_a\027\.b._tcp"#)
    #expect(reorders.description == #"_a\u{202E}b._udp"#)
  }

  @Test func `case is kept and ignored in comparisons`() throws {
    let (small, large): (ServiceType, ServiceType) = ("_http._tcp", "_HTTP._TCP")
    #expect(small == large)
    #expect(small.hashValue == large.hashValue)
    #expect(large.description == "_HTTP._tcp")
    #expect(small != "_http._udp")
    #expect(small != "_ipp._tcp")
  }

  @Test func `every name of up to three characters follows the rule`() {
    let characters = Array("aZ0-_é")
    var names = [""]
    for _ in 1...3 { names += names.flatMap { name in characters.map { name + String($0) } } }
    for name in Set(names) {
      let bytes = Array(name.utf8)
      let isValid =
        !bytes.isEmpty && !name.contains("_") && !name.contains("é") && name.contains { $0 == "a" || $0 == "Z" }
        && name.first != "-" && name.last != "-" && !name.contains("--")
      let type = try? ServiceType("_\(name)._tcp")
      #expect((type != nil) == !bytes.isEmpty, "\(name)")
      #expect(((try? type?.checkForPublishing()) != nil) == isValid, "\(name)")
    }
  }
}
