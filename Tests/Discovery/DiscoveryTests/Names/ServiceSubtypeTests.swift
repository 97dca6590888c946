import Testing

@testable import _BonjourishDiscovery

/// RFC 6763 §7.1.
struct ServiceSubtypeTests {
  @Test(arguments: ["_printer", "printer", "_a.b", "Größe", "-", String(repeating: "x", count: 63)])
  func `a valid subtype is accepted`(_ text: String) throws {
    #expect(try ServiceSubtype(text).text == text)
  }

  @Test(arguments: [("", "empty"), ("a\u{7F}", "control"), (String(repeating: "é", count: 32), "64 bytes")])
  func `an invalid subtype is refused with a reason`(_ text: String, _ reason: String) throws {
    let error = try #require(throws: DiscoveryError.self) { try ServiceSubtype(text) }
    #expect(error.code == .invalidServiceType)
    #expect(error.message.contains(reason) && error.message.contains("_printer"))
  }

  @Test func `case is ignored`() {
    #expect(Set<ServiceSubtype>(["_printer", "_PRINTER", "_color"]).count == 2)
    #expect(ServiceSubtype("\u{E9}") != ServiceSubtype("e\u{301}"))
  }

  @Test func `a subtype is one label of the name, whatever its characters`() {
    #expect(ServiceSubtype("_printer").name(of: "_http._tcp") == "_printer._sub._http._tcp")
    #expect(ServiceSubtype("a.b\\c").name(of: "_http._tcp") == "a\\.b\\\\c._sub._http._tcp")
  }

  @Test func `a renamed or changed service keeps its subtypes`() {
    let service = Registration(
      "Ada", type: "_http._tcp", subtypes: ["_printer", "_color"], domain: .local, port: 1, txt: [:])
    for changed in [service, service.renamed(to: "Bob"), service.replacing(txt: ["k": "v"])] {
      #expect(changed.service?.subtypeNames == ["_color._sub._http._tcp", "_printer._sub._http._tcp"])
    }
  }

  @Test func `a subtype narrows the browsed type`() {
    #expect(BrowseQuery("_http._tcp", domain: .local).typeName == "_http._tcp")
    #expect(
      BrowseQuery("_http._tcp", subtype: "_printer", domain: .local).typeName == "_printer._sub._http._tcp")
  }
}
